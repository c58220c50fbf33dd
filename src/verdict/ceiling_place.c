/* Where the bytes of a row came from. Each witness knows at most which share can have been from (or to) the place
 * that the row's name says; the one that leaves the least is believed. */
#include "verdict/ceilings_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

/* This machine's kernel counts this process's bytes exactly; a server's account holds other things too (checks 4 and
 * 5 of measuring: 0.95 of the wire, under 1 % of it). */
#define OWN_FRAC    0.98
#define SERVER_FRAC 0.95
#define CACHE_FRAC  0.99
/* The band of a modelled flash is that of its own reads alone; elsewhere it is that of all, and a working set of ten
 * memories leaves a tenth of them to memory. */
#define FLASH_MODEL_FRAC 0.50
#define FLASH_FRAC       0.85
/* A working set of so many caches is mostly not in them (check 4); one of so much of a cache is. */
#define DISK_CACHES 4.0
#define CACHE_PART  0.8

/* More finals say nothing else. */
#define RUNS_MAX 64
#define PROOF    sizeof((struct ceiling *)NULL)->proof

#define PAGE_BYTES 4096.0
/* Below it a miss may bring in a record of many times the bytes: then misses are counted, not bytes. */
#define RECORD_BYTES 65536.0

/* What a run asked for. */
struct asked {
    const struct result *r;
    bool writes;
    bool local;
    double ops;
    double bytes;
    double paged; /* bytes in whole pages: what a cache that misses has to bring in */
    double seconds;
};

struct witness {
    const char *claim;
    double (*frac)(const struct asked *a); /* NAN: it does not know */
    double need;
    bool proves;       /* it knows the place, not only another one that it was not */
    const char *words; /* in per cent of: */
    bool of_rest;      /* the words are of what was not from the place */
};

static double at_most_all(double part, double whole)
{
    return whole > 0 && !isnan(part) ? fmin(1, part / whole) : NAN;
}

static double counted(const struct asked *a, const char *key)
{
    return result_fact_number(&a->r->counters, key, NAN);
}

/* Of all of a server's tracks of a kind, over the window. */
static double served(const struct asked *a, enum track_kind kind)
{
    return tracks_sum(&a->r->tracks, TRACK_SERVER, kind) * a->seconds;
}

/* ---- this machine ---- */

static double own_device(const struct asked *a)
{
    double own = counted(a, a->writes ? "own_write_bytes" : "own_read_bytes");
    double device = counted(a, a->writes ? "device_write_bytes" : "device_read_bytes");

    return a->local ? at_most_all(fmin(own, device), a->bytes) : NAN;
}

/* What others read at the device is nothing of ours. */
static double own_not_device(const struct asked *a)
{
    double own = counted(a, "own_read_bytes");
    double device = counted(a, "device_read_bytes");

    return a->local ? 1 - at_most_all(isnan(own) ? device : own, a->paged) : NAN;
}

static double own_not_cached(const struct asked *a)
{
    double share;

    return a->local && !a->writes && result_cache_share(a->r, &share) ? 1 - share : NAN;
}

static double own_wire(const struct asked *a)
{
    return at_most_all(counted(a, a->writes ? "wire_write_data_bytes" : "wire_read_data_bytes"),
                       a->bytes);
}

/* ---- a server that tells of itself ---- */

static double server_disks(const struct asked *a)
{
    double bytes = at_most_all(served(a, a->writes ? TRACK_DISK_WRITE : TRACK_DISK_READ), a->bytes);

    if (a->writes || a->bytes >= RECORD_BYTES * a->ops)
        return bytes;
    return fmin(bytes, at_most_all(served(a, TRACK_DISK_READS), a->ops));
}

static double server_no_disks(const struct asked *a)
{
    return 1 - at_most_all(served(a, TRACK_DISK_READ), a->paged);
}

/* A small read looks up one record; hits are of no use here, since metadata are looked up too. What missed memory may
 * still have been found in flash. */
static double server_misses(const struct asked *a)
{
    double flash = served(a, TRACK_FLASH_HITS);
    double missed = served(a, TRACK_CACHE_MISSES) - (isnan(flash) ? 0 : flash);

    return a->writes || a->bytes >= RECORD_BYTES * a->ops ? NAN : at_most_all(missed, a->ops);
}

static double server_hits(const struct asked *a)
{
    double hits = served(a, TRACK_CACHE_HITS), misses = served(a, TRACK_CACHE_MISSES);

    return 1 - at_most_all(misses, hits + misses);
}

static double server_flash(const struct asked *a)
{
    return result_modelled(a->r) ? NAN : at_most_all(served(a, TRACK_FLASH_HITS), a->ops);
}

static double server_log(const struct asked *a)
{
    return at_most_all(served(a, TRACK_LOG_WRITES), a->ops);
}

/* ---- a model, by its counters ---- */

/* Direct reads of a local system look nothing up. */
static double model_found(const struct asked *a, const char *key)
{
    return at_most_all(counted(a, key), counted(a, "dram_hits") + counted(a, "flash_hits") +
                                            counted(a, "cache_misses"));
}

