#include "result/result_priv.h"
#include "result/study_file_priv.h"

#include <stddef.h>

#define ROOM(type, member) sizeof(((type *)0)->member)
#define U64(type, member)                                                                          \
    {                                                                                              \
        .key = #member, .kind = FIELD_U64, .off = offsetof(type, member)                           \
    }
#define BOOL(type, member)                                                                         \
    {                                                                                              \
        .key = #member, .kind = FIELD_BOOL, .off = offsetof(type, member)                          \
    }
#define TEXT(type, member)                                                                         \
    {                                                                                              \
        .key = #member, .kind = FIELD_TEXT, .off = offsetof(type, member)                          \
    }
#define FACTS(type, member)                                                                        \
    {                                                                                              \
        .key = #member, .kind = FIELD_FACTS, .off = offsetof(type, member)                         \
    }
#define U32(type, member, most)                                                                    \
    {                                                                                              \
        .key = #member, .kind = FIELD_U32, .off = offsetof(type, member), .max = (most)            \
    }
#define CHARS(type, member)                                                                        \
    {                                                                                              \
        .key = #member, .kind = FIELD_CHARS, .off = offsetof(type, member),                        \
        .max = ROOM(type, member)                                                                  \
    }
#define OPTIONAL_CHARS(type, member)                                                               \
    {                                                                                              \
        .key = #member, .kind = FIELD_CHARS, .off = offsetof(type, member),                        \
        .max = ROOM(type, member), .optional = true                                                \
    }
#define SHAPE(table, type)                                                                         \
    {                                                                                              \
        .field = (table), .fields = sizeof(table) / sizeof((table)[0]), .bytes = sizeof(type)      \
    }

_Static_assert(HIST_SUB_BITS == 7, "the scheme's name says 7");
_Static_assert(ROOM(struct result_streams, slowest) / sizeof(struct result_stream) ==
                   RESULT_SLOWEST_MAX,
               "as many slots as the struct has");

const char *const result_state_name[3] = {
    [RESULT_COMPLETE] = "complete",
    [RESULT_INCOMPLETE] = "incomplete",
    [RESULT_VOID] = "void",
};

static const struct field fact_fields[] = {
    TEXT(struct result_fact, key),
    TEXT(struct result_fact, value),
    TEXT(struct result_fact, unit),
};
const struct shape result_fact_shape = SHAPE(fact_fields, struct result_fact);

static const struct field sparse_fields[] = {
    {.key = "scheme", .kind = FIELD_SCHEME},
    {.key = "sum_ns", .kind = FIELD_U64, .off = offsetof(struct sparse_hist, sum)},
    {.key = "min_ns", .kind = FIELD_U64, .off = offsetof(struct sparse_hist, min)},
    {.key = "max_ns", .kind = FIELD_U64, .off = offsetof(struct sparse_hist, max)},
    U64(struct sparse_hist, overflow),
    {.key = "buckets", .kind = FIELD_BUCKETS},
};
const struct shape result_sparse_shape = SHAPE(sparse_fields, struct sparse_hist);

static const struct field interval_fields[] = {
    U32(struct interval_entry, interval, SERIES_MAX - 1),
    U32(struct interval_entry, line, RESULT_LINES_MAX - 1),
    {.key = "ops", .kind = FIELD_U64, .off = offsetof(struct interval_entry, body.ops)},
    {.key = "bytes", .kind = FIELD_U64, .off = offsetof(struct interval_entry, body.bytes)},
    {.key = "service", .kind = FIELD_SPARSE, .off = offsetof(struct interval_entry, body.service)},
    {.key = "response",
     .kind = FIELD_SPARSE,
     .off = offsetof(struct interval_entry, body.response)},
};
const struct shape result_interval_shape = SHAPE(interval_fields, struct interval_entry);

/* The number of intervals and lines must be known when the intervals are read: order matters. */
static const struct field series_fields[] = {
    U64(struct series, width_ns),
    U64(struct series, doublings),
    U32(struct series, lines, RESULT_LINES_MAX),
    U32(struct series, used, SERIES_MAX),
    {.key = "intervals", .kind = FIELD_INTERVALS},
};
static const struct shape series_shape = SHAPE(series_fields, struct series);

