#include "cli/console.h"
#include "cli/limits_values.h"
#include "cli/measure.h"
#include "cli/published_limits.h"
#include "target/catalog.h"
#include "target/destroy.h"
#include "target/target.h"

static const struct option_table *const tables[] = {
    &limits_load_table,   &limits_room_table,
    &limits_server_table, &limits_published_table,
    &study_table,         &output_db_table,
    &output_format_table, &output_file_table,
    &output_quiet_table,  NULL,
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_limits(common, options, sink, err);
}

/* Of a device that is given up one of the targets is one. */
static int allow_destroy(const char *device, const char *const *target, unsigned n, struct err *err)
{
    struct target_caps caps;
    int rc = target_allow_destroy(device, err);
    for (unsigned i = 0; rc == 0 && i < n; i++) {
        rc = target_caps_of(target[i], &caps, err);
        if (rc == 0 && n == 1)
            rc = target_check_destroy(device, target[i], &caps, err);
    }
    return rc;
}

static int prepare(const struct limits_values *v, const struct options_parsed *parsed,
                   struct limits_options *options, struct limits_published *published,
                   struct err *err)
{
    int rc = limits_values_take(v, options, err);
    if (rc == 0 && v->published)
        rc = published_limits_load(v->published, published, err);
    if (rc == 0 && v->destroy)
        rc = allow_destroy(v->destroy, parsed->args, parsed->n_args, err);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct limits_values limits = {.clients = 0};
    struct study_values study = {.label = NULL};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&limits, &limits, &limits, &limits.published, &study,
                                               &output, &output, &output, &output}};
    struct limits_published published;
    struct limits_options options;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    int rc = prepare(&limits, &parsed, &options, &published, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        return cli_status(rc, false);
    }
    const struct measure measure = {.command = self,
                                    .argc = argc,
                                    .argv = argv,
                                    .target = parsed.args,
                                    .targets = parsed.n_args,
                                    .output = &output,
                                    .study = &study,
                                    .keep = limits.keep,
                                    .published = limits.published ? &published : NULL,
                                    .dry_run = limits.dry_run,
                                    .run = run_study,
                                    .options = &options};
    return measure_run(&measure);
}

const struct command cmd_limits = {
    .name = "limits",
    .brief = "find every ceiling, and what stops it",
    .summary = "Finds by itself how much a target carries: a row per ceiling, streams from cache "
               "and disk, "
               "operations per second, latency of flash and of synchronous writes, names; each "
               "ramped until more load gives no more, with where the bytes came from and what "
               "stopped it, or that this is not known. Several targets stand side by side.",
    .args = "TARGET...",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = STUDY_TARGETS_MAX,
    .example = {"loadline limits /mnt/filer --budget 5m",
                "loadline limits sim:sun7410-barcelona sim:sun7410-istanbul"},
    .tables = tables,
    .run = run,
};
