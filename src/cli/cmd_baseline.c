#include "cli/cli.h"
#include "cli/console.h"
#include "cli/published.h"
#include "cli/result_file.h"
#include "cli/results_db.h"
#include "cli/select.h"
#include "cli/study_values.h"
#include "cli/table.h"

#include "base/shown.h"
#include "stats/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 60

struct baseline_values {
    uint64_t last;
    bool replace;
};

static const struct option baseline_options[] = {
    {.name = "last",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = offsetof(struct baseline_values, last),
     .min = 1,
     .max = 10000,
     .otherwise = "all",
     .help = "set: only the newest N studies that the selector names"},
    {.name = "replace",
     .kind = OPTION_FLAG,
     .at = offsetof(struct baseline_values, replace),
     .help = "set: NAME may be a baseline already; its old studies stay in the store"},
};
static const struct option_table baseline_table = OPTION_TABLE("Baselines", baseline_options);

static const struct option_table *const tables[] = {
    &baseline_table,
    &output_format_table,
    &output_db_table,
    NULL,
};

struct call {
    const struct baseline_values *values;
    const struct output_values *output;
    const char *const *word; /* behind set, list, show or rm */
};

/* ---- set ---- */

static int refuse_name(const char *name, const char *why, struct err *err)
{
    return err_set(err, -EINVAL, "baseline '%s': %s", name, why);
}

/* A name that means something else already would be taken for it, or hide it. */
static int check_name(struct store *store, const char *name, struct err *err)
{
    char id[RESULT_ID_MAX];
    unsigned run;
    if (*name == '\0' || strlen(name) > NAME_MAX_BYTES || !shown_as_is(name))
        return refuse_name(name, "a name has 1 to 60 printable characters", err);
    if (result_file_is(name))
        return refuse_name(name, "that is how a file is named", err);
    if (strpbrk(name, "*?[") || *name == '-')
        return refuse_name(name, "no name has * ? or [ in it, or begins with -", err);
    if (published_is(name))
        return refuse_name(name, "that is a result that is shipped", err);
    int rc = store_find(store, name, id, &run, err);
    if (rc == -ENOENT)
        return 0;
    return rc == 0 || rc == -EEXIST
               ? refuse_name(name, "that is the label or the beginning of the id of a study", err)
               : rc;
}

static int check_replace(struct store *store, const struct call *call, struct err *err)
{
    const char *name = call->word[0];
    struct store_baseline *old = NULL;
    int rc = store_get_baseline(store, name, &old, err);
    store_baselines_free(old, rc == 0 ? 1 : 0);
    if (rc == 0 && !call->values->replace)
        return err_set(
            err, -EEXIST,
            "there is a baseline '%s' already; --replace sets it anew, `loadline baseline "
            "show %s` shows it",
            name, name);
    return rc == -ENOENT ? 0 : rc;
}

static int check_pinnable(const char *selector, const struct selection *found, struct err *err)
{
    if (found->kind == SELECT_FILE)
        return err_set(err, -EINVAL,
                       "%s: a baseline is made of studies in the store; `loadline import %s` first",
                       selector, selector);
    if (found->kind == SELECT_PUBLISHED)
        return err_set(err, -EINVAL, "%s is shipped: it can be named without a baseline", selector);
    if (found->side > 0)
        return err_set(err, -EINVAL,
                       "%s is one target of a study: a baseline is made of whole studies",
                       selector);
    if (found->kind == SELECT_RUN)
        return err_set(err, -EINVAL, "%s is one run: a baseline is made of whole studies",
                       selector);
    return 0;
}

static int tell_set(const char *name, const struct selection *found)
{
    struct text text;
    text_init(&text);
    text_addf(&text, "baseline %s: %u stud%s, %u run%s\n", name, found->studies,
              found->studies == 1 ? "y" : "ies", found->n, found->n == 1 ? "" : "s");
    int rc = console_show(&text);
    text_fini(&text);
    if (found->studies < CHANGE_RUNS_MIN)
        console_note("noise is known from %d runs of a row on; those of several studies tell more "
                     "than repeats within one",
                     CHANGE_RUNS_MIN);
    return rc;
}

