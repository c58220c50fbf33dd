#include "probe/local_priv.h"

#include <stdio.h>
#include <string.h>

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, STATES };

static void put_share(struct local *l, enum track_kind kind, const char *cpu, double ticks,
                      double of)
{
    struct sight *s = local_put(l, kind, SIGHT_RATIO, cpu);

    s->value = ticks;
    s->per = of;
}

/* Of ticks and not of time: a tick is 10 ms, and a short window would show more than a whole core. Time of
 * guests is in user and nice already. */
void look_processors(struct local *l)
{
    char *at = local_read(l, l->proc, "stat");

    for (char *line; (line = local_line(&at)) != NULL && strncmp(line, "cpu", 3) == 0;) {
        double t[STATES] = {0}, all = 0;
        char *name = local_word(&line);
        if (local_numbers(&line, t, STATES) <= IDLE || name[3] == '\0')
            continue;
        for (unsigned i = 0; i < STATES; i++)
            all += t[i];
        put_share(l, TRACK_CPU, name + 3, all - t[IDLE] - t[IOWAIT] - t[STEAL], all);
        put_share(l, TRACK_SOFTIRQ, name + 3, t[SOFTIRQ], all);
        put_share(l, TRACK_STEAL, name + 3, t[STEAL], all);
    }
}

void look_pressure(struct local *l)
{
    static const struct {
        const char *file;
        enum track_kind kind;
    } of[] = {
        {"cpu", TRACK_PRESSURE_CPU}, {"io", TRACK_PRESSURE_IO}, {"memory", TRACK_PRESSURE_MEMORY}};

    for (unsigned i = 0; i < sizeof of / sizeof of[0]; i++) {
        const char *some = local_read(l, l->proc, "pressure/%s", of[i].file);
        unsigned long long total_us;
        if (some && sscanf(some, "some %*s %*s %*s total=%llu", &total_us) == 1)
            local_put(l, of[i].kind, SIGHT_COUNTED, "")->value = (double)total_us / 1e6;
    }
}

/* A block device's pages are Buffers; files in RAM are in Cached, and cache nothing. */
void look_memory(struct local *l)
{
    static const struct {
        const char *name;
        enum track_kind kind;
        double sign;
    } of[] = {{"Buffers:", TRACK_CACHED, 1},
              {"Cached:", TRACK_CACHED, 1},
              {"Shmem:", TRACK_CACHED, -1},
              {"Dirty:", TRACK_DIRTY, 1},
              {"Writeback:", TRACK_DIRTY, 1}};
    char *at = local_read(l, l->proc, "meminfo");

    for (char *line; (line = local_line(&at)) != NULL;) {
        const char *name = local_word(&line);
        double kib;
        for (unsigned i = 0; name && i < sizeof of / sizeof of[0]; i++)
            if (strcmp(name, of[i].name) == 0 && local_numbers(&line, &kib, 1) == 1)
                sights_get(l->out, TRACK_CLIENT, of[i].kind, SIGHT_LEVEL, "")->value +=
                    of[i].sign * kib * 1024;
    }
}
