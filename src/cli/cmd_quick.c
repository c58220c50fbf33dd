#include "cli/console.h"
#include "cli/measure.h"

struct quick_values {
    uint64_t budget_ns;
    uint64_t max_bytes;
};

static const struct option quick_options[] = {
    {.name = "budget",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = offsetof(struct quick_values, budget_ns),
     .min = UINT64_C(5000000000),
     .max = UINT64_C(3600000000000),
     .initial = "30s",
     .help = "time for everything, laying out included"},
    {.name = "max-bytes",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = offsetof(struct quick_values, max_bytes),
     .min = 1 << 20,
     .max = 1ull << 50,
     .otherwise = "the lesser of 1g and a tenth of the free space",
     .help = "no larger working set; what it leaves without proof is marked"},
};
static const struct option_table quick_table = OPTION_TABLE("Time and bytes", quick_options);

static const struct option_table *const tables[] = {
    &quick_table,        &study_table, &output_db_table, &output_format_table, &output_file_table,
    &output_quiet_table, NULL,
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_limits(common, options, sink, err);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct quick_values quick = {.budget_ns = 0};
    struct study_values study = {.label = NULL};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&quick, &study, &output, &output, &output, &output}};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    const struct limits_options options = {
        .budget_ns = quick.budget_ns, .max_bytes = quick.max_bytes, .quick = true};
    const struct measure measure = {.command = self,
                                    .argc = argc,
                                    .argv = argv,
                                    .target = parsed.args,
                                    .targets = parsed.n_args,
                                    .output = &output,
                                    .study = &study,
                                    .run = run_study,
                                    .options = &options};
    return measure_run(&measure);
}

const struct command cmd_quick = {
    .name = "quick",
    .brief = "four ceilings in less than a minute, to be pasted",
    .summary =
        "Four rows of `limits` with one short measurement each: streams and 4 KiB blocks, read "
        "and written, past this machine's cache where that can be; with latencies, where the "
        "bytes came from and what stopped them. With --wide, or by `loadline show`, they tell "
        "more.",
    .args = "TARGET",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline quick /mnt/filer", "loadline quick sim:linux-nfs-10g"},
    .tables = tables,
    .run = run,
};
