#include "cli/cli.h"
#include "cli/cmd_run.h"
#include "cli/console.h"
#include "cli/results_db.h"
#include "cli/since.h"
#include "cli/study_values.h"
#include "cli/table.h"

#include "base/shown.h"
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct list_values {
    struct store_filter filter;
    uint64_t last;
};

static const struct option filter_options[] = {
    {.name = "label",
     .arg = "GLOB",
     .kind = OPTION_TEXT,
     .at = offsetof(struct list_values, filter.label),
     .min = 1,
     .max = 200,
     .help = "only studies with such a label; * and ? and [a-z] as in a shell"},
    {.name = "target",
     .arg = "GLOB",
     .kind = OPTION_TEXT,
     .at = offsetof(struct list_values, filter.target),
     .min = 1,
     .max = 4000,
     .help = "only of such targets"},
    {.name = "study",
     .arg = "KIND",
     .kind = OPTION_TEXT,
     .at = offsetof(struct list_values, filter.kind),
     .min = 1,
     .max = 15,
     .help = "only of this kind: dirtest, readtest, io, run or array-test"},
    {.name = "since",
     .arg = "WHEN",
     .kind = OPTION_OWN_PARSER,
     .at = offsetof(struct list_values, filter.since_wall_ns),
     .parse = since_parse,
     .accepts = SINCE_ACCEPTS,
     .help = "only those begun then or later: a date such as 2026-11-01, or an age such as 7d"},
    {.name = "last",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = offsetof(struct list_values, last),
     .min = 1,
     .max = 1000000,
     .help = "only the newest N of them"},
};
static const struct option_table filter_table = OPTION_TABLE("Which", filter_options);

static const struct option_table *const tables[] = {&filter_table, &output_db_table,
                                                    &output_format_table, NULL};

static void when_text(uint64_t wall_ns, char *buf, size_t room)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm tm;
    if (!localtime_r(&seconds, &tm) || strftime(buf, room, "%Y-%m-%d %H:%M", &tm) == 0)
        buf[0] = '\0';
}

/* "run varmail": of a study that was imported it is not known what was typed. */
static void add_kind(struct table *table, const struct store_study *study)
{
    char *workload = strcmp(study->kind, "run") == 0 ? cmd_run_workload(study->argv) : NULL;
    table_addf(table, "%s%s%s", study->kind, workload ? " " : "", workload ? workload : "");
    free(workload);
}

/* The label is what one types: an address gives way to it. */
static void list_text(struct text *out, const struct store_study *list, unsigned n, bool wide)
{
    struct table_column column[] = {{.head = "id"},
                                    {.head = "when"},
                                    {.head = "kind", .gives = true},
                                    {.head = "runs", .right = true},
                                    {.head = "state"},
                                    {.gives = true},
                                    {.head = "target", .gives = true}};
    struct table table;
    for (unsigned i = 0; i < n; i++)
        if (list[i].label && *list[i].label)
            column[5].head = "label";
    table_init(&table, column, sizeof column / sizeof column[0]);
    for (unsigned i = 0; i < n; i++) {
        table_add(&table, list[i].id);
        table_add_when(&table, list[i].begun_wall_ns);
        add_kind(&table, &list[i]);
        table_add_count(&table, list[i].runs);
        table_add(&table, store_state_name(list[i].state));
        table_add(&table, list[i].label);
        table_add(&table, list[i].target);
    }
    table_print(out, &table, REPORT_TEXT, wide);
    table_fini(&table);
}

