#include "cli/cli.h"
#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/select.h"
#include "cli/sides.h"
#include "cli/study_values.h"

#include "report/compare_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct compare_values {
    struct compare_metrics metrics;
    struct option_list fail_if;
    int undecided; /* enum compare_undecided */
    const char *junit;
};

#define COMPARE(member) offsetof(struct compare_values, member)

/* enum compare_undecided. */
static const char *const undecided_words[] = {"tell", "pass", "fail", NULL};

static const struct option compare_options[] = {
    {.name = "metric",
     .arg = "LIST",
     .kind = OPTION_OWN_PARSER,
     .at = COMPARE(metrics),
     .parse = compare_metrics_parse,
     .accepts = COMPARE_METRICS_ACCEPTS,
     .otherwise = "ops; of io ops,p99",
     .help = "what is compared, and a table each"},
};
static const struct option_table compare_table = OPTION_TABLE("Comparing", compare_options);

static const struct option gate_options[] = {
    {.name = "fail-if",
     .arg = "CONDITION",
     .kind = OPTION_LIST,
     .at = COMPARE(fail_if),
     .min = 1,
     .max = 200,
     .help = "end with status 4 when B is worse by more than that and noise cannot explain it: "
             "'p99 +10%', 'ops -5%', 'row:4 KiB write.p99 > 20ms'; may stand there again"},
    {.name = "undecided",
     .kind = OPTION_WORD,
     .at = COMPARE(undecided),
     .words = undecided_words,
     .initial = "tell",
     .help = "what a condition counts as that nobody can judge; tell: status 5"},
    {.name = "junit",
     .arg = "FILE",
     .kind = OPTION_TEXT,
     .at = COMPARE(junit),
     .min = 1,
     .max = 4000,
     .help = "write a test case for each row and condition to FILE, replacing it; what nobody can "
             "judge is an error there, or as --undecided says skipped or failed"},
};
static const struct option_table gate_table = OPTION_TABLE("Conditions", gate_options);

static const struct option_table *const tables[] = {
    &compare_table, &gate_table, &output_format_table, &output_file_table, &output_db_table, NULL,
};

struct comparing {
    const struct compare_values *values;
    const struct output_values *output;
    struct sides sides;
    struct gate gate[OPTION_LIST_MAX];
    struct compare_pair *pair; /* each further side against the first */
    unsigned pairs;
    struct compare_style style;
    enum report_format file;
};

static int parse_gates(struct comparing *c, struct err *err)
{
    const struct option_list *list = &c->values->fail_if;
    for (unsigned i = 0; i < list->n; i++) {
        int rc = gate_parse(list->text[i], &c->gate[i], err);
        if (rc < 0) {
            err_prefix(err, "--fail-if");
            return rc;
        }
    }
    if (list->n == 0 && c->values->undecided != COMPARE_UNDECIDED_SAID)
        return err_set(err, -EINVAL, "--undecided says what a --fail-if counts as; there is none");
    if (list->n == 0 && c->values->junit)
        return err_set(err, -EINVAL, "--junit holds a test case for each --fail-if; there is none");
    return 0;
}

static int judge(struct comparing *c, struct compare_pair *pair, struct err *err)
{
    for (unsigned i = 0; i < c->values->fail_if.n; i++) {
        struct gate_judgement *more = NULL;
        unsigned n = 0;
        int rc = gate_judge(&c->gate[i], &pair->comparison, &more, &n, err);
        if (rc < 0) {
            err_prefix(err, "--fail-if");
            return rc;
        }
        struct gate_judgement *all =
            realloc(pair->judgement, (pair->judged + n + 1) * sizeof(*all));
        if (all)
            pair->judgement = all;
        for (unsigned j = 0; all && j < n; j++)
            all[pair->judged++] = more[j];
        free(more);
        if (!all)
            return err_set(err, -ENOMEM, "no memory for %u judgements", n);
    }
    return 0;
}

