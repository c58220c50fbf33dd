#include "study/tree_priv.h"

#include "base/units.h"
#include "clk/clk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void place_of(const struct tree_side *t, const struct tree_name *name,
                     char place[STUDY_PLACE_MAX])
{
    site_place(&t->s.shape, name->length_bytes, name->repeat, name->tree, place, STUDY_PLACE_MAX);
}

int tree_write_pass(struct tree_side *t, struct study_run *run, const struct tree_name *name,
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

int tree_read_pass(struct tree_side *t, struct study_run *run, const struct tree_name *name,
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

int tree_pilot_read(struct tree_side *t, const struct tree_name *name, unsigned *passes,
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

void tree_begin(struct tree_side *t, uint64_t left_ns)
{
    t->turn_ns = clk_monotonic_ns();
    t->left_ns = left_ns;
}

void tree_learn(struct tree_side *t, double cycles)
{
    uint64_t files = (uint64_t)((double)t->files * cycles);
    tree_pace_learn(&t->pace, files, files * tree_turn_length(t), clk_monotonic_ns() - t->turn_ns);
}

static uint64_t left_ns(const struct tree_side *t)
{
    uint64_t gone = clk_monotonic_ns() - t->turn_ns;
    return t->left_ns > gone ? t->left_ns - gone : 1;
}

const char *tree_side_word(const struct tree_side *t, char buf[TREE_SIDE_WORD_MAX])
{
    buf[0] = '\0';
    if (t->number > 0)
        snprintf(buf, TREE_SIDE_WORD_MAX, "%c: ", 'A' + (int)(t->number - 1));
    return buf;
}

void tree_say_pilot(struct tree_side *t)
{
    char length[UNITS_PRINT_MAX], side[TREE_SIDE_WORD_MAX];
    study_say(&t->s, left_ns(t), "%s%s, pilot", tree_side_word(t, side),
              units_print_bytes(length, tree_turn_length(t)));
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

static void begin(struct tree_side *t, struct tree_run *tr, const char *phase)
{
    tr->run.phase = phase;
    tr->removed_files = t->removed_files;
    if (t->removed_files > 0)
        tr->removed_age_s = (double)(clk_monotonic_ns() - t->removed_ns) / 1e9;
    study_cache_begin(&t->s, &tr->run);
}

static void say_pass(struct tree_side *t, const struct tree_run *tr, unsigned pass)
{
    char length[UNITS_PRINT_MAX], side[TREE_SIDE_WORD_MAX];
    study_say(&t->s, left_ns(t), "%s%s %s, repeat %u of %s%u, pass %u of %u",
              tree_side_word(t, side), tr->run.phase,
              units_print_bytes(length, tr->name.length_bytes), tr->name.repeat,
              t->options.until_frac > 0 ? "at most " : "", t->options.repeats, pass, tr->passes);
}

static int put_options(const struct tree_side *t, const struct tree_run *tr,
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
    fact_count(&pen, "row", t->turn.row + 1, "");
    fact_count(&pen, "repeat", tr->name.repeat, "");
    fact_count(&pen, "repeats", o->repeats, "");
    if (o->until_frac > 0)
        fact_number(&pen, "until_ci_frac", o->until_frac, "");
    fact_count(&pen, "trees", tr->trees, "");
    fact_count(&pen, "min_time_ns", o->min_time_ns, "ns");
    fact_count(&pen, "chunk_bytes", o->chunk_bytes, "bytes");
    fact_word(&pen, "fsync", fsync_word[o->fsync]);
    fact_word(&pen, "client_cache", o->cache == STUDY_CACHE_KEEP ? "keep" : "drop");
    fact_resolve(&pen, &t->s);
    fact_word(&pen, "verify", o->verify ? "yes" : "no");
    if (o->walk)
        fact_word(&pen, "walk", "yes");
    if (strcmp(t->s.kind, "readtest") == 0)
        fact_word(&pen, "read_id", t->s.shape.id);
    if (t->number > 0)
        fact_count(&pen, "side", t->number, "");
    fact_count(&pen, "removed_before_files", tr->removed_files, "");
    fact_number(&pen, "removed_before_age_s", tr->removed_age_s, "s");
    return pen.rc;
}

/* What was measured goes to the sink even when the run was cut short; `rc` says why it was. */
static int finish(struct tree_side *t, struct tree_run *tr, int rc, struct err *err)
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

static struct tree_name first_name(const struct tree_side *t)
{
    return (struct tree_name){.length_bytes = tree_turn_length(t), .repeat = t->turn.repeat};
}

int tree_write_run(struct tree_side *t, struct err *err)
{
    const struct tree_counts *counts = &t->counts[t->turn.row];
    struct tree_run tr = {
        .run = {.writes = true},
        .name = first_name(t),
        .row = &t->rows[t->turn.row].write,
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

int tree_read_run(struct tree_side *t, struct err *err)
{
    const struct tree_counts *counts = &t->counts[t->turn.row];
    struct tree_run tr = {
        .run = {.reads = true, .verified = t->options.verify, .piece_bytes = tree_turn_length(t)},
        .name = first_name(t),
        .row = &t->rows[t->turn.row].read,
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
