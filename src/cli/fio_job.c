#include "cli/fio_job.h"

#include "base/shown.h"
#include "base/units.h"
#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_remark(struct text *out, const char *words)
{
    text_addf(out, "# %s\n", words);
}

/* fio takes what is behind ; and # for a remark and blanks off the ends; it puts what it knows, and
 * the environment, in place of $words. */
static bool fio_keeps(const char *path)
{
    size_t len = strlen(path);
    return path[strcspn(path, ";#$")] == '\0' && path[0] != ' ' && (!len || path[len - 1] != ' ');
}

/* A colon would end the name and begin another. */
static void add_name(struct text *out, const char *key, const char *path)
{
    text_addf(out, "%s=", key);
    for (; *path; path++)
        text_addf(out, "%s%c", *path == ':' ? "\\" : "", *path);
    text_add(out, "\n");
}

static int add_target(struct text *out, const char *target, struct err *err)
{
    const struct target_table *table;
    const char *rest;
    int rc = target_find(target, &table, &rest, err);
    if (rc < 0)
        return rc;
    if (!shown_as_is(target) || !fio_keeps(rest))
        return err_set(err, -EINVAL, "%s: not a name that can stand in a job file", target);
    if (strcmp(table->scheme, "null") == 0)
        text_add(out, "ioengine=null\n");
    else if (strcmp(table->scheme, "nfs") == 0)
        return err_set(err, -EINVAL,
                       "--print-fio: fio asks an NFS server by libnfs, which is no client of "
                       "loadline's: it would not be the same job");
    else if (strcmp(table->scheme, "dev") == 0) {
        text_add(out, "ioengine=psync\n");
        add_name(out, "filename", rest);
    } else if (strcmp(table->scheme, "posix") != 0 && strcmp(table->scheme, "uring") != 0)
        return err_set(err, -EINVAL,
                       "--print-fio: fio has nothing like a target of %s:", table->scheme);
    else {
        text_add(out, strcmp(table->scheme, "uring") == 0
                          ? "ioengine=io_uring\nregisterfiles=1\nfixedbufs=1\nnonvectored=1\n"
                          : "ioengine=psync\n");
        add_name(out, "directory", rest);
    }
    return 0;
}

static void add_files(struct text *out, const struct io_options *o, uint64_t file, bool device)
{
    if (device) {
        text_addf(out, "size=%" PRIu64 "\n", file);
        return;
    }
    if (o->files)
        text_addf(out,
                  "filename_format=loadline-fio.$filenum\nnrfiles=%" PRIu32 "\nopenfiles=%" PRIu32
                  "\nfilesize=%" PRIu64 "\nsize=%" PRIu64 "\nfile_service_type=%s\n",
                  o->files, o->files, file, file * o->files,
                  o->dist.where == IO_SEQ ? "sequential" : "random");
    else
        text_addf(out, "filename_format=loadline-fio.$jobnum\nsize=%" PRIu64 "\n", file);
    text_add(out, "fallocate=none\n");
}

static void add_blocks(struct text *out, const struct io_options *o)
{
    char size[IO_WORDS_MAX];
    if (o->blocks == 1) {
        text_addf(out, "bs=%s\n", io_size_text(size, o->block[0].bytes));
        return;
    }
    text_add(out, "bssplit=");
    for (unsigned i = 0; i < o->blocks; i++)
        text_addf(out, "%s%s/%u", i ? ":" : "", io_size_text(size, o->block[i].bytes),
                  o->block[i].percent);
    text_add(out, "\n");
    /* Otherwise fio cuts each size down to a multiple of the smallest. */
    if (!io_blocks_align(o, io_block_least(o)))
        text_add(out, "bs_unaligned=1\n");
}

/* fio knows every exponent but 1, here what %g makes a 1 of. */
static double fio_skew(double skew)
{
    return fabs(skew - 1) < 0.000005 ? 1.001 : skew;
}

static void add_mix(struct text *out, const struct io_options *o)
{
    const char *kind = o->read_percent == 100 ? "read" : o->read_percent == 0 ? "write" : "rw";
    text_addf(out, "rw=%s%s\n", o->dist.where == IO_SEQ ? "" : "rand", kind);
    if (o->read_percent % 100 != 0)
        text_addf(out, "rwmixread=%u\n", o->read_percent);
    if (o->dist.where == IO_ZIPF)
        text_addf(out, "random_distribution=zipf:%g\n", fio_skew(o->dist.skew));
    if (o->dist.where == IO_HOT)
        text_addf(out, "random_distribution=zoned:%u/%u:%u/%u\n", o->dist.hot_ops,
                  o->dist.hot_blocks, 100 - o->dist.hot_ops, 100 - o->dist.hot_blocks);
    if (o->dist.where != IO_SEQ)
        text_add(out, "norandommap=1\n");
}

/* fio counts whole operations a second, of each job and each direction. */
static unsigned job_rate(const struct io_options *o, unsigned percent)
{
    double rate = o->rate_per_s * percent / 100 / o->streams;
    return rate < 1 ? 1 : rate > 4e9 ? 4000000000u : (unsigned)(rate + 0.5);
}

/* Of the job: reads and writes a second. */
static void job_rates(const struct io_options *o, unsigned rate[2])
{
    rate[0] = o->read_percent > 0 ? job_rate(o, o->read_percent) : 0;
    rate[1] = o->read_percent < 100 ? job_rate(o, 100 - o->read_percent) : 0;
}

