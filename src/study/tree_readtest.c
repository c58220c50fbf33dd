#include "study/tree_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct tree_pace first_pace = {.file_ns = 50000, .byte_ns = 3};

struct kept {
    struct site_found *found;
    unsigned n;
    unsigned newest; /* index; of a study gone on with: the one that it read */
    unsigned kept;   /* how many */
};

static bool is_kept_tree(const struct site_found *found)
{
    return found->marker == SITE_OURS && found->shape.kept &&
           strcmp(found->shape.study, "dirtest") == 0;
}

/* Why a directory cannot be believed; NULL when it can. */
static const char *doubt_of(const struct site_found *found)
{
    switch (found->marker) {
    case SITE_UNMARKED:
        return "it has no marker that can be read";
    case SITE_BROKEN_MARKER:
        return "its marker is broken";
    case SITE_NEWER_MARKER:
        return found->why.text;
    case SITE_OURS:
    case SITE_UNFINISHED:
        break;
    }
    return NULL;
}

/* What lies there and cannot be believed may be the tree that was meant. */
static int none_kept(const struct tree_side *t, const struct kept *kept, struct err *err)
{
    const char *target = t->s.common->target;
    char word[SITE_WORD_MAX];
    site_clean_word(target, word);
    for (unsigned i = 0; i < kept->n; i++) {
        const char *doubt = doubt_of(&kept->found[i]);
        if (doubt)
            return err_set(err, -ENOENT,
                           "%s: no tree kept there that can be read; " SITE_PREFIX
                           "%s is not taken for one: %s; make a tree with: loadline dirtest "
                           "--keep %s",
                           target, kept->found[i].shape.id, doubt, word);
    }
    return err_set(err, -ENOENT,
                   "%s: no tree kept there; make one with: loadline dirtest --keep %s", target,
                   word);
}

/* A tree of the same shape and seed passes every check, and is another one all the same. */
static int find_past(const struct tree_side *t, const char *id, struct kept *kept, struct err *err)
{
    for (unsigned i = 0; i < kept->n; i++) {
        kept->newest = i;
        if (is_kept_tree(&kept->found[i]) && strcmp(kept->found[i].shape.id, id) == 0)
            return 0;
    }
    return err_set(err, -ESTALE,
                   "study %s cannot be gone on with: it read " SITE_PREFIX
                   "%s, and no such tree is kept on %s now",
                   t->common.past->id, id, t->s.common->target);
}

static int find_kept(struct tree_side *t, struct kept *kept, struct err *err)
{
    int rc = site_scan(t->s.site, &kept->found, &kept->n, err);
    if (rc < 0)
        return rc;
    for (unsigned i = 0; i < kept->n; i++) {
        if (!is_kept_tree(&kept->found[i]))
            continue;
        if (kept->kept++ == 0 ||
            kept->found[i].shape.made_wall_ns > kept->found[kept->newest].shape.made_wall_ns)
            kept->newest = i;
    }
    if (kept->kept == 0)
        return none_kept(t, kept, err);
    const char *past_id = tree_past_read_id(t);
    if (past_id)
        return find_past(t, past_id, kept, err);
    if (kept->kept > 1)
        study_warn(&t->s, "%u kept trees: reading the newest, " SITE_PREFIX "%s", kept->kept,
                   kept->found[kept->newest].shape.id);
    return 0;
}

static int must_match(const char *option, uint64_t marker, uint64_t given, struct err *err)
{
    if (marker == given)
        return 0;
    return err_set(err, -EINVAL,
                   "the kept tree has %s %" PRIu64 " and %" PRIu64 " was given: leave %s out, or "
                   "write another tree with dirtest --keep",
                   option, marker, given, option);
}

static bool has_length(const struct site_shape *shape, uint64_t length_bytes)
{
    for (unsigned i = 0; i < shape->lengths; i++)
        if (shape->length_bytes[i] == length_bytes)
            return true;
    return false;
}

