#include "cli/cli.h"
#include "cli/console.h"
#include "cli/results_db.h"
#include "cli/study_values.h"

#include "result/study_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_table *const tables[] = {&output_db_table, NULL};

/* One file on its way in. */
struct incoming {
    struct store *store;
    struct store_study study; /* its text is owned */
    bool headed;
};

static void incoming_fini(struct incoming *in)
{
    free(in->study.target);
    free(in->study.label);
    free(in->study.command);
    free(in->study.argv);
}

static int on_head(void *ctx, const struct study_head *head, struct err *err)
{
    struct incoming *in = ctx;
    memcpy(in->study.id, head->id, sizeof in->study.id);
    memcpy(in->study.kind, head->kind, sizeof in->study.kind);
    in->study.begun_wall_ns = head->begun_wall_ns;
    in->study.target = strdup(head->target);
    in->study.label = strdup(head->label);
    in->study.command = strdup(head->command);
    in->study.argv = strdup(head->argv);
    in->headed = true;
    if (!in->study.target || !in->study.label || !in->study.command || !in->study.argv)
        return err_set(err, -ENOMEM, "out of memory");
    return store_import_begin(in->store, err);
}

static int on_run(void *ctx, struct result *r, struct err *err)
{
    struct incoming *in = ctx;
    int rc = in->headed ? store_import_run(in->store, r, r->document, err)
                        : err_set(err, -EINVAL,
                                  "a list of results and no exported study: `show` prints it, "
                                  "there is nothing to import");
    result_free(r);
    return rc;
}

static int read_file(const char *path, struct incoming *in, struct err *err)
{
    struct study_tail tail = {.runs = 0};
    const struct study_file_sink sink = {.head = on_head, .run = on_run, .ctx = in};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, -errno, "cannot be opened");
    int rc = study_file_read(fd, &sink, &tail, err);
    close(fd);
    if (rc < 0)
        return rc;
    if (!study_state_known(tail.state))
        console_warn("%s has no end, as that of a study that was killed: it is incomplete", path);
    in->study.state = store_state_of(tail.state);
    in->study.ended_wall_ns = tail.ended_wall_ns;
    in->study.runs = tail.runs;
    return 0;
}

static void add_runs(struct text *out, unsigned n)
{
    text_addf(out, "%u run%s", n, n == 1 ? "" : "s");
}

static int tell(const struct store_study *study, const struct store_import *got)
{
    struct text line;
    text_init(&line);
    text_addf(&line, "%-8s  ", study->id);
    if (got->made)
        add_runs(&line, got->added);
    else if (got->added == 0)
        text_add(&line, "already here, with ");
    if (!got->made && got->added > 0) {
        add_runs(&line, got->added);
        text_addf(&line, " more, to the %u that were here", got->had);
    } else if (!got->made) {
        add_runs(&line, got->had);
    }
    text_addf(&line, ", %s, %s\n", study->kind, store_state_name(got->state));
    int rc = console_out(&line);
    text_fini(&line);
    return rc;
}

static int import(struct store *store, const char *path, struct err *err)
{
    struct incoming in = {.store = store};
    struct store_import got = {.added = 0};
    int rc = read_file(path, &in, err);
    if (rc == 0)
        rc = store_import_end(store, &in.study, &got, err);
    if (rc < 0)
        err_prefix(err, "%s", path);
    else
        rc = tell(&in.study, &got);
    incoming_fini(&in);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&output}};
    struct store *store = NULL;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (results_db_none(output.db)) {
        console_error("--db none: there is nothing to import into");
        return CLI_USAGE;
    }
    if (results_db_open(output.db, &store, &err) < 0) {
        console_error("%s", err.text);
        return CLI_COULD_NOT_RUN;
    }
    for (unsigned i = 0; i < parsed.n_args; i++) {
        err = (struct err){0};
        if (import(store, parsed.args[i], &err) >= 0)
            continue;
        status = CLI_COULD_NOT_RUN;
        if (err.code)
            console_error("%s", err.text);
    }
    store_close(store);
    return status;
}

const struct command cmd_import = {
    .name = "import",
    .brief = "take studies in that were exported, here or elsewhere",
    .summary = "Takes exported studies into the results kept on this machine. What is here already "
               "is left as it is; a file that was changed or damaged is refused.",
    .args = "FILE...",
    .lacks = "a file is missing",
    .args_min = 1,
    .args_max = OPTION_ARGS_MAX,
    .example = {"loadline import loadline-k3m9a7xq.json.gz", "loadline import results/*.json.gz"},
    .tables = tables,
    .run = run,
};
