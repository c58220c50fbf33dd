#include "cli/limits_values.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SECOND_NS      UINT64_C(1000000000)
#define DAY_NS         (86400 * SECOND_NS)
#define STREAMS_MAX    65536
#define LIMITS(member) offsetof(struct limits_values, member)

static const struct option load_options[] = {
    {.name = "only",
     .arg = "ROW,...",
     .kind = OPTION_OWN_PARSER,
     .at = LIMITS(only),
     .parse = limits_parse_only,
     .accepts = "rows with commas between them, such as read-4k-disk,create",
     .otherwise = "all that make sense there",
     .help = "these rows: stream-read-cache, stream-read-disk, stream-write-disk, read-1b-cache, "
             "read-4k-cache, read-512-flash, write-512-sync, read-block-disk, read-4k-disk, "
             "write-4k-disk, create, stat, unlink"},
    {.name = "streams",
     .arg = "N|A..B",
     .kind = OPTION_OWN_PARSER,
     .at = LIMITS(streams),
     .parse = limits_parse_span,
     .accepts = "a whole number from 1 to 65536, or two such as 4..512",
     .otherwise = "1..4096, on blocking targets 1..256",
     .help = "operations in flight at once: N no ramp; A..B where the ramp begins and ends"},
    {.name = "clients",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = LIMITS(clients),
     .min = 1,
     .max = 4000,
     .otherwise = "1; of a modelled system as many as it has",
     .help = "clients that streams are dealt out to, where they are loadline's own (nfs:, sim:)"},
    {.name = "precondition",
     .kind = OPTION_FLAG,
     .at = LIMITS(precondition),
     .help = "overwrite the files twice before rows that write, so that flash is past its first "
             "fill"},
};
const struct option_table limits_load_table = OPTION_TABLE("Rows and load", load_options);

static const struct option room_options[] = {
    {.name = "budget",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = LIMITS(budget_ns),
     .min = 5 * SECOND_NS,
     .max = 7 * DAY_NS,
     .initial = "15m",
     .help = "time for everything, laying out included; rows share it"},
    {.name = "max-bytes",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = LIMITS(max_bytes),
     .min = 1 << 20,
     .max = 1ull << 50,
     .otherwise = "the lesser of 64g and a tenth of the free space",
     .help = "no larger working set; what it leaves without proof is marked, not called from disk"},
    {.name = "yes",
     .kind = OPTION_FLAG,
     .at = LIMITS(yes),
     .help = "take more where proof needs it, without a question"},
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .at = LIMITS(dry_run),
     .help = "print the plan, rows, bytes, space and time, and end"},
    {.name = "keep",
     .kind = OPTION_FLAG,
     .at = LIMITS(keep),
     .help = "leave the files; `loadline clean --kept` removes them"},
    {.name = "destroy",
     .arg = "DEVICE",
     .kind = OPTION_TEXT,
     .at = LIMITS(destroy),
     .min = 1,
     .max = 4000,
     .help = "rows that write may write to the block device that the target is: its name, typed "
             "again"},
};
const struct option_table limits_room_table = OPTION_TABLE("Time and bytes", room_options);

static const struct option server_options[] = {
    {.name = "server-cache",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = LIMITS(server_cache_bytes),
     .min = 1 << 20,
     .max = 1ull << 50,
     .otherwise = "found by a sweep of the working set",
     .help = "memory of the server that files are kept in"},
    {.name = "server-flash",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = LIMITS(server_flash_bytes),
     .min = 1 << 20,
     .max = 1ull << 50,
     .otherwise = "none, and its row is skipped",
     .help = "flash of the server that reads are kept in"},
    {.name = "server-metrics",
     .arg = "URL",
     .kind = OPTION_TEXT,
     .at = LIMITS(server_metrics),
     .min = 1,
     .max = 2000,
     .help = "what the server tells of itself each second: a Prometheus exporter, "
             "http://filer:9100/metrics; model: what a modelled system offers in its place"},
    {.name = "server-csv",
     .arg = "FILE",
     .kind = OPTION_TEXT,
     .at = LIMITS(server_csv),
     .min = 1,
     .max = 4000,
     .help = "the same as a file that the appliance wrote, a column per series"},
    {.name = "hook-start",
     .arg = "COMMAND",
     .kind = OPTION_TEXT,
     .at = LIMITS(hook_start),
     .min = 1,
     .max = 4000,
     .help = "a command run by /bin/sh when a measured window opens"},
    {.name = "hook-end",
     .arg = "COMMAND",
     .kind = OPTION_TEXT,
     .at = LIMITS(hook_end),
     .min = 1,
     .max = 4000,
     .help = "and when it has closed"},
};
const struct option_table limits_server_table = OPTION_TABLE("The other end", server_options);

