#include "study/tree_priv.h"

#include "base/units.h"
#include "clk/clk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t stored_bytes(const struct tree_side *t, uint64_t length_bytes)
{
    struct fileset_spec spec = t->s.shape.spec;
    spec.size_bytes = length_bytes;
    return study_set_bytes(&spec);
}

static bool is_pilot(const struct tree_place *place)
{
    return place->name.tree == 0;
}

/* Kept trees are the study's product; pilots never are. */
static bool may_go(const struct tree_side *t, const struct tree_place *place)
{
    return is_pilot(place) || !t->s.common->keep;
}

int tree_check_space(struct tree_side *t, const struct tree_need *need, uint64_t *peak_bytes,
                     struct err *err)
{
    *peak_bytes = need->all_bytes;
    int rc = study_check_space(&t->s, need->least_bytes, need->least_files,
                               t->s.common->keep ? " to keep every tree" : " by the largest tree",
                               "shorter --lengths, fewer --threads, --branches or --files",
                               &t->room_bytes, err);
    if (*peak_bytes > t->room_bytes)
        *peak_bytes = t->room_bytes;
    return rc;
}

static uint64_t removable_bytes(const struct tree_side *t)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < t->places; i++)
        if (may_go(t, &t->place[i]))
            bytes += t->place[i].stored_bytes;
    return bytes;
}

/* With keep: trees that the other rows are still to make, one a repeat where k is not settled. */
static uint64_t promised_trees(const struct tree_side *t, unsigned row)
{
    const struct tree_counts *counts = &t->counts[row];
    if (!t->s.common->keep || row == t->turn.row)
        return 0;
    return (uint64_t)t->rows[row].left * (counts->passes > 0 ? counts->trees : 1);
}

static uint64_t promised_bytes(const struct tree_side *t)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < t->options.lengths; i++)
        bytes += promised_trees(t, i) * stored_bytes(t, t->options.length_bytes[i]);
    return bytes;
}

static uint64_t promised_files(const struct tree_side *t)
{
    uint64_t trees = 0;
    for (unsigned i = 0; i < t->options.lengths; i++)
        trees += promised_trees(t, i);
    return trees * study_set_files(&t->s.shape.spec);
}

static unsigned trees_at_once(const struct tree_side *t)
{
    return t->s.common->keep ? t->rows[t->turn.row].left : 1;
}

static unsigned fit_bytes(const struct tree_side *t, const struct target_space *space,
                          uint64_t length_bytes, unsigned want)
{
    uint64_t room = study_room_bytes(space) + removable_bytes(t);
    /* What a tree gives back is reckoned, and a file system may store it in less. */
    if (room > t->room_bytes)
        room = t->room_bytes;
    uint64_t promised = promised_bytes(t);
    return study_trees_fit(want, room > promised ? room - promised : 0,
                           trees_at_once(t) * stored_bytes(t, length_bytes));
}

static unsigned fit_files(const struct tree_side *t, const struct target_space *space,
                          unsigned want)
{
    uint64_t each = study_set_files(&t->s.shape.spec);
    uint64_t promised = promised_files(t);
    uint64_t gone = 0;
    uint64_t room;

    for (unsigned i = 0; i < t->places; i++)
        gone += may_go(t, &t->place[i]) ? each : 0;
    if (__builtin_add_overflow(study_room_files(space), gone, &room))
        return want;
    return study_trees_fit(want, room > promised ? room - promised : 0, trees_at_once(t) * each);
}

unsigned tree_fit(struct tree_side *t, uint64_t length_bytes, unsigned want)
{
    struct target_space space;
    if (t->s.caps.keeps_nothing || site_space(t->s.site, &space) < 0)
        return want;
    unsigned by_bytes = fit_bytes(t, &space, length_bytes, want);
    unsigned by_files = fit_files(t, &space, want);
    unsigned k = by_files < by_bytes ? by_files : by_bytes;
    if (k < want) {
        char text[UNITS_PRINT_MAX];
        study_warn(&t->s, "%s: %s for %u trees at once, %u would make --min-time",
                   units_print_bytes(text, length_bytes), by_files < by_bytes ? "inodes" : "space",
                   k, want);
    }
    return k;
}