static const struct field line_fields[] = {
    CHARS(struct result_line, name),
    CHARS(struct result_line, op),
    BOOL(struct result_line, open_loop),
    {.key = "ops", .kind = FIELD_U64, .off = offsetof(struct result_line, sum.ops)},
    {.key = "bytes", .kind = FIELD_U64, .off = offsetof(struct result_line, sum.bytes)},
    {.key = "extra", .kind = FIELD_U64, .off = offsetof(struct result_line, sum.extra)},
    {.key = "service", .kind = FIELD_HIST, .off = offsetof(struct result_line, sum.service)},
    {.key = "response", .kind = FIELD_HIST, .off = offsetof(struct result_line, sum.response)},
    {.key = "derived", .kind = FIELD_DERIVED},
};
static const struct shape line_shape = SHAPE(line_fields, struct result_line);

static const struct field call_fields[] = {
    CHARS(struct result_call, name),
    {.key = "time", .kind = FIELD_HIST, .off = offsetof(struct result_call, time)},
};
static const struct shape call_shape = SHAPE(call_fields, struct result_call);

static const struct field station_fields[] = {
    CHARS(struct result_station, name),        U64(struct result_station, servers),
    U64(struct result_station, visits),        U64(struct result_station, busy_ns),
    U64(struct result_station, worst_busy_ns), U64(struct result_station, wait_ns),
    U64(struct result_station, inside_ns),
};
static const struct shape station_shape = SHAPE(station_fields, struct result_station);

static const struct field error_fields[] = {
    CHARS(struct result_error, op),         CHARS(struct result_error, code),
    U64(struct result_error, count),        U64(struct result_error, first_ns),
    CHARS(struct result_error, first_path), OPTIONAL_CHARS(struct result_error, flowop),
};
static const struct shape error_shape = SHAPE(error_fields, struct result_error);

static const struct field stream_fields[] = {
    U64(struct result_stream, ops),
    U64(struct result_stream, bytes),
    U32(struct result_stream, client, UINT32_MAX),
    U32(struct result_stream, group, UINT32_MAX),
    U32(struct result_stream, stream, UINT32_MAX),
};
static const struct shape stream_shape = SHAPE(stream_fields, struct result_stream);

static const struct field streams_fields[] = {
    U32(struct result_streams, n, UINT32_MAX),
    U64(struct result_streams, min_ops),
    U64(struct result_streams, median_ops),
    U64(struct result_streams, max_ops),
    U64(struct result_streams, min_bytes),
    U64(struct result_streams, median_bytes),
    U64(struct result_streams, max_bytes),
    {.key = "slowest",
     .kind = FIELD_SLOTS,
     .off = offsetof(struct result_streams, slowest),
     .max = RESULT_SLOWEST_MAX,
     .count_off = offsetof(struct result_streams, slowest_n),
     .shape = &stream_shape},
};
static const struct shape streams_shape = SHAPE(streams_fields, struct result_streams);

#define NUMBER(type, member)                                                                       \
    {                                                                                              \
        .key = #member, .kind = FIELD_NUMBER, .off = offsetof(type, member)                        \
    }
#define I64(type, member)                                                                          \
    {                                                                                              \
        .key = #member, .kind = FIELD_I64, .off = offsetof(type, member)                           \
    }

static const struct field track_fields[] = {
    {.key = "end", .kind = FIELD_END, .off = offsetof(struct track, end)},
    {.key = "kind", .kind = FIELD_KIND, .off = offsetof(struct track, kind)},
    CHARS(struct track, name),
    NUMBER(struct track, capacity),
    NUMBER(struct track, mean),
    NUMBER(struct track, peak),
    NUMBER(struct track, full_frac),
    {.key = "value", .kind = FIELD_VALUES},
};
static const struct shape track_shape = SHAPE(track_fields, struct track);

static const struct field tracks_fields[] = {
    I64(struct tracks, first_ns),
    U64(struct tracks, period_ns),
    {.key = "track",
     .kind = FIELD_LIST,
     .off = offsetof(struct tracks, track),
     .max = TRACKS_MAX,
     .count_off = offsetof(struct tracks, n),
     .shape = &track_shape},
};
static const struct shape tracks_shape = SHAPE(tracks_fields, struct tracks);

static const struct field mark_fields[] = {
    I64(struct result_mark, at_ns),
    CHARS(struct result_mark, text),
};
static const struct shape mark_shape = SHAPE(mark_fields, struct result_mark);

