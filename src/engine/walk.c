/* A tree taken as its listings give it: what a directory holds is known only once it has been listed,
 * and is gone through in that order, down into each directory where it stands. */
#include "engine/walk_priv.h"

#include "base/shown.h"
#include "engine/engine_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY_DIR UINT32_C(0x80000000)

/* One directory on the way down. */
struct walk_level {
    uint64_t dir; /* its number within the tree; the root has none */
    uint32_t n;
    uint32_t at;
};

struct walk {
    unsigned depth; /* of the directory at hand; the root's is 0 */
    uint32_t tree;
    uint32_t room;   /* entries of a directory at the most */
    uint32_t *entry; /* [levels][room]: numbers of files, and of directories with ENTRY_DIR */
    uint64_t *seen;  /* a bit for each entry there may be: first directories, then files */
    struct walk_level level[];
};

static size_t seen_words(const struct plan_group *group)
{
    return (group->list_room + 63) / 64;
}

size_t walk_bytes(const struct plan_group *group)
{
    size_t entries = (size_t)group->list_levels * group->list_room;
    if (group->list_room == 0)
        return 0;
    return sizeof(struct walk) + group->list_levels * sizeof(struct walk_level) +
           seen_words(group) * sizeof(uint64_t) + entries * sizeof(uint32_t);
}

int walk_new(const struct plan_group *group, struct walk **out)
{
    size_t bytes = walk_bytes(group);
    if (bytes == 0)
        return 0;
    struct walk *walk = malloc(bytes);
    if (!walk)
        return -ENOMEM;
    memset(walk, 0, bytes); /* each page, now: inside the gate it would be billed to the target */
    walk->room = group->list_room;
    walk->seen = (uint64_t *)(void *)&walk->level[group->list_levels];
    walk->entry = (uint32_t *)(void *)(walk->seen + seen_words(group));
    *out = walk;
    return 0;
}

void walk_begin(struct walk *walk, const struct slot *slot)
{
    if (slot->unit == PLAN_UNIT_ROOT)
        walk->depth = 0;
    walk->tree = slot->tree;
    walk->level[walk->depth].n = 0;
    walk->level[walk->depth].at = 0;
    memset(walk->seen, 0, (walk->room + 63) / 64 * sizeof *walk->seen);
}

/* The directory at hand is the nearest one above that still has an entry. */
static const uint32_t *next_entry(struct walk *walk)
{
    while (walk->depth > 0 && walk->level[walk->depth].at == walk->level[walk->depth].n)
        walk->depth--;
    const struct walk_level *level = &walk->level[walk->depth];
    return level->at < level->n ? &walk->entry[(size_t)walk->depth * walk->room + level->at] : NULL;
}

bool walk_pick(struct walk *walk, const struct fileset *set, struct slot *slot)
{
    const uint32_t *entry = next_entry(walk);
    struct walk_level *level = &walk->level[walk->depth];
    if (!entry || ((*entry & ENTRY_DIR) != 0) != (slot->unit == PLAN_UNIT_DIR))
        return false;
    slot->tree = walk->tree;
    level->at++;
    if (slot->unit == PLAN_UNIT_FILE) {
        slot->index = level->dir * set->spec.files + *entry;
        return true;
    }
    slot->index = fileset_subdir(set, walk->depth, level->dir, *entry & ~ENTRY_DIR);
    walk->level[++walk->depth] = (struct walk_level){.dir = slot->index};
    return true;
}

/* How many of each kind the directory at hand must hold. */
static uint32_t dirs_in(const struct walk *walk, const struct fileset *set)
{
    return walk->depth < set->spec.levels ? set->spec.branches : 0;
}

static uint32_t files_in(const struct walk *walk, const struct fileset *set)
{
    return walk->depth > 0 ? set->spec.files : 0;
}

/* What the plan cannot have made is not read, and not passed over in silence either. */
static int take_entry(struct walk *walk, const struct fileset *set,
                      const struct target_dirent *entry)
{
    struct walk_level *level = &walk->level[walk->depth];
    uint32_t dirs = dirs_in(walk, set), found, bit;
    uint64_t number;
    if (entry->type == TARGET_TYPE_DIR && fileset_number(entry->name, 'd', 1, dirs, &number)) {
        found = (uint32_t)number | ENTRY_DIR;
        bit = (uint32_t)number;
    } else if (entry->type == TARGET_TYPE_FILE &&
               fileset_number(entry->name, 'f', 1, files_in(walk, set), &number)) {
        found = (uint32_t)number;
        bit = dirs + (uint32_t)number;
    } else {
        return -EUCLEAN;
    }
    if (walk->seen[bit / 64] >> bit % 64 & 1)
        return -EEXIST;
    walk->seen[bit / 64] |= UINT64_C(1) << bit % 64;
    walk->entry[(size_t)walk->depth * walk->room + level->n++] = found;
    return 0;
}

/* With the entry's name behind the directory's. */
static void record_entry(struct worker *w, const struct stream *s, int code, const char *leaf)
{
    char path[ENGINE_PATH_MAX];
    size_t len;
    stream_path(w->run, s, path, sizeof path);
    len = strlen(path);
    snprintf(path + len, sizeof path - len, "/");
    for (size_t step; (len = strlen(path)) + SHOWN_MAX < sizeof path &&
                      (step = shown_next(leaf, path + len)) > 0;)
        leaf += step;
    worker_record_error_of(w, &w->run->plan->step[s->pc], OP_READDIR, code, path);
}

static void miss_entries(struct worker *w, const struct stream *s, const struct fileset *set)
{
    const struct walk *walk = s->walk;
    uint32_t dirs = dirs_in(walk, set), all = dirs + files_in(walk, set);
    uint32_t missing = all - walk->level[walk->depth].n;
    char leaf[FILESET_LEAF_MAX];
    for (uint32_t bit = 0; missing > 0 && bit < all; bit++) {
        if (walk->seen[bit / 64] >> bit % 64 & 1)
            continue;
        snprintf(leaf, sizeof leaf, "%c%u", bit < dirs ? 'd' : 'f', bit < dirs ? bit : bit - dirs);
        record_entry(w, s, -ENOENT, leaf);
        missing--;
    }
}

bool walk_take(struct worker *w, struct stream *s, const struct fileset *set, uint64_t *cookie)
{
    if (s->op.res == 0 && s->walk)
        miss_entries(w, s, set);
    for (int64_t at = 0; at < s->op.res;) {
        const struct target_dirent *entry = (const void *)(s->buf + at);
        int code = s->walk ? take_entry(s->walk, set, entry) : 0;
        if (code < 0)
            record_entry(w, s, code, entry->name);
        *cookie = entry->cookie;
        at += entry->record_bytes;
    }
    return s->op.res > 0;
}

/* As the language counts a listing: each entry, "." and ".." among them, with its name and what a
 * struct dirent has beside it. */
#define ENTRY_BYTES 279u
#define DOTS_BYTES  (2 * ENTRY_BYTES + 3)

uint64_t walk_listed_bytes(const struct stream *s, bool first)
{
    uint64_t bytes = first ? DOTS_BYTES : 0;
    for (int64_t at = 0; at < s->op.res;) {
        const struct target_dirent *entry = (const void *)(s->buf + at);
        bytes += entry->name_len + ENTRY_BYTES;
        at += entry->record_bytes;
    }
    return bytes;
}
