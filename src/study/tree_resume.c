/* A study that was interrupted is gone on with: what it has done is taken from its results, what it
 * left on the target is taken over or removed. */
#include "study/tree_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned option(const struct result *r, const char *key)
{
    return (unsigned)result_fact_number(&r->options, key, 0);
}

static bool is_of(const struct result *r, const struct tree_side *side, const char *phase,
                  unsigned repeat)
{
    return r->state != RESULT_INCOMPLETE && strcmp(r->phase, phase) == 0 &&
           option(r, "side") == side->number && option(r, "repeat") == repeat &&
           (uint64_t)result_fact_number(&r->options, "length_bytes", 0) == tree_turn_length(side);
}

static struct result *find(const struct tree_side *side, const char *phase)
{
    const struct study_past *past = side->common.past;
    for (unsigned i = past->n; i-- > 0;)
        if (is_of(past->result[i], side, phase, side->turn.repeat))
            return past->result[i];
    return NULL;
}

/* Half of a turn is none: what was written and not read is gone, or lies there read already. */
static bool find_turn(const struct tree_side *side, struct result **write, struct result **read)
{
    bool writes = strcmp(side->s.kind, "dirtest") == 0;
    bool reads = !side->options.write_only;

    *write = writes ? find(side, "write") : NULL;
    *read = reads ? find(side, "read") : NULL;
    return (!writes || *write) && (!reads || *read);
}

int tree_take_past(struct tree_side *side, bool *done, struct err *err)
{
    struct tree_row *row = &side->rows[side->turn.row];
    struct tree_counts *counts = &side->counts[side->turn.row];
    struct result *write, *read;
    int rc = 0;

    *done = side->common.past && find_turn(side, &write, &read);
    if (!*done)
        return 0;
    if (write)
        rc = study_remember(&row->write, write, err);
    if (rc == 0 && read)
        rc = study_remember(&row->read, read, err);
    side->s.errors +=
        (write ? result_error_count(write) : 0) + (read ? result_error_count(read) : 0);
    if (side->s.errors > 0)
        study_mark(&side->s, STUDY_INVALID, false, "in runs before it was gone on with");
    counts->trees = option(read ? read : write, "trees");
    counts->passes = read ? (unsigned)read->passes : counts->trees;
    return rc;
}

static bool is_among(const struct study_row *row, const struct result *r)
{
    for (unsigned i = 0; i < row->n; i++)
        if (row->result[i] == r)
            return true;
    return false;
}

/* The row with all runs of `past` that are of it, as far as they count: *all is the new list. */
static int join(const struct study_past *past, const struct study_row *row, const char *phase,
                uint64_t length_bytes, struct study_row *all)
{
    struct err err;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < past->n; i++) {
        struct result *r = past->result[i];
        if (strcmp(r->phase, phase) == 0 && !is_among(row, r) &&
            (uint64_t)result_fact_number(&r->options, "length_bytes", 0) == length_bytes)
            rc = study_remember(all, r, &err);
    }
    for (unsigned i = 0; rc == 0 && i < row->n; i++)
        rc = study_remember(all, row->result[i], &err);
    bool *counts = calloc(all->n + 1, sizeof *counts);
    if (rc == 0)
        rc = counts ? result_current(all->result, all->n, counts) : -ENOMEM;
    unsigned n = 0;
    for (unsigned i = 0; rc == 0 && i < all->n; i++)
        if (counts[i])
            all->result[n++] = all->result[i];
    all->n = n;
    free(counts);
    return rc;
}

static void join_past(const struct study_past *past, struct study_row *row, const char *phase,
                      uint64_t length_bytes)
{
    struct study_row all = {0};
    if (join(past, row, phase, length_bytes, &all) < 0) {
        free(all.result);
        return;
    }
    free(row->result);
    *row = all;
}

void tree_join_past(const struct tree_study *t, unsigned row)
{
    uint64_t length_bytes = t->options.length_bytes[row];
    const struct study_past *past = t->common->past;
    /* Without a run_done the row's runs are its own, and none may fall out of it. */
    if (!past || !t->side[0].s.sink->run_done)
        return;
    join_past(past, &t->row[row].write, "write", length_bytes);
    join_past(past, &t->row[row].read, "read", length_bytes);
}

