#include "study/study_priv.h"

#include <inttypes.h>

void fact_word(struct fact_pen *pen, const char *key, const char *value)
{
    if (pen->rc == 0)
        pen->rc = result_fact_put(pen->facts, key, value, "");
}

/* Only where it is asked for: everywhere else there is nothing to be said about it. */
void fact_resolve(struct fact_pen *pen, const struct study *s)
{
    if (s->instrument.resolve_always)
        fact_word(pen, "resolve", "every-time");
}

void fact_count(struct fact_pen *pen, const char *key, uint64_t value, const char *unit)
{
    if (pen->rc == 0)
        pen->rc = result_fact_putf(pen->facts, key, unit, "%" PRIu64, value);
}

void fact_number(struct fact_pen *pen, const char *key, double value, const char *unit)
{
    if (pen->rc != 0)
        return;
    /* One an hour is 0.000277778 a second, and not nothing. */
    if (value > 0 && value < 0.1)
        pen->rc = result_fact_putf(pen->facts, key, unit, "%.6g", value);
    else
        pen->rc = result_fact_putf(pen->facts, key, unit, "%.3f", value);
}

void fact_copy(struct fact_pen *pen, const struct engine_facts *from)
{
    for (unsigned i = 0; pen->rc == 0 && i < from->n; i++)
        pen->rc =
            result_fact_put(pen->facts, from->fact[i].key, from->fact[i].value, from->fact[i].unit);
}
