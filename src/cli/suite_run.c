#include "cli/suite_run.h"

#include "cli/cli.h"
#include "cli/console.h"
#include "cli/say_remarks.h"
#include "cli/shipped.h"
#include "cli/workload.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".suite"

static bool has_suffix(const char *word)
{
    size_t len = strlen(word), suffix = strlen(SUFFIX);
    return len > suffix && strcmp(word + len - suffix, SUFFIX) == 0;
}

bool suite_run_is(const char *word)
{
    return has_suffix(word) || (!shipped_find(word) && shipped_suite_find(word));
}

/* ---- the text ---- */

static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    if (name && has_suffix(name))
        name[strlen(name) - strlen(SUFFIX)] = '\0';
    return name;
}

static int parse(struct suite_run *s, const char *text, size_t len)
{
    return suite_parse(s->path, text, len, &s->suite, &s->remarks);
}

static int read_suite(struct suite_run *s, const char *word, struct err *err)
{
    const struct shipped_workload *shipped = has_suffix(word) ? NULL : shipped_suite_find(word);
    char *text = NULL;
    size_t len = 0;
    s->shipped = shipped != NULL;
    s->name = name_of(word);
    if (shipped && asprintf(&s->path, "%s" SUFFIX, word) < 0)
        s->path = NULL;
    else if (!shipped)
        s->path = strdup(word);
    if (!s->name || !s->path)
        return err_set(err, -ENOMEM, "out of memory");
    if (shipped)
        return parse(s, (const char *)shipped->text, shipped->len);
    int rc = workload_read(s->path, &text, &len, err);
    if (rc == 0)
        rc = parse(s, text, len);
    free(text);
    return rc;
}

/* ---- what is set on the command line ---- */

/* With or without its suffix. */
static bool is_name(const char *name, const char *text, size_t len)
{
    return strncmp(name, text, len) == 0 && (!name[len] || strcmp(name + len, ".f") == 0);
}

/* "varmail.nfiles=1000" and "2.nfiles=1000" are of some lines, "nfiles=1000" is of all. */
static bool is_for(const struct suite_line *line, unsigned number, const char *text)
{
    size_t len = (size_t)(suite_set_name(text) - text);
    char count[16];
    if (len == 0)
        return true;
    len--;
    snprintf(count, sizeof count, "%u", number);
    if (strlen(count) == len && strncmp(count, text, len) == 0)
        return true;
    const char *slash = strrchr(line->workload, '/');
    const char *name = slash ? slash + 1 : line->workload;
    return is_name(line->workload, text, len) || is_name(name, text, len);
}

static int refuse_set(const struct suite_run *s, const char *text)
{
    struct text names;
    text_init(&names);
    for (unsigned i = 0; i < s->suite->lines; i++)
        text_addf(&names, "%s%u.%s", i ? ", " : "", i + 1, s->suite->line[i].workload);
    console_error("%s: no such workload in %s; with their numbers they are %s", text, s->path,
                  names.s);
    text_fini(&names);
    return CLI_USAGE;
}

static int check_sets(const struct suite_run *s, const struct run_sets *sets)
{
    for (unsigned i = 0; i < sets->n; i++) {
        bool any = false;
        for (unsigned k = 0; !any && k < s->suite->lines; k++)
            any = is_for(&s->suite->line[k], k + 1, sets->text[i]);
        if (!any)
            return refuse_set(s, sets->text[i]);
    }
    return CLI_DONE;
}

/* ---- compiling ---- */

/* What is set for one line: by itself, then by the command line. */
struct line_sets {
    unsigned n;
    const char **text;
    bool *known;
    unsigned *typed; /* [n]: index into run_sets, of those behind the line's own */
};

static void line_sets_fini(struct line_sets *l)
{
    free(l->text);
    free(l->known);
    free(l->typed);
}

