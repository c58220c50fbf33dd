#include "probe/probe_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_KEYS 64

void looks_init(struct looks *l, uint64_t period_ns)
{
    *l = (struct looks){.period_ns = period_ns};
}

void looks_fini(struct looks *l)
{
    for (unsigned i = 0; i < l->n; i++)
        free(l->look[i].value);
    free(l->look);
    free(l->key);
    *l = (struct looks){0};
}

uint64_t looks_period_ns(const struct looks *l)
{
    return l->period_ns << l->thinned;
}

static bool is_key(const struct look_key *key, const struct sight *s)
{
    return key->kind == s->kind && key->end == s->end && strcmp(key->name, s->name) == 0;
}

static bool with_room(struct looks *l)
{
    if (l->keys < l->room)
        return true;
    unsigned room = l->room ? 2 * l->room : FIRST_KEYS;
    struct look_key *more = realloc(l->key, room * sizeof *more);

    if (more) {
        l->key = more;
        l->room = room;
    }
    return more != NULL;
}

/* Each look tells the same things in the same order, mostly: the key behind the last one is tried first. */
static int key_of(struct looks *l, const struct sight *s, unsigned guess, unsigned *out)
{
    unsigned i = guess;

    if (guess >= l->keys || !is_key(&l->key[guess], s))
        for (i = 0; i < l->keys && !is_key(&l->key[i], s);)
            i++;
    if (i == l->keys) {
        if (l->keys == TRACKS_MAX)
            return -ENOSPC;
        if (!with_room(l))
            return -ENOMEM;
        l->key[l->keys++] = (struct look_key){.end = s->end, .kind = s->kind, .form = s->form};
        memcpy(l->key[i].name, s->name, sizeof s->name);
    }
    l->key[i].capacity = s->capacity;
    l->key[i].idle = s->idle;
    *out = i;
    return 0;
}

static void keep_where(struct looks *l, bool (*stays)(const struct looks *l, unsigned i))
{
    unsigned n = 0;

    for (unsigned i = 0; i < l->n; i++)
        if (stays(l, i))
            l->look[n++] = l->look[i];
        else
            free(l->look[i].value);
    l->n = n;
}

/* The last one before what has been told reaches into the next window. */
static bool still_to_tell(const struct looks *l, unsigned i)
{
    return i + 1 >= l->n || l->look[i + 1].at_ns > l->told_ns;
}

static bool is_edge_or_even(const struct looks *l, unsigned i)
{
    return l->look[i].edge || i % 2 == 0;
}

static bool is_of_the_later_half(const struct looks *l, unsigned i)
{
    return i >= l->n / 2;
}

static void make_room(struct looks *l)
{
    if (l->n < PROBE_LOOKS_MAX)
        return;
    keep_where(l, still_to_tell);
    if (l->n <= PROBE_LOOKS_MAX / 2) {
        l->thinned = 0;
        return;
    }
    keep_where(l, is_edge_or_even);
    l->thinned++;
    if (l->n > PROBE_LOOKS_MAX * 3 / 4)
        keep_where(l, is_of_the_later_half);
}

static int fill(struct looks *l, const struct sights *s, struct look *out)
{
    unsigned at = 0;
    int rc = 0;

    for (unsigned i = 0; i < s->n && rc == 0; i++) {
        rc = key_of(l, &s->sight[i], i ? at + 1 : 0, &at);
        if (rc < 0)
            break;
        for (; out->n <= at; out->n++)
            out->value[out->n] = (struct look_value){NAN, NAN};
        out->value[at] = (struct look_value){s->sight[i].value, s->sight[i].per};
    }
    return rc;
}

int looks_keep(struct looks *l, const struct sights *s, bool edge)
{
    struct look look = {.at_ns = s->at_ns, .edge = edge};
    int rc;

    if (s->failed)
        return -ENOMEM;
    if (l->n > 0 && s->at_ns <= l->look[l->n - 1].at_ns)
        return -EINVAL;
    if (!l->look)
        l->look = malloc(PROBE_LOOKS_MAX * sizeof *l->look);
    look.value = malloc((l->keys + s->n + 1) * sizeof *look.value);
    if (!l->look || !look.value) {
        free(look.value);
        return -ENOMEM;
    }
    rc = fill(l, s, &look);
    if (rc == -ENOMEM) {
        free(look.value);
        return rc;
    }
    if (s->full)
        rc = -ENOSPC;
    l->full |= rc == -ENOSPC;
    make_room(l);
    l->look[l->n++] = look;
    return rc;
}
