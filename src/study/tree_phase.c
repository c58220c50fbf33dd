#include "study/tree_priv.h"

#include "base/units.h"
#include "clk/clk.h"

#include <errno.h>

static void place_of(const struct tree_study *t, const struct tree_name *name,
                     char place[STUDY_PLACE_MAX])
{
    site_place(&t->s.shape, name->length_bytes, name->repeat, name->tree, place, STUDY_PLACE_MAX);
}

int tree_write_pass(struct tree_study *t, struct study_run *run, const struct tree_name *name,
                    struct err *err)
{
    const struct fileset_spec spec = tree_spec(t, name);
    char place[STUDY_PLACE_MAX];
    struct plan *plan = NULL;

    place_of(t, name, place);
    int rc = tree_plan_write(t, &spec, &plan, err);
    if (rc < 0)
        return rc;
    rc = tree_add_place(t, name, err);
    if (rc < 0) {
        plan_free(plan);
        return rc;
    }
    rc = study_run_pass(&t->s, run, plan, place, true, err);
    if (rc == 0)
        rc = study_ask_dirty(&t->s, &spec, place, &run->cache, err);
    return rc;
}

int tree_read_pass(struct tree_study *t, struct study_run *run, const struct tree_name *name,
                   struct err *err)
{
    const struct fileset_spec spec = tree_spec(t, name);
    char place[STUDY_PLACE_MAX];
    struct plan *plan = NULL;

    place_of(t, name, place);
    int rc = study_prepare_read(&t->s, &spec, place, run, err);
    if (rc < 0 || t->s.over)
        return rc;
    if (run->sum.passes == 0)
        study_ask_stored(&t->s, &spec, place, &run->stored);
    rc = tree_plan_read(t, &spec, &plan, err);
    if (rc == 0)
        rc = study_run_pass(&t->s, run, plan, place, false, err);
    return rc < 0 ? rc : study_after_read(&t->s, &spec, place, run, err);
}

int tree_pilot_read(struct tree_study *t, const struct tree_name *name, unsigned *passes,
                    struct err *err)
{
    struct study_run run = {.reads = true};
    uint64_t min_time_ns = t->options.min_time_ns;
    int rc = tree_read_pass(t, &run, name, err);
    uint64_t first_ns = run.sum.elapsed_ns;

    if (rc == 0 && first_ns < min_time_ns && !study_check_stop(&t->s))
        rc = tree_read_pass(t, &run, name, err);
    if (rc == 0 && !t->s.over)
        *passes = study_passes_for(min_time_ns, first_ns, run.sum.elapsed_ns - first_ns);
    study_run_fini(&t->s, &run);
    return rc;
}

static uint64_t row_left_ns(const struct tree_study *t, unsigned repeat, double cycles)
{
    const struct tree_options *o = &t->options;
    uint64_t length = o->length_bytes[t->row];
    if (repeat == 0)
        return tree_pace_row_ns(&t->pace, o, t->files, length);
    double tree_ns = tree_pace_ns(&t->pace, t->files, t->files * length);
    return (uint64_t)(tree_ns * cycles * (o->repeats - repeat + 1));
}

void tree_begin_repeat(struct tree_study *t, unsigned repeat, double cycles)
{
    const struct tree_options *o = &t->options;
    t->repeat_ns = clk_monotonic_ns();
    t->repeat_left_ns = row_left_ns(t, repeat, cycles);
    for (unsigned i = t->row + 1; i < o->lengths; i++)
        t->repeat_left_ns += tree_pace_row_ns(&t->pace, o, t->files, o->length_bytes[i]);
}

void tree_end_repeat(struct tree_study *t, double cycles)
{
    uint64_t files = (uint64_t)((double)t->files * cycles);
    tree_pace_learn(&t->pace, files, files * t->options.length_bytes[t->row],
                    clk_monotonic_ns() - t->repeat_ns);
}

static uint64_t left_ns(const struct tree_study *t)
{
    uint64_t gone = clk_monotonic_ns() - t->repeat_ns;
    return t->repeat_left_ns > gone ? t->repeat_left_ns - gone : 1;
}

void tree_say_pilot(struct tree_study *t)
{
    char length[UNITS_PRINT_MAX];
    study_say(&t->s, left_ns(t), "%s, pilot",
              units_print_bytes(length, t->options.length_bytes[t->row]));
}

/* One run on its way: `name` is that of its first tree. */
struct tree_run {
    struct study_run run;
    struct tree_name name;
    struct study_row *row;
    unsigned trees;
    unsigned passes;
    uint64_t removed_files; /* shortly before it began */
    double removed_age_s;
};

