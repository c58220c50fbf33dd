#include "base/text.h"
#include "result/result_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct result_fact *fact_find(const struct result_facts *facts, const char *key)
{
    for (unsigned i = 0; i < facts->n; i++) {
        if (strcmp(facts->fact[i].key, key) == 0)
            return &facts->fact[i];
    }
    return NULL;
}

static int facts_grow(struct result_facts *facts)
{
    if (facts->n < facts->room)
        return 0;
    unsigned room = facts->room > 0 ? 2 * facts->room : 8;
    struct result_fact *fact = realloc(facts->fact, room * sizeof *fact);
    if (!fact)
        return -ENOMEM;
    facts->fact = fact;
    facts->room = room;
    return 0;
}

/* Text is made UTF-8 here already, so that two keys that differ still differ in the document. */
int result_fact_put(struct result_facts *facts, const char *key, const char *value,
                    const char *unit)
{
    struct result_fact fresh = {
        .key = result_utf8(key, SIZE_MAX),
        .value = result_utf8(value, SIZE_MAX),
        .unit = result_utf8(unit, SIZE_MAX),
    };
    int rc = fresh.key && fresh.value && fresh.unit ? 0 : -ENOMEM;
    if (rc < 0)
        goto out;
    struct result_fact *fact = fact_find(facts, fresh.key);
    if (!fact) {
        rc = facts_grow(facts);
        if (rc < 0)
            goto out;
        fact = &facts->fact[facts->n++];
        *fact = (struct result_fact){0};
    }
    struct result_fact old = *fact;
    *fact = fresh;
    fresh = old;
out:
    free(fresh.key);
    free(fresh.value);
    free(fresh.unit);
    return rc;
}

int result_fact_putf(struct result_facts *facts, const char *key, const char *unit, const char *fmt,
                     ...)
{
    struct text t;
    va_list ap;
    text_init(&t);
    va_start(ap, fmt);
    text_addv(&t, fmt, ap);
    va_end(ap);
    int rc = t.failed ? -ENOMEM : result_fact_put(facts, key, t.s, unit);
    text_fini(&t);
    return rc;
}

const char *result_fact_get(const struct result_facts *facts, const char *key)
{
    const struct result_fact *fact = fact_find(facts, key);
    return fact ? fact->value : NULL;
}

const char *result_modelled(const struct result *r)
{
    return result_fact_get(&r->target_facts, "modelled");
}

double result_fact_number(const struct result_facts *facts, const char *key, double otherwise)
{
    const char *value = result_fact_get(facts, key);
    char *end = NULL;
    double number = value ? strtod(value, &end) : 0;
    return value && end != value && *end == '\0' ? number : otherwise;
}