static int check_given_lengths(const struct tree_side *t, struct err *err)
{
    const struct tree_options *o = &t->options;
    for (unsigned i = 0; i < o->lengths; i++)
        if (!has_length(&t->s.shape, o->length_bytes[i]))
            return err_set(err, -EINVAL,
                           "--lengths: no files of %" PRIu64 " bytes in the kept tree, which has "
                           "%u lengths from %" PRIu64 " to %" PRIu64,
                           o->length_bytes[i], t->s.shape.lengths, t->s.shape.length_bytes[0],
                           t->s.shape.length_bytes[t->s.shape.lengths - 1]);
    return 0;
}

static int check_given_repeats(const struct tree_side *t, struct err *err)
{
    if (t->options.repeats <= t->s.shape.repeats)
        return 0;
    return err_set(err, -EINVAL, "--repeat %u: the kept tree has %u", t->options.repeats,
                   t->s.shape.repeats);
}

/* What was given must be true of the tree; what was not is taken from it. A part of its lengths or
 * repeats may be asked for. */
static int settle_options(struct tree_side *t, unsigned given, struct err *err)
{
    struct tree_options *o = &t->options;
    const struct site_shape *shape = &t->s.shape;
    const struct fileset_spec *spec = &shape->spec;
    int rc = 0;

    if (given & TREE_GIVEN_THREADS)
        rc = must_match("--threads", spec->trees, o->threads, err);
    if (rc == 0 && given & TREE_GIVEN_LEVELS)
        rc = must_match("--levels", spec->levels, o->levels, err);
    if (rc == 0 && given & TREE_GIVEN_BRANCHES)
        rc = must_match("--branches", spec->branches, o->branches, err);
    if (rc == 0 && given & TREE_GIVEN_FILES)
        rc = must_match("--files", spec->files, o->files, err);
    if (rc == 0 && given & TREE_GIVEN_SEED)
        rc = must_match("--seed", shape->seed, t->s.common->seed, err);
    if (rc == 0 && given & TREE_GIVEN_LENGTHS)
        rc = check_given_lengths(t, err);
    if (rc == 0 && given & TREE_GIVEN_REPEATS)
        rc = check_given_repeats(t, err);
    if (rc < 0)
        return rc;
    o->threads = spec->trees;
    o->levels = spec->levels;
    o->branches = spec->branches;
    o->files = spec->files;
    if (!(given & TREE_GIVEN_LENGTHS)) {
        o->length_bytes = shape->length_bytes;
        o->lengths = shape->lengths;
    }
    if (!(given & TREE_GIVEN_REPEATS))
        o->repeats = shape->repeats;
    return tree_check_options(o, err);
}

static int check_place(const struct tree_side *t, const struct tree_name *name, struct err *err)
{
    char place[STUDY_PLACE_MAX];
    site_place(&t->s.shape, name->length_bytes, name->repeat, name->tree, place, sizeof place);
    return site_check_place(t->s.site, &t->s.shape, place, name->length_bytes, err);
}

/* Whether at least one root of the tree is there: a place that was never made has none, one that
 * lost a file still has. */
static int look_for_roots(struct tree_side *t, const struct tree_name *name, bool *there,
                          struct err *err)
{
    const struct fileset_spec spec = tree_spec(t, name);
    struct engine_outcome out = {0};
    struct plan *plan = NULL;
    char place[STUDY_PLACE_MAX];

    site_place(&t->s.shape, name->length_bytes, name->repeat, name->tree, place, sizeof place);
    int rc = tree_plan_roots(t, &spec, &plan, err);
    if (rc == 0)
        rc = study_engine(&t->s, plan, place, &out, err);
    *there = rc < 0 || out.total->line[0].samples > 0;
    engine_outcome_fini(&out);
    study_drop_plan(&t->s, plan);
    return rc;
}

/* k differs from row to row and stands in no marker: it is the number of trees that are there. */
static int count_trees(struct tree_side *t, uint64_t length_bytes, unsigned *trees, struct err *err)
{
    struct tree_name name = {.length_bytes = length_bytes, .repeat = 1, .tree = 1};
    int rc = check_place(t, &name, err);

    while (rc == 0 && name.tree < t->s.shape.trees_max) {
        name.tree++;
        rc = check_place(t, &name, err);
        bool there = true;
        if (rc == -ENOENT && look_for_roots(t, &name, &there, err) == 0 && !there) {
            name.tree--;
            rc = 0;
            break;
        }
    }
    *trees = name.tree;
    return rc;
}

