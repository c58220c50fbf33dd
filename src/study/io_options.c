#include "study/io_options.h"

#include "base/units.h"
#include "base/zipf.h"
#include "fileset/content.h"
#include "plan/plan.h"
#include "target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/param.h>

#define DIRECT_LEAST_BYTES 512
#define UNTIL_REPEATS_MIN  5
#define SIZE_BYTES         ((uint64_t)1 << 30)

uint64_t io_block_least(const struct io_options *o)
{
    uint64_t least = o->block[0].bytes;
    for (unsigned i = 1; i < o->blocks; i++)
        least = MIN(least, o->block[i].bytes);
    return least;
}

uint64_t io_block_most(const struct io_options *o)
{
    uint64_t most = o->block[0].bytes;
    for (unsigned i = 1; i < o->blocks; i++)
        most = MAX(most, o->block[i].bytes);
    return most;
}

bool io_blocks_align(const struct io_options *o, uint64_t unit_bytes)
{
    for (unsigned i = 0; i < o->blocks; i++)
        if (o->block[i].bytes % unit_bytes != 0)
            return false;
    return true;
}

uint32_t io_file_count(const struct io_options *o)
{
    return o->files ? o->files : o->streams;
}

const char *io_dist_text(char *buf, const struct io_dist *dist)
{
    switch (dist->where) {
    case IO_SEQ:
        snprintf(buf, IO_WORDS_MAX, "seq");
        break;
    case IO_ZIPF:
        snprintf(buf, IO_WORDS_MAX, "zipf:%g", dist->skew);
        break;
    case IO_HOT:
        snprintf(buf, IO_WORDS_MAX, "hot:%u/%u", dist->hot_ops, dist->hot_blocks);
        break;
    default:
        snprintf(buf, IO_WORDS_MAX, "uniform");
    }
    return buf;
}

const char *io_size_text(char *buf, uint64_t bytes)
{
    static const char *const unit[] = {"", "k", "m", "g"};
    unsigned i = 0;
    for (; i < 3 && bytes >= 1024 && bytes % 1024 == 0; i++)
        bytes /= 1024;
    snprintf(buf, IO_WORDS_MAX, "%" PRIu64 "%s", bytes, unit[i]);
    return buf;
}

const char *io_blocks_text(char *buf, const struct io_options *o)
{
    char size[IO_WORDS_MAX];
    size_t at = 0;
    if (o->blocks == 1)
        return io_size_text(buf, o->block[0].bytes);
    *buf = '\0';
    for (unsigned i = 0; i < o->blocks && at < IO_WORDS_MAX; i++)
        at += (size_t)snprintf(buf + at, IO_WORDS_MAX - at, "%s%.24s:%u", i ? "," : "",
                               io_size_text(size, o->block[i].bytes), o->block[i].percent);
    return buf;
}

const char *io_sync_name(enum io_sync sync)
{
    static const char *const name[] = {"none", "data", "full"};
    return name[sync];
}

static int check_blocks(const struct io_options *o, struct err *err)
{
    char block[UNITS_PRINT_MAX];
    unsigned sum = 0;
    if (o->blocks == 0 || o->blocks > IO_BLOCKS_MAX)
        return err_set(err, -EINVAL, "--block: accepted are 1 to %d sizes", IO_BLOCKS_MAX);
    for (unsigned i = 0; i < o->blocks; i++) {
        if (o->block[i].bytes == 0)
            return err_set(err, -EINVAL, "--block 0: accepted are 1 byte and more");
        if (o->block[i].percent == 0 || o->block[i].percent > 100)
            return err_set(err, -EINVAL, "--block: shares are 1 to 100 per cent");
        for (unsigned k = 0; k < i; k++)
            if (o->block[k].bytes == o->block[i].bytes)
                return err_set(err, -EINVAL, "--block: %s stands there twice",
                               units_print_bytes(block, o->block[i].bytes));
        sum += o->block[i].percent;
    }
    if (sum != 100)
        return err_set(err, -EINVAL, "--block: the shares add up to %u per cent, not to 100", sum);
    if (o->direct && !io_blocks_align(o, DIRECT_LEAST_BYTES))
        return err_set(err, -EINVAL,
                       "--direct with --block %s: blocks must be multiples of %d bytes",
                       units_print_bytes(block, io_block_least(o)), DIRECT_LEAST_BYTES);
    return 0;
}

static int check_dist(const struct io_dist *d, struct err *err)
{
    if (d->where == IO_ZIPF && !(d->skew > 0 && d->skew <= ZIPF_SKEW_MAX))
        return err_set(err, -EINVAL, "--dist zipf: the exponent is above 0 and up to %d",
                       ZIPF_SKEW_MAX);
    if (d->where == IO_HOT && (d->hot_ops - 1 > 98 || d->hot_blocks - 1 > 98))
        return err_set(err, -EINVAL, "--dist hot: both shares are 1 to 99 per cent");
    return 0;
}

