#include "study/tree_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Until the first tree says better: a local disk behind a file system of this century. */
static const struct tree_pace first_pace = {.file_ns = 150000, .byte_ns = 10};

static int check_lengths(const struct tree_options *o, struct err *err)
{
    if (o->lengths == 0 || o->lengths > STUDY_LENGTHS_MAX)
        return err_set(err, -EINVAL, "%u file lengths: accepted are 1 to %d", o->lengths,
                       STUDY_LENGTHS_MAX);
    for (unsigned i = 0; i < o->lengths; i++) {
        if (o->length_bytes[i] == 0)
            return err_set(err, -EINVAL, "file length 0: accepted are 1 byte and more");
        for (unsigned j = 0; j < i; j++)
            if (o->length_bytes[j] == o->length_bytes[i])
                return err_set(err, -EINVAL, "file length %" PRIu64 " stands twice in the list",
                               o->length_bytes[i]);
    }
    return 0;
}

int tree_check_options(const struct tree_options *o, struct err *err)
{
    int rc = check_lengths(o, err);
    if (rc < 0)
        return rc;
    if (o->repeats == 0 || o->repeats > STUDY_REPEATS_MAX)
        return err_set(err, -EINVAL, "%u repeats: accepted are 1 to %d", o->repeats,
                       STUDY_REPEATS_MAX);
    if (o->chunk_bytes == 0)
        return err_set(err, -EINVAL, "a chunk of 0 bytes writes nothing");
    if (o->verify && o->write_only)
        return err_set(err, -EINVAL, "what is only written cannot be verified");
    return 0;
}

static struct fileset_spec shape_of(const struct tree_options *o)
{
    return (struct fileset_spec){
        .shape = FILESET_TREE,
        .trees = o->threads,
        .levels = o->levels,
        .branches = o->branches,
        .files = o->files,
    };
}

uint64_t tree_longest(const struct tree_options *o)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < o->lengths; i++)
        if (o->length_bytes[i] > most)
            most = o->length_bytes[i];
    return most;
}

/* The plans of the longest files are the largest; what cannot be frozen is refused here. */
static int check_plans(struct tree_study *t, struct err *err)
{
    const struct tree_name name = {
        .length_bytes = tree_longest(&t->options), .repeat = 1, .tree = 1};
    const struct fileset_spec spec = tree_spec(t, &name);
    struct plan *plan = NULL;

    int rc = tree_plan_write(t, &spec, &plan, err);
    if (rc == 0)
        rc = study_check_memory(&t->s, plan, err);
    plan_free(plan);
    plan = NULL;
    if (rc < 0 || t->options.write_only)
        return rc;
    rc = tree_plan_read(t, &spec, &plan, err);
    if (rc == 0)
        rc = study_check_memory(&t->s, plan, err);
    plan_free(plan);
    return rc;
}

/* Where nothing is kept, or time is the target's own, there is nothing to reckon from. */
uint64_t tree_about_ns(const struct tree_study *t)
{
    uint64_t ns = 0;
    if (t->s.caps.keeps_nothing || t->s.caps.own_clock)
        return 0;
    for (unsigned i = 0; i < t->options.lengths; i++)
        ns += tree_pace_row_ns(&t->pace, &t->options, t->files, t->options.length_bytes[i]);
    return ns;
}

static int announce(struct tree_study *t, const struct tree_need *need, uint64_t peak_bytes,
                    struct err *err)
{
    const struct study_sink *sink = t->s.sink;
    struct study_intent intent = {.id = t->s.id,
                                  .kind = t->s.kind,
                                  .target = t->s.common->target,
                                  .about_ns = tree_about_ns(t)};
    if (!t->s.caps.keeps_nothing) {
        intent.write_bytes = need->write_bytes;
        intent.peak_bytes = peak_bytes;
        intent.files = need->all_objects;
    }
    return sink->begun ? sink->begun(sink->ctx, &intent, err) : 0;
}