static int put(struct store *store, const struct call *call, const struct selection *found,
               struct err *err)
{
    char *name = strdup(call->word[0]), *selector = strdup(call->word[1]);
    const struct store_baseline baseline = {
        .name = name, .selector = selector, .n = found->studies, .id = found->id};
    int rc = name && selector ? store_put_baseline(store, &baseline, err)
                              : err_set(err, -ENOMEM, "no memory for a name");
    free(name);
    free(selector);
    return rc;
}

static int set(const struct call *call, struct err *err)
{
    struct selection found = {.n = 0};
    struct selector selector;
    struct store *store = NULL;
    select_open(&selector, call->output->db);
    int rc = select_find(&selector, call->word[1], SELECT_SEVERAL, (unsigned)call->values->last,
                         &found, err);
    if (rc >= 0)
        rc = check_pinnable(call->word[1], &found, err);
    if (rc >= 0)
        rc = select_load(&selector, &found, err);
    select_close(&selector);
    if (rc >= 0)
        rc = results_db_open(call->output->db, &store, err);
    if (rc >= 0)
        rc = check_name(store, call->word[0], err);
    if (rc >= 0)
        rc = check_replace(store, call, err);
    if (rc >= 0)
        rc = put(store, call, &found, err);
    store_close(store);
    if (rc >= 0)
        rc = tell_set(call->word[0], &found);
    selection_fini(&found);
    return rc;
}

/* ---- list, show, rm ---- */

static int print(const struct call *call, const struct table *table)
{
    struct text text;
    text_init(&text);
    table_print(&text, table, (enum report_format)call->output->format, call->output->wide);
    int rc = console_show(&text);
    text_fini(&text);
    return rc;
}

static int open_to_read(const struct call *call, struct store **out, struct err *err)
{
    if (results_db_none(call->output->db))
        return err_set(err, -EINVAL, "--db none: there is nothing to look in");
    return results_db_open_to_read(call->output->db, out, err);
}

static int list(const struct call *call, struct err *err)
{
    static const struct table_column column[] = {
        {.head = "baseline", .key = "name"},
        {.key = "made_wall_ns", .number = true},
        {.head = "made"},
        {.head = "studies", .key = "studies", .right = true, .number = true},
        {.head = "set from", .key = "selector", .gives = true},
    };
    struct store *store = NULL;
    struct store_baseline *baseline = NULL;
    struct table table;
    unsigned n = 0;
    table_init(&table, column, sizeof column / sizeof column[0]);
    int rc = open_to_read(call, &store, err);
    if (rc >= 0)
        rc = store_list_baselines(store, &baseline, &n, err);
    for (unsigned i = 0; rc >= 0 && i < n; i++) {
        table_add(&table, baseline[i].name);
        table_add_count(&table, baseline[i].made_wall_ns);
        table_add_when(&table, baseline[i].made_wall_ns);
        table_add_count(&table, baseline[i].n);
        table_add(&table, baseline[i].selector);
    }
    if (rc >= 0 && n == 0 && call->output->format == REPORT_TEXT)
        console_note("no baselines in %s yet", store_path(store));
    else if (rc >= 0)
        rc = print(call, &table);
    store_baselines_free(baseline, n);
    store_close(store);
    table_fini(&table);
    return rc;
}

static const struct store_study *study_of(const struct store_study *all, unsigned n, const char *id)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(all[i].id, id) == 0)
            return &all[i];
    return NULL;
}

static void add_study(struct table *table, const char *id, const struct store_study *study)
{
    table_add(table, id);
    table_add_count(table, study ? study->begun_wall_ns : 0);
    table_add_when(table, study ? study->begun_wall_ns : 0);
    table_add(table, study ? study->kind : "not in the store");
    table_add_count(table, study ? study->runs : 0);
    table_add(table, study ? study->label : "");
    table_add(table, study ? study->target : "");
}

static int refuse_unknown(const char *name, struct err *err)
{
    return err_set(err, -ENOENT,
                   "there is no baseline '%s'; `loadline baseline list` shows what there is", name);
}