static int remove_place(struct tree_side *t, unsigned at, struct err *err)
{
    char place[STUDY_PLACE_MAX], word[TREE_SIDE_WORD_MAX];
    struct site_removed removed = {0};
    const struct tree_name *name = &t->place[at].name;

    site_place(&t->s.shape, name->length_bytes, name->repeat, name->tree, place, sizeof place);
    int rc = study_remove(&t->s, tree_side_word(t, word), place, &removed, err);
    if (rc < 0)
        return rc;
    /* By a clock of its own the target knows of no time that went by on this machine. */
    t->removed_files += t->s.caps.own_clock ? 0 : removed.files;
    t->removed_ns = clk_monotonic_ns();
    t->places--;
    memmove(&t->place[at], &t->place[at + 1], (t->places - at) * sizeof *t->place);
    return 0;
}

static bool has_room(struct tree_side *t, uint64_t bytes, uint64_t files)
{
    struct target_space space;
    if (site_space(t->s.site, &space) < 0)
        return true;
    return study_room_bytes(&space) >= bytes && study_room_files(&space) >= files;
}

static bool oldest_that_may_go(const struct tree_side *t, unsigned *at)
{
    for (*at = 0; *at < t->places; ++*at)
        if (may_go(t, &t->place[*at]))
            return true;
    return false;
}

static int remove_until_room(struct tree_side *t, struct tree_side *from, uint64_t bytes,
                             uint64_t files, struct err *err)
{
    unsigned at;
    int rc = 0;

    while (rc == 0 && !has_room(t, bytes, files) && oldest_that_may_go(from, &at)) {
        rc = remove_place(from, at, err);
        /* Some file systems give space back only with the next commit. */
        if (rc == 0)
            rc = site_sync(from->s.site, err);
    }
    return rc;
}

int tree_make_room(struct tree_side *t, uint64_t length_bytes, unsigned trees, struct err *err)
{
    uint64_t bytes = trees * stored_bytes(t, length_bytes);
    uint64_t files = trees * study_set_files(&t->s.shape.spec);
    int rc = remove_until_room(t, t, bytes, files, err);

    for (unsigned i = 0; rc == 0 && i < t->n_sides; i++)
        rc = remove_until_room(t, &t->sides[i], bytes, files, err);
    if (rc < 0 || has_room(t, bytes, files))
        return rc;
    char need[UNITS_PRINT_MAX], length[UNITS_PRINT_MAX], quota[96];
    return err_set(
        err, -ENOSPC,
        "%s: no space left for %u more trees of %s files: %s and %" PRIu64 " inodes are needed%s",
        t->s.common->target, trees, units_print_bytes(length, length_bytes),
        units_print_bytes(need, bytes), files, study_quota_limit(&t->s, quota, sizeof quota));
}

int tree_add_place(struct tree_side *t, const struct tree_name *name, struct err *err)
{
    char place[STUDY_PLACE_MAX];
    if (t->places == t->places_room) {
        unsigned room = t->places_room ? 2 * t->places_room : 64;
        struct tree_place *more = realloc(t->place, room * sizeof *more);
        if (!more)
            return err_set(err, -ENOMEM, "no memory for the list of %u trees", room);
        t->place = more;
        t->places_room = room;
    }
    site_place(&t->s.shape, name->length_bytes, name->repeat, name->tree, place, sizeof place);
    int rc = site_make_place(t->s.site, place, err);
    if (rc < 0)
        return rc;
    t->place[t->places++] =
        (struct tree_place){.name = *name, .stored_bytes = stored_bytes(t, name->length_bytes)};
    return 0;
}

void tree_remove_pilots(struct tree_side *t)
{
    struct err err = {0};
    unsigned at = 0;
    while (at < t->places) {
        if (!is_pilot(&t->place[at])) {
            at++;
        } else if (remove_place(t, at, &err) < 0) {
            study_warn(&t->s, "a pilot tree stays: %s", err.text);
            at++;
        }
    }
}
