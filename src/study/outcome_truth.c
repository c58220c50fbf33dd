/* A modelled target's stations, as its facts tell them ("NAME.busy_ns"), in a result. */
#include "study/study_priv.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *number_of(struct result_station *station, const char *what)
{
    static const struct {
        const char *what;
        size_t off;
    } known[] = {
        {"servers", offsetof(struct result_station, servers)},
        {"visits", offsetof(struct result_station, visits)},
        {"busy_ns", offsetof(struct result_station, busy_ns)},
        {"worst_busy_ns", offsetof(struct result_station, worst_busy_ns)},
        {"wait_ns", offsetof(struct result_station, wait_ns)},
        {"inside_ns", offsetof(struct result_station, inside_ns)},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].what, what) == 0)
            return (uint64_t *)(void *)((char *)station + known[i].off);
    return NULL;
}

/* The facts of a station stand together. */
static struct result_station *named(struct result_truth *truth, const char *name)
{
    struct result_station *station = truth->n > 0 ? &truth->station[truth->n - 1] : NULL;
    if (station && strcmp(station->name, name) == 0)
        return station;
    if (truth->n == RESULT_STATIONS_MAX)
        return NULL;
    station = &truth->station[truth->n++];
    snprintf(station->name, sizeof station->name, "%s", name);
    return station;
}

int study_copy_truth(struct result *r, const struct engine_facts *truth)
{
    char name[sizeof r->truth.station->name];

    if (truth->n == 0)
        return 0;
    r->truth.station = calloc(RESULT_STATIONS_MAX, sizeof *r->truth.station);
    if (!r->truth.station)
        return -ENOMEM;
    for (unsigned i = 0; i < truth->n; i++) {
        const char *key = truth->fact[i].key;
        const char *dot = strrchr(key, '.');
        if (!dot || (size_t)(dot - key) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
        struct result_station *station = named(&r->truth, name);
        uint64_t *number = station ? number_of(station, dot + 1) : NULL;
        if (number)
            *number = strtoull(truth->fact[i].value, NULL, 10);
    }
    return 0;
}