static const struct field cache_fields[] = {
    CHARS(struct result_cache, mode),          BOOL(struct result_cache, applies),
    BOOL(struct result_cache, resident_known), U64(struct result_cache, resident_bytes),
    U64(struct result_cache, asked_bytes),     BOOL(struct result_cache, device_known),
    U64(struct result_cache, device_bytes),    BOOL(struct result_cache, dirty_known),
    U64(struct result_cache, dirty_bytes),
};
static const struct shape cache_shape = SHAPE(cache_fields, struct result_cache);

static const struct field result_fields[] = {
    CHARS(struct result, study_id),
    U32(struct result, run, UINT32_MAX),
    CHARS(struct result, study),
    CHARS(struct result, phase),
    CHARS(struct result, tool_version),
    U64(struct result, begun_wall_ns),
    TEXT(struct result, target),
    TEXT(struct result, label),
    TEXT(struct result, system),
    TEXT(struct result, software),
    CHARS(struct result, workload_hash),
    CHARS(struct result, plan_hash),
    U64(struct result, seed),
    TEXT(struct result, plan_text),
    FACTS(struct result, options),
    {.key = "state", .kind = FIELD_STATE, .off = offsetof(struct result, state)},
    TEXT(struct result, reason),
    U32(struct result, passes, UINT32_MAX),
    U64(struct result, elapsed_ns),
    U64(struct result, window_open_ns),
    U64(struct result, window_close_ns),
    U64(struct result, files),
    U64(struct result, bytes),
    BOOL(struct result, verified),
    {.key = "lines",
     .kind = FIELD_LIST,
     .off = offsetof(struct result, line),
     .max = RESULT_LINES_MAX,
     .count_off = offsetof(struct result, lines),
     .shape = &line_shape},
    {.key = "series",
     .kind = FIELD_STRUCT,
     .off = offsetof(struct result, series),
     .shape = &series_shape},
    {.key = "streams",
     .kind = FIELD_STRUCT,
     .off = offsetof(struct result, streams),
     .shape = &streams_shape},
    {.key = "errors",
     .kind = FIELD_LIST,
     .off = offsetof(struct result, error),
     .max = RESULT_ERRORS_MAX,
     .count_off = offsetof(struct result, errors),
     .shape = &error_shape},
    {.key = "cache",
     .kind = FIELD_STRUCT,
     .off = offsetof(struct result, cache),
     .shape = &cache_shape},
    U64(struct result, arrivals),
    U64(struct result, unfinished),
    {.key = "lateness", .kind = FIELD_HIST, .off = offsetof(struct result, lateness)},
    FACTS(struct result, target_facts),
    FACTS(struct result, counters),
    {.key = "calls",
     .kind = FIELD_LIST,
     .off = offsetof(struct result, calls.kind),
     .max = RESULT_CALLS_MAX,
     .count_off = offsetof(struct result, calls.n),
     .shape = &call_shape,
     .optional = true},
    {.key = "truth",
     .kind = FIELD_LIST,
     .off = offsetof(struct result, truth.station),
     .max = RESULT_STATIONS_MAX,
     .count_off = offsetof(struct result, truth.n),
     .shape = &station_shape,
     .optional = true},
    {.key = "tracks",
     .kind = FIELD_STRUCT,
     .off = offsetof(struct result, tracks),
     .count_off = offsetof(struct result, tracks.n),
     .shape = &tracks_shape,
     .optional = true},
    {.key = "marks",
     .kind = FIELD_LIST,
     .off = offsetof(struct result, mark),
     .max = RESULT_MARKS_MAX,
     .count_off = offsetof(struct result, marks),
     .shape = &mark_shape,
     .optional = true},
    FACTS(struct result, machine),
    FACTS(struct result, own),
};
const struct shape result_shape = SHAPE(result_fields, struct result);

static const struct field head_fields[] = {
    CHARS(struct study_head, id),          CHARS(struct study_head, kind),
    U64(struct study_head, begun_wall_ns), TEXT(struct study_head, target),
    TEXT(struct study_head, label),        TEXT(struct study_head, command),
    TEXT(struct study_head, argv),
};
const struct shape study_head_shape = SHAPE(head_fields, struct study_head);

static const struct field tail_fields[] = {
    CHARS(struct study_tail, state),
    U64(struct study_tail, ended_wall_ns),
    U32(struct study_tail, runs, UINT32_MAX),
};
const struct shape study_tail_shape = SHAPE(tail_fields, struct study_tail);
