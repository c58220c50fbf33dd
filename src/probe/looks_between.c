#include "probe/probe_priv.h"

#include <errno.h>
#include <math.h>

#define NS_PER_S    1e9
#define LONG_LOOKS  2.5 /* periods: what happened when in it, nobody saw */
#define INSIDE_FRAC 0.5 /* of a stretch that is to speak for the window */

/* What is known from one look at a thing to the next one. */
struct stretch {
    enum sight_form form;
    double from_ns; /* since the window opened */
    double to_ns;
    struct look_value before;
    struct look_value after;
};

struct sum {
    double value;
    double over; /* s, or growth of what it is a ratio of */
    double seen_ns;
};

/* Adds what [from_ns, to_ns) has of the stretch. */
static void add_part(struct sum *sum, const struct stretch *s, double from_ns, double to_ns)
{
    double lo = fmax(from_ns, s->from_ns), hi = fmin(to_ns, s->to_ns);
    double part = (hi - lo) / (s->to_ns - s->from_ns);
    double grown = s->after.value - s->before.value;

    if (hi <= lo)
        return;
    sum->seen_ns += hi - lo;
    switch (s->form) {
    case SIGHT_COUNTED:
        sum->value += grown * part;
        sum->over += (hi - lo) / NS_PER_S;
        break;
    case SIGHT_LEVEL: {
        double middle = ((lo + hi) / 2 - s->from_ns) / (s->to_ns - s->from_ns);
        sum->value += (s->before.value + grown * middle) * (hi - lo) / NS_PER_S;
        sum->over += (hi - lo) / NS_PER_S;
        break;
    }
    case SIGHT_RATIO:
        sum->value += grown * part;
        sum->over += (s->after.per - s->before.per) * part;
        break;
    }
}

static double quotient(const struct sum *sum)
{
    return sum->over > 0 ? sum->value / sum->over : NAN;
}

/* A counter that went back was begun anew in between: by how much it grew is not known. */
static bool speaks(const struct stretch *s, double window_ns)
{
    double inside = fmin(window_ns, s->to_ns) - fmax(0, s->from_ns);

    if (inside < INSIDE_FRAC * (s->to_ns - s->from_ns) || inside <= 0)
        return false;
    return s->form == SIGHT_LEVEL ||
           (s->after.value >= s->before.value && s->after.per >= s->before.per);
}

struct key_sums {
    struct sum all;
    struct sum part[TRACK_VALUES_MAX];
};

static void add_stretch(struct key_sums *sums, const struct stretch *s, const struct look_window *w,
                        double long_ns)
{
    double window_ns = (double)(w->to_ns - w->from_ns), part_ns = window_ns / w->values;

    if (!speaks(s, window_ns))
        return;
    add_part(&sums->all, s, 0, window_ns);
    if (s->to_ns - s->from_ns > long_ns)
        return;
    for (unsigned i = (unsigned)fmax(0, s->from_ns / part_ns);
         i < w->values && i * part_ns < s->to_ns; i++)
        add_part(&sums->part[i], s, i * part_ns, (i + 1) * part_ns);
}

static bool seen_in(const struct look *look, unsigned key)
{
    return key < look->n && !isnan(look->value[key].value);
}

static void sum_key(const struct looks *l, unsigned key, const struct look_window *w,
                    struct key_sums *out)
{
    double long_ns = LONG_LOOKS * (double)looks_period_ns(l);
    const struct look *last = NULL;

    *out = (struct key_sums){0};
    for (unsigned i = 0; i < l->n && (!last || last->at_ns < w->to_ns); i++) {
        const struct look *look = &l->look[i];
        if (!seen_in(look, key))
            continue;
        if (last && look->at_ns > w->from_ns) {
            struct stretch s = {.form = l->key[key].form,
                                .from_ns = (double)(int64_t)(last->at_ns - w->from_ns),
                                .to_ns = (double)(int64_t)(look->at_ns - w->from_ns),
                                .before = last->value[key],
                                .after = look->value[key]};
            add_stretch(out, &s, w, long_ns);
        }
        last = look;
    }
}

static int tell_key(const struct key_sums *sums, const struct look_window *w, struct tracks *t,
                    struct track *one)
{
    double part_ns = (double)(w->to_ns - w->from_ns) / w->values;
    unsigned seen = 0, full = 0;
    int rc = 0;

    one->mean = quotient(&sums->all);
    one->peak = NAN;
    for (unsigned i = 0; i < w->values && rc == 0; i++) {
        const struct sum *part = &sums->part[i];
        double value = part->seen_ns >= part_ns / 2 ? quotient(part) : NAN;
        if (isnan(value))
            continue;
        one->peak = fmax(one->peak, value);
        seen++;
        full += one->capacity > 0 && value >= TRACK_FULL_FRAC * one->capacity;
        rc = track_put(t, one, i, value);
    }
    one->full_frac = seen && one->capacity > 0 ? (double)full / seen : NAN;
    return rc;
}

int looks_between(const struct looks *l, const struct look_window *w, struct tracks *out)
{
    struct key_sums sums;
    int rc = 0;

    if (w->to_ns <= w->from_ns || w->values == 0 || w->values > TRACK_VALUES_MAX)
        return -EINVAL;
    out->first_ns = (int64_t)(w->from_ns - w->zero_ns);
    out->period_ns = (w->to_ns - w->from_ns + w->values - 1) / w->values;
    for (unsigned k = 0; k < l->keys && rc == 0; k++) {
        const struct look_key *key = &l->key[k];
        if (key->idle)
            continue;
        struct track *one = tracks_get(out, key->end, key->kind, key->name);
        if (!one)
            return out->n == TRACKS_MAX ? -ENOSPC : -ENOMEM;
        if (key->capacity > 0)
            one->capacity = key->capacity;
        sum_key(l, k, w, &sums);
        rc = tell_key(&sums, w, out, one);
    }
    return rc == 0 && l->full ? -ENOSPC : rc;
}
