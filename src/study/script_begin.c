/* What is checked and made ready before the first step of the first script. */
#include "study/device_look_priv.h"
#include "study/script_study_priv.h"

#include "base/digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

bool script_has_site(const struct script_study *x)
{
    return x->s.site != NULL;
}

static bool is_before(const struct site_shape *shape, const char *name, struct site_set **out)
{
    for (unsigned i = 0; i < shape->sets; i++) {
        *out = &shape->set[i];
        if (strcmp(shape->set[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Scripts may have sets of one name: the marker allows what either makes. */
static void add_set(struct site_shape *shape, const struct script_set *set)
{
    struct site_set *at;
    if (!is_before(shape, set->name, &at)) {
        at = &shape->set[shape->sets++];
        snprintf(at->name, sizeof at->name, "%s", set->name);
    }
    at->serial_most = MAX(at->serial_most, grown_serial_most(set->grown));
    at->levels = MAX(at->levels, grown_levels(set->grown) + (grown_leafs(set->grown) > 0));
}

static int shape_of(struct script_study *x, struct err *err)
{
    const struct script_wish *w = x->wish;
    const struct fileset_spec none = {.shape = FILESET_FLAT, .trees = 1, .files = 1};
    struct site_shape *shape = &x->s.shape;
    unsigned most = 0;
    int rc = study_shape(&x->s, &none, NULL, 0, 0, 0, err);
    for (unsigned i = 0; i < w->scripts; i++) {
        most += w->script[i]->sets;
        /* For the progress of removing; what may be removed the sets say. */
        shape->spec.files = (uint32_t)MIN(MAX(w->script[i]->files, shape->spec.files), UINT32_MAX);
    }
    if (rc == 0 && most > 0) {
        shape->set = calloc(most, sizeof *shape->set);
        rc = shape->set ? 0 : err_set(err, -ENOMEM, "no memory for %u filesets", most);
    }
    for (unsigned i = 0; rc == 0 && i < w->scripts; i++)
        for (unsigned k = 0; k < w->script[i]->sets; k++)
            if (w->script[i]->set[k].grown)
                add_set(shape, &w->script[i]->set[k]);
    return rc == 0 ? script_digest(w->script[w->scripts - 1], shape->sets_of, err) : rc;
}

/* ---- checks ---- */

static uint64_t sets_memory(const struct script *script)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < script->sets; i++)
        bytes += script->set[i].memory_bytes;
    return bytes;
}

/* The trees of all scripts are there from the first to the last. */
static int check_plans(const struct script_study *x, struct err *err)
{
    uint64_t beside_bytes = 0;
    int rc = 0;
    for (unsigned i = 0; i < x->wish->scripts; i++)
        beside_bytes += sets_memory(x->wish->script[i]);
    for (unsigned i = 0; i < x->wish->scripts; i++) {
        const struct script *script = x->wish->script[i];
        for (unsigned k = 0; rc == 0 && k < script->steps; k++)
            if (script->step[k].kind == SCRIPT_RUN)
                rc = study_check_memory(&x->s, script->step[k].plan, beside_bytes, err);
    }
    return rc;
}

static bool writes(const struct script *script)
{
    for (unsigned i = 0; i < script->sets; i++)
        if (script->set[i].written)
            return true;
    return false;
}

/* Of trees of others nothing has to be written. */
static void spare_listed(const struct script_study *x, uint64_t *bytes, uint64_t *files)
{
    for (unsigned i = 0; i < x->script->sets; i++) {
        const struct grown *g = x->script->set[i].grown;
        if (!x->live[i].listed)
            continue;
        *bytes -= MIN(*bytes, grown_bytes(g));
        *files -= MIN(*files, grown_files(g) + grown_dirs(g));
    }
}

static uint64_t dirs_of(const struct script *script)
{
    uint64_t dirs = 0;
    for (unsigned i = 0; i < script->sets; i++)
        if (script->set[i].grown)
            dirs += grown_dirs(script->set[i].grown) + grown_leafs(script->set[i].grown);
    return dirs;
}

static int check_space(struct script_study *x, struct err *err)
{
    uint64_t bytes = x->script->bytes, files = x->script->files + dirs_of(x->script), room;
    spare_listed(x, &bytes, &files);
    return study_check_space(&x->s, bytes, files, "", "fewer or smaller files", &room, err);
}

/* ---- beginning ---- */

/* Where files are made is settled by what the first of them finds there; each is looked at. */
static int check_scripts(struct script_study *x, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < x->wish->scripts; i++) {
        rc = script_take(x, i, err);
        if (rc == 0)
            rc = script_look_for_trees(x, err);
        if (rc == 0 && !x->s.adopted)
            rc = check_space(x, err);
    }
    return rc;
}

static int make_site(struct script_study *x, struct err *err)
{
    int rc = shape_of(x, err);
    if (rc == 0)
        rc = site_begin(x->s.site, &x->s.shape, err);
    if (rc < 0)
        return rc;
    x->s.on_site = true;
    site_place(&x->s.shape, 0, 0, 0, x->place, sizeof x->place);
    return 0;
}

static int begin_on_site(struct script_study *x, struct err *err)
{
    int rc = script_look_for_kept(x, err);
    if (rc == 0)
        rc = check_scripts(x, err);
    if (rc == 0 && !x->s.adopted)
        rc = make_site(x, err);
    return rc == 0 ? study_settle_cache(&x->s, x->wish->cache, err) : rc;
}

static bool any_writes(const struct script_study *x)
{
    for (unsigned i = 0; i < x->wish->scripts; i++)
        if (writes(x->wish->script[i]))
            return true;
    return false;
}

int script_begin(struct script_study *x, struct err *err)
{
    int rc = check_plans(x, err);
    if (rc < 0)
        return rc;
    x->s.gauge.own_clock = x->s.caps.own_clock;
    if (script_has_site(x)) {
        rc = begin_on_site(x, err);
    } else {
        rc = study_settle_device(&x->s, x->wish->cache, err);
    }
    if (rc < 0)
        return rc;
    if (!x->s.caps.keeps_nothing)
        study_tell_caveats(&x->s, any_writes(x), false, false);
    x->begun = true;
    return script_announce(x, err);
}