static int begin(struct tree_study *t, struct err *err)
{
    const struct tree_options *o = &t->options;
    const struct fileset_spec spec = shape_of(o);
    struct fileset_spec largest = spec;
    struct tree_need need;
    uint64_t peak_bytes;

    largest.size_bytes = tree_longest(o);
    int rc = fileset_spec_check(&largest, err);
    if (rc < 0)
        return rc;
    t->pace = first_pace;
    t->files = fileset_spec_files(&spec);
    tree_need_of(o, &spec, t->s.common->keep, &need);
    rc = tree_check_space(t, &need, &peak_bytes, err);
    if (rc == 0)
        rc = study_shape(&t->s, &spec, o->length_bytes, o->lengths, o->repeats,
                         o->one_tree ? 1 : STUDY_TREES_MAX, err);
    if (rc == 0)
        rc = site_begin(t->s.site, &t->s.shape, err);
    if (rc < 0)
        return rc;
    t->s.on_site = true;
    rc = study_settle_cache(&t->s, o->cache, err);
    if (rc == 0)
        rc = check_plans(t, err);
    return rc == 0 ? announce(t, &need, peak_bytes, err) : rc;
}

/* One untimed tree says how many make a row long enough. Its errors count, its times do not. */
static int pilot(struct tree_study *t, struct tree_counts *counts, struct err *err)
{
    const struct tree_options *o = &t->options;
    const struct tree_name name = {.length_bytes = o->length_bytes[t->row], .repeat = 1};
    struct study_run write = {0};

    tree_begin_repeat(t, 0, 0);
    tree_say_pilot(t);
    int rc = tree_make_room(t, name.length_bytes, 1, err);
    if (rc == 0)
        rc = tree_write_pass(t, &write, &name, err);
    if (rc == 0 && !t->s.over && !o->write_only)
        rc = tree_pilot_read(t, &name, &counts->passes, err);
    if (rc == 0 && !t->s.over) {
        counts->trees = study_trees_for(o->min_time_ns, write.sum.elapsed_ns);
        tree_end_repeat(t, tree_pace_cycles(1, o->write_only ? 1 : 2));
    }
    study_run_fini(&t->s, &write);
    return rc;
}

static int repeat(struct tree_study *t, unsigned number, const struct tree_counts *counts,
                  struct err *err)
{
    uint64_t length_bytes = t->options.length_bytes[t->row];

    unsigned passes = t->options.write_only ? counts->trees : counts->passes;
    double cycles = tree_pace_cycles(counts->trees, passes);

    tree_begin_repeat(t, number, cycles);
    int rc = tree_make_room(t, length_bytes, counts->trees, err);
    if (rc == 0)
        rc = tree_write_run(t, length_bytes, number, counts, err);
    if (rc == 0 && !t->options.write_only && !study_check_stop(&t->s))
        rc = tree_read_run(t, length_bytes, number, counts, err);
    if (rc == 0 && !t->s.over)
        tree_end_repeat(t, cycles);
    return rc;
}

void tree_rows_done(struct tree_study *t)
{
    study_row_done(&t->s, &t->write_row);
    study_row_done(&t->s, &t->read_row);
}

static int row(struct tree_study *t, struct err *err)
{
    struct tree_counts counts = {.trees = 1, .passes = 1};
    int rc = t->options.one_tree ? 0 : pilot(t, &counts, err);

    if (rc == 0 && !t->s.over) {
        counts.trees = tree_fit(t, t->options.length_bytes[t->row], counts.trees);
        if (counts.passes < counts.trees)
            counts.passes = counts.trees;
    }
    for (unsigned i = 1; rc == 0 && i <= t->options.repeats && !study_check_stop(&t->s); i++)
        rc = repeat(t, i, &counts, err);
    tree_rows_done(t);
    return rc;
}

void tree_close(struct tree_study *t)
{
    study_close(&t->s);
    free(t->place);
}

int study_dirtest(const struct study_common *common, const struct tree_options *options,
                  const struct study_sink *sink, struct err *err)
{
    struct tree_study t = {.options = *options};
    int rc = tree_check_options(options, err);
    if (rc < 0)
        return rc;
    rc = study_open(&t.s, "dirtest", common, sink, err);
    if (rc == 0)
        rc = begin(&t, err);
    for (; rc == 0 && t.row < options->lengths && !study_check_stop(&t.s); t.row++)
        rc = row(&t, err);
    rc = study_forgive(&t.s, rc, err);
    if (common->keep && !t.s.stalled)
        tree_remove_pilots(&t);
    study_tidy(&t.s);
    if (rc == 0)
        study_ended(&t.s);
    tree_close(&t);
    return rc;
}
