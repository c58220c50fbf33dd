#include "stats/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

void series_init(struct series *s, unsigned lines, uint64_t width_ns)
{
    *s = (struct series){.width_ns = width_ns, .lines = lines};
}

static void free_lines(struct series_line *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sparse_hist_fini(&line[i].service);
        sparse_hist_fini(&line[i].response);
    }
}

static size_t lines_of(const struct series *s, unsigned intervals)
{
    return (size_t)intervals * s->lines;
}

void series_fini(struct series *s)
{
    if (s->line)
        free_lines(s->line, lines_of(s, s->used));
    free(s->line);
    s->line = NULL;
    s->used = 0;
    s->room = 0;
}

static int line_merge(struct series_line *into, const struct series_line *from)
{
    int rc = sparse_hist_merge(&into->service, &from->service);
    if (rc == 0)
        rc = sparse_hist_merge(&into->response, &from->response);
    if (rc)
        return rc;
    into->ops += from->ops;
    into->bytes += from->bytes;
    into->samples += from->samples;
    return 0;
}

static int line_add(struct series_line *into, const struct samples_line *from)
{
    int rc = sparse_hist_add(&into->service, &from->service);
    if (rc == 0)
        rc = sparse_hist_add(&into->response, &from->response);
    if (rc)
        return rc;
    into->ops += from->ops;
    into->bytes += from->bytes;
    into->samples += from->samples;
    return 0;
}

/* Intervals 0 … used−1 exist afterwards, the new ones quiet; used ≤ SERIES_MAX. */
static int extend(struct series *s, unsigned used)
{
    if (used <= s->used)
        return 0;
    if (used > s->room) {
        unsigned room = s->room ? s->room : FIRST_ROOM;
        while (room < used)
            room *= 2;
        struct series_line *line = realloc(s->line, (lines_of(s, room) + 1) * sizeof *line);
        if (!line)
            return -ENOMEM;
        s->line = line;
        s->room = room;
    }
    memset(s->line + lines_of(s, s->used), 0,
           (lines_of(s, used) - lines_of(s, s->used)) * sizeof *s->line);
    s->used = used;
    return 0;
}

static unsigned folded(unsigned interval, unsigned doublings)
{
    return doublings < 32 ? interval >> doublings : 0;
}

/* How many intervals are left of `used` when neighbours merge. */
static unsigned folded_used(unsigned used, unsigned doublings)
{
    return used ? folded(used - 1, doublings) + 1 : 0;
}

/* Merges every interval of `from` into interval first + (its number folded) of `into`. */
static int merge_intervals(struct series *into, unsigned first, const struct series *from,
                           unsigned doublings)
{
    int rc = extend(into, first + folded_used(from->used, doublings));
    for (unsigned i = 0; rc == 0 && i < from->used; i++) {
        struct series_line *to = into->line + lines_of(into, first + folded(i, doublings));
        for (unsigned l = 0; rc == 0 && l < into->lines; l++)
            rc = line_merge(&to[l], series_at(from, i, l));
    }
    return rc;
}

static bool may_widen(const struct series *s, unsigned doublings)
{
    return s->doublings + doublings < 64 && s->width_ns <= UINT64_MAX >> doublings;
}

/* Doubles the width that often. Built beside the old one, which stays whole when memory ends. */
static int widen(struct series *s, unsigned doublings)
{
    if (doublings == 0)
        return 0;
    if (!may_widen(s, doublings))
        return -EOVERFLOW;
    struct series wide;
    series_init(&wide, s->lines, s->width_ns << doublings);
    wide.doublings = s->doublings + doublings;
    int rc = merge_intervals(&wide, 0, s, doublings);
    if (rc) {
        series_fini(&wide);
        return rc;
    }
    series_fini(s);
    *s = wide;
    return 0;
}

int series_add(struct series *s, const struct samples_block *block)
{
    if (block->lines != s->lines)
        return -EINVAL;
    uint64_t interval = block->interval >> s->doublings;
    unsigned doublings = 0;
    while (interval >> doublings >= SERIES_MAX)
        doublings++;
    int rc = widen(s, doublings);
    if (rc)
        return rc;
    unsigned at = (unsigned)(interval >> doublings);
    rc = extend(s, at + 1);
    for (unsigned l = 0; rc == 0 && l < s->lines; l++)
        rc = line_add(&s->line[lines_of(s, at) + l], &block->line[l]);
    return rc;
}

/* The number of doublings that make `narrow` into `wide`; -EINVAL when there is none. */
static int doublings_between(uint64_t narrow, uint64_t wide)
{
    for (int k = 0; k < 64 && narrow <= UINT64_MAX >> k; k++)
        if (narrow << k == wide)
            return k;
    return -EINVAL;
}

/* Takes back what was added behind the first `used` intervals. */
static void shorten(struct series *s, unsigned used)
{
    free_lines(s->line + lines_of(s, used), lines_of(s, s->used - used));
    s->used = used;
}

int series_append(struct series *into, const struct series *from)
{
    if (into->lines != from->lines)
        return -EINVAL;
    bool from_is_wider = from->width_ns > into->width_ns;
    int apart = from_is_wider ? doublings_between(into->width_ns, from->width_ns)
                              : doublings_between(from->width_ns, into->width_ns);
    if (apart < 0)
        return apart;
    unsigned ours = from_is_wider ? (unsigned)apart : 0;
    unsigned theirs = from_is_wider ? 0 : (unsigned)apart;
    while (folded_used(into->used, ours) + folded_used(from->used, theirs) > SERIES_MAX) {
        ours++;
        theirs++;
    }
    int rc = widen(into, ours);
    if (rc)
        return rc;
    unsigned before = into->used;
    rc = merge_intervals(into, before, from, theirs);
    if (rc)
        shorten(into, before);
    return rc;
}
