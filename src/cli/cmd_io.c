#include "cli/console.h"
#include "cli/fio_job.h"
#include "cli/io_values.h"
#include "cli/measure.h"
#include "target/catalog.h"
#include "target/destroy.h"
#include "target/target.h"

static const struct option_table *const tables[] = {
    &io_mix_table,        &io_load_table,     &io_run_table,       &study_table, &output_db_table,
    &output_format_table, &output_file_table, &output_quiet_table, NULL,
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_io(common, options, sink, err);
}

static int print_fio(const struct io_options *options, const char *target, uint64_t seed)
{
    struct text job;
    struct err err = {0};
    text_init(&job);
    int rc = fio_job(options, target, seed, &job, &err);
    if (rc < 0)
        console_error("%s", err.text);
    else
        rc = console_out(&job);
    text_fini(&job);
    return rc < 0 ? cli_status(rc, false) : CLI_DONE;
}

/* Before anything asks the target what it can do. */
static int fit(const struct io_values *io, const unsigned given[3], const char *target,
               struct io_options *options, struct err *err)
{
    struct target_caps caps;
    int rc = io->destroy ? target_allow_destroy(io->destroy, err) : 0;
    if (rc == 0)
        rc = target_caps_of(target, &caps, err);
    if (rc == 0)
        rc = target_check_destroy(io->destroy, target, &caps, err);
    if (rc == 0 && caps.own_clock)
        io_values_own_clock(given, options);
    return rc == 0 ? io_options_fit(options, &caps, err) : rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct io_values io = {.rate_per_s = 0};
    struct study_values study = {.label = NULL};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {
        .values = {&io, &io, &io, &study, &output, &output, &output, &output}};
    struct io_options options;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (io_values_take(&io, parsed.given, &options, &err) < 0) {
        console_error("%s", err.text);
        return CLI_USAGE;
    }
    int rc = fit(&io, parsed.given, parsed.args[0], &options, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        return cli_status(rc, false);
    }
    if (io.print_fio)
        return print_fio(&options, parsed.args[0], study.seed);
    const struct measure measure = {.command = self,
                                    .argc = argc,
                                    .argv = argv,
                                    .target = parsed.args,
                                    .targets = parsed.n_args,
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
    .summary = "Reads and writes blocks of files, or of a block device, from many streams for a "
               "fixed time: "
               "rate, throughput and latency, closed loop or at a fixed rate.",
    .args = "TARGET",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline io /mnt/filer --read 70 --block 8k --streams 32 --time 60s",
                "loadline io /mnt/filer --dist zipf:1.1 --rate 5000/s --arrival poisson"},
    .tables = tables,
    .run = run,
};
