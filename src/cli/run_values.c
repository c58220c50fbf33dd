#include "cli/run_values.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum {
    GIVEN_MAX_WARMUP = 1 << 0,
    GIVEN_UNTIL = 1 << 1,
    GIVEN_TIME = 1 << 2,
    GIVEN_WARMUP = 1 << 3,
    GIVEN_REPEAT = 1 << 4,
    GIVEN_DIALECT = 1 << 5,
};

#define RUN(member) offsetof(struct run_values, member)

static const char *const dialect_words[] = {"auto", "sun", "1.4", "1.5", NULL};

static const struct option ask_options[] = {
    {.name = "set",
     .arg = "NAME=VALUE",
     .kind = OPTION_LIST,
     .at = RUN(set),
     .min = 2,
     .max = 4000,
     .help =
         "a variable of the workload, whatever the file sets it to; NAME=VALUE behind the target "
         "is the same"},
    {.name = "time",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = RUN(time_ns),
     .min = SUITE_TIME_MIN_NS,
     .max = SUITE_TIME_MAX_NS,
     .otherwise = "as the file says, else 60s",
     .given = GIVEN_TIME,
     .help = "length of each run, after the warm-up"},
    {.name = "warmup",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = RUN(warmup_ns),
     .max = SUITE_WARMUP_MAX_NS,
     .otherwise = "as the file says, else none",
     .given = GIVEN_WARMUP,
     .help = "time before each run that does not count"},
    {.name = "until-steady",
     .arg = "PERCENT",
     .kind = OPTION_OWN_PARSER,
     .at = RUN(until_steady_frac),
     .parse = until_ci_parse,
     .accepts = UNTIL_CI_ACCEPTS,
     .otherwise = "no longer than --warmup",
     .given = GIVEN_UNTIL,
     .help = "warm up on until the rate neither rises, falls nor swings by more than that"},
    {.name = "max-warmup",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = RUN(max_warmup_ns),
     .min = 1000000,
     .max = SUITE_WARMUP_MAX_NS,
     .initial = "10m",
     .given = GIVEN_MAX_WARMUP,
     .help = "with --until-steady: measure then, steady or not"},
    {.name = "repeat",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = RUN(repeats),
     .min = 1,
     .max = SUITE_REPEATS_MAX,
     .initial = "1",
     .given = GIVEN_REPEAT,
     .help = "how often the whole file is gone through"},
    {.name = "client-cache",
     .kind = OPTION_WORD,
     .at = RUN(cache),
     .words = cache_words,
     .initial = "keep",
     .help = "keep: what was just written may be read from this machine's memory, and the answer "
             "says how much was; drop: files leave its page cache before each run"},
    {.name = "dialect",
     .kind = OPTION_WORD,
     .at = RUN(dialect),
     .words = dialect_words,
     .initial = "auto",
     .given = GIVEN_DIALECT,
     .help = "whose rules hold where those of the language changed: auto, what the file itself "
             "shows; sun, 2005 to 2009; 1.4; 1.5"},
};
const struct option_table run_ask_table = OPTION_TABLE("Workload", ask_options);

#define RULES 2 /* the last ones */
const struct option_table run_rules_table = {
    .title = "Workload",
    .option = ask_options + sizeof ask_options / sizeof ask_options[0] - RULES,
    .n = RULES,
};

static const struct option safety_options[] = {
    {.name = "allow-system",
     .kind = OPTION_FLAG,
     .at = RUN(allow_system),
     .help = "carry out the shell commands of the file (its `system` lines)"},
    {.name = "adopt",
     .kind = OPTION_FLAG,
     .at = RUN(adopt),
     .help =
         "write to and remove from a tree under the target that another program made, where the "
         "file reuses it"},
    {.name = "destroy",
     .arg = "DEVICE",
     .kind = OPTION_TEXT,
     .at = RUN(destroy),
     .min = 1,
     .max = 4000,
     .help = "write to the block device that the target is: its name, typed again"},
    {.name = "keep",
     .kind = OPTION_FLAG,
     .at = RUN(keep),
     .help =
         "leave the files for a next run with the same filesets; `loadline clean --kept` removes "
         "them"},
};
const struct option_table run_safety_table = OPTION_TABLE("Files", safety_options);

