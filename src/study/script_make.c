/* The filesets of a script on the target: made, mended, removed. */
#include "study/script_study_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grown *script_grown(const struct script_study *x, unsigned set)
{
    const struct script_live *live = &x->live[set];
    return live->listed ? live->listed : x->script->set[set].grown;
}

struct fileset_spec script_spec(const struct script_study *x, unsigned set)
{
    struct fileset_spec spec = x->script->set[set].spec;
    spec.grown = script_grown(x, set);
    return spec;
}

int script_set_of(const struct script_study *x, const struct fileset_spec *spec)
{
    for (unsigned i = 0; spec->grown && i < x->script->sets; i++)
        if (x->script->set[i].grown == spec->grown || x->live[i].listed == spec->grown)
            return (int)i;
    return -1;
}

static int make_state(struct script_study *x, unsigned set, struct err *err)
{
    const struct grown *g = script_grown(x, set);
    struct script_live *live = &x->live[set];
    uint32_t exists = live->listed ? 100 : x->script->set[set].exists_percent;
    fileset_state_free(live->state);
    live->state = NULL;
    return fileset_state_new(grown_files(g), grown_dirs(g), grown_leafs(g), exists,
                             grown_spec(g)->seed, &live->state, err);
}

static int make_place(struct script_study *x, struct err *err)
{
    if (x->place_made)
        return 0;
    int rc = site_make_place(x->s.site, x->place, err);
    x->place_made = rc == 0 || rc == -EEXIST;
    return x->place_made ? 0 : rc;
}

/* Bytes that have to be written: of the files that exist at the start, about their share. */
static uint64_t bytes_to_make(const struct script_study *x, unsigned set)
{
    const struct grown *g = script_grown(x, set);
    double files = (double)grown_files(g);
    double there = (double)fileset_state_existing(x->live[set].state);
    return files > 0 ? (uint64_t)((double)grown_bytes(g) * there / files) : 0;
}

static int make_anew(struct script_study *x, unsigned set, struct err *err)
{
    const char *name = x->script->set[set].name;
    const struct grown *g = script_grown(x, set);
    uint64_t there = fileset_state_existing(x->live[set].state);
    int rc = make_place(x, err);
    if (rc < 0)
        return rc;
    study_say(&x->s, 0, "making %s, %" PRIu64 " directories", name, grown_dirs(g));
    x->s.gauge.goal_ops = grown_dirs(g);
    rc = script_do(x, set, SCRIPT_DIRS, NULL, err);
    if (rc == 0 && there > 0 && !study_check_stop(&x->s)) {
        study_say(&x->s, 0, "making %s, %" PRIu64 " files", name, there);
        x->s.gauge.goal_bytes = bytes_to_make(x, set);
        x->s.gauge.goal_ops = there;
        rc = script_do(x, set, SCRIPT_FILES, NULL, err);
    }
    if (rc == 0 && grown_leafs(g) > 0 && !study_check_stop(&x->s))
        rc = script_do(x, set, SCRIPT_LEAFS, NULL, err);
    return rc;
}

struct mending {
    struct script_study *x;
    unsigned set;
};

static void on_mended(void *ctx, uint64_t files)
{
    const struct mending *m = ctx;
    study_say(&m->x->s, 0, "looking through %s, %" PRIu64 " of %" PRIu64 " files",
              m->x->script->set[m->set].name, files, grown_files(script_grown(m->x, m->set)));
}

/* What a run before has left, as the set wants it to be at its start. */
static int mend(struct script_study *x, unsigned set, struct err *err)
{
    const struct fileset_spec spec = script_spec(x, set);
    struct mending m = {x, set};
    struct site_mended mended = {0};
    struct fileset_map map;
    int rc = fileset_map_init(&map, x->place, &spec, 1, err);
    if (rc < 0)
        return rc;
    rc = site_mend(x->s.site, &map, 0, x->s.common->seed, x->live[set].state, &mended,
                   x->s.common->stop, on_mended, &m, err);
    fileset_map_fini(&map);
    if (rc == -EINTR)
        return study_check_stop(&x->s) ? 0 : rc;
    if (rc == 0)
        script_tell(x,
                    "%s: %" PRIu64 " files kept, %" PRIu64 " made, %" PRIu64 " cut, %" PRIu64
                    " written anew, %" PRIu64 " removed; %" PRIu64 " directories made, %" PRIu64
                    " removed",
                    x->script->set[set].name, mended.kept, mended.made, mended.cut, mended.written,
                    mended.removed, mended.dirs_made, mended.dirs_removed);
    return rc;
}

