#include "cli/cli.h"
#include "cli/console.h"
#include "cli/overhead_note.h"
#include "cli/results_db.h"
#include "cli/study_values.h"

#include <string.h>

static const struct option_table *const tables[] = {&output_db_table, NULL};

static void add_line(struct text *out, const char *what, double ns, const char *unit)
{
    text_addf(out, "  %-44s %8.1f %s\n", what, ns, unit);
}

static int print_overhead(const struct overhead *o)
{
    struct text text;
    text_init(&text);
    text_addf(&text, "What loadline itself costs on this machine\n  %s\n", o->machine);
    add_line(&text, "reading the clock", o->clock_read_ns, "ns");
    add_line(&text, "recording into a histogram", o->hist_record_ns, "ns");
    add_line(&text, "operation through the null target", o->null_op_ns, "ns CPU");
    add_line(&text, "1-byte pread in a bare loop", o->posix_bare_ns, "ns CPU");
    add_line(&text, "1-byte pread through the engine", o->posix_op_ns, "ns CPU");
    if (o->posix_op_ns >= o->posix_bare_ns)
        add_line(&text, "added by loadline to an operation", o->posix_op_ns - o->posix_bare_ns,
                 "ns CPU");
    else
        text_add(&text, "  added by loadline to an operation     too little to measure here\n");
    int rc = console_out(&text);
    text_fini(&text);
    return rc;
}

static int save(const char *db, const struct overhead *o, struct err *err)
{
    struct store *store = NULL;
    int rc = results_db_open(db, &store, err);
    if (rc >= 0)
        rc = overhead_note_save(store, o, err);
    store_close(store);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&output}};
    struct overhead o;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (strcmp(parsed.args[0], "overhead") != 0) {
        console_error("selftest %s: there is only overhead", parsed.args[0]);
        return CLI_USAGE;
    }
    int rc = overhead_measure(&o, &err);
    if (rc >= 0 && !results_db_none(output.db))
        rc = save(output.db, &o, &err);
    if (rc < 0)
        console_error("%s", err.text);
    else
        rc = print_overhead(&o);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

const struct command cmd_selftest = {
    .name = "selftest",
    .brief = "what loadline itself costs on this machine",
    .summary = "Measures what loadline itself costs on this machine, and keeps it for later "
               "results to quote.",
    .args = "overhead",
    .lacks = "what to test is missing: overhead",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline selftest overhead", "loadline selftest overhead --db none"},
    .tables = tables,
    .run = run,
};