static int compare_all(struct comparing *c, struct err *err)
{
    int rc = 0;
    c->pair = calloc(c->sides.n, sizeof(*c->pair));
    if (!c->pair)
        return err_set(err, -ENOMEM, "no memory for %u comparisons", c->sides.n);
    for (unsigned i = 1; rc == 0 && i < c->sides.n; i++) {
        struct compare_pair *pair = &c->pair[c->pairs];
        rc = compare_of(&c->sides.side[0], &c->sides.side[i], &pair->comparison, err);
        c->pairs += rc == 0;
        if (rc == 0)
            rc = judge(c, pair, err);
    }
    return rc;
}

static bool in_style(const struct compare_style *style, enum rows_metric metric)
{
    for (unsigned i = 0; i < style->metrics; i++)
        if (style->metric[i] == metric)
            return true;
    return false;
}

static bool anybody_has(const struct comparing *c, enum rows_metric metric)
{
    for (unsigned i = 0; i < c->pairs; i++)
        for (unsigned r = 0; r < c->pair[i].comparison.rows; r++) {
            const struct compare_cell *cell = &c->pair[i].comparison.row[r].cell[metric];
            if (cell->n_a > 0 || cell->n_b > 0)
                return true;
        }
    return false;
}

static int check_metrics(const struct comparing *c, struct err *err)
{
    const struct compare_metrics *asked = &c->values->metrics;
    struct text there;
    int rc = 0;
    text_init(&there);
    for (unsigned m = 0; m < ROWS_METRICS; m++)
        if (anybody_has(c, (enum rows_metric)m))
            text_addf(&there, "%s%s", there.len ? ", " : "", rows_metric_name((enum rows_metric)m));
    for (unsigned i = 0; rc == 0 && i < asked->n; i++)
        if (!anybody_has(c, asked->metric[i]))
            rc = err_set(err, -EINVAL, "--metric %s: no row has it; there are %s",
                         rows_metric_name(asked->metric[i]), there.s);
    text_fini(&there);
    return rc;
}

/* What a condition speaks of is shown too. */
static void choose_metrics(struct comparing *c)
{
    struct compare_style *style = &c->style;
    *style = (struct compare_style){.format = (enum report_format)c->output->format,
                                    .wide = c->output->wide,
                                    .metrics = c->values->metrics.n};
    memcpy(style->metric, c->values->metrics.metric, sizeof style->metric);
    if (style->metrics == 0) {
        style->metric[style->metrics++] = ROWS_OPS;
        if (strcmp(c->sides.side[0].results[0]->study, "io") == 0 && anybody_has(c, ROWS_P99))
            style->metric[style->metrics++] = ROWS_P99;
    }
    for (unsigned i = 0; i < c->values->fail_if.n; i++)
        if (!in_style(style, c->gate[i].metric))
            style->metric[style->metrics++] = c->gate[i].metric;
}

/* The file behind --junit is written as one behind -o, and complained of by its own name. */
static int name_junit(int rc, struct err *err)
{
    struct err said = *err;
    if (rc < 0 && strncmp(said.text, "-o", 2) == 0)
        err_set(err, rc, "--junit%s", said.text + 2);
    return rc;
}

static int write_files(const struct comparing *c, struct err *err)
{
    struct text text;
    int rc = 0;
    text_init(&text);
    if (c->output->file) {
        struct compare_style style = c->style;
        style.format = c->file;
        report_compare(&text, c->pair, c->pairs, &style);
        rc = output_file_write(c->output->file, c->output->force, &text, err);
        text_clear(&text);
    }
    if (rc >= 0 && c->values->junit) {
        report_compare_junit(&text, c->pair, c->pairs,
                             (enum compare_undecided)c->values->undecided);
        rc = name_junit(output_file_write(c->values->junit, true, &text, err), err);
    }
    text_fini(&text);
    return rc < 0 ? rc : 0;
}

