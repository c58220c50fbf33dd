/* A tree as it is found, brought into the order in which it would have been made: depth first, the
 * entries of a directory by their serials. So a tree of ours that is read again has the numbers it
 * had, whatever order a server lists it in. */
#include "fileset/grown_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct found_file {
    struct grown_place at;
    uint64_t size_bytes;
};

struct found_dir {
    struct grown_place at;
    uint32_t number; /* as it was handed out */
};

struct grown_lister {
    struct grown_spec spec;
    struct found_dir *dir;
    uint64_t dirs;
    uint64_t dir_room;
    struct found_file *file;
    uint64_t files;
    uint64_t file_room;
};

int grown_lister_new(const char *name, const char *under, struct grown_lister **out)
{
    struct grown_lister *l = calloc(1, sizeof *l);

    if (l == NULL)
        return -ENOMEM;
    snprintf(l->spec.name, sizeof l->spec.name, "%s", name);
    snprintf(l->spec.under, sizeof l->spec.under, "%s", under);
    l->dirs = 1;
    *out = l;
    return 0;
}

void grown_lister_free(struct grown_lister *l)
{
    if (l == NULL)
        return;
    free(l->dir);
    free(l->file);
    free(l);
}

static int make_room(void **array, uint64_t *room, uint64_t used, size_t each)
{
    uint64_t more = *room > 0 ? 2 * *room : 64;
    void *grown;

    if (used < *room)
        return 0;
    grown = reallocarray(*array, more, each);
    if (grown == NULL)
        return -ENOMEM;
    *array = grown;
    *room = more;
    return 0;
}

/* Directory 0 has no place; dir[] holds those from 1 on. */
int64_t grown_lister_dir(struct grown_lister *l, uint64_t parent, uint64_t serial)
{
    void *array = l->dir;
    int rc;

    if (parent >= l->dirs || serial > UINT32_MAX || l->dirs >= UINT32_MAX)
        return -EINVAL;
    rc = make_room(&array, &l->dir_room, l->dirs - 1, sizeof *l->dir);
    l->dir = array;
    if (rc < 0)
        return rc;
    l->dir[l->dirs - 1] =
        (struct found_dir){.at = {(uint32_t)parent, (uint32_t)serial}, .number = (uint32_t)l->dirs};
    return (int64_t)l->dirs++;
}

int grown_lister_file(struct grown_lister *l, uint64_t dir, uint64_t serial, uint64_t size_bytes)
{
    void *array = l->file;
    int rc;

    if (dir >= l->dirs || serial > UINT32_MAX || l->files >= GROWN_ENTRIES_MAX)
        return -EINVAL;
    rc = make_room(&array, &l->file_room, l->files, sizeof *l->file);
    l->file = array;
    if (rc < 0)
        return rc;
    l->file[l->files++] =
        (struct found_file){.at = {(uint32_t)dir, (uint32_t)serial}, .size_bytes = size_bytes};
    return 0;
}

