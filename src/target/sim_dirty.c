/* Extents and files are found through buckets of chains; an extent is in the chain of its bucket and the list of its
 * file for as long as it has dirty or flying blocks, and in the queue while it has dirty ones that may be taken. */
#include "target/sim_dirty_priv.h"

#include "target/sim_cache_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIM_DIRTY_NONE

int sim_dirty_init(struct sim_dirty *d, uint32_t extents, uint32_t extent_bytes)
{
    uint32_t buckets = 64;

    while (buckets < extents)
        buckets *= 2;
    *d = (struct sim_dirty){.mask = buckets - 1,
                            .max = extents,
                            .oldest = NONE,
                            .newest = NONE,
                            .extent_bytes = extent_bytes};
    d->extent = calloc(extents, sizeof *d->extent);
    d->file = calloc(extents, sizeof *d->file);
    d->extent_bucket = malloc(buckets * sizeof *d->extent_bucket);
    d->file_bucket = malloc(buckets * sizeof *d->file_bucket);
    if (d->extent == NULL || d->file == NULL || d->extent_bucket == NULL || d->file_bucket == NULL)
        return -ENOMEM;
    memset(d->extent_bucket, 0xff, buckets * sizeof *d->extent_bucket);
    memset(d->file_bucket, 0xff, buckets * sizeof *d->file_bucket);
    for (uint32_t i = 0; i < extents; i++) {
        d->extent[i].next = i + 1 < extents ? i + 1 : NONE;
        d->file[i].chain = i + 1 < extents ? i + 1 : NONE;
    }
    return 0;
}

void sim_dirty_fini(struct sim_dirty *d)
{
    free(d->extent);
    free(d->file);
    free(d->extent_bucket);
    free(d->file_bucket);
}

/* ---- finding ---- */

static uint32_t *extent_bucket(const struct sim_dirty *d, uint64_t key)
{
    return &d->extent_bucket[mix64(key) & d->mask];
}

static uint32_t *file_bucket(const struct sim_dirty *d, uint32_t file)
{
    return &d->file_bucket[mix64(file) & d->mask];
}

static uint32_t find_extent(const struct sim_dirty *d, uint64_t key)
{
    if (d->used == 0)
        return NONE;
    uint32_t i = *extent_bucket(d, key);
    while (i != NONE && d->extent[i].key != key)
        i = d->extent[i].chain;
    return i;
}

static uint32_t find_file(const struct sim_dirty *d, uint32_t file)
{
    if (d->used == 0)
        return NONE;
    uint32_t i = *file_bucket(d, file);
    while (i != NONE && d->file[i].number != file)
        i = d->file[i].chain;
    return i;
}

uint32_t sim_dirty_queued(const struct sim_dirty *d, uint64_t key)
{
    uint32_t i = find_extent(d, key);
    return i != NONE && d->extent[i].queued ? i : NONE;
}

bool sim_dirty_has(const struct sim_dirty *d, uint64_t key)
{
    return find_extent(d, key) != NONE;
}

struct sim_dirty_file *sim_dirty_file_of(const struct sim_dirty *d, uint32_t file)
{
    uint32_t i = find_file(d, file);
    return i != NONE ? &d->file[i] : NULL;
}

/* ---- the queue ---- */

static void queue_last(struct sim_dirty *d, uint32_t i, uint32_t now_ms)
{
    struct sim_dirty_extent *e = &d->extent[i];

    e->queued = true;
    e->since_ms = now_ms;
    e->next = NONE;
    e->previous = d->newest;
    if (d->newest != NONE)
        d->extent[d->newest].next = i;
    else
        d->oldest = i;
    d->newest = i;
}

static void unqueue(struct sim_dirty *d, uint32_t i)
{
    struct sim_dirty_extent *e = &d->extent[i];

    e->queued = false;
    if (e->previous != NONE)
        d->extent[e->previous].next = e->next;
    else
        d->oldest = e->next;
    if (e->next != NONE)
        d->extent[e->next].previous = e->previous;
    else
        d->newest = e->previous;
}

/* ---- coming and going ---- */

static uint32_t make_file(struct sim_dirty *d, uint32_t file)
{
    uint32_t i = find_file(d, file);

    if (i != NONE)
        return i;
    i = d->free_file;
    d->free_file = d->file[i].chain;
    d->file[i] = (struct sim_dirty_file){
        .number = file, .first = NONE, .last = NONE, .chain = *file_bucket(d, file)};
    *file_bucket(d, file) = i;
    return i;
}

static uint32_t make_extent(struct sim_dirty *d, uint32_t file, uint64_t key)
{
    uint32_t i = find_extent(d, key);

    if (i != NONE || d->free_extent == NONE)
        return i;
    uint32_t f = make_file(d, file);
    i = d->free_extent;
    d->free_extent = d->extent[i].next;
    d->extent[i] = (struct sim_dirty_extent){.key = key,
                                             .file = f,
                                             .next = NONE,
                                             .file_next = NONE,
                                             .file_previous = d->file[f].last,
                                             .chain = *extent_bucket(d, key)};
    *extent_bucket(d, key) = i;
    if (d->file[f].last != NONE)
        d->extent[d->file[f].last].file_next = i;
    else
        d->file[f].first = i;
    d->file[f].last = i;
    d->used++;
    return i;
}

