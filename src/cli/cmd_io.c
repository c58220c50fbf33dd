#include "cli/console.h"
#include "cli/measure.h"

#include "base/units.h"

#include <errno.h>

#define DAY_NS 86400000000000ull

struct io_values {
    uint64_t read_percent;
    uint64_t block_bytes;
    uint64_t streams;
    uint64_t size_bytes;
    double rate_per_s;
    uint64_t time_ns;
    uint64_t warmup_ns;
    int cache;
    bool random;
    bool sequential;
    bool direct;
    bool keep;
};

enum { GIVEN_CACHE = 1 };

#define IO(member) offsetof(struct io_values, member)

static const struct option io_options_table[] = {
    {.name = "read",
     .arg = "PERCENT",
     .kind = OPTION_COUNT,
     .at = IO(read_percent),
     .max = 100,
     .initial = "70",
     .help = "share of reads; the rest are writes"},
    {.name = "block",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = IO(block_bytes),
     .min = 1,
     .max = 1 << 30,
     .initial = "8k",
     .help = "bytes of one read or write"},
    {.name = "streams",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = IO(streams),
     .min = 1,
     .max = 1000000,
     .initial = "32",
     .help = "operations in flight at once"},
    {.name = "size",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = IO(size_bytes),
     .min = 1,
     .max = 1ull << 50,
     .initial = "1g",
     .help = "of all files together"},
    {.name = "time",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = IO(time_ns),
     .min = 1000000,
     .max = 7 * DAY_NS,
     .initial = "60s",
     .help = "length of the measurement, after the warm-up"},
    {.name = "warmup",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = IO(warmup_ns),
     .max = DAY_NS,
     .initial = "5s",
     .help = "time before it that does not count"},
    {.name = "rate",
     .arg = "RATE",
     .kind = OPTION_RATE,
     .at = IO(rate_per_s),
     .max = 1000000000,
     .otherwise = "as fast as each stream gets its answers",
     .help = "operations begun per second over all streams; waiting for a free stream then counts "
             "as response time"},
    {.name = "random",
     .kind = OPTION_FLAG,
     .at = IO(random),
     .otherwise = "yes",
     .help = "blocks anywhere in the files"},
    {.name = "seq",
     .kind = OPTION_FLAG,
     .at = IO(sequential),
     .help = "blocks in rising order, each stream in its own part"},
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
    {.name = "keep",
     .kind = OPTION_FLAG,
     .at = IO(keep),
     .help = "leave the files for a next run of the same shape; `loadline clean --kept` removes "
             "them"},
};
static const struct option_table io_table = OPTION_TABLE("Mix", io_options_table);

static const struct option_table *const tables[] = {
    &io_table,           &study_table, &output_db_table, &output_format_table, &output_file_table,
    &output_quiet_table, NULL,
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_io(common, options, sink, err);
}

static int take(const struct io_values *v, unsigned given, struct io_options *out, struct err *err)
{
    char block[UNITS_PRINT_MAX], size[UNITS_PRINT_MAX];
    if (v->random && v->sequential)
        return err_set(err, -EINVAL, "--random and --seq exclude each other");
    if (v->direct && (given & GIVEN_CACHE))
        return err_set(err, -EINVAL,
                       "--direct and --client-cache exclude each other: O_DIRECT passes that cache "
                       "by");
    if (v->block_bytes > v->size_bytes)
        return err_set(err, -EINVAL, "--block %s: larger than --size %s",
                       units_print_bytes(block, v->block_bytes),
                       units_print_bytes(size, v->size_bytes));
    *out = (struct io_options){.read_percent = (unsigned)v->read_percent,
                               .block_bytes = v->block_bytes,
                               .streams = (uint32_t)v->streams,
                               .size_bytes = v->size_bytes,
                               .rate_per_s = v->rate_per_s,
                               .time_ns = v->time_ns,
                               .warmup_ns = v->warmup_ns,
                               .sequential = v->sequential,
                               .direct = v->direct,
                               .cache = (enum study_client_cache)v->cache};
    return 0;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct io_values io = {.rate_per_s = 0};
    struct study_values study = {.label = NULL};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&io, &study, &output, &output, &output, &output}};
    struct io_options options;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (take(&io, parsed.given[0], &options, &err) < 0) {
        console_error("%s", err.text);
        return CLI_USAGE;
    }
    const struct measure measure = {.command = self,
                                    .argc = argc,
                                    .argv = argv,
                                    .target = parsed.args[0],
                                    .output = &output,
                                    .study = &study,
                                    .keep = io.keep,
                                    .run = run_study,
                                    .options = &options};
    return measure_run(&measure);
}

const struct command cmd_io = {
    .name = "io",
    .brief = "read and write blocks from many streams for a time",
    .summary = "Reads and writes blocks of files from many streams for a fixed time: rate, "
               "throughput and latency, closed loop or at a fixed rate.",
    .args = "TARGET",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline io /mnt/filer --read 70 --block 8k --streams 32 --time 60s",
                "loadline io /mnt/filer --block 4k --streams 64 --rate 5000/s"},
    .tables = tables,
    .run = run,
};