static int line_sets_init(struct line_sets *l, const struct suite_line *line, unsigned number,
                          const struct run_sets *sets)
{
    unsigned most = line->sets + sets->n + 1;
    *l = (struct line_sets){.text = calloc(most, sizeof *l->text),
                            .known = calloc(most, sizeof *l->known),
                            .typed = calloc(most, sizeof *l->typed)};
    if (!l->text || !l->known || !l->typed)
        return -ENOMEM;
    for (unsigned i = 0; i < line->sets; i++)
        l->text[l->n++] = line->set[i].text;
    for (unsigned i = 0; i < sets->n; i++) {
        const char *name = suite_set_name(sets->text[i]);
        if (!is_for(line, number, sets->text[i]))
            continue;
        l->typed[l->n] = i;
        l->text[l->n++] = name + (*name == '$');
    }
    return 0;
}

/* All that is needed of one line. */
struct compiling {
    struct suite_run *s;
    struct run_compile compile;
    const struct suite_ask *over;
    const struct run_sets *sets;
    bool *typed_known;     /* [sets->n] */
    uint64_t memory_bytes; /* that the sets of the lines so far take: they are there together */
};

/* `set` is name=value. In the first … last line it is of, something like it is a variable. */
static void say_unknown(struct suite_run *s, struct lang_pos at, const char *set, unsigned first,
                        unsigned last)
{
    char *name = strndup(set, strcspn(set, "="));
    struct nearest near = {.wish = name ? name : ""};
    for (unsigned i = first; i <= last; i++)
        for (unsigned k = 0; k < s->script[i]->variables; k++)
            nearest_try(&near, s->script[i]->variable[k].name);
    lang_error(&s->remarks, at, "%s: a variable that %s sets or uses was expected%s%s", set,
               first == last ? s->suite->line[first].workload : "one of the workloads",
               near.best ? ", did you mean " : "", near.best ? near.best : "");
    free(name);
}

static void tell_unknown(struct compiling *c, unsigned line, const struct line_sets *l)
{
    const struct suite_line *of = &c->s->suite->line[line];
    for (unsigned i = 0; i < l->n; i++)
        if (i >= of->sets)
            c->typed_known[l->typed[i]] |= l->known[i];
        else if (!l->known[i])
            say_unknown(c->s, of->set[i].at, of->set[i].text, line, line);
}

/* Once all lines have been asked, and all are there. */
static void tell_unknown_typed(struct compiling *c)
{
    const struct suite *suite = c->s->suite;
    for (unsigned i = 0; i < c->sets->n; i++) {
        const char *text = c->sets->text[i];
        const char *name = suite_set_name(text);
        unsigned first = 0, last = suite->lines - 1;
        if (c->typed_known[i])
            continue;
        while (first < last && !is_for(&suite->line[first], first + 1, text))
            first++;
        while (first < last && !is_for(&suite->line[last], last + 1, text))
            last--;
        say_unknown(c->s, (struct lang_pos){1, 0, 0}, name + (*name == '$'), first, last);
    }
}

static uint64_t sets_memory(const struct script *script)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < script->sets; i++)
        bytes += script->set[i].memory_bytes;
    return bytes;
}

static void compile_line(struct compiling *c, unsigned i, struct line_sets *l)
{
    struct suite_run *s = c->s;
    const struct suite_line *line = &s->suite->line[i];
    const struct suite_ask ask = suite_ask_over(&line->ask, c->over);
    struct script_options *o = &c->compile.options;
    const uint64_t most = o->max_memory_bytes;
    struct err err = {0};
    s->repeats[i] = ask.said & SUITE_REPEAT ? ask.repeats : 1;
    o->time_ns = ask.time_ns;
    o->warmup_ns = ask.warmup_ns;
    o->dialect = ask.dialect;
    if (most > 0)
        o->max_memory_bytes = most > c->memory_bytes ? most - c->memory_bytes : 1;
    o->set = l->text;
    o->sets = l->n;
    o->set_known = l->known;
    if (o->steady_max_ns > 0 && ask.warmup_ns > o->steady_max_ns)
        lang_error(&s->remarks, line->at, "warmup: a time up to that of --max-warmup was expected");
    int rc = run_compile_of_suite(&c->compile, s->path, line->workload, &s->script[i], &err);
    o->max_memory_bytes = most;
    if (rc == 0) {
        c->memory_bytes += sets_memory(s->script[i]);
        tell_unknown(c, i, l);
    } else if (err.code)
        lang_error(&s->remarks, line->at, "%s", err.text);
    else
        lang_error(&s->remarks, line->at, "%s cannot be run as this line asks", line->workload);
}