static int check_hashes(const struct tree_side *side, const struct result *r,
                        const struct plan *plan, struct err *err)
{
    if (strcmp(plan->workload_hash, r->workload_hash) != 0)
        return err_set(err, -ESTALE,
                       "study %s cannot be gone on with: run %u was made by loadline %s, and what "
                       "this one (%s) would do is not the same workload",
                       r->study_id, r->run, r->tool_version, side->common.tool_version);
    if (strcmp(plan->plan_hash, r->plan_hash) != 0)
        return err_set(err, -ESTALE,
                       "study %s cannot be gone on with: in run %u the client cache was \"%s\", "
                       "and on %s it is now \"%s\", or something else of the instrument changed",
                       r->study_id, r->run, r->cache.mode, side->common.target,
                       plan_cache_name(side->s.instrument.cache));
    return 0;
}

static int check_result(const struct tree_side *side, const struct result *r, struct err *err)
{
    const struct tree_name name = {.length_bytes =
                                       (uint64_t)result_fact_number(&r->options, "length_bytes", 0),
                                   .repeat = 1,
                                   .tree = 1};
    const struct fileset_spec spec = tree_spec(side, &name);
    bool writes = strcmp(r->phase, "write") == 0;
    struct plan *plan = NULL;
    int rc =
        writes ? tree_plan_write(side, &spec, &plan, err) : tree_plan_read(side, &spec, &plan, err);

    if (rc == 0)
        rc = check_hashes(side, r, plan, err);
    plan_free(plan);
    return rc;
}

int tree_check_past(const struct tree_side *side, struct err *err)
{
    const struct study_past *past = side->common.past;
    int rc = 0;

    for (unsigned i = 0; past && rc == 0 && i < past->n; i++)
        if (option(past->result[i], "side") == side->number)
            rc = check_result(side, past->result[i], err);
    return rc;
}

/* ---- what lies on the target ---- */

static const struct result *last_of(const struct tree_side *side)
{
    const struct study_past *past = side->common.past;
    for (unsigned i = past ? past->n : 0; i-- > 0;)
        if (option(past->result[i], "side") == side->number)
            return past->result[i];
    return NULL;
}

const char *tree_past_read_id(const struct tree_side *side)
{
    const struct result *last = last_of(side);
    return last ? result_fact_get(&last->options, "read_id") : NULL;
}

static bool same_fact(const struct result_facts *then, const struct result_facts *now,
                      const char *key, const char **was, const char **is)
{
    *was = result_fact_get(then, key);
    *is = result_fact_get(now, key);
    return !*was || !*is || strcmp(*was, *is) == 0;
}

static int compare_target(struct tree_side *side, const struct result_facts *then,
                          const struct result_facts *now, struct err *err)
{
    const char *was, *is;
    if (!same_fact(then, now, "fs_type", &was, &is) ||
        !same_fact(then, now, "mount_point", &was, &is))
        return err_set(err, -ESTALE,
                       "study %s cannot be gone on with: %s lay on %s and lies on %s now: "
                       "another file system, or none is mounted",
                       side->s.id, side->common.target, was, is);
    /* Disks change their names when a machine starts, and servers theirs. */
    if (!same_fact(then, now, "mount_source", &was, &is))
        study_warn(&side->s, "%s is mounted from %s, and was from %s when the study was begun",
                   side->common.target, is, was);
    return 0;
}

int tree_check_target(struct tree_side *side, struct err *err)
{
    const struct result *then = last_of(side);
    if (!then)
        return 0;
    struct result *now = result_new();
    int rc = now ? study_describe(&side->s, &now->target_facts) : -ENOMEM;
    rc = rc < 0 ? err_set(err, rc, "no memory for what the target says")
                : compare_target(side, &then->target_facts, &now->target_facts, err);
    result_free(now);
    return rc;
}