/* Every repeat has as many trees as the first. */
static int check_row(struct tree_side *t, uint64_t length_bytes, unsigned *trees, struct err *err)
{
    struct tree_name name = {.length_bytes = length_bytes};
    int rc = count_trees(t, length_bytes, trees, err);

    for (name.repeat = 2; rc == 0 && name.repeat <= t->options.repeats; name.repeat++)
        for (name.tree = 1; rc == 0 && name.tree <= *trees; name.tree++)
            rc = check_place(t, &name, err);
    return rc;
}

static int check_trees(struct tree_side *t, struct err *err)
{
    char target[SITE_WORD_MAX];
    const struct tree_options *o = &t->options;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < o->lengths; i++) {
        study_say(&t->s, 0, "checking names and lengths, row %u of %u", i + 1, o->lengths);
        rc = check_row(t, o->length_bytes[i], &t->counts[i].trees, err);
        if (rc == 0 && study_check_stop(&t->s))
            rc = err_set(err, -EINTR, "stopped before anything was measured");
    }
    if (rc == -ENOENT || rc == -EUCLEAN)
        err_prefix(err,
                   "the kept tree is damaged (remove it: loadline clean %s %s; make another: "
                   "loadline dirtest --keep)",
                   site_clean_word(t->s.common->target, target), t->s.shape.id);
    return rc;
}

static int check_plan(const struct tree_side *t, struct err *err)
{
    const struct tree_name name = {
        .length_bytes = tree_longest(&t->options), .repeat = 1, .tree = 1};
    const struct fileset_spec spec = tree_spec(t, &name);
    struct plan *plan = NULL;
    int rc = tree_plan_read(t, &spec, &plan, err);
    if (rc == 0)
        rc = study_check_memory(&t->s, plan, 0, err);
    plan_free(plan);
    return rc;
}

static int settle(struct tree_side *t, struct err *err)
{
    struct kept kept = {0};
    int rc = find_kept(t, &kept, err);
    if (rc == 0)
        rc = site_adopt(t->s.site, kept.found[kept.newest].shape.id, &t->s.shape, err);
    site_found_free(kept.found, kept.n);
    return rc == 0 ? settle_options(t, t->given, err) : rc;
}

static int begin(struct tree_side *t, struct study_intent *intent, struct err *err)
{
    (void)intent; /* nothing is written */
    t->pace = first_pace;
    t->files = fileset_spec_files(&t->s.shape.spec);
    int rc = tree_check_target(t, err);
    if (rc == 0)
        rc = check_trees(t, err);
    if (rc == 0)
        rc = study_settle_cache(&t->s, t->options.cache, err);
    if (rc < 0)
        return rc;
    study_tell_caveats(&t->s, false, false, false);
    rc = check_plan(t, err);
    return rc == 0 ? tree_check_past(t, err) : rc;
}

/* Untimed passes over one tree say how many make the row long enough. */
static int pilot(struct tree_side *t, struct err *err)
{
    struct tree_counts *counts = &t->counts[t->turn.row];
    const struct tree_name name = {.length_bytes = tree_turn_length(t), .repeat = 1, .tree = 1};
    unsigned passes = 1;

    tree_say_pilot(t);
    int rc = tree_pilot_read(t, &name, &passes, err);
    if (rc == 0 && !t->s.over) {
        tree_learn(t, 1);
        counts->passes = passes > counts->trees ? passes : counts->trees;
    }
    return rc;
}

static int measure(struct tree_side *t, struct err *err)
{
    int rc = tree_read_run(t, err);
    if (rc == 0 && !t->s.over)
        tree_learn(t, t->counts[t->turn.row].passes);
    return rc;
}

int study_readtest(const struct study_common *common, const struct tree_options *options,
                   unsigned given, const struct study_sink *sink, struct err *err)
{
    static const struct tree_ways ways = {
        .kind = "readtest", .settle = settle, .begin = begin, .pilot = pilot, .measure = measure};
    struct tree_study t = {.common = common, .options = *options, .given = given, .ways = &ways};
    if (options->write_only)
        return err_set(err, -EINVAL, "readtest writes nothing: leave --write-only out");
    return tree_study_run(&t, sink, err);
}