static int compile_lines(struct compiling *c)
{
    int rc = 0;
    c->compile.options.set_where = "for this line of the suite";
    for (unsigned i = 0; rc == 0 && i < c->s->suite->lines; i++) {
        struct line_sets l;
        rc = line_sets_init(&l, &c->s->suite->line[i], i + 1, c->sets);
        if (rc == 0)
            compile_line(c, i, &l);
        line_sets_fini(&l);
    }
    if (rc == 0 && c->s->remarks.errors == 0)
        tell_unknown_typed(c);
    return rc;
}

/* ---- names ---- */

static bool is_taken(const struct suite_run *s, unsigned before, const char *name)
{
    for (unsigned i = 0; i < before; i++)
        if (strcmp(s->script[i]->name, name) == 0)
            return true;
    return false;
}

static int tell_apart(struct suite_run *s)
{
    for (unsigned i = 0; i < s->suite->lines; i++) {
        char *name = NULL;
        for (unsigned n = 2; is_taken(s, i, name ? name : s->script[i]->name); n++) {
            free(name);
            if (asprintf(&name, "%s (%u)", s->script[i]->name, n) < 0)
                return -ENOMEM;
        }
        if (!name)
            continue;
        free(s->script[i]->name);
        s->script[i]->name = name;
    }
    return 0;
}

/* ---- the whole ---- */

static int compile_all(struct suite_run *s, const struct run_compile *compile,
                       const struct suite_ask *over, const struct run_sets *sets)
{
    struct compiling c = {.s = s,
                          .compile = *compile,
                          .over = over,
                          .sets = sets,
                          .typed_known = calloc(sets->n + 1, sizeof(bool))};
    s->script = calloc(s->suite->lines, sizeof(struct script *));
    s->repeats = calloc(s->suite->lines, sizeof *s->repeats);
    /* What it points to itself is where it was. */
    c.compile.options.caps = &c.compile.caps;
    c.compile.options.instrument = &c.compile.instrument;
    int rc = c.typed_known && s->script && s->repeats ? compile_lines(&c) : -ENOMEM;
    if (rc == 0 && s->remarks.errors > 0)
        rc = -EINVAL;
    if (rc == 0)
        rc = tell_apart(s);
    free(c.typed_known);
    return rc;
}

int suite_run_open(struct suite_run *s, const char *word, const struct run_compile *compile,
                   const struct suite_ask *over, const struct run_sets *sets)
{
    struct err err = {0};
    int rc = read_suite(s, word, &err);
    if (rc == 0) {
        int status = check_sets(s, sets);
        if (status != CLI_DONE)
            return status;
        rc = compile_all(s, compile, over, sets);
    }
    say_remarks(&s->remarks);
    if (rc < 0 && s->remarks.errors == 0)
        console_error("%s", err.code ? err.text : err_name(rc));
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

struct script_wish suite_run_wish(const struct suite_run *s)
{
    /* Results of its own kind are shown as its figures. */
    bool own_kind = s->shipped && strcmp(s->name, cmd_array_test.name) == 0;
    return (struct script_wish){.kind = own_kind ? cmd_array_test.name : cmd_run.name,
                                .script = s->script,
                                .scripts = s->suite->lines,
                                .repeats = s->repeats,
                                .suite = own_kind ? NULL : s->name,
                                .cache = STUDY_CACHE_KEEP};
}

void suite_run_close(struct suite_run *s)
{
    for (unsigned i = 0; s->script && i < s->suite->lines; i++)
        script_free(s->script[i]);
    free(s->script);
    free(s->repeats);
    suite_free(s->suite);
    lang_remarks_fini(&s->remarks);
    free(s->path);
    free(s->name);
    *s = (struct suite_run){.path = NULL};
}
