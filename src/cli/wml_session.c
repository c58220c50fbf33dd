#include "cli/wml_session.h"

#include "cli/console.h"
#include "cli/say_remarks.h"
#include "cli/workload.h"

#include "script/script.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void wml_session_init(struct wml_session *s, const char *source)
{
    *s = (struct wml_session){.source = source};
    text_init(&s->text);
}

void wml_session_fini(struct wml_session *s)
{
    text_fini(&s->text);
    free(s->wait);
    free(s->workload);
    free(s->dir);
}

void wml_parsed_fini(struct wml_parsed *parsed)
{
    lang_free(parsed->tree);
    lang_remarks_fini(&parsed->remarks);
    parsed->tree = NULL;
}

/* ---- where a chunk ends ---- */

static const char *past_word(const char *s, const char *word)
{
    size_t len = strlen(word);
    s += strspn(s, " \t");
    return strncmp(s, word, len) == 0 && !isalnum((unsigned char)s[len]) ? s + len : NULL;
}

/* Its '{' often stands in the next line. */
static bool begins_block(const char *chunk)
{
    const char *define = past_word(chunk, "define");
    return past_word(chunk, "foreach") ||
           (define && (past_word(define, "process") || past_word(define, "flowop")));
}

bool wml_goes_on(const char *chunk, size_t len)
{
    bool quoted = false, comment = false, block = false;
    int depth = 0;
    char last = '\0';
    for (size_t i = 0; i < len; i++) {
        char c = chunk[i];
        if (comment || (c == '#' && !quoted)) {
            comment = c != '\n';
            continue;
        }
        quoted ^= c == '"';
        if (quoted || isspace((unsigned char)c))
            continue;
        depth += c == '{';
        depth -= c == '}';
        block |= c == '{' && last != '$';
        last = c;
    }
    return quoted || depth > 0 || last == ',' || (!block && begins_block(chunk));
}

/* ---- the text ---- */

static void blank(struct wml_session *s, struct wml_range range)
{
    for (size_t i = range.from; i < range.to; i++)
        if (s->text.s[i] != '\n')
            s->text.s[i] = ' ';
}

static bool wait_for_run(struct wml_session *s)
{
    struct wml_range *grown = reallocarray(s->wait, s->waiting + 1, sizeof *grown);
    if (!grown)
        return false;
    s->wait = grown;
    grown[s->waiting++] = s->last;
    return true;
}

void wml_session_done(struct wml_session *s, bool ran)
{
    blank(s, s->last);
    for (unsigned i = 0; ran && i < s->waiting; i++)
        blank(s, s->wait[i]);
    if (ran) {
        s->waiting = 0;
        s->by_hand = false;
    }
}

/* ---- parsing ---- */

/* Which load of a text is the chunk's first: they are asked for in the order of the text. */
struct loads {
    struct workload here;
    unsigned n;
    unsigned wanted;
    char *workload;
};

static int load(void *ctx, const char *name, char **text, size_t *len, char **shown_as,
                struct err *err)
{
    struct loads *l = ctx;
    const struct lang_loader files = workload_loader(&l->here);
    int rc = files.load(files.ctx, name, text, len, shown_as, err);
    if (rc == 0 && l->n++ == l->wanted)
        l->workload = workload_name(*shown_as);
    return rc;
}

static int parse(const struct wml_session *s, struct loads *l, struct wml_parsed *out)
{
    char *path = strdup(s->source);
    l->here.path = path;
    const struct lang_loader loader = {.load = load, .ctx = l};
    /* Where the last line ends too early is in that line, not in the one below. */
    size_t len = s->text.len - (s->text.len > 0);
    int rc =
        path ? lang_parse(s->source, s->text.s, len, &loader, &out->tree, &out->remarks) : -ENOMEM;
    l->here.path = NULL;
    free(path);
    return rc;
}

/* What is known already of the text without the chunk. */
struct before {
    unsigned commands;
    unsigned remarks;
    unsigned loads;
};

