#include "report/report_priv.h"

#include <string.h>

/* What the rows above have among them, so that the foot explains only what is there. */
struct seen {
    bool reads;
    bool verifiable; /* some of them */
    bool target_is_ram;
    bool reads_unverified;
    bool writes_dirty;
    bool writes_dirty_unknown;
    bool unfit; /* incomplete or void */
    bool errors;
    bool one_run;
    bool too_short;
    bool drifts;
    bool wide;
    bool sides; /* several targets took turns */
    bool failed;
    bool sync;
    bool verified;
    unsigned runs;
    unsigned delayed;
};

static void look_at(struct seen *seen, const struct result *r)
{
    bool in_ram = strcmp(r->cache.mode, "ram") == 0;
    double share;

    seen->runs++;
    seen->target_is_ram |= in_ram;
    if (r->cache.applies) {
        seen->reads = true;
        seen->verifiable |= !result_modelled(r);
        seen->reads_unverified |= !result_cache_share(r, &share);
    } else {
        seen->writes_dirty |= r->cache.dirty_known;
        seen->writes_dirty_unknown |=
            !in_ram && !r->cache.dirty_known && !report_without_cache(r) && !result_modelled(r);
    }
    seen->errors |= r->errors > 0;
    seen->unfit |= r->state != RESULT_COMPLETE;
    seen->one_run |= report_option_count(r, "repeats", 1) < 2;
    seen->sides |= report_side(r) > 0;
    seen->too_short |= report_tree_short(r);
    seen->sync |= result_line_find(r, "sync") != NULL;
    seen->verified |= r->verified;
    seen->delayed += report_about_own_delay(r);
}

static void look_at_side(void *ctx, struct result *const *repeats, unsigned n)
{
    struct seen *seen = ctx;
    struct report_row row;

    if (report_row_of(&row, repeats, n) < 0)
        return;
    seen->drifts |= row.drifts;
    seen->wide |= report_row_wide(&row) && !row.drifts;
}

static void look_at_row(void *ctx, struct result *const *repeats, unsigned n)
{
    struct seen *seen = ctx;
    seen->failed |= report_sides_each(repeats, n, look_at_side, seen) < 0;
}

static void foot_columns(struct text *out, const struct seen *seen, unsigned width)
{
    report_fact(out, width, "KiB", "1024 bytes: what the 2001 post called KByte");
    report_fact(
        out, width, "ms",
        "of one tree: the time of all repeats over all their trees. KiB/s and files/s are of "
        "the same time");
    if (seen->one_run)
        report_fact(out, width, "±", "one run has no interval");
    else
        report_fact(
            out, width, "±",
            "half of the 95 %% interval of mean ms over the repeats, in %% of the mean. Repeats "
            "are spread over the whole study: it tells of that time, not of other days");
    report_fact(out, width, "k",
                "write: trees written in a row; read: passes over them; one repeat's time is their "
                "sum");
    if (!seen->sides || report_is_wide(width))
        report_fact(out, width, "slowest p99",
                    "of the step with the largest, all repeats together%s",
                    seen->sync ? "; the closing sync is in ms only" : "");
}

static void foot_cache(struct text *out, const struct seen *seen, unsigned width)
{
    if (seen->reads)
        report_fact(out, width, "in RAM, read",
                    "share of the bytes read that this machine had in memory just before, in the "
                    "worst repeat; its caches of directories and inodes are not covered, nor is "
                    "any cache behind the target. Above 2 %% the row ends in RAM");
    if (seen->target_is_ram)
        report_fact(out, width, "ram", "the target itself lies in this machine's memory");
    if (seen->writes_dirty)
        report_fact(
            out, width, "in RAM, d",
            "dirty: share of the bytes written that was not yet on stable storage when the time "
            "stopped, in the worst repeat");
    if (seen->reads_unverified)
        report_fact(out, width, "n/v, read",
                    "not verified: nothing here tells whether the bytes came from this machine's "
                    "memory");
    if (seen->writes_dirty_unknown)
        report_fact(out, width, "n/v, write",
                    "not verified: nothing here tells how much was still in memory when the time "
                    "stopped");
}

static void foot_wide(struct text *out, const struct result *r, unsigned width)
{
    report_about_content(out, r, width);
    report_fact(out, width, "in memory",
                "of a read: pages of the files in this machine's memory just before it; of a "
                "write: bytes not yet on stable storage when the time stopped");
    report_fact(out, width, "device",
                "bytes this process read from the device, by /proc/self/io: the second witness");
    report_fact(out, width, "CPU/op", "of loadline itself, user and system, for each op");
    report_fact(out, width, "at target",
                "share of the time of all threads that was spent in ops (Little's law)");
    report_fact(out, width, "of null",
                "the run's rate of ops, as share of what loadline reaches here when nothing is "
                "done");
    report_fact(out, width, "removed",
                "what loadline removed shortly before: on many file systems it slows what follows");
}

static void foot_marks(struct text *out, const struct seen *seen, unsigned width)
{
    if (seen->verified)
        report_fact(out, width, "verified", "every byte read was compared, inside the timed part%s",
                    seen->unfit || seen->errors ? "; not so in rows that end in VOID, INC or ERR"
                                                : "");
    else if (seen->verifiable)
        report_fact(out, width, "not verified", "the content of what was read (--verify)");
    if (seen->too_short)
        report_fact(out, width, "SHORT",
                    "a repeat was over before 90 %% of --min-time, as k has its bound or the pilot "
                    "was slower: the shorter, the less it says; more --files make longer trees");
    if (seen->drifts)
        report_fact(out, width, "drifting",
                    "in the order of measuring the repeats go one way (Mann-Kendall, p < 0.05): "
                    "their mean is that of a moment, and has no ±");
    if (seen->wide)
        report_fact(out, width, "WIDE", "± did not get as small as --until-ci asked for");
    if (seen->unfit)
        report_fact(out, width, "INC, VOID",
                    "numbers are of the complete repeats only; where there is none, of the "
                    "stopped ones; a void run has no numbers");
    if (seen->delayed)
        report_fact(out, width, "own delay",
                    "%u of %u runs: loadline once took longer than 10 %% of the median service "
                    "time to look for completions",
                    seen->delayed, seen->runs);
}

void report_table_foot(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    struct seen seen = {0};

    if (n == 0)
        return;
    for (unsigned i = 0; i < n; i++)
        look_at(&seen, results[i]);
    if (report_rows_each(results, n, NULL, look_at_row, &seen) < 0 || seen.failed)
        out->failed = true;
    text_add(out, "\n");
    foot_columns(out, &seen, width);
    report_turns_foot(out, results, n, width);
    foot_cache(out, &seen, width);
    if (report_is_wide(width))
        foot_wide(out, results[0], width);
    foot_marks(out, &seen, width);
    report_about_clients(out, results, n, width);
    report_about_idle_streams(out, results, n, width);
    report_about_trust(out, results, n, width);
    report_about_states(out, results, n, width);
    report_about_lost(out, results, n, width);
    report_about_errors(out, results, n, width);
    if (!report_not_stated(results[0]))
        report_about_overhead(out, results[0], width);
    if (!report_is_wide(width))
        report_fact(out, width, "everything", "loadline show %s --wide", results[0]->study_id);
}
