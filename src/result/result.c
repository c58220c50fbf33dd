#include "result/result_priv.h"

#include "base/flowop.h"

#include <stdlib.h>
#include <string.h>

struct result *result_new(void)
{
    return calloc(1, sizeof(struct result));
}

static void facts_fini(struct result_facts *facts)
{
    for (unsigned i = 0; i < facts->n; i++) {
        free(facts->fact[i].key);
        free(facts->fact[i].value);
        free(facts->fact[i].unit);
    }
    free(facts->fact);
}

void result_free(struct result *r)
{
    if (!r)
        return;
    free(r->target);
    free(r->label);
    free(r->system);
    free(r->software);
    free(r->plan_text);
    free(r->reason);
    free(r->document);
    free(r->line);
    free(r->error);
    free(r->calls.kind);
    free(r->truth.station);
    tracks_fini(&r->tracks);
    free(r->mark);
    series_fini(&r->series);
    facts_fini(&r->options);
    facts_fini(&r->target_facts);
    facts_fini(&r->counters);
    facts_fini(&r->machine);
    facts_fini(&r->own);
    free(r);
}

const struct result_line *result_line_find(const struct result *r, const char *name)
{
    for (unsigned i = 0; i < r->lines; i++) {
        if (strcmp(r->line[i].name, name) == 0)
            return &r->line[i];
    }
    return NULL;
}

uint64_t result_error_count(const struct result *r)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < r->errors; i++)
        count += r->error[i].count;
    return count;
}

/* Of "op_calls_KIND" and "ops_KIND": all kinds, or the one named. */
static double sum_of(const struct result *r, const char *head, const char *op)
{
    double sum = 0;
    size_t len = strlen(head);
    for (unsigned i = 0; i < r->counters.n; i++) {
        const struct result_fact *fact = &r->counters.fact[i];
        if (strncmp(fact->key, head, len) == 0 && (!op || strcmp(fact->key + len, op) == 0))
            sum += strtod(fact->value, NULL);
    }
    return sum;
}

bool result_calls_per_op(const struct result *r, const char *op, double *calls, double *ops)
{
    *calls = sum_of(r, "op_calls_", op);
    *ops = sum_of(r, "ops_", op);
    return *ops > 0;
}

static uint64_t read_bytes(const struct result *r)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < r->lines; i++) {
        if (flowop_reads(r->line[i].op))
            bytes += r->line[i].sum.bytes;
    }
    return bytes;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return part < whole ? (double)part / (double)whole : 1;
}

bool result_cache_share(const struct result *r, double *share)
{
    const struct result_cache *c = &r->cache;
    uint64_t read = read_bytes(r);
    bool by_resident = c->resident_known && c->asked_bytes > 0;
    bool by_device = c->device_known && read > 0;
    bool in_ram = strcmp(c->mode, "ram") == 0;
    bool by_mode = in_ram || strcmp(c->mode, "uncached") == 0;
    /* What is there was asked, but nothing kept it out. */
    bool unverified = strcmp(c->mode, "unverified") == 0;
    if (!c->applies || unverified || !(by_resident || by_device || by_mode))
        return false;
    double resident = by_resident ? ratio(c->resident_bytes, c->asked_bytes) : 0;
    /* Read-ahead may fetch more than was asked for: then nothing is known to come from RAM. */
    double undelivered = by_device ? 1 - ratio(c->device_bytes, read) : 0;
    *share = in_ram ? 1 : resident > undelivered ? resident : undelivered;
    return true;
}