static void free_file(struct sim_dirty *d, uint32_t i)
{
    uint32_t *link = file_bucket(d, d->file[i].number);

    while (*link != i)
        link = &d->file[*link].chain;
    *link = d->file[i].chain;
    d->file[i].chain = d->free_file;
    d->free_file = i;
}

static void free_extent(struct sim_dirty *d, uint32_t i)
{
    struct sim_dirty_extent *e = &d->extent[i];
    struct sim_dirty_file *file = &d->file[e->file];
    uint32_t *link = extent_bucket(d, e->key);

    while (*link != i)
        link = &d->extent[*link].chain;
    *link = e->chain;
    if (e->file_previous != NONE)
        d->extent[e->file_previous].file_next = e->file_next;
    else
        file->first = e->file_next;
    if (e->file_next != NONE)
        d->extent[e->file_next].file_previous = e->file_previous;
    else
        file->last = e->file_previous;
    if (file->first == NONE)
        free_file(d, e->file);
    e->next = d->free_extent;
    d->free_extent = i;
    d->used--;
}

bool sim_dirty_room(const struct sim_dirty *d, uint64_t len)
{
    return d->max - d->used >= len / d->extent_bytes + 2;
}

static uint64_t blocks_of(const struct sim_dirty *d, uint64_t from, uint64_t to)
{
    unsigned first = (unsigned)(from / sim_dirty_block_bytes(d));
    unsigned last = (unsigned)((to - 1) / sim_dirty_block_bytes(d));

    return UINT64_MAX << first & UINT64_MAX >> (63 - last);
}

static uint64_t bytes_of(const struct sim_dirty *d, uint64_t blocks)
{
    return (uint64_t)__builtin_popcountll(blocks) * sim_dirty_block_bytes(d);
}

void sim_dirty_add(struct sim_dirty *d, uint32_t file, uint64_t off, uint64_t len, uint32_t now_ms)
{
    uint64_t end = off + len;
    uint64_t size = d->extent_bytes;

    while (off < end) {
        uint64_t base = off - off % size;
        uint64_t until = end < base + size ? end : base + size;
        uint32_t i = make_extent(d, file, sim_extent_key(file, off / size));
        if (i == NONE)
            return;
        struct sim_dirty_extent *e = &d->extent[i];
        struct sim_dirty_file *f = &d->file[e->file];
        uint64_t fresh = blocks_of(d, off - base, until - base) & ~e->blocks;

        e->blocks |= fresh;
        if (!e->queued && e->flying == 0)
            queue_last(d, i, now_ms);
        f->dirty_bytes += bytes_of(d, fresh);
        f->unstable_bytes += until - off;
        d->bytes += bytes_of(d, fresh);
        d->taken_bytes += bytes_of(d, fresh);
        off = until;
    }
}

void sim_dirty_take(struct sim_dirty *d, uint32_t i)
{
    struct sim_dirty_extent *e = &d->extent[i];

    unqueue(d, i);
    e->flying = e->blocks;
    e->blocks = 0;
}

static void less(struct sim_dirty *d, struct sim_dirty_file *file, uint64_t bytes)
{
    d->bytes -= bytes;
    file->dirty_bytes -= bytes;
    if (file->unstable_bytes > file->dirty_bytes)
        file->unstable_bytes = file->dirty_bytes;
}

void sim_dirty_clean(struct sim_dirty *d, uint32_t i, uint32_t now_ms)
{
    struct sim_dirty_extent *e = &d->extent[i];

    less(d, &d->file[e->file], bytes_of(d, e->flying));
    e->flying = 0;
    if (e->blocks != 0)
        queue_last(d, i, now_ms);
    else
        free_extent(d, i);
}

/* Blocks of the extent of `key` that lie before `size`. */
static uint64_t blocks_before(const struct sim_dirty *d, uint64_t key, uint64_t last_key,
                              uint64_t size)
{
    uint64_t part = size % d->extent_bytes;

    if (key != last_key)
        return key < last_key ? UINT64_MAX : 0;
    return part > 0 ? blocks_of(d, 0, part) : 0;
}

void sim_dirty_cut(struct sim_dirty *d, uint32_t file, uint64_t size)
{
    struct sim_dirty_file *f = sim_dirty_file_of(d, file);
    uint64_t last_key = sim_extent_key(file, size / d->extent_bytes);
    uint32_t next;

    for (uint32_t i = f != NULL ? f->first : NONE; i != NONE; i = next) {
        struct sim_dirty_extent *e = &d->extent[i];
        uint64_t gone = e->blocks & ~blocks_before(d, e->key, last_key, size);
        next = e->file_next;
        if (gone == 0)
            continue;
        e->blocks &= ~gone;
        less(d, f, bytes_of(d, gone));
        if (e->blocks == 0 && e->queued) {
            unqueue(d, i);
            free_extent(d, i);
        }
    }
}