static const struct option published_options[] = {
    {.name = "published",
     .arg = "NAME|FILE",
     .kind = OPTION_TEXT,
     .min = 1,
     .max = 4000,
     .otherwise = "those of 2009 beside sim:sun7410-barcelona and sim:sun7410-istanbul",
     .help =
         "numbers to print beside those of limits: 2009-barcelona, 2009-istanbul, or a .csv file "
         "with protocol,row,unit,low,high"},
};
const struct option_table limits_published_table = OPTION_TABLE(NULL, published_options);

static const char *row_of(const char *text, size_t len)
{
    const char *id = NULL;
    for (unsigned i = 0; (id = limits_row_id(i)) != NULL; i++)
        if (strlen(id) == len && memcmp(id, text, len) == 0)
            return id;
    return NULL;
}

static int refuse_row(const char *text, size_t len, struct err *err)
{
    char word[64];
    struct nearest near = {.wish = word};
    snprintf(word, sizeof word, "%.*s", (int)len, text);
    for (unsigned i = 0; limits_row_id(i); i++)
        nearest_try(&near, limits_row_id(i));
    return near.best ? err_set(err, -EINVAL, "'%s' is no row; did you mean %s?", word, near.best)
                     : err_set(err, -EINVAL, "'%s' is no row; --help lists them", word);
}

int limits_parse_only(const char *text, void *limits_only, struct err *err)
{
    struct limits_only only = {.n = 0};
    for (const char *item = text;;) {
        size_t len = strcspn(item, ",");
        const char *id = row_of(item, len);
        if (!id)
            return refuse_row(item, len, err);
        for (unsigned i = 0; i < only.n; i++)
            if (only.row[i] == id)
                return err_set(err, -EINVAL, "%s stands there twice", id);
        only.row[only.n++] = id;
        if (!item[len])
            break;
        item += len + 1;
    }
    *(struct limits_only *)limits_only = only;
    return 0;
}

static bool read_streams(const char *text, size_t len, uint32_t *out)
{
    char word[8];
    uint64_t n = 0;
    if (len == 0 || len >= sizeof word)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)len, text);
    if (units_parse_count(word, &n, NULL) < 0 || n < 1 || n > STREAMS_MAX)
        return false;
    *out = (uint32_t)n;
    return true;
}

int limits_parse_span(const char *text, void *limits_span, struct err *err)
{
    struct limits_span span = {0};
    const char *dots = strstr(text, "..");
    size_t first = dots ? (size_t)(dots - text) : strlen(text);
    if (!read_streams(text, first, &span.from))
        return -EINVAL;
    if (!dots)
        span.to = span.from;
    else if (!read_streams(dots + 2, strlen(dots + 2), &span.to))
        return -EINVAL;
    if (span.from > span.to)
        return err_set(err, -EINVAL, "%s ends below its beginning", text);
    *(struct limits_span *)limits_span = span;
    return 0;
}

int limits_values_take(const struct limits_values *v, struct limits_options *out, struct err *err)
{
    *out = (struct limits_options){.budget_ns = v->budget_ns,
                                   .max_bytes = v->max_bytes,
                                   .streams_from = v->streams.from,
                                   .streams_to = v->streams.to,
                                   .clients = (uint32_t)v->clients,
                                   .onlys = v->only.n,
                                   .server_cache_bytes = v->server_cache_bytes,
                                   .server_flash_bytes = v->server_flash_bytes,
                                   .server_metrics = v->server_metrics,
                                   .server_csv = v->server_csv,
                                   .hook_start = v->hook_start,
                                   .hook_end = v->hook_end,
                                   .precondition = v->precondition,
                                   .dry_run = v->dry_run,
                                   .yes = v->yes};
    memcpy(out->only, v->only.row, sizeof out->only);
    return limits_options_check(out, err);
}
