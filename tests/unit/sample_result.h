/* unit/sample_result.h — a result with something in every member, for tests of result and store. */
#ifndef LOADLINE_TESTS_SAMPLE_RESULT_H
#define LOADLINE_TESTS_SAMPLE_RESULT_H

#include "result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void sample_must(bool good)
{
    if (!good)
        abort();
}

static inline void sample_record(struct samples_line *line, uint64_t service_ns, uint64_t wait_ns)
{
    line->ops++;
    line->bytes += 4096;
    line->samples++;
    hist_record(&line->service, service_ns);
    if (wait_ns > 0)
        hist_record(&line->response, service_ns + wait_ns);
}

/* Two lines; intervals 0 and 2 hold samples, interval 1 is quiet, and one value is overflow. */
static inline void sample_measure(struct result *r)
{
    struct samples_block *block = samples_block_new(2);
    r->lines = 2;
    r->line = calloc(2, sizeof *r->line);
    sample_must(block && r->line);
    snprintf(r->line[0].name, sizeof r->line[0].name, "read");
    snprintf(r->line[0].op, sizeof r->line[0].op, "read");
    snprintf(r->line[1].name, sizeof r->line[1].name, "open");
    snprintf(r->line[1].op, sizeof r->line[1].op, "open");
    r->line[0].open_loop = true;
    series_init(&r->series, 2, 1000000000);
    for (unsigned interval = 0; interval < 3; interval += 2) {
        samples_block_clear(block);
        block->interval = interval;
        for (unsigned i = 1; i <= 500; i++)
            sample_record(&block->line[0], 1000u * i + interval, 70);
        sample_record(&block->line[interval / 2], 1ull << 45, 0);
        block->line[0].extra += 12288;
        sample_must(series_add(&r->series, block) == 0);
        for (unsigned l = 0; l < 2; l++) {
            struct samples_line *sum = &r->line[l].sum;
            sum->ops += block->line[l].ops;
            sum->bytes += block->line[l].bytes;
            sum->extra += block->line[l].extra;
            sum->samples += block->line[l].samples;
            hist_merge(&sum->service, &block->line[l].service);
            hist_merge(&sum->response, &block->line[l].response);
        }
    }
    samples_block_free(block);
}

static inline void sample_facts(struct result *r)
{
    sample_must(result_fact_putf(&r->options, "length_bytes", "bytes", "%d", 4096) == 0 &&
                result_fact_put(&r->options, "fsync", "none", "") == 0 &&
                result_fact_put(&r->target_facts, "fs_type", "ext4", "") == 0 &&
                result_fact_put(&r->counters, "wire_bytes", "123456", "bytes") == 0 &&
                result_fact_put(&r->machine, "kernel", "6.1.0 \xe2\x80\x94 \"quoted\"", "") == 0 &&
                result_fact_put(&r->own, "clock_read_ns", "21.5", "ns") == 0);
}

static inline void sample_streams(struct result *r)
{
    r->streams = (struct result_streams){.n = 16,
                                         .min_ops = 60,
                                         .median_ops = 62,
                                         .max_ops = 66,
                                         .min_bytes = 245760,
                                         .median_bytes = 253952,
                                         .max_bytes = 270336,
                                         .slowest_n = 2};
    r->streams.slowest[0] = (struct result_stream){60, 245760, 0, 0, 7};
    r->streams.slowest[1] = (struct result_stream){61, 249856, 1, 2, 3};
}

static inline void sample_calls(struct result *r)
{
    r->calls.kind = calloc(2, sizeof *r->calls.kind);
    sample_must(r->calls.kind != NULL);
    r->calls.n = 2;
    snprintf(r->calls.kind[0].name, sizeof r->calls.kind[0].name, "READ");
    snprintf(r->calls.kind[1].name, sizeof r->calls.kind[1].name, "LOOKUP");
    hist_record_n(&r->calls.kind[0].time, 120000, 900);
    hist_record(&r->calls.kind[1].time, 80000);
    r->truth.station = calloc(2, sizeof *r->truth.station);
    sample_must(r->truth.station != NULL);
    r->truth.n = 2;
    r->truth.station[0] = (struct result_station){"cpu", 16, 901, 8000, 500, 30, 8030};
    r->truth.station[1] = (struct result_station){.name = "port in", .servers = 2};
}

static inline void sample_tracks(struct result *r)
{
    struct tracks *t = &r->tracks;
    t->first_ns = -1000000000;
    t->period_ns = 1000000000;
    struct track *cpu = tracks_get(t, TRACK_CLIENT, TRACK_CPU, "3");
    sample_must(cpu && track_put(t, cpu, 0, 0.1) == 0 && track_put(t, cpu, 2, 0.98) == 0);
    struct track *port = tracks_get(t, TRACK_SERVER, TRACK_NIC_OUT, "eth0");
    sample_must(port && track_put(t, port, 1, 1.25e9) == 0);
    port->capacity = 1.25e9;
    cpu->mean = cpu->peak = (float)0.98;
    cpu->full_frac = 1;
    port->mean = port->peak = 1.25e9;
    port->full_frac = 1;
    r->marks = 2;
    r->mark = calloc(2, sizeof *r->mark);
    sample_must(r->mark != NULL);
    r->mark[0] = (struct result_mark){-5, "log device on"};
    r->mark[1] = (struct result_mark){900000000, "log device off"};
}

static inline struct result *sample_result(const char *study_id, unsigned run)
{
    struct result *r = result_new();
    sample_must(r != NULL);
    snprintf(r->study_id, sizeof r->study_id, "%s", study_id);
    r->run = run;
    snprintf(r->study, sizeof r->study, "dirtest");
    snprintf(r->phase, sizeof r->phase, "read");
    snprintf(r->tool_version, sizeof r->tool_version, "0.1.0");
    r->begun_wall_ns = 1700000000123456789;
    r->target = strdup("/srv/scratch");
    r->label = strdup("before the upgrade");
    r->plan_text = strdup("plan dirtest\n\tthreads 16\n");
    snprintf(r->workload_hash, sizeof r->workload_hash, "%064d", 1);
    snprintf(r->plan_hash, sizeof r->plan_hash, "%064d", 2);
    r->seed = UINT64_MAX - 1;
    r->state = RESULT_INCOMPLETE;
    r->reason = strdup("stopped by SIGINT");
    r->passes = 3;
    r->elapsed_ns = 3456789012;
    r->window_open_ns = 5;
    r->window_close_ns = 3000000000;
    r->files = 5376;
    r->verified = true;
    r->errors = 1;
    r->error = calloc(1, sizeof *r->error);
    sample_must(r->error != NULL);
    r->error[0] = (struct result_error){"read", "EIO", 3, 1234567, "t00/d1/f2", "read1"};
    r->cache = (struct result_cache){"drop", true, true, 4096, 22020096, true, 22016000, true, 512};
    r->arrivals = 1003;
    r->unfinished = 1;
    hist_record(&r->lateness, 900);
    sample_measure(r);
    r->bytes = r->line[0].sum.bytes;
    sample_facts(r);
    sample_streams(r);
    sample_calls(r);
    sample_tracks(r);
    return r;
}

#endif