static struct before look_back(const struct wml_session *s)
{
    struct wml_parsed parsed = {.tree = NULL};
    struct loads l = {.wanted = UINT32_MAX};
    struct before before = {0};
    if (parse(s, &l, &parsed) == 0)
        before = (struct before){parsed.tree->commands, parsed.remarks.n, l.n};
    wml_parsed_fini(&parsed);
    return before;
}

/* What was said of earlier chunks is not said again, nor this once more behind the compiler's. */
static void say_new(struct lang_remarks *r, unsigned told)
{
    struct lang_remarks fresh = *r;
    told = told < r->n ? told : r->n;
    fresh.remark = r->remark ? r->remark + told : NULL;
    fresh.n -= told;
    say_remarks(&fresh);
    for (unsigned i = 0; i < r->n; i++)
        free(r->remark[i].text);
    r->n = r->more = 0;
}

/* ---- what a chunk does ---- */

static bool has(const struct lang_command *c, bool (*is)(const struct lang_command *c))
{
    bool found = is(c);
    for (unsigned i = 0; !found && i < c->commands; i++)
        found = has(&c->command[i], is);
    return found;
}

static bool quits(const struct lang_command *c)
{
    return c->kind == LANG_QUIT;
}

static bool runs(const struct lang_command *c)
{
    return c->kind == LANG_RUN || c->kind == LANG_PSRUN;
}

static bool is_word(const struct lang_command *c, enum lang_command_kind kind, const char *word)
{
    return c->kind == kind && c->word && strncmp(c->word, word, strlen(word)) == 0;
}

static bool acts(const struct lang_command *c)
{
    switch (c->kind) {
    case LANG_CREATE:
    case LANG_SHUTDOWN:
    case LANG_RUN:
    case LANG_PSRUN:
    case LANG_SLEEP:
    case LANG_WARMUP:
    case LANG_SYSTEM:
    case LANG_ECHO:
    case LANG_STATS:
    case LANG_FSFLUSH:
    case LANG_VARS:
        return true;
    default:
        return false;
    }
}

static bool does_nothing(const struct lang_command *c)
{
    return c->kind == LANG_LIST || c->kind == LANG_LOG || c->kind == LANG_USAGE ||
           c->kind == LANG_DEBUG || c->kind == LANG_VERSION;
}

/* The commands that the chunk added; those that it loaded are of another file than 0. */
struct added {
    const struct lang_command *command;
    unsigned n;
    bool act;   /* some typed command acts */
    bool stays; /* some command is there for all runs to come */
};

static struct added added_by(const struct lang_tree *tree, unsigned before)
{
    struct added a = {.n = tree->commands - before};
    a.command = a.n > 0 ? tree->command + before : NULL;
    for (unsigned i = 0; i < a.n; i++) {
        bool act = a.command[i].at.file == 0 && has(&a.command[i], acts);
        a.act |= act;
        a.stays |= !act;
    }
    return a;
}

/* False: what it says cannot be done, which was told. */
static bool check(const struct added *a, struct lang_remarks *r)
{
    for (unsigned i = 0; i < a->n; i++) {
        const struct lang_command *c = &a->command[i];
        if (has(c, quits))
            lang_error(r, c->at, "%s",
                       c->at.file != 0 ? "this file quits: nothing that is typed behind it would "
                                         "count"
                                       : "quit stands on a line of its own");
        else if (a->act && a->stays && c->at.file == 0 && has(c, acts))
            lang_error(r, c->at,
                       "this is done once, what else is in its line stays: they stand on lines of "
                       "their own");
        else if (c->at.file == 0 && c->kind == LANG_SET && !c->suffix &&
                 strcmp(c->name, "dir") == 0 && c->value.kind != LANG_TEXT)
            lang_error(r, c->at, "the target must be plain text here: set $dir=/PLACE");
    }
    return r->errors == 0;
}

