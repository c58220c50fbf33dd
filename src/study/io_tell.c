/* What the plain mix says before and while it runs, and what each of its results says was asked. */
#include "study/io_priv.h"

#include "base/units.h"

#include <stdio.h>

static uint64_t run_ns(const struct io_options *o)
{
    return o->warmup_ns + o->time_ns;
}

static double mean_block_bytes(const struct io_options *o)
{
    double sum = 0;
    for (unsigned i = 0; i < o->blocks; i++)
        sum += (double)o->block[i].bytes * o->block[i].percent / 100;
    return sum;
}

/* What runs at a rate write; a closed loop writes as much as it can. */
static uint64_t overwritten_bytes(const struct io_options *o, uint64_t ns)
{
    double ops = o->rate_per_s * ((double)ns / 1e9) * (100 - o->read_percent) / 100;
    double bytes = ops * mean_block_bytes(o);
    return bytes < 1e18 ? (uint64_t)bytes : (uint64_t)1e18;
}

#define FILE_NS 200000u /* to make, sync and remove one */

/* Laying out, syncing and removing at 250 MB/s, until the disk says otherwise. On a clock of the
 * target's own time means nothing here. */
static uint64_t about_ns(const struct io_study *io, uint64_t layout_bytes)
{
    if (io->s.caps.own_clock)
        return 0;
    return io_repeats_most(io->o) * run_ns(io->o) + 4 * layout_bytes +
           (layout_bytes > 0 ? (uint64_t)io->spec.files * FILE_NS : 0);
}

/* Of a device all of it: what is given up cannot be had back in parts. */
static uint64_t peak_bytes(const struct io_study *io, bool writes)
{
    if (io->s.caps.one_file)
        return writes ? io->s.caps.file_bytes : 0;
    return study_set_bytes(&io->spec);
}

int io_announce(const struct io_study *io, struct err *err)
{
    const struct study_sink *sink = io->s.sink;
    bool keeps = !io->s.caps.keeps_nothing;
    bool device = io->s.caps.one_file;
    bool lays_out = !io->s.adopted && keeps && !device;
    uint64_t bytes = fileset_spec_bytes(&io->spec);
    uint64_t all_ns =
        io->o->read_percent < 100 && keeps ? io_repeats_most(io->o) * run_ns(io->o) : 0;
    const struct study_intent intent = {
        .id = io->s.id,
        .kind = io->s.kind,
        .target = io->s.common->target,
        .write_bytes = lays_out ? bytes : 0,
        .peak_bytes = keeps ? peak_bytes(io, all_ns > 0) : 0,
        .files = keeps && !device ? io->spec.files : 0,
        .overwrite_ns = all_ns,
        .overwrite_bytes = overwritten_bytes(io->o, all_ns),
        .reads_too = all_ns > 0 && io->o->read_percent > 0,
        .about_ns = about_ns(io, lays_out ? bytes : 0),
        .own_clock = io->s.caps.own_clock,
    };
    return sink->begun ? sink->begun(sink->ctx, &intent, err) : 0;
}

uint64_t io_left_ns(const struct io_study *io)
{
    return (io_repeats_most(io->o) + 1 - io->repeat) * run_ns(io->o);
}

void io_say_running(struct io_study *io)
{
    char blocks[IO_WORDS_MAX], of[48] = "";
    if (io_repeats_most(io->o) > 1)
        snprintf(of, sizeof of, ", run %u of %u", io->repeat, io_repeats_most(io->o));
    study_say(&io->s, io_left_ns(io), "%u %% reads, blocks of %s%s", io->o->read_percent,
              io_blocks_text(blocks, io->o), of);
}

static const char *arrival_name(const struct io_options *o)
{
    if (o->rate_per_s <= 0)
        return "none";
    return o->arrival == IO_POISSON ? "poisson" : "constant";
}

static void put_repeats(struct fact_pen *pen, const struct io_study *io)
{
    const struct io_options *o = io->o;
    fact_count(pen, "repeat", io->repeat, "");
    fact_count(pen, "repeats", io_repeats_most(o), "");
    if (o->until_ci_frac > 0)
        fact_number(pen, "until_ci_frac", o->until_ci_frac, "");
}

int io_put_options(const struct io_study *io, const struct plan *plan, struct result_facts *facts)
{
    const struct io_options *o = io->o;
    struct fact_pen pen = {.facts = facts};
    char words[IO_WORDS_MAX];
    fact_count(&pen, "read_percent", o->read_percent, "%");
    fact_count(&pen, "block_bytes", io_block_most(o), "bytes");
    fact_word(&pen, "block_mix", o->blocks > 1 ? io_blocks_text(words, o) : "none");
    fact_count(&pen, "streams", o->streams, "");
    fact_count(&pen, "clients", o->clients ? o->clients : 1, "");
    fact_count(&pen, "files", io->s.caps.one_file ? 0 : io->spec.files, "");
    fact_word(&pen, "files_shared", o->files ? "yes" : "no");
    fact_count(&pen, "size_bytes", o->size_bytes, "bytes");
    fact_count(&pen, "used_bytes", fileset_spec_bytes(&io->spec), "bytes");
    fact_number(&pen, "rate_per_s", o->rate_per_s, "ops/s");
    fact_word(&pen, "arrival", arrival_name(o));
    /* The window is made of whole intervals: what was used, not what was typed. */
    fact_count(&pen, "time_ns", plan->window.measure_ns, "ns");
    fact_count(&pen, "warmup_ns", plan->window.warmup_ns, "ns");
    if (plan->window.warmup_ns != o->warmup_ns)
        fact_count(&pen, "warmup_asked_ns", o->warmup_ns, "ns");
    fact_word(&pen, "pattern", io_dist_text(words, &o->dist));
    fact_word(&pen, "sync", io_sync_name(o->sync));
    fact_number(&pen, "compress_ratio", o->compress_centi ? o->compress_centi / 100.0 : 1, "");
    fact_word(&pen, "direct", plan->instrument.direct ? "yes" : "no");
    fact_word(&pen, "client_cache", o->cache == STUDY_CACHE_KEEP ? "keep" : "drop");
    fact_resolve(&pen, &io->s);
    fact_word(&pen, "reused_files", io->s.adopted ? "yes" : "no");
    put_repeats(&pen, io);
    return pen.rc;
}