static bool any_comparable(const struct comparing *c)
{
    for (unsigned i = 0; i < c->pairs; i++)
        for (unsigned r = 0; r < c->pair[i].comparison.rows; r++)
            if (c->pair[i].comparison.row[r].comparable)
                return true;
    return false;
}

/* A comparison alone answers, whatever the answer is; only conditions fail. */
static int status_of(const struct comparing *c)
{
    static const int of_undecided[] = {CLI_CANNOT_TELL, CLI_DONE, CLI_FAILED};
    int status = CLI_DONE;
    if (c->values->fail_if.n == 0)
        return any_comparable(c) ? CLI_DONE : CLI_CANNOT_TELL;
    for (unsigned i = 0; i < c->pairs; i++) {
        for (unsigned j = 0; j < c->pair[i].judged; j++) {
            enum gate_word word = c->pair[i].judgement[j].word;
            if (word == GATE_FAIL)
                return CLI_FAILED;
            if (word == GATE_CANNOT)
                status = of_undecided[c->values->undecided];
        }
    }
    return status;
}

static void fini(struct comparing *c)
{
    for (unsigned i = 0; i < c->pairs; i++) {
        compare_fini(&c->pair[i].comparison);
        free(c->pair[i].judgement);
    }
    free(c->pair);
    sides_fini(&c->sides);
}

static int check_files(struct comparing *c, struct err *err)
{
    const struct output_values *output = c->output;
    int rc = output_file_check(output->file, output->force, output->db, &c->file, err);
    if (rc >= 0 && c->values->junit)
        rc = name_junit(output_file_check_place(c->values->junit, true, output->db, err), err);
    if (rc >= 0 && c->values->junit && output->file &&
        output_file_same(c->values->junit, output->file))
        rc = err_set(err, -EINVAL, "--junit and -o name the same file");
    return rc;
}

static int compare(struct comparing *c, const char *const *name, unsigned n, int *status,
                   struct err *err)
{
    struct text text;
    int rc = check_files(c, err);
    if (rc >= 0)
        rc = parse_gates(c, err);
    if (rc >= 0)
        rc = sides_find(&c->sides, c->output->db, name, n, err);
    if (rc >= 0)
        rc = compare_all(c, err);
    if (rc >= 0)
        rc = check_metrics(c, err);
    if (rc < 0)
        return rc;
    choose_metrics(c);
    text_init(&text);
    report_compare(&text, c->pair, c->pairs, &c->style);
    rc = console_show(&text);
    text_fini(&text);
    if (rc >= 0)
        rc = write_files(c, err);
    *status = status_of(c);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct compare_values values = {.junit = NULL};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&values, &values, &output, &output, &output}};
    struct comparing comparing = {.values = &values, .output = &output};
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    int rc = compare(&comparing, parsed.args, parsed.n_args, &status, &err);
    if (rc < 0 && err.code)
        console_error("%s", err.text);
    fini(&comparing);
    return rc < 0 ? cli_status(rc, false) : status;
}

const struct command cmd_compare = {
    .name = "compare",
    .brief = "is B better than A, and is that more than noise?",
    .summary =
        "Compares each further result with the first: what differs between the set-ups, then row "
        "by row the change, its 95 % interval and one word. Named by id, label, glob of labels, "
        "file, baseline, or 2001-netapp840 and 2001-celerra; several studies of one name are "
        "taken together. One study of several targets alone: its targets against each other; "
        "ID:A and ID:B, by the letters of its table, are one of them each.",
    .args = "A [B...]",
    .lacks = "what to compare is missing: two results, or one study of several targets",
    .args_min = 1,
    .args_max = OPTION_ARGS_MAX,
    .example = {"loadline compare 2001-netapp840 2001-celerra",
                "loadline compare release-1 nightly --fail-if 'ops -5%' --fail-if 'p99 +10%'"},
    .judges = true,
    .tables = tables,
    .run = run,
};