/* Both begin with their places. */
static int compare_places(const void *a, const void *b)
{
    const struct grown_place *x = a;
    const struct grown_place *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int twice(const struct grown_lister *l, const struct grown_place *at, struct err *err)
{
    return err_set(err, -EINVAL, "%s: two entries of one directory have the number %" PRIu32,
                   l->spec.name, at->serial);
}

/* Where the children of each directory, by its number as handed out, begin among the sorted ones. */
static uint64_t *children_of(struct grown_lister *l)
{
    uint64_t *first = calloc(l->dirs + 1, sizeof *first);

    if (first == NULL)
        return NULL;
    for (uint64_t i = 0; i + 1 < l->dirs; i++)
        first[l->dir[i].at.parent + 1]++;
    for (uint64_t d = 0; d < l->dirs; d++)
        first[d + 1] += first[d];
    return first;
}

/* What is still to be entered lies on a stack, of a level the first child on top. */
static int number_dirs(struct grown_lister *l, struct grown *g, uint32_t *number,
                       const uint64_t *first, uint64_t *stack)
{
    uint64_t room = 0;
    uint64_t n = 0;
    uint32_t here = 0;
    int rc = grown_add_dir(g, &room, 0, 0);

    number[0] = 0;
    while (rc == 0) {
        for (uint64_t i = first[here + 1]; i-- > first[here];)
            stack[n++] = i;
        if (n == 0)
            break;
        const struct found_dir *dir = &l->dir[stack[--n]];
        here = dir->number;
        number[here] = (uint32_t)g->dirs;
        rc = grown_add_dir(g, &room, number[dir->at.parent], dir->at.serial);
        if (dir->at.serial > g->serial_most)
            g->serial_most = dir->at.serial;
    }
    grown_fit(g);
    return rc;
}

static int order_dirs(struct grown_lister *l, struct grown *g, uint32_t *number, struct err *err)
{
    uint64_t *first = children_of(l);
    uint64_t *stack = calloc(l->dirs, sizeof *stack);
    int rc = first == NULL || stack == NULL ? -ENOMEM : 0;

    if (rc == 0 && l->dirs > 2)
        qsort(l->dir, l->dirs - 1, sizeof *l->dir, compare_places);
    for (uint64_t i = 1; rc == 0 && i + 1 < l->dirs; i++) {
        if (compare_places(&l->dir[i - 1].at, &l->dir[i].at) == 0)
            rc = twice(l, &l->dir[i].at, err);
    }
    if (rc == 0)
        rc = number_dirs(l, g, number, first, stack);
    free(first);
    free(stack);
    return rc;
}

/* A parent is numbered before its children. */
static int count_levels(struct grown *g)
{
    uint32_t *level = calloc(g->dirs, sizeof *level);

    if (level == NULL)
        return -ENOMEM;
    for (uint64_t d = 1; d < g->dirs; d++) {
        level[d] = level[g->dir[d].at.parent] + 1;
        if (level[d] > g->levels)
            g->levels = level[d];
    }
    free(level);
    return 0;
}

static uint64_t found_bytes(const void *ctx, uint64_t file)
{
    const struct grown_lister *l = ctx;
    return l->file[file].size_bytes;
}

static int place_files(struct grown_lister *l, struct grown *g, struct err *err)
{
    g->dir_of = calloc(g->files + 1, sizeof *g->dir_of);
    g->serial_of = calloc(g->files + 1, sizeof *g->serial_of);
    if (g->dir_of == NULL || g->serial_of == NULL)
        return -ENOMEM;
    for (uint64_t f = 0; f < g->files; f++) {
        const struct grown_place *at = &l->file[f].at;
        if (f > 0 && compare_places(at, &l->file[f - 1].at) == 0)
            return twice(l, at, err);
        g->dir_of[f] = at->parent;
        g->serial_of[f] = at->serial;
        if (at->serial > g->serial_most)
            g->serial_most = at->serial;
    }
    return 0;
}

static int order_files(struct grown_lister *l, struct grown *g, const uint32_t *number,
                       struct err *err)
{
    const struct grown_sizes sizes = {.of = found_bytes, .ctx = l};
    int rc;

    g->files = l->files;
    for (uint64_t f = 0; f < l->files; f++)
        l->file[f].at.parent = number[l->file[f].at.parent];
    if (l->files > 1)
        qsort(l->file, l->files, sizeof *l->file, compare_places);
    rc = place_files(l, g, err);
    return rc < 0 ? rc : grown_fill_sizes(g, &sizes, err);
}

static int list_all(struct grown_lister *l, struct grown *g, struct err *err)
{
    uint32_t *number = calloc(l->dirs, sizeof *number);
    int rc = number != NULL ? order_dirs(l, g, number, err) : -ENOMEM;

    if (rc == 0)
        rc = count_levels(g);
    if (rc == 0)
        rc = order_files(l, g, number, err);
    free(number);
    return rc == -ENOMEM ? err_set(err, rc, "no memory for the files found") : rc;
}

int grown_listed(struct grown_lister *l, struct grown **out, struct err *err)
{
    struct grown *g = calloc(1, sizeof *g);
    int rc = -ENOMEM;

    if (g == NULL) {
        err_set(err, rc, "no memory for the files found");
    } else {
        g->spec = l->spec;
        g->spec.entries = l->files;
        g->listed = true;
        rc = list_all(l, g, err);
    }
    grown_lister_free(l);
    if (rc == 0)
        *out = g;
    else
        grown_free(g);
    return rc;
}