static const struct option form_options[] = {
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .at = RUN(dry_run),
     .help = "print what would be done, step by step, and touch nothing"},
    {.name = "filebench",
     .kind = OPTION_FLAG,
     .at = RUN(filebench),
     .help = "answer in the lines that filebench prints"},
};
const struct option_table run_form_table = OPTION_TABLE("Form", form_options);

/* ---- what belongs together ---- */

const char *suite_set_name(const char *text)
{
    const char *name = text;
    for (const char *at = text; *at && *at != '='; at++)
        name = *at == '.' ? at + 1 : name;
    return name;
}

/* "nfiles=1000", "$nfiles=1000": in a shell the dollar is easily typed with it. */
static bool sets_something(const char *text, bool of_suite)
{
    const char *at = of_suite ? suite_set_name(text) : text;
    at += *at == '$';
    size_t len = 0;
    while (isalnum((unsigned char)at[len]) || at[len] == '_')
        len++;
    return len > 0 && at[len] == '=';
}

int run_sets_add(struct run_sets *sets, const char *text, struct err *err)
{
    if (!sets_something(text, sets->of_suite))
        return err_set(err, -EINVAL, "%s: sets no variable, as NAME=VALUE does%s", text,
                       sets->of_suite ? ", or WORKLOAD.NAME=VALUE" : "");
    sets->text[sets->n++] = text + (*text == '$');
    return 0;
}

static int check_pairs(const struct run_values *v, unsigned given, struct err *err)
{
    if ((given & GIVEN_MAX_WARMUP) && !(given & GIVEN_UNTIL))
        return err_set(err, -EINVAL,
                       "--max-warmup is the end of --until-steady: --warmup says how "
                       "long to warm up");
    if ((given & GIVEN_UNTIL) && v->warmup_ns > v->max_warmup_ns)
        return err_set(err, -EINVAL, "--warmup is longer than --max-warmup");
    return 0;
}

int run_check_form(const struct run_values *v, const struct output_values *output, struct err *err)
{
    if (!v->filebench || output->format == REPORT_TEXT)
        return 0;
    return err_set(err, -EINVAL,
                   "--filebench is a form of its own: without --format; -o FILE.json, .csv or .md "
                   "writes another beside it");
}

struct suite_ask run_values_ask(const struct run_values *v, unsigned given)
{
    return (struct suite_ask){.said = (given & GIVEN_TIME ? SUITE_TIME : 0) |
                                      (given & GIVEN_WARMUP ? SUITE_WARMUP : 0) |
                                      (given & GIVEN_REPEAT ? SUITE_REPEAT : 0) |
                                      (given & GIVEN_DIALECT ? SUITE_DIALECT : 0),
                              .time_ns = v->time_ns,
                              .warmup_ns = v->warmup_ns,
                              .repeats = (unsigned)v->repeats,
                              .dialect = (enum script_dialect)v->dialect};
}

int run_values_take(const struct run_values *v, unsigned given, const char *const *args,
                    unsigned n_args, struct run_sets *sets, struct script_options *out,
                    struct err *err)
{
    int rc = check_pairs(v, given, err);
    sets->n = 0;
    for (unsigned i = 0; rc == 0 && i < v->set.n; i++)
        rc = run_sets_add(sets, v->set.text[i], err);
    for (unsigned i = 0; rc == 0 && i < n_args; i++)
        rc = run_sets_add(sets, args[i], err);
    *out = (struct script_options){
        .dialect = (enum script_dialect)v->dialect,
        .time_ns = v->time_ns,
        .warmup_ns = v->warmup_ns,
        .steady_frac = v->until_steady_frac,
        .steady_max_ns = v->until_steady_frac > 0 ? v->max_warmup_ns : 0,
        .set = sets->text,
        .sets = sets->n,
        .allow_system = v->allow_system,
    };
    return rc;
}
