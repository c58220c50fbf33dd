#include "study/tree_priv.h"

#include <errno.h>
#include <inttypes.h>

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
    if (o->until_frac > 0 && o->repeats < TREE_UNTIL_MIN)
        return err_set(err, -EINVAL, "at most %u repeats: an interval is believed from %d on",
                       o->repeats, TREE_UNTIL_MIN);
    if (o->chunk_bytes == 0)
        return err_set(err, -EINVAL, "a chunk of 0 bytes writes nothing");
    if (o->verify && o->write_only)
        return err_set(err, -EINVAL, "what is only written cannot be verified");
    if (o->walk && o->write_only)
        return err_set(err, -EINVAL, "what is only written is not walked");
    return 0;
}

uint64_t tree_turn_length(const struct tree_side *t)
{
    return t->options.length_bytes[t->turn.row];
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
static int check_plans(struct tree_side *t, struct err *err)
{
    const struct tree_name name = {
        .length_bytes = tree_longest(&t->options), .repeat = 1, .tree = 1};
    const struct fileset_spec spec = tree_spec(t, &name);
    struct plan *plan = NULL;

    int rc = tree_plan_write(t, &spec, &plan, err);
    if (rc == 0)
        rc = study_check_memory(&t->s, plan, 0, err);
    plan_free(plan);
    plan = NULL;
    if (rc < 0 || t->options.write_only)
        return rc;
    rc = tree_plan_read(t, &spec, &plan, err);
    if (rc == 0)
        rc = study_check_memory(&t->s, plan, 0, err);
    plan_free(plan);
    return rc;
}

static void add_need(const struct tree_side *t, const struct tree_need *need, uint64_t peak_bytes,
                     struct study_intent *intent)
{
    if (t->s.caps.keeps_nothing)
        return;
    intent->write_bytes += need->write_bytes;
    intent->peak_bytes += peak_bytes;
    intent->files += need->all_objects;
}

static int begin(struct tree_side *t, struct study_intent *intent, struct err *err)
{
    const struct tree_options *o = &t->options;
    const struct fileset_spec spec = shape_of(o);
    struct fileset_spec largest = spec;
    struct tree_need need;
    uint64_t peak_bytes;
    bool begun = false;

    largest.size_bytes = tree_longest(o);
    int rc = fileset_spec_check(&largest, err);
    if (rc < 0)
        return rc;
    t->pace = first_pace;
    t->files = fileset_spec_files(&spec);
    rc = study_shape(&t->s, &spec, o->length_bytes, o->lengths, o->repeats,
                     o->one_tree ? 1 : STUDY_TREES_MAX, err);
    site_side_id(t->s.id, t->number, t->s.shape.id);
    if (rc == 0)
        rc = tree_check_target(t, err);
    if (rc == 0)
        rc = tree_take_site(t, &begun, err);
    /* Trees that are there already need no space. */
    tree_need_of(o, &spec, t->s.common->keep && !begun, &need);
    if (rc == 0)
        rc = tree_check_space(t, &need, &peak_bytes, err);
    if (rc == 0 && !begun)
        rc = site_begin(t->s.site, &t->s.shape, err);
    if (rc < 0)
        return rc;
    t->s.on_site = true;
    add_need(t, &need, peak_bytes, intent);
    rc = study_settle_cache(&t->s, o->cache, err);
    if (rc < 0)
        return rc;
    study_tell_caveats(&t->s, true, false, false);
    rc = check_plans(t, err);
    return rc == 0 ? tree_check_past(t, err) : rc;
}

/* One untimed tree says how many make a row long enough. Its errors count, its times do not. */
static int pilot(struct tree_side *t, struct err *err)
{
    const struct tree_options *o = &t->options;
    const struct tree_name name = {.length_bytes = tree_turn_length(t), .repeat = 1};
    struct tree_counts counts = {.trees = 1, .passes = 1};
    struct study_run write = {0};

    tree_say_pilot(t);
    int rc = tree_make_room(t, name.length_bytes, 1, err);
    if (rc == 0)
        rc = tree_write_pass(t, &write, &name, err);
    if (rc == 0 && !t->s.over && !o->write_only)
        rc = tree_pilot_read(t, &name, &counts.passes, err);
    if (rc == 0 && !t->s.over) {
        unsigned want = study_trees_for(o->min_time_ns, write.sum.elapsed_ns);
        tree_learn(t, tree_pace_cycles(1, o->write_only ? 1 : 2));
        counts.trees = tree_fit(t, name.length_bytes, want);
        if (counts.passes < counts.trees)
            counts.passes = counts.trees;
        t->counts[t->turn.row] = counts;
    }
    study_run_fini(&t->s, &write);
    return rc;
}

static int measure(struct tree_side *t, struct err *err)
{
    const struct tree_counts *counts = &t->counts[t->turn.row];
    bool reads = !t->options.write_only;

    int rc = tree_make_room(t, tree_turn_length(t), counts->trees, err);
    if (rc == 0)
        rc = tree_write_run(t, err);
    if (rc == 0 && reads && !study_check_stop(&t->s))
        rc = tree_read_run(t, err);
    if (rc == 0 && !t->s.over)
        tree_learn(t, tree_pace_cycles(counts->trees, reads ? counts->passes : counts->trees));
    return rc;
}

static void tidy(struct tree_side *t)
{
    char side[TREE_SIDE_WORD_MAX];
    if (t->s.common->keep && !t->s.hangs.op)
        tree_remove_pilots(t);
    study_tidy(&t->s, tree_side_word(t, side), t->places);
}

int study_dirtest(const struct study_common *common, const struct tree_options *options,
                  const struct study_sink *sink, struct err *err)
{
    static const struct tree_ways ways = {
        .kind = "dirtest", .begin = begin, .pilot = pilot, .measure = measure, .tidy = tidy};
    struct tree_study t = {.common = common, .options = *options, .ways = &ways};
    int rc = tree_check_options(options, err);
    return rc == 0 ? tree_study_run(&t, sink, err) : rc;
}
