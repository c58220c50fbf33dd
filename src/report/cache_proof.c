/* What is known of this machine's cache: where the bytes read came from, where those written are. */
#include "report/report_priv.h"

#include "base/flowop.h"

#include <string.h>

/* There is no cache to look into; what came over the wire is the proof that is left. */
static void about_own_client(struct text *out, const struct result *r, unsigned width)
{
    char received[CELL_MAX], cell[CELL_MAX];
    double share;

    report_fact(out, width, "cache proof",
                "share from this machine's memory: %s; received from the server, replies to all "
                "calls together: %s. The server's own cache is not covered",
                result_cache_share(r, &share) ? report_cell_percent(cell, share) : "not verified",
                r->cache.device_known ? report_cell_bytes(received, r->cache.device_bytes) : "n/v");
}

void report_about_cache_proof(struct text *out, const struct result *r, unsigned width)
{
    const struct result_cache *cache = &r->cache;
    char resident[CELL_MAX], asked[CELL_MAX], device[CELL_MAX], cell[CELL_MAX];
    double share;
    bool known = result_cache_share(r, &share);

    if (!cache->applies || result_modelled(r))
        return;
    if (report_without_cache(r)) {
        about_own_client(out, r, width);
        return;
    }
    report_fact(out, width, "cache proof",
                "share from this machine's memory: %s%s; in memory just before reading: %s%s%s; "
                "read from the device (/proc/self/io): %s. Caches of directories and inodes and "
                "those behind the target are not covered",
                known ? report_cell_percent(cell, share) : "not verified",
                known && share > REPORT_RAM_FRAC ? " RAM" : "",
                cache->resident_known ? report_cell_bytes(resident, cache->resident_bytes) : "n/v",
                cache->resident_known ? " of " : "",
                cache->resident_known ? report_cell_bytes(asked, cache->asked_bytes) : "",
                cache->device_known ? report_cell_bytes(device, cache->device_bytes) : "n/v");
}

static uint64_t written_bytes(const struct result *r)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < r->lines; i++) {
        if (flowop_writes(r->line[i].op))
            bytes += r->line[i].sum.bytes;
    }
    return bytes;
}

/* Of what could be dirty: blocks written over and over are so once. Warming up writes too, so that more
 * may be dirty than the window wrote. */
static double dirty_frac(const struct result *r, uint64_t written)
{
    double files = result_fact_number(&r->own, "could_be_dirty_bytes", (double)written);
    uint64_t set =
        report_option_count(r, "used_bytes", report_option_count(r, "size_bytes", (uint64_t)files));
    uint64_t could = set < written ? set : written;

    if (could > 0 && could < r->cache.dirty_bytes)
        could = r->cache.dirty_bytes;
    return could > 0 ? (double)r->cache.dirty_bytes / (double)could : 0;
}

void report_about_dirty(struct text *out, const struct result *r, unsigned width)
{
    uint64_t written = written_bytes(r);
    double frac = dirty_frac(r, written);
    char dirty[CELL_MAX], all[CELL_MAX], share[CELL_MAX];

    if (written == 0 || report_without_cache(r) || result_modelled(r))
        return;
    report_cell_bytes(all, written);
    if (strcmp(r->cache.mode, "ram") == 0)
        report_fact(out, width, "dirty at end",
                    "ram: the %s written lie in this machine's memory and nowhere else", all);
    else if (!r->cache.dirty_known)
        report_fact(out, width, "dirty at end",
                    "not verified: it is not known how much of the %s written was still in this "
                    "machine's memory",
                    all);
    else
        report_fact(out, width, "dirty at end", "%s of %s written, %s of what could be%s",
                    report_cell_bytes(dirty, r->cache.dirty_bytes), all,
                    report_cell_percent(share, frac),
                    frac > REPORT_RAM_FRAC
                        ? "; DIRTY: not yet on stable storage, so the rate is in part that of "
                          "this machine's memory"
                        : "");
}

const struct result *report_most_from_memory(const struct result *const *results, unsigned n)
{
    const struct result *worst = results[0];
    double most = -1, share;

    for (unsigned i = 0; i < n; i++) {
        if (!result_cache_share(results[i], &share))
            share = 2; /* not verified */
        if (share > most) {
            most = share;
            worst = results[i];
        }
    }
    return worst;
}

const struct result *report_most_dirty(const struct result *const *results, unsigned n)
{
    const struct result *worst = results[0];
    double most = -1;

    for (unsigned i = 0; i < n; i++) {
        const struct result *r = results[i];
        double frac = r->cache.dirty_known ? dirty_frac(r, written_bytes(r)) : 2;
        if (frac > most) {
            most = frac;
            worst = r;
        }
    }
    return worst;
}

void report_about_backing(struct text *out, struct result *const *results, unsigned n,
                          unsigned width)
{
    for (unsigned i = 0; i < n; i++) {
        const char *by = result_fact_get(&results[i]->target_facts, "device_backed_by");

        if (!by)
            continue;
        report_fact(out, width, "NO PROOF",
                    "the device is served by %s: bytes that left the cache of files may still "
                    "come from memory, and what was synced may still be there",
                    by);
        return;
    }
}