static int remove_tree(struct tree_side *side, unsigned tree, struct err *err)
{
    struct site_removed removed;
    char place[STUDY_PLACE_MAX], word[TREE_SIDE_WORD_MAX];

    site_place(&side->s.shape, tree_turn_length(side), side->turn.repeat, tree, place,
               sizeof place);
    int rc = study_remove(&side->s, tree_side_word(side, word), place, &removed, err);
    return rc == -ENOENT ? 0 : rc;
}

/* Trees of finished turns stay; what else lies there was under way. */
static int remove_unfinished(struct tree_side *side, struct err *err)
{
    unsigned rows = side->options.lengths;
    struct result *write, *read;
    int rc = 0;

    for (unsigned i = 0; rc == 0 && i < rows * side->options.repeats; i++) {
        side->turn = (struct tree_turn){.row = i % rows, .repeat = i / rows + 1};
        /* Tree 0 is the pilot, which nobody keeps. */
        bool stays = find_turn(side, &write, &read);
        for (unsigned tree = 0; rc == 0 && tree <= (stays ? 0 : side->s.shape.trees_max); tree++)
            rc = remove_tree(side, tree, err);
    }
    return rc;
}

static bool same_spec(const struct fileset_spec *a, const struct fileset_spec *b)
{
    return a->trees == b->trees && a->levels == b->levels && a->branches == b->branches &&
           a->files == b->files;
}

static int take_over(struct tree_side *side, const struct site_shape *found, struct err *err)
{
    struct site_shape *shape = &side->s.shape;

    if (found->seed != shape->seed || found->lengths != shape->lengths ||
        !same_spec(&found->spec, &shape->spec))
        return err_set(err, -ESTALE, "%s/" SITE_PREFIX "%s is not of the trees that were asked for",
                       side->common.target, found->id);
    side->s.on_site = true;
    int rc = site_remark(side->s.site, shape, err);
    return rc == 0 ? remove_unfinished(side, err) : rc;
}

static bool has_results(const struct tree_side *side)
{
    const struct study_past *past = side->common.past;
    for (unsigned i = 0; i < past->n; i++)
        if (option(past->result[i], "side") == side->number &&
            past->result[i]->state != RESULT_INCOMPLETE)
            return true;
    return false;
}

/* A study that was imported may still run where it was begun, and be resumed there. */
static int check_host(const struct tree_side *side, const struct site_shape *found, struct err *err)
{
    char target[SITE_WORD_MAX];
    const struct owner *owner = &found->owner;
    if (owner->host[0] == '\0' || strcmp(owner->host, side->s.shape.owner.host) == 0)
        return 0;
    return err_set(err, -EBUSY,
                   SITE_PREFIX "%s on %s is that of process %llu on %s, and whether it still runs "
                               "cannot be seen from here; when it does not: loadline clean %s %s",
                   found->id, side->common.target, (unsigned long long)owner->pid, owner->host,
                   site_clean_word(side->common.target, target), found->id);
}

static int adopt(struct tree_side *side, struct site_shape *found, struct err *err)
{
    int rc = site_adopt(side->s.site, side->s.shape.id, found, err);
    if (rc == 0)
        return check_host(side, found, err);
    if (rc != -ENOENT || !side->common.keep || !has_results(side))
        return rc;
    return err_set(err, -ESTALE,
                   "study %s cannot be gone on with: the trees that it was to keep are no longer "
                   "on %s",
                   side->s.id, side->common.target);
}

int tree_take_site(struct tree_side *side, bool *begun, struct err *err)
{
    struct site_shape found = {0};
    struct site_removed removed;
    int rc;

    *begun = false;
    if (!side->common.past || side->s.caps.keeps_nothing)
        return 0;
    rc = adopt(side, &found, err);
    if (rc == -ENOENT)
        return 0;
    /* A start that was interrupted has no lengths yet. */
    if (rc == 0 && side->common.keep && found.lengths > 0) {
        *begun = true;
        rc = take_over(side, &found, err);
    } else if (rc == 0) {
        rc = site_remove(side->s.site, &found, NULL, &removed, NULL, NULL, NULL, err);
    }
    site_shape_fini(&found);
    return rc;
}
