/* What an io run was asked for, in words. */
#include "report/report_priv.h"

#include <stdio.h>
#include <string.h>

#define SIZE_WORDS_MAX (2 * CELL_MAX + 32)

/* Files are made of whole blocks, so they may be smaller than asked. */
static const char *size_words(char buf[SIZE_WORDS_MAX], const struct result *r)
{
    char size[CELL_MAX], used[CELL_MAX];
    uint64_t asked = report_option_count(r, "size_bytes", 0);
    uint64_t all = report_option_count(r, "used_bytes", asked);

    if (all == asked)
        snprintf(buf, SIZE_WORDS_MAX, "%s", report_cell_bytes(size, asked));
    else if (strcmp(report_cell_bytes(size, asked), report_cell_bytes(used, all)) != 0)
        snprintf(buf, SIZE_WORDS_MAX, "%s (used %s)", size, used);
    else
        snprintf(buf, SIZE_WORDS_MAX, "%s (used %llu B)", size, (unsigned long long)all);
    return buf;
}

/* Of results from before there was a choice: what was the only way then. */
const char *report_io_chosen(const struct result *r, const char *key, const char *otherwise)
{
    const char *value = result_fact_get(&r->options, key);

    return value && strcmp(value, "none") != 0 ? value : otherwise;
}

static const char *block_words(char buf[CELL_MAX], const struct result *r)
{
    return report_io_chosen(r, "block_mix",
                            report_cell_length(buf, report_option_count(r, "block_bytes", 0)));
}

static const char *sharing_words(const struct result *r)
{
    bool shared = strcmp(report_io_chosen(r, "files_shared", "no"), "yes") == 0;
    bool reused = strcmp(report_option(r, "reused_files"), "yes") == 0;

    if (shared)
        return reused ? " that all streams share (reused)" : " that all streams share";
    return reused ? ", one a stream (reused)" : ", one a stream";
}

static const char *stream_words(char buf[SIZE_WORDS_MAX], const struct result *r)
{
    uint64_t clients = report_option_count(r, "clients", 1);

    if (clients <= 1)
        return report_option(r, "streams");
    snprintf(buf, SIZE_WORDS_MAX, "%s, of %llu clients", report_option(r, "streams"),
             (unsigned long long)clients);
    return buf;
}

static void put_place(struct text *out, const struct result *r)
{
    char size[SIZE_WORDS_MAX];

    if (strcmp(report_option(r, "files"), "0") == 0)
        text_addf(out, "%s of the device, that all streams share", size_words(size, r));
    else
        text_addf(out, "%s in %s files%s", size_words(size, r), report_option(r, "files"),
                  sharing_words(r));
}

static void put_writing(struct text *out, const struct result *r)
{
    double ratio = result_fact_number(&r->options, "compress_ratio", 1);
    const char *sync = report_io_chosen(r, "sync", NULL);

    if (sync)
        text_addf(out, "; each write synced (%s)", sync);
    if (ratio > 1)
        text_addf(out, "; content that compresses %.4g:1", ratio);
}

/* The window's edges are interval edges, which may make the warm-up longer than was asked. */
static void put_warmup(struct text *out, const struct result *r)
{
    char used[CELL_MAX], asked[CELL_MAX];
    uint64_t ns = report_option_count(r, "warmup_ns", 0);
    uint64_t asked_ns = report_option_count(r, "warmup_asked_ns", ns);

    text_addf(out, "%s of warm-up", report_cell_ns(used, ns));
    if (asked_ns != ns)
        text_addf(out, " (%s asked, made whole intervals)", report_cell_ns(asked, asked_ns));
}

/* A point of a ladder of ceilings. */
static void point_asked(struct text *out, const struct result *r, unsigned width)
{
    char block[CELL_MAX], set[CELL_MAX];

    report_fact(
        out, width, "asked",
        "%s %s, %s; %s streams of %s clients; block %s; %s; %s in %s files; direct %s; seed %llu",
        report_option(r, "protocol"), report_option(r, "row"), report_option(r, "step"),
        report_option(r, "streams"), report_option(r, "clients"),
        report_cell_length(block, report_option_count(r, "io_bytes", 0)),
        report_option(r, "pattern"),
        report_cell_bytes(set, report_option_count(r, "working_set_bytes", 0)),
        report_option(r, "files"), report_option(r, "direct"), (unsigned long long)r->seed);
}

void report_io_asked(struct text *out, const struct result *r, unsigned width)
{
    if (strcmp(r->study, "limits") == 0) {
        point_asked(out, r, width);
        return;
    }
    char block[CELL_MAX], time[CELL_MAX], streams[SIZE_WORDS_MAX];
    struct text place, writing, warmup;

    text_init(&place);
    text_init(&writing);
    text_init(&warmup);
    put_place(&place, r);
    put_writing(&writing, r);
    put_warmup(&warmup, r);
    report_fact(out, width, "asked",
                "read %s %%; block %s; %s; streams %s; %s; direct %s%s; %s after %s; "
                "seed %llu",
                report_option(r, "read_percent"), block_words(block, r),
                report_option(r, "pattern"), stream_words(streams, r), place.s ? place.s : "",
                report_option(r, "direct"), writing.s ? writing.s : "",
                report_cell_ns(time, report_option_count(r, "time_ns", 0)),
                warmup.s ? warmup.s : "", (unsigned long long)r->seed);
    out->failed |= place.failed || writing.failed || warmup.failed;
    text_fini(&warmup);
    text_fini(&writing);
    text_fini(&place);
}
