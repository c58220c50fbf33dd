#include "stats/series.h"

#include <errno.h>
#include <stdlib.h>

#define ROOM_STEP 8u

_Static_assert(HIST_BUCKETS <= UINT16_MAX, "a bucket number fits its sparse form");

static bool is_empty(const struct sparse_hist *s)
{
    return s->used == 0 && s->overflow == 0;
}

static int reserve(struct sparse_hist *s, unsigned room)
{
    if (room <= s->room)
        return 0;
    room = (room + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
    uint16_t *bucket = realloc(s->bucket, room * sizeof *bucket);
    if (!bucket)
        return -ENOMEM;
    s->bucket = bucket;
    uint64_t *count = realloc(s->count, room * sizeof *count);
    if (!count)
        return -ENOMEM;
    s->count = count;
    s->room = room;
    return 0;
}

/* How many buckets the two have together. */
static unsigned count_union(const struct sparse_hist *a, const struct sparse_hist *b)
{
    unsigned i = 0;
    unsigned j = 0;
    unsigned n = 0;
    for (; i < a->used && j < b->used; n++) {
        uint16_t x = a->bucket[i];
        uint16_t y = b->bucket[j];
        i += x <= y;
        j += y <= x;
    }
    return n + (a->used - i) + (b->used - j);
}

/* From the top down, so that nothing of `into` is overwritten before it was moved. */
static void merge_buckets(struct sparse_hist *into, const struct sparse_hist *from, unsigned n)
{
    unsigned i = into->used;
    unsigned j = from->used;
    into->used = n;
    while (j > 0) {
        n--;
        if (i > 0 && into->bucket[i - 1] > from->bucket[j - 1]) {
            i--;
            into->bucket[n] = into->bucket[i];
            into->count[n] = into->count[i];
            continue;
        }
        j--;
        bool both = i > 0 && into->bucket[i - 1] == from->bucket[j];
        i -= both;
        into->count[n] = from->count[j] + (both ? into->count[i] : 0);
        into->bucket[n] = from->bucket[j];
    }
}

int sparse_hist_merge(struct sparse_hist *into, const struct sparse_hist *from)
{
    if (is_empty(from))
        return 0;
    unsigned n = count_union(into, from);
    int rc = reserve(into, n);
    if (rc)
        return rc;
    if (is_empty(into) || from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
    if (__builtin_add_overflow(into->sum, from->sum, &into->sum))
        into->sum = UINT64_MAX;
    into->overflow += from->overflow;
    merge_buckets(into, from, n);
    return 0;
}

int sparse_hist_add(struct sparse_hist *into, const struct hist *from)
{
    uint16_t bucket[HIST_BUCKETS];
    uint64_t count[HIST_BUCKETS];
    struct sparse_hist sparse = {.sum = from->sum,
                                 .min = hist_min(from),
                                 .max = from->max,
                                 .overflow = from->overflow,
                                 .bucket = bucket,
                                 .count = count};
    for (uint64_t left = from->touched; left; left &= left - 1) {
        unsigned first = (unsigned)__builtin_ctzll(left) << HIST_SUB_BITS;
        for (unsigned b = first; b < first + (1u << HIST_SUB_BITS); b++) {
            if (from->n[b] == 0)
                continue;
            bucket[sparse.used] = (uint16_t)b;
            count[sparse.used++] = from->n[b];
        }
    }
    return sparse_hist_merge(into, &sparse);
}

static bool buckets_rise(const struct sparse_hist *s)
{
    for (unsigned i = 0; i < s->used; i++)
        if (s->bucket[i] >= HIST_BUCKETS || (i > 0 && s->bucket[i] <= s->bucket[i - 1]))
            return false;
    return true;
}

static bool is_overflow(uint64_t v)
{
    return v >> HIST_TOP_BITS;
}

/* min lies in the first bucket and max in the last, or in the overflow when that comes to it. */
static bool ends_fit(const struct sparse_hist *s)
{
    if (is_empty(s))
        return s->min == 0 && s->max == 0 && s->sum == 0;
    if (s->min > s->max)
        return false;
    bool min_fits =
        s->used ? !is_overflow(s->min) && hist_bucket(s->min) == s->bucket[0] : is_overflow(s->min);
    bool max_fits = s->overflow
                        ? is_overflow(s->max)
                        : !is_overflow(s->max) && hist_bucket(s->max) == s->bucket[s->used - 1];
    return min_fits && max_fits;
}

static bool counts_fit(const struct hist *into, const struct sparse_hist *from)
{
    uint64_t total = hist_count(into);
    if (__builtin_add_overflow(total, from->overflow, &total))
        return false;
    for (unsigned i = 0; i < from->used; i++)
        if (from->count[i] == 0 || __builtin_add_overflow(total, from->count[i], &total))
            return false;
    return true;
}

int sparse_hist_to(struct hist *into, const struct sparse_hist *from)
{
    if (!buckets_rise(from) || !ends_fit(from) || !counts_fit(into, from))
        return -EINVAL;
    if (is_empty(from))
        return 0;
    for (unsigned i = 0; i < from->used; i++) {
        into->n[from->bucket[i]] += from->count[i];
        into->touched |= 1ull << (from->bucket[i] >> HIST_SUB_BITS);
    }
    if (__builtin_add_overflow(into->sum, from->sum, &into->sum))
        into->sum = UINT64_MAX;
    if (from->max > into->max)
        into->max = from->max;
    if (~from->min > into->min_inv)
        into->min_inv = ~from->min;
    into->overflow += from->overflow;
    return 0;
}

void sparse_hist_fini(struct sparse_hist *s)
{
    free(s->bucket);
    free(s->count);
    *s = (struct sparse_hist){0};
}