static bool keep_dir(struct wml_session *s, const struct added *a)
{
    for (unsigned i = 0; i < a->n; i++) {
        const struct lang_command *c = &a->command[i];
        if (c->at.file != 0 || c->kind != LANG_SET || c->suffix || strcmp(c->name, "dir") != 0)
            continue;
        free(s->dir);
        s->dir = strdup(c->value.text);
        if (!s->dir)
            return false;
    }
    return true;
}

static enum wml_what keep(struct wml_session *s, const struct added *a, struct loads *l)
{
    if (l->workload) {
        free(s->workload);
        s->workload = l->workload;
        l->workload = NULL;
    }
    for (unsigned i = 0; i < a->n; i++)
        if (a->command[i].at.file == 0 && does_nothing(&a->command[i]))
            console_note("line %u: this does nothing here", a->command[i].at.line);
    if (keep_dir(s, a))
        return WML_KEPT;
    console_error("out of memory");
    return WML_WRONG;
}

static enum wml_what show_variables(struct wml_session *s, const struct lang_tree *tree)
{
    struct text usage, variables;
    text_init(&usage);
    text_init(&variables);
    int rc = script_describe(tree, &usage, &variables);
    if (rc == 0 && variables.len > 0 && variables.s[variables.len - 1] != '\n')
        text_add(&variables, "\n");
    if (rc == 0)
        rc = console_show(&variables);
    else
        console_error("%s", err_name(rc));
    text_fini(&usage);
    text_fini(&variables);
    blank(s, s->last);
    return rc < 0 ? WML_WRONG : WML_KEPT;
}

static enum wml_what act(struct wml_session *s, const struct added *a, const struct lang_tree *tree)
{
    bool measure = false;
    if (a->n == 1 && a->command->kind == LANG_VARS)
        return show_variables(s, tree);
    for (unsigned i = 0; i < a->n; i++) {
        const struct lang_command *c = &a->command[i];
        bool snap = is_word(c, LANG_STATS, "snap");
        s->by_hand |= is_word(c, LANG_CREATE, "process");
        measure |= has(c, runs) || (s->by_hand && (snap || c->kind == LANG_SHUTDOWN));
        if (snap && !s->by_hand)
            console_warn("line %u: no processes were created since the last run: nothing is "
                         "measured",
                         c->at.line);
    }
    if (measure)
        return WML_MEASURE;
    if (!wait_for_run(s)) {
        console_error("out of memory");
        return WML_WRONG;
    }
    console_note("line %u: done when the next run comes to it", a->command->at.line);
    return WML_KEPT;
}

static enum wml_what decide(struct wml_session *s, const struct before *before, struct loads *l,
                            struct wml_parsed *parsed)
{
    const struct added a = added_by(parsed->tree, before->commands);
    if (a.n == 1 && a.command->at.file == 0 && quits(a.command)) {
        say_new(&parsed->remarks, before->remarks);
        return WML_QUIT;
    }
    bool fine = check(&a, &parsed->remarks);
    say_new(&parsed->remarks, before->remarks);
    if (!fine)
        return WML_WRONG;
    return a.act ? act(s, &a, parsed->tree) : keep(s, &a, l);
}

enum wml_what wml_session_take(struct wml_session *s, const char *chunk, size_t len,
                               struct wml_parsed *parsed)
{
    const struct before before = look_back(s);
    struct loads l = {.wanted = before.loads};
    enum wml_what what = WML_WRONG;
    *parsed = (struct wml_parsed){.tree = NULL};
    s->last.from = s->text.len;
    text_add_bytes(&s->text, chunk, len);
    s->last.to = s->text.len;
    int rc = s->text.failed ? -ENOMEM : parse(s, &l, parsed);
    if (rc == 0)
        what = decide(s, &before, &l, parsed);
    else if (parsed->remarks.errors > 0)
        say_new(&parsed->remarks, before.remarks);
    else
        console_error("%s: %s", s->source, err_name(rc));
    if (what == WML_WRONG)
        blank(s, s->last);
    if (what != WML_MEASURE)
        wml_parsed_fini(parsed);
    free(l.workload);
    return what;
}