/* What is trusted, or was looked at when the study began, is not what it was after a run that writes to it. */
static bool changed_by_us(const struct script_study *x, unsigned set)
{
    return x->script->set[set].written && (x->repeat > 1 || x->run > 0);
}

/* A set of the same name that was defined anew takes the place of the one before. */
static int make_way(struct script_study *x, unsigned set, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < x->script->sets; i++)
        if (i != set && x->live[i].there &&
            strcmp(x->script->set[i].name, x->script->set[set].name) == 0)
            rc = script_remove(x, i, 1, err);
    return rc;
}

static int make_on_target(struct script_study *x, unsigned set, struct err *err)
{
    struct script_live *live = &x->live[set];
    const struct script_set *of = &x->script->set[set];
    int rc = make_way(x, set, err);
    if (rc < 0 || study_check_stop(&x->s))
        return rc;
    script_tell(x, live->there ? "Reusing existing %s tree" : "Pre-allocating files in %s tree",
                of->name);
    if (!live->there)
        rc = make_anew(x, set, err);
    else if (!of->trust || changed_by_us(x, set))
        rc = mend(x, set, err);
    live->there = true;
    return rc;
}

static int make_one(struct script_study *x, unsigned set, struct err *err)
{
    if (!x->script->set[set].grown)
        return 0;
    int rc = make_state(x, set, err);
    if (rc < 0)
        return rc;
    script_tell_set(x, set);
    if (x->s.caps.keeps_nothing)
        return 0;
    if (!x->live[set].listed)
        return make_on_target(x, set, err);
    script_tell(x, "Reusing existing %s tree", x->script->set[set].name);
    return changed_by_us(x, set) ? mend(x, set, err) : 0;
}

/* As they are always made: the set that was defined last comes first. */
int script_make(struct script_study *x, unsigned first, unsigned n, struct err *err)
{
    int rc = 0;
    for (unsigned i = n; rc == 0 && i-- > 0 && !study_check_stop(&x->s);)
        rc = make_one(x, first + i, err);
    return rc;
}

/* ---- removing ---- */

static bool is_among(const struct script_study *x, unsigned set, const char *name)
{
    return strcmp(x->script->set[set].name, name) == 0;
}

/* The marker's sets that these are. */
static int part_of_shape(const struct script_study *x, unsigned first, unsigned n,
                         struct site_shape *part)
{
    const struct site_shape *shape = &x->s.shape;
    *part = *shape;
    part->sets = 0;
    part->set = calloc(shape->sets ? shape->sets : 1, sizeof *part->set);
    if (!part->set)
        return -ENOMEM;
    for (unsigned i = 0; i < shape->sets; i++)
        for (unsigned k = first; k < first + n; k++)
            if (is_among(x, k, shape->set[i].name)) {
                part->set[part->sets++] = shape->set[i];
                break;
            }
    return 0;
}

static bool others_stay(const struct script_study *x, unsigned first, unsigned n)
{
    for (unsigned i = 0; i < x->script->sets; i++)
        if ((i < first || i >= first + n) && x->live[i].there)
            return true;
    return false;
}

int script_remove(struct script_study *x, unsigned first, unsigned n, struct err *err)
{
    struct site_removed removed = {0};
    struct site_shape part, whole = x->s.shape;
    bool any = false;
    for (unsigned i = first; i < first + n; i++)
        any |= x->live[i].there;
    if (!any)
        return 0;
    if (part_of_shape(x, first, n, &part) < 0)
        return err_set(err, -ENOMEM, "no memory for the names of filesets");
    bool others = others_stay(x, first, n);
    x->s.shape = part;
    int rc = study_remove(&x->s, "", x->place, &removed, err);
    x->s.shape = whole;
    free(part.set);
    /* What belongs to other sets is left, and the place with it. */
    if (rc == -ENOTEMPTY && others)
        rc = 0;
    if (rc == -EINTR && study_check_stop(&x->s))
        return 0;
    for (unsigned i = first; rc == 0 && i < first + n; i++)
        x->live[i].there = false;
    x->place_made = others;
    return rc;
}

bool script_clears(const struct script_set *set)
{
    return set->written && !set->reuse && !set->trust;
}

int script_clear(struct script_study *x, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < x->script->sets; i++) {
        const struct script_set *set = &x->script->set[i];
        if (x->live[i].there && script_clears(set) && !x->s.adopted)
            rc = script_remove(x, i, 1, err);
    }
    return rc;
}
