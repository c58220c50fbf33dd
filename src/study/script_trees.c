/* Filesets that are there before the script begins: kept by an earlier run, or of another program. */
#include "study/script_study_priv.h"

#include "base/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of all that the sets are grown from; who reads it finds the same trees. */
int script_digest(const struct script *script, char *hex, struct err *err)
{
    struct text text;
    bool any = false;
    text_init(&text);
    for (unsigned i = 0; i < script->sets; i++) {
        const struct script_set *set = &script->set[i];
        if (!set->grown)
            continue;
        any = true;
        text_addf(&text, "%s seed=%" PRIu64 " ", set->name, grown_spec(set->grown)->seed);
        grown_text(set->grown, &text);
        text_add(&text, "\n");
    }
    int rc = text.failed ? err_set(err, -ENOMEM, "no memory for the shape of filesets") : 0;
    hex[0] = '\0';
    if (rc == 0 && any)
        digest_sha256(text.s, text.len, hex);
    text_fini(&text);
    return rc;
}

static bool same_sets(const struct script_study *x, const struct site_found *found,
                      const char *digest)
{
    const struct site_shape *shape = &found->shape;
    return found->marker == SITE_OURS && found->live == SITE_LIVE_NO && shape->kept &&
           shape->sets > 0 && shape->seed == x->s.common->seed &&
           strcmp(shape->sets_of, digest) == 0;
}

static int adopt(struct script_study *x, const struct site_found *found, struct err *err)
{
    int rc = site_adopt(x->s.site, found->shape.id, &x->s.shape, err);
    if (rc < 0)
        return rc;
    site_place(&x->s.shape, 0, 0, 0, x->place, sizeof x->place);
    x->s.on_site = x->s.adopted = x->place_made = true;
    return 0;
}

int script_look_for_kept(struct script_study *x, struct err *err)
{
    struct site_found *found = NULL;
    char digest[DIGEST_HEX_MAX];
    unsigned n = 0;
    /* The sets of several scripts never lie there together. */
    if (x->wish->scripts > 1)
        return 0;
    int rc = script_digest(x->wish->script[0], digest, err);
    if (rc == 0 && digest[0] != '\0')
        rc = site_scan(x->s.site, &found, &n, err);
    for (unsigned i = 0; rc == 0 && i < n && !x->s.adopted; i++)
        if (same_sets(x, &found[i], digest))
            rc = adopt(x, &found[i], err);
    site_found_free(found, n);
    return rc;
}

/* ---- trees of others ---- */

/* Nobody's tree: it is made where all of ours is. */
static int move_in(const struct script_set *set, struct err *err)
{
    int rc = grown_move(set->grown, "");
    return rc < 0 ? err_set(err, rc, "%s cannot be moved", set->name) : 0;
}

static int take_listed(struct script_study *x, unsigned i, struct grown *listed, struct err *err)
{
    const struct script_set *set = &x->script->set[i];
    x->live[i].listed = listed;
    if (set->written && !x->wish->adopt)
        return err_set(
            err, -EACCES,
            "%s/%s was made by another program, and the workload writes to it or removes "
            "from it: --adopt allows that",
            x->s.common->target, set->name);
    if (!x->begun && grown_files(listed) != grown_files(set->grown))
        study_warn(&x->s, "%s holds %" PRIu64 " files; the workload says %" PRIu64, set->name,
                   grown_files(listed), grown_files(set->grown));
    return 0;
}

static int take_tree(struct script_study *x, unsigned i, struct err *err)
{
    const struct script_set *set = &x->script->set[i];
    const char *under = grown_spec(set->grown)->under;
    struct grown *listed = NULL;
    if (x->s.adopted || x->s.caps.keeps_nothing || under[0] == '\0')
        return move_in(set, err);
    int rc = site_list_tree(x->s.site, under, set->name, &listed, x->s.common->stop, err);
    if (rc == -ENOENT)
        return move_in(set, err);
    if (rc < 0)
        return err_prefix(err, "%s, which the workload wants to reuse", set->name);
    /* An empty directory is nothing to reuse. */
    if (grown_files(listed) == 0 && grown_leafs(listed) == 0) {
        grown_free(listed);
        return move_in(set, err);
    }
    return take_listed(x, i, listed, err);
}

int script_look_for_trees(struct script_study *x, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && script_has_site(x) && i < x->script->sets; i++)
        if (x->script->set[i].grown && x->script->set[i].reuse)
            rc = take_tree(x, i, err);
    return rc;
}
