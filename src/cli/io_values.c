#include "cli/io_values.h"

#include "base/units.h"

#include <errno.h>
#include <string.h>

#define DAY_NS 86400000000000ull

enum {
    GIVEN_CACHE = 1 << 0,
    GIVEN_READ = 1 << 1,
    GIVEN_MIX = 1 << 2,
    GIVEN_DIST = 1 << 3,
    GIVEN_ARRIVAL = 1 << 4,
    GIVEN_MAX_REPEAT = 1 << 5,
    GIVEN_UNTIL = 1 << 6,
    GIVEN_TIME = 1 << 7,
    GIVEN_WARMUP = 1 << 8,
};

#define IO(member) offsetof(struct io_values, member)

/* ---- the tables ---- */

static const struct option mix_options[] = {
    {.name = "read",
     .arg = "PERCENT",
     .kind = OPTION_COUNT,
     .at = IO(read_percent),
     .max = 100,
     .initial = "70",
     .given = GIVEN_READ,
     .help = "share of reads; the rest are writes"},
    {.name = "mix",
     .arg = "READS/WRITES",
     .kind = OPTION_OWN_PARSER,
     .at = IO(mix_read_percent),
     .parse = io_parse_mix,
     .accepts = "two whole numbers that add up to 100, such as 70/30",
     .given = GIVEN_MIX,
     .help = "the same as --read, for those who write it 70/30"},
    {.name = "block",
     .arg = "SIZE",
     .kind = OPTION_OWN_PARSER,
     .at = IO(blocks),
     .parse = io_parse_blocks,
     .accepts =
         "a size from 1 to 1g such as 8k, or up to 8 sizes with their shares in per cent such "
         "as 4k:60,64k:40",
     .initial = "8k",
     .help = "bytes of one read or write; or several sizes and their shares of the operations, "
             "4k:60,64k:40: each is then a line of its own in the answer"},
    {.name = "dist",
     .arg = "WHERE",
     .kind = OPTION_OWN_PARSER,
     .at = IO(dist),
     .parse = io_parse_dist,
     .accepts =
         "uniform, seq, zipf:S with S from 0.001 to 20 such as zipf:1.1, or hot:OPS/BLOCKS in "
         "per cent such as hot:90/10",
     .initial = "uniform",
     .given = GIVEN_DIST,
     .help =
         "which blocks: uniform, any; seq, in rising order, each stream in its own part; zipf:S, "
         "the k-th hottest k^S times less often than the hottest, hot ones scattered over the "
         "files; hot:90/10, 90 % of the operations to the first 10 % of the blocks"},
    {.name = "random", .kind = OPTION_FLAG, .at = IO(random), .help = "the same as --dist uniform"},
    {.name = "seq", .kind = OPTION_FLAG, .at = IO(sequential), .help = "the same as --dist seq"},
    {.name = "size",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = IO(size_bytes),
     .min = 1,
     .max = 1ull << 50,
     .otherwise = "1g; of a block device all that it has",
     .help = "of all files together, or so much of a block device, from its beginning"},
    {.name = "files",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = IO(files),
     .min = 1,
     .max = 10000000,
     .otherwise = "one for each stream, that no other uses",
     .help =
         "so many files, each open in every stream: blocks are chosen among those of all files"},
    {.name = "compress",
     .arg = "RATIO",
     .kind = OPTION_OWN_PARSER,
     .at = IO(compress_centi),
     .parse = io_parse_compress,
     .accepts = "a ratio from 1.1:1 to 10:1, such as 2:1",
     .otherwise = "content that does not compress",
     .help = "content of files that zlib shrinks to that ratio"},
};
const struct option_table io_mix_table = OPTION_TABLE("Mix", mix_options);

static const char *const arrival_words[] = {"constant", "poisson", NULL};
static const char *const sync_words[] = {"none", "data", "full", NULL};

static const struct option load_options[] = {
    {.name = "streams",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = IO(streams),
     .min = 1,
     .max = 1000000,
     .initial = "32",
     .help = "operations in flight at once; with --clients those of each client"},
    {.name = "clients",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = IO(clients),
     .min = 1,
     .max = 4000,
     .initial = "1",
     .help = "clients that ask, where they are loadline's own (nfs:, sim:): each with connections "
             "of its "
             "own and as many streams as --streams says"},
    {.name = "rate",
     .arg = "RATE",
     .kind = OPTION_RATE,
     .at = IO(rate_per_s),
     .max = 1000000000,
     .otherwise = "as fast as each stream gets its answers",
     .help = "operations begun per second over all streams; waiting for a free stream then counts "
             "as response time"},
    {.name = "arrival",
     .kind = OPTION_WORD,
     .at = IO(arrival),
     .words = arrival_words,
     .initial = "constant",
     .given = GIVEN_ARRIVAL,
     .help =
         "with --rate: constant, one after the other in equal steps; poisson, at random as from "
         "many independent users"},
    {.name = "sync",
     .kind = OPTION_WORD,
     .at = IO(sync),
     .words = sync_words,
     .initial = "none",
     .help = "when a write is done: none, when the system has taken it; data, when it is on stable "
             "storage (O_DSYNC); full, with all metadata as well (O_SYNC)"},
    {.name = "direct",
     .kind = OPTION_FLAG,
     .at = IO(direct),
     .help = "bypass this machine's page cache (O_DIRECT)"},
    {.name = "client-cache",
     .kind = OPTION_WORD,
     .at = IO(cache),
     .words = cache_words,
     .initial = "drop",
     .given = GIVEN_CACHE,
     .help = "drop: files leave this machine's page cache before the run; keep: they do not"},
};
const struct option_table io_load_table = OPTION_TABLE("Load", load_options);