static int check_loop(const struct io_options *o, struct err *err)
{
    if (o->time_ns == 0)
        return err_set(err, -EINVAL, "--time 0: a run needs time to measure");
    if (!isfinite(o->rate_per_s) || o->rate_per_s < 0)
        return err_set(err, -EINVAL, "--rate: accepted are rates above 0");
    if (o->arrival == IO_POISSON && o->rate_per_s == 0)
        return err_set(err, -EINVAL, "--arrival needs --rate: without one nothing arrives");
    if (o->sync != IO_SYNC_NONE && o->read_percent == 100)
        return err_set(err, -EINVAL, "--sync %s with --read 100: nothing is written",
                       io_sync_name(o->sync));
    return 0;
}

static int check_repeats(const struct io_options *o, struct err *err)
{
    if (o->repeats > IO_REPEATS_MAX || o->max_repeats > IO_REPEATS_MAX)
        return err_set(err, -EINVAL, "--repeat: accepted are 1 to %d", IO_REPEATS_MAX);
    if (!isfinite(o->until_ci_frac) || o->until_ci_frac < 0 || o->until_ci_frac > 1)
        return err_set(err, -EINVAL, "--until-ci: accepted are above 0 %% and up to 100 %%");
    if (o->until_ci_frac > 0 && o->max_repeats < UNTIL_REPEATS_MIN)
        return err_set(err, -EINVAL, "--max-repeat %u: --until-ci needs at least %d runs",
                       o->max_repeats, UNTIL_REPEATS_MIN);
    if (o->until_ci_frac > 0 && o->repeats > o->max_repeats)
        return err_set(err, -EINVAL, "--repeat %u: more than --max-repeat %u", o->repeats,
                       o->max_repeats);
    return 0;
}

static int check_streams(const struct io_options *o, struct err *err)
{
    if (o->streams > 0 && o->streams <= PLAN_STREAMS_MAX &&
        (o->clients <= 1 || o->streams % o->clients == 0))
        return 0;
    if (o->clients <= 1)
        return err_set(err, -EINVAL, "--streams %" PRIu32 ": accepted are 1 to %d", o->streams,
                       PLAN_STREAMS_MAX);
    return err_set(err, -EINVAL,
                   "--clients %" PRIu32 " with --streams: accepted are 1 to %d streams in all, the "
                   "same number of each client, and these would be %" PRIu32,
                   o->clients, PLAN_STREAMS_MAX, o->streams);
}

int io_options_check(const struct io_options *o, struct err *err)
{
    if (o->read_percent > 100)
        return err_set(err, -EINVAL, "--read %u: accepted are 0 to 100 per cent", o->read_percent);
    if (o->compress_centi != 0 &&
        (o->compress_centi < CONTENT_COMPRESS_MIN || o->compress_centi > CONTENT_COMPRESS_MAX))
        return err_set(err, -EINVAL, "--compress: accepted are 1.1:1 to 10:1");
    int rc = check_streams(o, err);
    if (rc == 0)
        rc = check_blocks(o, err);
    if (rc == 0)
        rc = check_dist(&o->dist, err);
    if (rc == 0)
        rc = check_loop(o, err);
    return rc == 0 ? check_repeats(o, err) : rc;
}

int io_file_bytes(const struct io_options *o, uint64_t *out_bytes, struct err *err)
{
    char size[UNITS_PRINT_MAX], block[UNITS_PRINT_MAX];
    uint64_t most = io_block_most(o);
    uint64_t blocks = o->size_bytes / io_file_count(o) / most;
    units_print_bytes(size, o->size_bytes);
    units_print_bytes(block, most);
    if (blocks == 0)
        return err_set(err, -EINVAL,
                       "--size %s leaves each of %" PRIu32
                       " %s less than one block of %s: a larger --size, fewer %s or a smaller "
                       "--block",
                       size, io_file_count(o), o->files ? "files" : "streams", block,
                       o->files ? "--files" : "--streams");
    if (o->dist.where == IO_SEQ && blocks * io_file_count(o) < o->streams)
        return err_set(err, -EINVAL,
                       "--size %s in %" PRIu32 " files leaves some of %" PRIu32
                       " streams no block of %s to read in order: a larger --size or fewer "
                       "--streams",
                       size, o->files, o->streams, block);
    *out_bytes = blocks * most;
    return 0;
}

int io_options_fit(struct io_options *o, const struct target_caps *caps, struct err *err)
{
    char asked[UNITS_PRINT_MAX], there[UNITS_PRINT_MAX];
    if (o->clients > 1 && !caps->uncached && !caps->keeps_nothing)
        return err_set(err, -EINVAL,
                       "--clients %" PRIu32 ": this target is asked by the kernel, which is one "
                       "client; --streams says how many operations are in flight",
                       o->clients);
    if (!caps->one_file) {
        o->size_bytes = o->size_bytes ? o->size_bytes : SIZE_BYTES;
        return 0;
    }
    if (o->files > 1)
        return err_set(err, -EINVAL, "--files %" PRIu32 ": a block device is one file", o->files);
    if (o->size_bytes > caps->file_bytes)
        return err_set(err, -EINVAL, "--size %s: the device has %s",
                       units_print_bytes(asked, o->size_bytes),
                       units_print_bytes(there, caps->file_bytes));
    o->files = 1;
    o->size_bytes = o->size_bytes ? o->size_bytes : caps->file_bytes;
    return 0;
}
