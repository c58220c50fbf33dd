#include "study/limits_options.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define STREAMS_MAX     65536
#define BUDGET_LEAST_NS (UINT64_C(5) * 1000000000u)
#define BUDGET_MOST_NS  (UINT64_C(7) * 24 * 3600 * 1000000000u)
#define BYTES_LEAST     (UINT64_C(1) << 20)

static bool known_row(const char *id)
{
    for (unsigned i = 0; limits_row_id(i); i++)
        if (strcmp(limits_row_id(i), id) == 0)
            return true;
    return false;
}

static int refuse_row(const char *id, struct err *err)
{
    char all[320];
    size_t at = 0;
    for (unsigned i = 0; limits_row_id(i) && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", limits_row_id(i));
    return err_set(err, -EINVAL, "--only %s: no such row; there are %s", id, all);
}

static int check_only(const struct limits_options *o, struct err *err)
{
    if (o->onlys > LIMITS_ROWS_MAX)
        return err_set(err, -EINVAL, "--only: accepted are up to %d rows", LIMITS_ROWS_MAX);
    for (unsigned i = 0; i < o->onlys; i++) {
        if (!known_row(o->only[i]))
            return refuse_row(o->only[i], err);
        for (unsigned k = 0; k < i; k++)
            if (strcmp(o->only[i], o->only[k]) == 0)
                return err_set(err, -EINVAL, "--only: %s stands there twice", o->only[i]);
    }
    return 0;
}

static int check_load(const struct limits_options *o, struct err *err)
{
    if (o->streams_from > STREAMS_MAX || o->streams_to > STREAMS_MAX)
        return err_set(err, -EINVAL, "--streams: accepted are 1 to %d", STREAMS_MAX);
    if (o->streams_to > 0 && o->streams_from > o->streams_to)
        return err_set(err, -EINVAL, "--streams %" PRIu32 "..%" PRIu32 ": goes down",
                       o->streams_from, o->streams_to);
    if (o->clients > STREAMS_MAX)
        return err_set(err, -EINVAL, "--clients: accepted are 1 to %d", STREAMS_MAX);
    if (o->streams_to > 0 && o->clients > o->streams_to)
        return err_set(err, -EINVAL,
                       "--clients %" PRIu32 " with at most %" PRIu32
                       " streams: some would have none",
                       o->clients, o->streams_to);
    return 0;
}

static int check_room(const struct limits_options *o, struct err *err)
{
    char least[UNITS_PRINT_MAX];
    if (o->budget_ns < BUDGET_LEAST_NS || o->budget_ns > BUDGET_MOST_NS)
        return err_set(err, -EINVAL, "--budget: accepted are 5 s to 7 d");
    if (o->max_bytes > 0 && o->max_bytes < BYTES_LEAST)
        return err_set(err, -EINVAL, "--max-bytes: accepted are %s and more",
                       units_print_bytes(least, BYTES_LEAST));
    return 0;
}

static int check_server(const struct limits_options *o, struct err *err)
{
    const char *metrics = o->server_metrics;
    if (metrics && strcmp(metrics, "model") != 0 && strncasecmp(metrics, "http://", 7) != 0 &&
        strncasecmp(metrics, "https://", 8) != 0)
        return err_set(
            err, -EINVAL,
            "--server-metrics %s: accepted are http://HOST:PORT/PATH, https://… and, of a "
            "modelled system, model",
            metrics);
    if (metrics && o->server_csv)
        return err_set(err, -EINVAL, "--server-metrics and --server-csv: one of them");
    if (o->server_csv && o->server_csv[0] == '\0')
        return err_set(err, -EINVAL, "--server-csv: names no file");
    return 0;
}

static int check_hooks(const struct limits_options *o, struct err *err)
{
    if (o->hook_start && o->hook_start[0] == '\0')
        return err_set(err, -EINVAL, "--hook-start: names no command");
    if (o->hook_end && o->hook_end[0] == '\0')
        return err_set(err, -EINVAL, "--hook-end: names no command");
    return 0;
}

int limits_options_check(const struct limits_options *o, struct err *err)
{
    int rc = check_only(o, err);
    if (rc == 0)
        rc = check_load(o, err);
    if (rc == 0)
        rc = check_room(o, err);
    if (rc == 0)
        rc = check_server(o, err);
    return rc == 0 ? check_hooks(o, err) : rc;
}