static const struct option run_options[] = {
    {.name = "time",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = IO(time_ns),
     .min = 1000000,
     .max = 7 * DAY_NS,
     .initial = "60s",
     .given = GIVEN_TIME,
     .help =
         "length of the measurement, after the warm-up; of a modelled system's own time 10s when "
         "nothing is said"},
    {.name = "warmup",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = IO(warmup_ns),
     .max = DAY_NS,
     .initial = "5s",
     .given = GIVEN_WARMUP,
     .help = "time before it that does not count, rounded up to whole intervals; of a modelled "
             "system's "
             "own time 2s when nothing is said"},
    {.name = "repeat",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = IO(repeats),
     .min = 1,
     .max = IO_REPEATS_MAX,
     .initial = "1",
     .help = "runs, one after the other on the same files"},
    {.name = "until-ci",
     .arg = "PERCENT",
     .kind = OPTION_OWN_PARSER,
     .at = IO(until_ci_frac),
     .parse = until_ci_parse,
     .accepts = UNTIL_CI_ACCEPTS,
     .otherwise = "as many as --repeat says",
     .given = GIVEN_UNTIL,
     .help = "five runs at least, and more until the 95 % interval of the mean throughput is that "
             "narrow on either side"},
    {.name = "max-repeat",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = IO(max_repeats),
     .min = 5,
     .max = IO_REPEATS_MAX,
     .initial = "30",
     .given = GIVEN_MAX_REPEAT,
     .help = "with --until-ci: no more runs than these"},
    {.name = "keep",
     .kind = OPTION_FLAG,
     .at = IO(keep),
     .help = "leave the files for a next run of the same shape; `loadline clean --kept` removes "
             "them"},
    {.name = "destroy",
     .arg = "DEVICE",
     .kind = OPTION_TEXT,
     .at = IO(destroy),
     .min = 1,
     .max = 4000,
     .help = "write to the block device that the target is: its name, typed again"},
    {.name = "print-fio",
     .kind = OPTION_FLAG,
     .at = IO(print_fio),
     .help = "measure nothing: print the fio job that comes nearest, with what differs, and end"},
};
const struct option_table io_run_table = OPTION_TABLE("Run", run_options);

/* ---- what belongs together ---- */

static int check_pairs(const struct io_values *v, unsigned given, struct err *err)
{
    if (v->random && v->sequential)
        return err_set(err, -EINVAL, "--random and --seq exclude each other");
    if ((given & GIVEN_DIST) && (v->random || v->sequential))
        return err_set(err, -EINVAL, "--dist and --%s exclude each other",
                       v->random ? "random" : "seq");
    if ((given & GIVEN_READ) && (given & GIVEN_MIX))
        return err_set(err, -EINVAL, "--read and --mix exclude each other: they say the same");
    if ((given & GIVEN_ARRIVAL) && v->rate_per_s <= 0)
        return err_set(err, -EINVAL, "--arrival needs --rate: without one nothing arrives");
    if ((given & GIVEN_MAX_REPEAT) && !(given & GIVEN_UNTIL))
        return err_set(err, -EINVAL, "--max-repeat needs --until-ci: --repeat says how many runs");
    if (v->direct && (given & GIVEN_CACHE))
        return err_set(err, -EINVAL,
                       "--direct and --client-cache exclude each other: O_DIRECT passes that cache "
                       "by");
    return 0;
}

static void take_parts(const struct io_values *v, unsigned given, struct io_options *out)
{
    out->blocks = v->blocks.n;
    memcpy(out->block, v->blocks.block, sizeof out->block);
    out->dist = v->dist;
    if (v->sequential)
        out->dist.where = IO_SEQ;
    if (given & GIVEN_MIX)
        out->read_percent = (unsigned)v->mix_read_percent;
}

int io_values_take(const struct io_values *v, const unsigned given[3], struct io_options *out,
                   struct err *err)
{
    char block[UNITS_PRINT_MAX], size[UNITS_PRINT_MAX];
    unsigned all = given[0] | given[1] | given[2];
    int rc = check_pairs(v, all, err);
    if (rc < 0)
        return rc;
    *out = (struct io_options){.read_percent = (unsigned)v->read_percent,
                               .streams = (uint32_t)(v->streams * v->clients),
                               .clients = (uint32_t)v->clients,
                               .files = (uint32_t)v->files,
                               .size_bytes = v->size_bytes,
                               .rate_per_s = v->rate_per_s,
                               .arrival = (enum io_arrival)v->arrival,
                               .time_ns = v->time_ns,
                               .warmup_ns = v->warmup_ns,
                               .sync = (enum io_sync)v->sync,
                               .compress_centi = v->compress_centi,
                               .direct = v->direct,
                               .cache = (enum study_client_cache)v->cache,
                               .repeats = (unsigned)v->repeats,
                               .until_ci_frac = v->until_ci_frac,
                               .max_repeats = (unsigned)v->max_repeats};
    take_parts(v, all, out);
    if (v->size_bytes && io_block_most(out) > v->size_bytes)
        return err_set(err, -EINVAL, "--block %s: larger than --size %s",
                       units_print_bytes(block, io_block_most(out)),
                       units_print_bytes(size, v->size_bytes));
    return io_options_check(out, err);
}

/* A model is the same at all times: nothing happens to it beside what is asked, and a second of it may be a
 * million ops. */
#define OWN_TIME_NS   10000000000u
#define OWN_WARMUP_NS 2000000000u

void io_values_own_clock(const unsigned given[3], struct io_options *out)
{
    unsigned all = given[0] | given[1] | given[2];
    if (!(all & GIVEN_TIME))
        out->time_ns = OWN_TIME_NS;
    if (!(all & GIVEN_WARMUP))
        out->warmup_ns = OWN_WARMUP_NS;
}
