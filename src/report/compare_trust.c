/* What speaks against a number does so in a comparison too: a side that was read from memory is not
 * a faster target. */
#include "report/compare_forms_priv.h"
#include "report/trust_priv.h"

#include <string.h>

static double ram_beyond(const struct result *r)
{
    double share;

    return r->cache.applies && result_cache_share(r, &share) ? share - REPORT_RAM_FRAC : 0;
}

static void add_side(struct text *out, const struct compare_side *side, unsigned width)
{
    struct report_found ram = report_look_for(side->results, side->n, ram_beyond);
    char at[REPORT_WHERE_MAX], cell[CELL_MAX];

    report_about_trust(out, side->results, side->n, width);
    if (ram.n)
        report_fact(out, width, "RAM",
                    "%s%s of what was read came from this machine's memory, not from the target",
                    report_where(at, &ram, side->n),
                    report_cell_percent(cell, ram.most + REPORT_RAM_FRAC));
}

static void put(struct text *out, const char *of, const struct text *said, unsigned width)
{
    if (said->len > 0) {
        report_fact(out, width, "mind", "of %s:", of);
        text_add(out, said->s);
    }
    out->failed = out->failed || said->failed;
}

void report_compare_trust(struct text *out, const struct comparison *c, unsigned width)
{
    struct text a, b;

    text_init(&a);
    text_init(&b);
    add_side(&a, &c->a, width);
    add_side(&b, &c->b, width);
    if (a.len > 0 && strcmp(a.s, b.s) == 0) {
        put(out, "A and of B", &a, width);
    } else {
        put(out, "A", &a, width);
        put(out, "B", &b, width);
    }
    text_fini(&a);
    text_fini(&b);
}