static int show_studies(const struct call *call, struct store *store,
                        const struct store_baseline *baseline, struct err *err)
{
    static const struct table_column column[] = {
        {.head = "id", .key = "id"},
        {.key = "begun_wall_ns", .number = true},
        {.head = "when"},
        {.head = "kind", .key = "kind"},
        {.head = "runs", .key = "runs", .right = true, .number = true},
        {.head = "label", .key = "label"},
        {.head = "target", .key = "target", .gives = true},
    };
    struct store_study *all = NULL;
    struct table table;
    unsigned n = 0;
    table_init(&table, column, sizeof column / sizeof column[0]);
    int rc = store_list(store, NULL, &all, &n, err);
    for (unsigned i = 0; rc >= 0 && i < baseline->n; i++)
        add_study(&table, baseline->id[i], study_of(all, n, baseline->id[i]));
    if (rc >= 0)
        rc = print(call, &table);
    store_studies_free(all, n);
    table_fini(&table);
    return rc;
}

static int show(const struct call *call, struct err *err)
{
    struct store *store = NULL;
    struct store_baseline *baseline = NULL;
    int rc = open_to_read(call, &store, err);
    if (rc >= 0)
        rc = store_get_baseline(store, call->word[0], &baseline, err);
    if (rc == -ENOENT && store)
        rc = refuse_unknown(call->word[0], err);
    if (rc >= 0)
        rc = show_studies(call, store, baseline, err);
    store_baselines_free(baseline, baseline ? 1 : 0);
    store_close(store);
    return rc;
}

static int rm(const struct call *call, struct err *err)
{
    struct store *store = NULL;
    int rc = open_to_read(call, &store, err);
    store_close(store);
    store = NULL;
    if (rc >= 0)
        rc = results_db_open(call->output->db, &store, err);
    if (rc >= 0)
        rc = store_drop_baseline(store, call->word[0], err);
    if (rc == -ENOENT && store)
        rc = refuse_unknown(call->word[0], err);
    store_close(store);
    return rc;
}

static const struct {
    const char *word;
    unsigned args;
    const char *usage;
    int (*act)(const struct call *call, struct err *err);
} verbs[] = {
    {"set", 2, "set NAME SELECTOR", set},
    {"list", 0, "list", list},
    {"show", 1, "show NAME", show},
    {"rm", 1, "rm NAME", rm},
};

static int act(const struct options_parsed *parsed, const struct call *call, struct err *err)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(verbs[i].word, parsed->args[0]) != 0)
            continue;
        if (parsed->n_args != verbs[i].args + 1)
            return err_set(err, -EINVAL, "it is: loadline baseline %s", verbs[i].usage);
        if (verbs[i].act != set && (call->values->last > 0 || call->values->replace))
            return err_set(err, -EINVAL, "--last and --replace belong to baseline set");
        return verbs[i].act(call, err);
    }
    return err_set(err, -EINVAL, "baseline %s: there are set, list, show and rm", parsed->args[0]);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct baseline_values values = {.last = 0};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&values, &output, &output}};
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    const struct call call = {.values = &values, .output = &output, .word = parsed.args + 1};
    int rc = act(&parsed, &call, &err);
    if (rc < 0 && err.code)
        console_error("%s", err.text);
    return rc < 0 ? cli_status(rc, false) : CLI_DONE;
}

const struct command cmd_baseline = {
    .name = "baseline",
    .brief = "give a name to studies that later ones are held against",
    .summary =
        "Names the studies that a selector means now (an id, a label, a glob of labels); the "
        "name can stand wherever a result is named. Five studies or more tell how runs of "
        "one and the same differ, so that compare can tell a change from noise.",
    .args = "set NAME SELECTOR | list | show NAME | rm NAME",
    .lacks = "what to do is missing: set, list, show or rm",
    .args_min = 1,
    .args_max = 3,
    .example = {"loadline baseline set release-1 'nightly-*' --last 10", "loadline baseline list"},
    .tables = tables,
    .run = run,
};