static double model_disk(const struct asked *a)
{
    if (!result_modelled(a->r))
        return NAN;
    double missed = a->writes ? NAN : model_found(a, "cache_misses");
    const char *moved = a->writes ? "disk_written_bytes" : "disk_read_bytes";

    return isnan(missed) ? at_most_all(counted(a, moved), a->bytes) : missed;
}

static double model_cache(const struct asked *a)
{
    return result_modelled(a->r) ? model_found(a, "dram_hits") : NAN;
}

static double model_flash(const struct asked *a)
{
    return result_modelled(a->r) ? model_found(a, "flash_hits") : NAN;
}

static double model_log(const struct asked *a)
{
    return result_modelled(a->r) ? at_most_all(counted(a, "log_bytes"), a->bytes) : NAN;
}

static const struct witness witnesses[] = {
    {"disk", own_device, OWN_FRAC, true, "device bytes", false},
    {"disk", own_not_cached, OWN_FRAC, false, "from this machine's memory", true},
    {"disk", own_wire, OWN_FRAC, false, "on the wire", false},
    {"disk", model_disk, SERVER_FRAC, true, "from or to disks", false},
    {"disk", server_disks, SERVER_FRAC, true, "server's disk bytes", false},
    {"disk", server_misses, SERVER_FRAC, true, "missed the server's cache", false},
    {"cache", own_not_device, CACHE_FRAC, true, "device bytes", true},
    {"cache", own_wire, OWN_FRAC, false, "on the wire", false},
    {"cache", model_cache, CACHE_FRAC, true, "found in memory", false},
    {"cache", server_no_disks, CACHE_FRAC, true, "server's disk bytes", true},
    {"cache", server_hits, CACHE_FRAC, true, "missed the server's cache", true},
    {"flash", own_wire, OWN_FRAC, false, "on the wire", false},
    {"flash", model_flash, FLASH_MODEL_FRAC, true, "found in flash", false},
    {"flash", server_flash, FLASH_FRAC, true, "found in the server's flash", false},
    {"log", own_device, OWN_FRAC, true, "device bytes", false},
    {"log", own_wire, OWN_FRAC, false, "on the wire", false},
    {"log", model_log, OWN_FRAC, true, "to the log", false},
    {"log", server_log, SERVER_FRAC, true, "writes of the server's log", false},
};

static struct asked asked_of(const struct result *r)
{
    const struct result_line *line = ceiling_line(r);
    double ops = (double)line->sum.ops, bytes = (double)line->sum.bytes;
    const char *protocol = ceiling_option(r, "protocol");

    return (struct asked){.r = r,
                          .writes = strcmp(line->op, "write") == 0,
                          .local = !result_modelled(r) && (strcmp(protocol, "local") == 0 ||
                                                           strcmp(protocol, "block") == 0),
                          .ops = ops,
                          .bytes = bytes,
                          .paged = MAX(bytes, ops * PAGE_BYTES),
                          .seconds = (double)r->elapsed_ns / 1e9};
}

/* Mean over the runs; NAN: one of them does not know. */
static double heard(const struct result *const *runs, unsigned n, const struct witness *w)
{
    double sum = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct asked a = asked_of(runs[i]);
        sum += w->frac(&a);
    }
    return n > 0 ? sum / n : NAN;
}

static bool hear_all(const struct result *const *runs, unsigned n, double *least, char proof[PROOF])
{
    const char *claim = ceiling_option(runs[0], "claim");
    bool proven = true;

    *least = NAN;
    for (unsigned i = 0; i < sizeof witnesses / sizeof *witnesses; i++) {
        const struct witness *w = &witnesses[i];
        double frac = strcmp(w->claim, claim) == 0 ? heard(runs, n, w) : NAN;
        bool fails = frac < w->need;
        if (isnan(frac) || (!w->proves && !fails))
            continue;
        proven = proven && !fails;
        if (!(isnan(*least) || frac < *least))
            continue;
        *least = frac;
        snprintf(proof, PROOF, "%s %.1f %%", w->words, 100 * (w->of_rest ? 1 - frac : frac));
    }
    return proven;
}

bool ceiling_place_of_run(const struct result *r, double *frac, char proof[PROOF])
{
    return hear_all(&r, 1, frac, proof);
}

static void by_working_set(struct ceiling *c, const struct result *r)
{
    double cache = result_fact_number(&r->options, "cache_bytes", 0);
    double caches = result_fact_number(&r->options, "working_set_bytes", 0) / cache;

    if (cache > 0 && ((ceiling_option_is(r, "claim", "disk") && caches >= DISK_CACHES) ||
                      (ceiling_option_is(r, "claim", "cache") && caches <= CACHE_PART)))
        snprintf(c->proof, sizeof c->proof, "working set %.1f x cache", caches);
}

bool ceiling_place_of(struct ceiling *c)
{
    const struct result *runs[RUNS_MAX];
    unsigned n = 0;

    for (unsigned i = 0; i < c->points && n < RUNS_MAX; i++)
        if (ceiling_is_value(c, &c->point[i]))
            runs[n++] = c->point[i].result;
    snprintf(c->place, sizeof c->place, "%s", ceiling_option(runs[0], "place"));
    bool proven = hear_all(runs, n, &c->place_frac, c->proof);
    if (isnan(c->place_frac))
        by_working_set(c, runs[0]);
    return proven;
}
