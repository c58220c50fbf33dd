#include "cli/cli.h"
#include "cli/console.h"
#include "cli/results_db.h"
#include "cli/study_values.h"

#include "base/text.h"
#include "clk/clk.h"
#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <string.h>

static const struct option_table *const tables[] = {&output_db_table, &output_quiet_table, NULL};

static bool is_running(const struct store_study *study)
{
    return study->state == STORE_RUNNING;
}

static int refuse_many(const struct store_study *list, unsigned n, struct err *err)
{
    struct text ids;
    text_init(&ids);
    for (unsigned i = 0; i < n; i++)
        if (is_running(&list[i]))
            text_addf(&ids, "%s%s", ids.len ? ", " : "", list[i].id);
    int rc = err_set(err, -EINVAL, "several studies run, name one behind the text: %s", ids.s);
    text_fini(&ids);
    return rc;
}

/* The one that runs, when none is named. */
static int find_running(struct store *store, char id[RESULT_ID_MAX], struct err *err)
{
    struct store_study *list = NULL;
    unsigned n = 0, running = 0;
    int rc = store_list(store, NULL, &list, &n, err);
    for (unsigned i = 0; rc >= 0 && i < n; i++)
        if (is_running(&list[i]) && running++ == 0)
            memcpy(id, list[i].id, RESULT_ID_MAX);
    if (rc >= 0 && running == 0)
        rc = err_set(err, -ENOENT, "no study is running: there is nothing to mark");
    else if (rc >= 0 && running > 1)
        rc = refuse_many(list, n, err);
    store_studies_free(list, n);
    return rc;
}

/* Where time is the target's own, there is no moment of it that is now. */
static int check_clock(struct store *store, const char *id, struct err *err)
{
    struct store_study *study = NULL;
    struct target_caps caps = {.own_clock = false};
    int rc = store_get_study(store, id, &study, err);
    if (rc < 0)
        return rc;
    study->target[strcspn(study->target, ",")] = '\0';
    if (target_caps_of(study->target, &caps, NULL) == 0 && caps.own_clock)
        rc =
            err_set(err, -EOPNOTSUPP,
                    "study %s is of %s: time is the target's own there, and now is no moment of it",
                    id, study->target);
    store_studies_free(study, 1);
    return rc;
}

static int put_mark(struct store *store, const char *text, const char *name, uint64_t now_ns,
                    char id[RESULT_ID_MAX], struct err *err)
{
    unsigned run = 0;
    int rc = name ? store_find(store, name, id, &run, err) : find_running(store, id, err);
    if (rc >= 0)
        rc = check_clock(store, id, err);
    return rc >= 0 ? store_put_mark(store, id, now_ns, text, err) : rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    const uint64_t now_ns = clk_wall_ns();
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&output, &output}};
    struct store *store = NULL;
    char id[RESULT_ID_MAX] = "";
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (results_db_none(output.db)) {
        console_error("--db none: a mark goes through the store to the study that runs");
        return CLI_USAGE;
    }
    console_open(output.quiet);
    int rc = results_db_open(output.db, &store, &err);
    if (rc >= 0)
        rc = put_mark(store, parsed.args[0], parsed.n_args > 1 ? parsed.args[1] : NULL, now_ns, id,
                      &err);
    store_close(store);
    if (rc < 0) {
        console_error("%s", err.text);
        return cli_status(rc, false);
    }
    console_note("marked in %s", id);
    return CLI_DONE;
}

const struct command cmd_mark = {
    .name = "mark",
    .brief = "put a mark on the time axis of the study that runs",
    .summary = "Notes what was done just now, \"log device on\", in the result of the run that "
               "goes on: `show "
               "ID.n` has it with its time. With several studies running one is named.",
    .args = "TEXT [ID]",
    .lacks = "a text is missing",
    .args_min = 1,
    .args_max = 2,
    .example = {"loadline mark 'log device on'", "loadline mark 'cable out' k3m9"},
    .tables = tables,
    .run = run,
};