static void begin(struct tree_study *t, struct tree_run *tr, const char *phase)
{
    tr->run.phase = phase;
    tr->removed_files = t->removed_files;
    if (t->removed_files > 0)
        tr->removed_age_s = (double)(clk_monotonic_ns() - t->removed_ns) / 1e9;
    study_cache_begin(&t->s, &tr->run);
}

static void say_pass(struct tree_study *t, const struct tree_run *tr, unsigned pass)
{
    char length[UNITS_PRINT_MAX];
    study_say(&t->s, left_ns(t), "%s %s, repeat %u of %u, pass %u of %u", tr->run.phase,
              units_print_bytes(length, tr->name.length_bytes), tr->name.repeat, t->options.repeats,
              pass, tr->passes);
}

static int put_options(const struct tree_study *t, const struct tree_run *tr,
                       struct result_facts *facts)
{
    static const char *const fsync_word[] = {"none", "file", "end"};
    const struct tree_options *o = &t->options;
    const struct fileset_spec *spec = &t->s.shape.spec;
    struct fact_pen pen = {.facts = facts};

    fact_count(&pen, "threads", spec->trees, "");
    fact_count(&pen, "levels", spec->levels, "");
    fact_count(&pen, "branches", spec->branches, "");
    fact_count(&pen, "files_per_dir", spec->files, "");
    fact_count(&pen, "dirs", fileset_spec_dirs(spec), "");
    fact_count(&pen, "files", t->files, "");
    fact_count(&pen, "length_bytes", tr->name.length_bytes, "bytes");
    fact_count(&pen, "repeat", tr->name.repeat, "");
    fact_count(&pen, "repeats", o->repeats, "");
    fact_count(&pen, "trees", tr->trees, "");
    fact_count(&pen, "min_time_ns", o->min_time_ns, "ns");
    fact_count(&pen, "chunk_bytes", o->chunk_bytes, "bytes");
    fact_word(&pen, "fsync", fsync_word[o->fsync]);
    fact_word(&pen, "client_cache", o->cache == STUDY_CACHE_KEEP ? "keep" : "drop");
    fact_word(&pen, "verify", o->verify ? "yes" : "no");
    fact_count(&pen, "removed_before_files", tr->removed_files, "");
    fact_number(&pen, "removed_before_age_s", tr->removed_age_s, "s");
    return pen.rc;
}

/* What was measured goes to the sink even when the run was cut short; `rc` says why it was. */
static int finish(struct tree_study *t, struct tree_run *tr, int rc, struct err *err)
{
    struct result *r = NULL;
    struct err later = {0};

    if (rc < 0 || t->s.over)
        tr->run.cut = rc < 0 ? err->text : t->s.reason;
    t->removed_files = 0;
    if (tr->run.sum.passes == 0)
        goto out;
    int done = study_result(&t->s, &tr->run, &r, &later);
    if (done == 0 && put_options(t, tr, &r->options) < 0) {
        done = err_set(&later, -ENOMEM, "no memory for a result");
        result_free(r);
    }
    if (done == 0)
        done = study_deliver(&t->s, r, tr->row, &later);
    if (done < 0) {
        rc = done;
        *err = later;
    }
out:
    study_run_fini(&t->s, &tr->run);
    return rc;
}

int tree_write_run(struct tree_study *t, uint64_t length_bytes, unsigned repeat,
                   const struct tree_counts *counts, struct err *err)
{
    struct tree_run tr = {
        .run = {.writes = true},
        .name = {.length_bytes = length_bytes, .repeat = repeat},
        .row = &t->write_row,
        .trees = counts->trees,
        .passes = counts->trees,
    };
    int rc = study_prepare_write(&t->s, err);

    begin(t, &tr, "write");
    while (rc == 0 && tr.name.tree < tr.passes && !study_check_stop(&t->s)) {
        tr.name.tree++;
        say_pass(t, &tr, tr.name.tree);
        rc = tree_write_pass(t, &tr.run, &tr.name, err);
    }
    return finish(t, &tr, rc, err);
}

int tree_read_run(struct tree_study *t, uint64_t length_bytes, unsigned repeat,
                  const struct tree_counts *counts, struct err *err)
{
    struct tree_run tr = {
        .run = {.reads = true, .verified = t->options.verify, .piece_bytes = length_bytes},
        .name = {.length_bytes = length_bytes, .repeat = repeat},
        .row = &t->read_row,
        .trees = counts->trees,
        .passes = counts->passes,
    };
    int rc = 0;

    begin(t, &tr, "read");
    for (unsigned pass = 0; rc == 0 && pass < tr.passes && !study_check_stop(&t->s); pass++) {
        tr.name.tree = pass % counts->trees + 1;
        say_pass(t, &tr, pass + 1);
        rc = tree_read_pass(t, &tr.run, &tr.name, err);
    }
    return finish(t, &tr, rc, err);
}