static void add_csv_word(struct text *out, const char *s)
{
    if (!s || s[strcspn(s, ",\"\n")] == '\0') {
        text_add(out, s ? s : "");
        return;
    }
    text_add(out, "\"");
    for (; *s; s++)
        text_add_bytes(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    text_add(out, "\"");
}

static void add_json_word(struct text *out, const char *key, const char *s)
{
    text_addf(out, ",\"%s\":", key);
    text_add_json_string(out, s ? s : "");
}

static void list_csv(struct text *out, const struct store_study *list, unsigned n)
{
    text_add(out, "id,begun_wall_ns,ended_wall_ns,kind,runs,state,target,label,command\n");
    for (unsigned i = 0; i < n; i++) {
        const struct store_study *s = &list[i];
        text_addf(out, "%s,%llu,%llu,%s,%u,%s,", s->id, (unsigned long long)s->begun_wall_ns,
                  (unsigned long long)s->ended_wall_ns, s->kind, s->runs,
                  store_state_name(s->state));
        add_csv_word(out, s->target);
        text_add(out, ",");
        add_csv_word(out, s->label);
        text_add(out, ",");
        add_csv_word(out, s->command);
        text_add(out, "\n");
    }
}

static void list_json(struct text *out, const struct store_study *list, unsigned n)
{
    text_add(out, "[");
    for (unsigned i = 0; i < n; i++) {
        const struct store_study *s = &list[i];
        text_addf(out, "%s\n{\"begun_wall_ns\":%llu,\"ended_wall_ns\":%llu,\"runs\":%u",
                  i > 0 ? "," : "", (unsigned long long)s->begun_wall_ns,
                  (unsigned long long)s->ended_wall_ns, s->runs);
        add_json_word(out, "id", s->id);
        add_json_word(out, "kind", s->kind);
        add_json_word(out, "state", store_state_name(s->state));
        add_json_word(out, "target", s->target);
        add_json_word(out, "label", s->label);
        add_json_word(out, "command", s->command);
        text_add(out, "}");
    }
    text_add(out, n > 0 ? "\n]\n" : "]\n");
}

static void list_md(struct text *out, const struct store_study *list, unsigned n)
{
    char when[32];
    text_add(out, "| id | when | kind | runs | state | target | label |\n"
                  "|:---|:---|:---|---:|:---|:---|:---|\n");
    for (unsigned i = 0; i < n; i++) {
        const struct store_study *s = &list[i];
        when_text(s->begun_wall_ns, when, sizeof(when));
        text_addf(out, "| %s | %s | %s | %u | %s | ", s->id, when, s->kind, s->runs,
                  store_state_name(s->state));
        text_add_md(out, s->target);
        text_add(out, " | ");
        text_add_md(out, s->label ? s->label : "");
        text_add(out, " |\n");
    }
}

static int print_list(const struct output_values *output, const struct store_study *list,
                      unsigned n, bool filtered, const char *path)
{
    struct text text;
    text_init(&text);
    if (output->format == REPORT_JSON)
        list_json(&text, list, n);
    else if (output->format == REPORT_CSV)
        list_csv(&text, list, n);
    else if (output->format == REPORT_MD)
        list_md(&text, list, n);
    else if (n > 0)
        list_text(&text, list, n, output->wide);
    else
        console_note(filtered ? "no study in %s fits" : "no studies in %s yet", path);
    int rc = console_show(&text);
    text_fini(&text);
    return rc;
}

/* Addresses and labels come from outside; the command has been quoted already. */
static int make_shown(char **s)
{
    struct text text;
    text_init(&text);
    text_add_shown(&text, *s);
    char *shown = text_take(&text);
    if (!shown)
        return -ENOMEM;
    free(*s);
    *s = shown;
    return 0;
}

static int make_all_shown(struct store_study *list, unsigned n, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; i < n && rc == 0; i++) {
        rc = make_shown(&list[i].target);
        if (rc == 0)
            rc = make_shown(&list[i].label);
        if (rc == 0)
            rc = make_shown(&list[i].command);
    }
    return rc < 0 ? err_set(err, rc, "no memory for %u studies", n) : 0;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct output_values output = {.db = NULL};
    struct list_values values = {.last = 0};
    struct options_parsed parsed = {.values = {&values, &output, &output}};
    struct err err = {0};
    struct store *store = NULL;
    struct store_study *list = NULL;
    unsigned n = 0;
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (results_db_none(output.db)) {
        console_error("--db none: there is nothing to list");
        return CLI_USAGE;
    }
    values.filter.last = (unsigned)values.last;
    int rc = results_db_open_to_read(output.db, &store, &err);
    if (rc >= 0)
        rc = store_list(store, &values.filter, &list, &n, &err);
    if (rc >= 0)
        rc = make_all_shown(list, n, &err);
    if (rc < 0)
        console_error("%s", err.text);
    else
        rc = print_list(&output, list, n, parsed.seen[0] != 0, store_path(store));
    store_studies_free(list, n);
    store_close(store);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

const struct command cmd_list = {
    .name = "list",
    .brief = "the studies kept on this machine, newest first",
    .summary = "Lists the studies that are kept on this machine, newest first.",
    .args = "",
    .example = {"loadline list --since 7d",
                "loadline list --label 'rc*' --study dirtest --last 10"},
    .tables = tables,
    .run = run,
};