static void add_rate(struct text *out, const struct io_options *o)
{
    unsigned rate[2];
    if (o->rate_per_s <= 0)
        return;
    job_rates(o, rate);
    if (o->read_percent % 100 == 0)
        text_addf(out, "rate_iops=%u\n", rate[0] + rate[1]);
    else
        text_addf(out, "rate_iops=%u,%u\n", rate[0], rate[1]);
    text_addf(out, "rate_process=%s\n", o->arrival == IO_POISSON ? "poisson" : "linear");
}

static void add_instrument(struct text *out, const struct io_options *o)
{
    static const char *const sync[] = {"none", "dsync", "sync"};
    text_addf(out, "direct=%d\ninvalidate=%d\n", o->direct, o->cache == STUDY_CACHE_DROP);
    if (o->sync != IO_SYNC_NONE)
        text_addf(out, "sync=%s\n", sync[o->sync]);
    if (o->read_percent < 100)
        text_add(out, "refill_buffers=1\n");
    if (o->compress_centi)
        text_addf(out, "buffer_compress_percentage=%u\nbuffer_compress_chunk=512\n",
                  (unsigned)(100.5 - 10000.0 / o->compress_centi));
}

static void add_times(struct text *out, const struct io_options *o)
{
    text_addf(out, "time_based=1\nruntime=%" PRIu64 "ms\nramp_time=%" PRIu64 "ms\n",
              (o->time_ns + 999999) / 1000000, o->warmup_ns / 1000000);
}

static void add_rate_remark(struct text *out, const struct io_options *o)
{
    unsigned rate[2];
    job_rates(o, rate);
    text_addf(out,
              "# * rate: fio paces each job by itself, in whole operations a second, together\n"
              "#   %" PRIu64 "/s; latencies begin when an operation starts, not when due\n",
              ((uint64_t)rate[0] + rate[1]) * o->streams);
}

static void add_place_remarks(struct text *out, const struct io_options *o)
{
    enum io_where where = o->dist.where;
    if (where == IO_ZIPF)
        add_remark(out,
                   "* zipf: fio hashes ranks to blocks, so that some blocks are hit by several\n"
                   "#   ranks and some by none; it does not take an exponent of 1");
    if (where == IO_ZIPF && o->files > 1)
        add_remark(out, "* files: fio draws a file first, all alike, and then a block of it;\n"
                        "#   what is hot for one job is not for the next");
    if (where == IO_HOT && o->files > 1)
        add_remark(out, "* files: fio draws a file first, all alike; the first part of each file\n"
                        "#   is hot, not that of all files in a row");
    if (where == IO_SEQ && o->files)
        add_remark(out, "* files: in fio every job goes through all files, not its own part");
    if (where == IO_SEQ && o->read_percent % 100 != 0)
        add_remark(out, "* seq: fio's reads begin at the front and so do its writes, each in an\n"
                        "#   order of their own; here both take the next block of one");
    if (where != IO_SEQ && o->blocks > 1)
        add_remark(out, "* blocks: fio has one law for all sizes, and places them at multiples of\n"
                        "#   the smallest one");
}

static void add_remarks(struct text *out, const struct io_options *o, bool null, bool device)
{
    add_remark(out, "The nearest that fio has to this loadline io. What differs:");
    if (null)
        add_remark(out,
                   "* null: loadline drives all streams from one thread a CPU, fio each alone");
    if (o->clients > 1)
        add_remark(out, "* clients: fio's jobs here are of one machine and share its connections");
    if (o->rate_per_s > 0)
        add_rate_remark(out, o);
    add_place_remarks(out, o);
    if (!o->direct && o->cache == STUDY_CACHE_DROP)
        add_remark(out,
                   "* cache: loadline proves that the files left this machine's cache, and\n"
                   "#   reads with O_DIRECT where they do not; fio asks once for them to leave");
    if (o->read_percent < 100)
        add_remark(out, "* content: other bytes, as new at each write");
    if (o->repeats > 1 || o->until_ci_frac > 0)
        add_remark(out, "* repeats: fio runs once; say it again for each");
    if (device) {
        add_remark(out, "* device: fio writes to it whatever lies there, and asks nobody");
        return;
    }
    add_remark(out, "* files: fio makes its own, named loadline-fio.N, and leaves them there");
}

int fio_job(const struct io_options *o, const char *target, uint64_t seed, struct text *out,
            struct err *err)
{
    struct text where;
    uint64_t file = 0;
    text_init(&where);
    int rc = io_file_bytes(o, &file, err);
    if (rc == 0)
        rc = add_target(&where, target, err);
    if (rc == 0) {
        bool device = strstr(where.s, "\nfilename=") != NULL;
        add_remarks(out, o, strstr(where.s, "=null") != NULL, device);
        text_addf(out,
                  "[global]\n%sthread=1\nnumjobs=%" PRIu32 "\niodepth=1\ngroup_reporting=1\n"
                  "percentile_list=50:95:99:99.9\nrandseed=%" PRIu64 "\n",
                  where.s, o->streams, seed & INT64_MAX);
        add_files(out, o, file, device);
        add_blocks(out, o);
        add_mix(out, o);
        add_rate(out, o);
        add_instrument(out, o);
        add_times(out, o);
        text_add(out, "\n[loadline-io]\n");
    }
    text_fini(&where);
    return rc;
}
