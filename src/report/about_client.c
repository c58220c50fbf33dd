/* Of a server's directory: which client asked. Where it is loadline's own, also what its ops were made of, and
 * what was not a plain answer. */
#include "report/report_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 64

static const char *fact(const struct result *r, const char *key)
{
    return result_fact_get(&r->target_facts, key);
}

bool report_has_own_client(const struct result *r)
{
    const char *client = fact(r, "client");

    return client != NULL && strncmp(client, "own ", 4) == 0;
}

static void add_size(struct text *words, const struct result *r, const char *key)
{
    double bytes = result_fact_number(&r->target_facts, key, 0);
    char cell[CELL_MAX];

    if (bytes > 0)
        text_addf(words, ", %s %s", key, report_cell_bytes(cell, (uint64_t)bytes));
}

static void add_word(struct text *words, const struct result *r, const char *before,
                     const char *key)
{
    if (fact(r, key) != NULL)
        text_addf(words, ", %s%s", before, fact(r, key));
}

void report_about_client(struct text *out, const struct result *r, unsigned width)
{
    struct text words;

    if (fact(r, "client") == NULL)
        return;
    text_init(&words);
    text_add(&words, fact(r, "client"));
    add_word(&words, r, "version ", "nfs_version");
    add_word(&words, r, "dialect ", "smb_dialect");
    add_word(&words, r, "server ", "server");
    add_word(&words, r, "", "transport");
    add_word(&words, r, "connections ", fact(r, "connections") ? "connections" : "nconnect");
    add_word(&words, r, "channels ", "channels");
    add_word(&words, r, "source port ", "source_port");
    add_size(&words, r, "rsize");
    add_size(&words, r, "wsize");
    add_word(&words, r, "sync ", "sync");
    add_word(&words, r, "waiting by ", "waiting_by");
    add_word(&words, r, "cache: ", "client_caching");
    if (report_has_own_client(r))
        text_add(&words, ". It has no cache and reads nothing ahead: not what a mount by the "
                         "kernel shows");
    report_fact(out, width, "client", "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

/* ---- what ops were made of ---- */

static double counted(const struct result *const *results, unsigned n, const char *key)
{
    double sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += result_fact_number(&results[i]->counters, key, 0);
    return sum;
}

static double longest(const struct result *const *results, unsigned n, const char *key)
{
    double most = 0;

    for (unsigned i = 0; i < n; i++) {
        double value = result_fact_number(&results[i]->counters, key, 0);
        most = value > most ? value : most;
    }
    return most;
}

static bool per_op(const struct result *const *results, unsigned n, const char *kind, double *value)
{
    double calls = 0, ops = 0, c, o;

    for (unsigned i = 0; i < n; i++) {
        if (!result_calls_per_op(results[i], kind, &c, &o))
            continue;
        calls += c;
        ops += o;
    }
    *value = ops > 0 ? calls / ops : 0;
    return ops > 0;
}

/* The kinds of ops that the results tell of, each once, in the order of their first appearance. */
static unsigned kinds_of(const struct result *const *results, unsigned n,
                         const char *kind[KINDS_MAX])
{
    static const char head[] = "ops_";
    unsigned kinds = 0;

    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < results[i]->counters.n && kinds < KINDS_MAX; k++) {
            const char *key = results[i]->counters.fact[k].key;
            bool known = strncmp(key, head, sizeof head - 1) != 0;
            for (unsigned j = 0; !known && j < kinds; j++)
                known = strcmp(kind[j], key + sizeof head - 1) == 0;
            if (!known)
                kind[kinds++] = key + sizeof head - 1;
        }
    return kinds;
}

static void about_per_op(struct text *out, const struct result *const *results, unsigned n,
                         unsigned width)
{
    const char *kind[KINDS_MAX];
    unsigned kinds = kinds_of(results, n, kind);
    struct text words;
    double value;

    if (!per_op(results, n, NULL, &value))
        return;
    text_init(&words);
    text_addf(&words, "%.2f over all", value);
    for (unsigned i = 0; i < kinds; i++)
        if (per_op(results, n, kind[i], &value))
            text_addf(&words, "%s%s %.2f", i > 0 ? ", " : ": ", kind[i], value);
    if (strcmp(report_option(results[0], "resolve"), "every-time") == 0)
        text_addf(&words,
                  "; each name was walked to from the root (--resolve every-time): %.0f LOOKUPs "
                  "of it",
                  counted(results, n, "lookups_again"));
    report_fact(out, width, "RPCs an op", "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

/* All results together; false: none of that name in any before `i`. */
static bool told_before(const struct result *const *results, unsigned i, const char *name)
{
    for (unsigned k = 0; k < i; k++)
        for (unsigned c = 0; c < results[k]->calls.n; c++)
            if (strcmp(results[k]->calls.kind[c].name, name) == 0)
                return true;
    return false;
}

static void pool_calls(const struct result *const *results, unsigned n, const char *name,
                       struct hist *into)
{
    hist_clear(into);
    for (unsigned i = 0; i < n; i++)
        for (unsigned c = 0; c < results[i]->calls.n; c++)
            if (strcmp(results[i]->calls.kind[c].name, name) == 0)
                hist_merge(into, &results[i]->calls.kind[c].time);
}

static void add_call(struct text *words, const char *name, const struct hist *time)
{
    char count[CELL_MAX], p50[CELL_MAX], p99[CELL_MAX], max[CELL_MAX];

    text_addf(words, "%s%s %s: p50 %s, p99 %s, max %s", words->len > 0 ? "; " : "",
              report_cell_count(count, hist_count(time)), name,
              report_cell_ns(p50, hist_quantile(time, 0.5)),
              report_cell_ns(p99, hist_quantile(time, 0.99)), report_cell_ns(max, time->max));
}

static void about_call_times(struct text *out, const struct result *const *results, unsigned n,
                             unsigned width)
{
    struct hist *time = calloc(1, sizeof *time);
    struct text words;

    text_init(&words);
    for (unsigned i = 0; time && i < n; i++)
        for (unsigned c = 0; c < results[i]->calls.n; c++) {
            const char *name = results[i]->calls.kind[c].name;
            if (told_before(results, i, name))
                continue;
            pool_calls(results, n, name, time);
            add_call(&words, name, time);
        }
    if (words.len > 0)
        report_fact(out, width, result_modelled(results[0]) ? "server's time" : "RPC times", "%s",
                    words.s);
    out->failed |= words.failed || !time;
    text_fini(&words);
    free(time);
}

/* ---- what was no plain answer ---- */

static void about_outages(struct text *out, const struct result *const *results, unsigned n,
                          unsigned width)
{
    double outages = counted(results, n, "outages");
    double again = counted(results, n, "retransmits");
    uint64_t all_ns = (uint64_t)counted(results, n, "outage_ns");
    uint64_t longest_ns = (uint64_t)longest(results, n, "outage_longest_ns");
    char all[CELL_MAX], most[CELL_MAX];

    report_cell_ns(all, all_ns);
    report_cell_ns(most, longest_ns);
    if (outages <= 0 && all_ns > 0)
        report_fact(out, width, "OUTAGES",
                    "none begun here, %s of what began before: a connection was lost, or silent "
                    "for timeo; each connection counts. Ops that were answered have the wait in "
                    "their times; %.0f calls were sent again",
                    all, again);
    if (outages <= 0)
        return;
    /* 0: a run before had a longer one. */
    report_fact(out, width, "OUTAGES",
                "%.0f, %s in all%s%s: a connection was lost, or silent for timeo; each connection "
                "counts. %.0f calls were under way then: ops that were answered have the wait in "
                "their times; %.0f calls were sent again",
                outages, all, longest_ns > 0 ? ", the longest " : "", longest_ns > 0 ? most : "",
                counted(results, n, "outage_calls"), again);
}

static void about_others(struct text *out, const struct result *const *results, unsigned n,
                         unsigned width)
{
    static const struct {
        const char *key;
        const char *words;
    } known[] = {
        {"connect_failures", "attempts to connect that failed"},
        {"timeouts", "calls without an answer for timeo"},
        {"jukebox_retries", "answers \"try later\" (JUKEBOX), heeded"},
        {"already_done", "ops that had been done already when they were sent again"},
        {"short_reads", "short READs completed"},
        {"short_writes", "short WRITEs completed"},
        {"verifier_changes", "server had forgotten what was not committed, each session's finding"},
        {"rewritten_bytes", "bytes written again for that"},
        {"forced_commits", "writes made stable for want of memory"},
        {"stale_directories", "directories whose handle was stale, looked up again"},
        {"rpc_errors", "calls refused by RPC"},
        {"replies_late", "answers to what had been answered"},
        {"replies_unknown", "answers to nothing that was asked"},
        {"replies_bad", "answers that cannot be read"},
        {"tcp_retransmits", "segments sent again by TCP"},
    };
    struct text words;

    text_init(&words);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double value = counted(results, n, known[i].key);
        if (value > 0)
            text_addf(&words, "%s%s: %.0f", words.len > 0 ? "; " : "", known[i].words, value);
    }
    if (words.len > 0)
        report_fact(out, width, "not plain", "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

/* The kernel's SMB client counts data, and neither headers nor what was sent again. */
static void about_wire_data(struct text *out, const struct result *const *results, unsigned n,
                            unsigned width)
{
    char got[CELL_MAX], put[CELL_MAX];

    report_fact(out, width, "on the wire",
                "%.0f calls of the kernel's client, whoever caused them: %s of data read, %s "
                "written; %.0f errors",
                counted(results, n, "wire_ops"),
                report_cell_bytes(got, (uint64_t)counted(results, n, "wire_read_data_bytes")),
                report_cell_bytes(put, (uint64_t)counted(results, n, "wire_write_data_bytes")),
                counted(results, n, "wire_errors"));
}

/* Of the kernel's client, which counts for the whole mount. */
static void about_wire(struct text *out, const struct result *const *results, unsigned n,
                       unsigned width)
{
    double calls = counted(results, n, "wire_ops");
    char sent[CELL_MAX], received[CELL_MAX];

    if (calls <= 0)
        return;
    if (counted(results, n, "wire_sent_bytes") <= 0) {
        about_wire_data(out, results, n, width);
        return;
    }
    report_fact(
        out, width, "on the wire",
        "%.0f calls of the kernel's client, whoever caused them: %s sent, %s received; %.0f "
        "sent again, %.0f without an answer in time, %.0f errors",
        calls, report_cell_bytes(sent, (uint64_t)counted(results, n, "wire_sent_bytes")),
        report_cell_bytes(received, (uint64_t)counted(results, n, "wire_received_bytes")),
        counted(results, n, "wire_retransmits"), counted(results, n, "wire_timeouts"),
        counted(results, n, "wire_errors"));
}

void report_about_calls(struct text *out, const struct result *const *results, unsigned n,
                        unsigned width)
{
    about_per_op(out, results, n, width);
    about_call_times(out, results, n, width);
    about_outages(out, results, n, width);
    about_others(out, results, n, width);
    about_wire(out, results, n, width);
}

/* ---- of several sides ---- */

struct sides {
    struct text *out;
    unsigned width;
};

static void about_side(void *ctx, struct result *const *results, unsigned n)
{
    const struct sides *sides = ctx;

    if (fact(results[0], "client") == NULL && results[0]->calls.n == 0)
        return;
    if (report_side(results[0]) > 0)
        report_fact(sides->out, sides->width, "target", "%c, whose %s follow",
                    report_side_letter(report_side(results[0])),
                    result_modelled(results[0]) ? "server's times" : "calls");
    report_about_client(sides->out, results[0], sides->width);
    report_about_calls(sides->out, (const struct result *const *)results, n, sides->width);
}

void report_about_clients(struct text *out, struct result *const *results, unsigned n,
                          unsigned width)
{
    struct sides sides = {out, width};

    out->failed |= report_sides_each(results, n, about_side, &sides) < 0;
}
