#include "study/evidence_priv.h"

#include "fileset/content.h"
#include "fileset/fileset.h"

#include <math.h>
#include <stdlib.h>
#include <sys/param.h>

#define CONTENT_SAMPLE ((size_t)256 * 1024)

/* Of two counts that should be one; nothing on both sides agrees. */
static double share(uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return part == 0 ? 1 : INFINITY;
    return (double)part / (double)whole;
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

double evidence_series_frac(const struct engine_outcome *sum)
{
    double ops = 0, bytes = 0;
    uint64_t stream_ops = 0, stream_bytes = 0;

    /* What a stream counted whose worker was left behind is not known. */
    if (sum->streams == 0 || sum->series.used == 0 || sum->end == ENGINE_STALLED)
        return -1;
    for (unsigned i = 0; i < sum->series.used; i++)
        for (unsigned line = 0; line < sum->series.lines; line++) {
            const struct series_line *at = series_at(&sum->series, i, line);
            ops += part_in_window(sum, i) * (double)at->ops;
            bytes += part_in_window(sum, i) * (double)at->bytes;
        }
    for (unsigned i = 0; i < sum->streams; i++) {
        stream_ops += sum->stream[i].ops;
        stream_bytes += sum->stream[i].bytes;
    }
    double of_ops = share((uint64_t)ops, stream_ops), of_bytes = share((uint64_t)bytes, stream_bytes);
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
        service_ns += (double)sum->total->line[i].service.sum;
    }
    return service_ns / ((double)sum->streams * (double)sum->elapsed_ns);
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
    uint64_t size_bytes = MAX(set->spec.size_bytes, 1);
    uint64_t file = 0;

    for (size_t at = 0; at < CONTENT_SAMPLE; file++) {
        size_t len = MIN(size_bytes, CONTENT_SAMPLE - at);
        content_fill(content, fileset_file_key(set, 0, file), size_bytes, 0, buf + at, len);
        at += len;
    }
}

double evidence_content_entropy(uint64_t seed, const struct fileset_spec *spec)
{
    struct content content = {0};
    struct fileset_map map;
    struct err err;
    unsigned char *buf = malloc(CONTENT_SAMPLE);
    double bits = -1;

    if (buf && fileset_map_init(&map, "", spec, 1, &err) == 0 && content_open(&content, seed) == 0) {
        fill(&content, &map.set[0], buf);
        bits = evidence_entropy(buf, CONTENT_SAMPLE);
        content_close(&content);
    }
    free(buf);
    return bits;
}
