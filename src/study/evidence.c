#include "study/evidence_priv.h"

#include "fileset/content.h"
#include "fileset/fileset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define CONTENT_SAMPLE ((size_t)256 * 1024)

/* Of two counts that should be one; nothing on both sides agrees. */
static double share(double part, double whole)
{
    if (whole > 0)
        return part / whole;
    return part > 0 ? INFINITY : 1;
}

/* The series ends with the window. Where it was made coarser the window may open inside an
 * interval: then that one counts with the part of it that lies inside. */
static double part_in_window(const struct engine_outcome *sum, unsigned interval)
{
    uint64_t width_ns = sum->series.width_ns;
    uint64_t begin_ns = interval * width_ns;
    if (sum->window_open_ns <= begin_ns)
        return 1;
    uint64_t left_ns = begin_ns + width_ns - MIN(sum->window_open_ns, begin_ns + width_ns);
    return (double)left_ns / (double)width_ns;
}

/* The closing sync, and what becomes of an op after it was detached: no stream counts it, or waits
 * for it, as its own. */
static bool is_of_no_stream(const struct plan *plan, unsigned line)
{
    return (plan->sync_at_end && line == plan->sync_line) ||
           strcmp(plan->line[line].type, FLOWOP_DONE) == 0;
}

struct moved {
    double ops;
    double bytes;
};

static struct moved moved_by_series(const struct engine_outcome *sum, const struct plan *plan)
{
    struct moved moved = {0};

    for (unsigned i = 0; i < sum->series.used; i++) {
        double part = part_in_window(sum, i);
        for (unsigned line = 0; line < sum->series.lines; line++) {
            const struct series_line *at = series_at(&sum->series, i, line);
            if (is_of_no_stream(plan, line))
                continue;
            moved.ops += part * (double)at->ops;
            moved.bytes += part * (double)at->bytes;
        }
    }
    return moved;
}

double evidence_series_frac(const struct engine_outcome *sum, const struct plan *plan)
{
    struct moved streams = {0};

    /* What a stream counted whose worker was left behind is not known. */
    if (sum->streams == 0 || sum->series.lines == 0 || sum->end == ENGINE_STALLED)
        return -1;
    for (unsigned i = 0; i < sum->streams; i++) {
        streams.ops += (double)sum->stream[i].ops;
        streams.bytes += (double)sum->stream[i].bytes;
    }
    struct moved series = moved_by_series(sum, plan);
    double of_ops = share(series.ops, streams.ops);
    double of_bytes = share(series.bytes, streams.bytes);
    return fabs(of_ops - 1) > fabs(of_bytes - 1) ? of_ops : of_bytes;
}

double evidence_at_target_frac(const struct engine_outcome *sum, const struct plan *plan)
{
    double service_ns = 0;

    if (sum->streams == 0 || sum->elapsed_ns == 0 || sum->end == ENGINE_STALLED)
        return -1;
    for (unsigned i = 0; i < sum->total->lines; i++) {
        if (plan->line[i].open_loop)
            return -1;
        if (strcmp(plan->line[i].type, FLOWOP_DONE) != 0)
            service_ns += (double)sum->total->line[i].service.sum;
    }
    service_ns += (double)(sum->in_flight.sum_ns - sum->in_flight.detached_ns);
    service_ns += (double)sum->notes.failed_ns;
    return service_ns / ((double)sum->streams * (double)sum->elapsed_ns);
}

double evidence_failed_frac(const struct engine_outcome *sum)
{
    if (sum->notes.failed_ns == 0 || sum->streams == 0 || sum->elapsed_ns == 0)
        return -1;
    return (double)sum->notes.failed_ns / ((double)sum->streams * (double)sum->elapsed_ns);
}

double evidence_of_null_frac(const struct engine_outcome *sum, double null_op_ns, unsigned cpus)
{
    uint64_t ops = 0;
    unsigned used = MIN(sum->workers, cpus);

    if (null_op_ns <= 0 || used == 0 || sum->elapsed_ns == 0)
        return -1;
    for (unsigned i = 0; i < sum->total->lines; i++)
        ops += sum->total->line[i].ops;
    return (double)ops * null_op_ns / ((double)used * (double)sum->elapsed_ns);
}

double evidence_stored_frac(const struct site_stored *stored)
{
    return stored->size_bytes == 0 ? -1 : (double)stored->stored_bytes / (double)stored->size_bytes;
}

double evidence_entropy(const unsigned char *bytes, size_t n)
{
    uint64_t count[256] = {0};
    double bits = 0;

    for (size_t i = 0; i < n; i++)
        count[bytes[i]]++;
    for (unsigned v = 0; v < 256; v++)
        if (count[v] > 0)
            bits += (double)count[v] * log2((double)n / (double)count[v]);
    return bits / (double)n;
}

/* As the writes make it: file after file, each no longer than it is. */
static void fill(const struct content *content, const struct fileset *set, unsigned char *buf)
{
    bool grown = set->spec.shape == FILESET_GROWN; /* where sizes are drawn: as one file */
    uint64_t size_bytes = grown ? CONTENT_SAMPLE : MAX(set->spec.size_bytes, 1);
    uint64_t file = 0;

    for (size_t at = 0; at < CONTENT_SAMPLE; file++) {
        size_t len = MIN(size_bytes, CONTENT_SAMPLE - at);
        content_fill(content, fileset_file_key(set, 0, file), size_bytes, CONTENT_WRITTEN_ONCE, 0,
                     buf + at, len);
        at += len;
    }
}

double evidence_content_entropy(uint64_t seed, const struct fileset_spec *spec)
{
    struct content content = {0};
    struct fileset_map map = {0};
    struct err err;
    unsigned char *buf = malloc(CONTENT_SAMPLE);
    double bits = -1;

    if (buf && fileset_map_init(&map, "", spec, 1, &err) == 0 &&
        content_open(&content, seed, spec->compress_centi) == 0) {
        fill(&content, &map.set[0], buf);
        bits = evidence_entropy(buf, CONTENT_SAMPLE);
        content_close(&content);
    }
    fileset_map_fini(&map);
    free(buf);
    return bits;
}
