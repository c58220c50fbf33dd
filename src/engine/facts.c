#include "engine/facts_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int facts_put(struct engine_facts *facts, const char *key, const char *value, const char *unit)
{
    if (facts->n == facts->room) {
        unsigned room = facts->room ? 2 * facts->room : 16;
        struct engine_fact *more = realloc(facts->fact, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        facts->fact = more;
        facts->room = room;
    }
    struct engine_fact *fact = &facts->fact[facts->n];
    fact->key = strdup(key);
    fact->value = strdup(value);
    fact->unit = strdup(unit);
    facts->n++;
    return fact->key && fact->value && fact->unit ? 0 : -ENOMEM;
}

static void put(void *ctx, const char *key, const char *value, const char *unit)
{
    struct engine_facts *facts = ctx;
    if (facts_put(facts, key, value, unit) < 0)
        facts->failed = true;
}

struct target_sink facts_sink(struct engine_facts *facts)
{
    return (struct target_sink){.put = put, .ctx = facts};
}

void facts_fini(struct engine_facts *facts)
{
    for (unsigned i = 0; i < facts->n; i++) {
        free(facts->fact[i].key);
        free(facts->fact[i].value);
        free(facts->fact[i].unit);
    }
    free(facts->fact);
    *facts = (struct engine_facts){0};
}

void facts_before_fini(struct facts_before *before)
{
    facts_fini(&before->counters);
    facts_fini(&before->truth);
}

static const struct engine_fact *find(const struct engine_facts *facts, const char *key)
{
    for (unsigned i = 0; i < facts->n; i++)
        if (strcmp(facts->fact[i].key, key) == 0)
            return &facts->fact[i];
    return NULL;
}

static bool ends_in(const char *key, const char *ending)
{
    size_t len = strlen(key), end = strlen(ending);
    return len > end && strcmp(key + len - end, ending) == 0;
}

/* Not a sum but the largest so far. */
static bool is_longest(const char *key)
{
    return ends_in(key, "_longest_ns") || ends_in(key, "_worst");
}

/* How many there are, at whatever time. */
static bool is_level(const char *key)
{
    return ends_in(key, ".servers");
}

static uint64_t combined(const char *key, uint64_t value, uint64_t with, bool subtract)
{
    if (is_level(key))
        return value;
    if (!subtract)
        return is_longest(key) && with > value ? with : is_longest(key) ? value : value + with;
    if (is_longest(key))
        return value > with ? value : 0;
    return value >= with ? value - with : value; /* counted anew, as of a connection made again */
}

/* Words are taken over from the later reading. */
static int put_combined(struct engine_facts *out, const struct engine_fact *fact,
                        const struct engine_fact *other, bool subtract)
{
    char *rest;
    char *other_rest = NULL;
    uint64_t value = strtoull(fact->value, &rest, 10);
    uint64_t with = other ? strtoull(other->value, &other_rest, 10) : 0;
    if (fact->value[0] == '\0' || *rest != '\0' || !other || *other_rest != '\0')
        return facts_put(out, fact->key, fact->value, fact->unit);
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, combined(fact->key, value, with, subtract));
    return facts_put(out, fact->key, text, fact->unit);
}

int facts_difference(struct engine_facts *out, const struct engine_facts *before,
                     const struct engine_facts *after)
{
    for (unsigned i = 0; i < after->n; i++) {
        int rc = put_combined(out, &after->fact[i], find(before, after->fact[i].key), true);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int facts_sum(struct engine_facts *into, const struct engine_facts *from)
{
    struct engine_facts sum = {0};
    int rc = 0;
    for (unsigned i = 0; i < from->n && rc == 0; i++)
        rc = put_combined(&sum, &from->fact[i], find(into, from->fact[i].key), false);
    for (unsigned i = 0; i < into->n && rc == 0; i++)
        if (!find(from, into->fact[i].key))
            rc = facts_put(&sum, into->fact[i].key, into->fact[i].value, into->fact[i].unit);
    if (rc < 0) {
        facts_fini(&sum);
        return rc;
    }
    facts_fini(into);
    *into = sum;
    return 0;
}
