#include "base/flowop.h"
#include "script/compile_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int compiler_set(const struct compiler *c, const char *name)
{
    for (unsigned i = c->first_set; i < c->script->sets; i++)
        if (strcmp(c->script->set[i].name, name) == 0)
            return (int)i;
    return -1;
}

const struct composite *compiler_composite(const struct compiler *c, const char *name)
{
    for (unsigned i = 0; i < c->composites; i++)
        if (strcmp(c->composite[i].name, name) == 0)
            return &c->composite[i];
    return NULL;
}

int seconds(struct compilation *k, const struct lang_value *value, const char *what, uint64_t *ns)
{
    struct value v = {0};
    int rc = scope_value(k->c.globals, value, k->c.remarks, &v);
    if (rc < 0)
        return rc;
    uint64_t s = 0;
    rc = value_number(k->c.globals, &v, what, k->c.remarks, &s);
    if (rc < 0)
        return rc;
    if (s > SECONDS_MAX) {
        lang_error(k->c.remarks, value->at, "%s: %llu seconds are more than %u", what,
                   (unsigned long long)s, SECONDS_MAX);
        return -EINVAL;
    }
    *ns = s * SECOND_NS;
    return 0;
}

/* ---- definitions ---- */

void compiler_forget(struct compiler *c, struct definition *d)
{
    if (d->scope != c->globals)
        scope_leave(d->scope);
    d->scope = c->globals;
}

static const char *kind_name(enum lang_command_kind kind)
{
    if (kind == LANG_DEFINE_FILE)
        return "file";
    if (kind == LANG_DEFINE_FILESET)
        return "fileset";
    return kind == LANG_DEFINE_FLOWOP ? "flowop" : "process";
}

static int defined_name(struct compilation *k, const struct lang_command *d, const char **name)
{
    int rc = attr_word(k->c.globals, &d->attrs, "name", k->c.remarks, name);
    if (rc == 0 && !*name) {
        lang_error(k->c.remarks, d->at, "define %s: name=… is missing", kind_name(d->kind));
        return -EINVAL;
    }
    return rc;
}

static bool names_files(const struct lang_command *d)
{
    return d->kind == LANG_DEFINE_FILE || d->kind == LANG_DEFINE_FILESET;
}

static int check_number(struct compilation *k, const struct lang_command *d, unsigned n)
{
    if (n < DEFINITIONS_MAX)
        return 0;
    lang_error(k->c.remarks, d->at, "more than %d definitions", DEFINITIONS_MAX);
    return -EINVAL;
}

/* A loop that defines the same thing in each pass means the one of this pass; what is written
 * twice is a mistake. */
static int find_definition(struct compilation *k, const struct lang_command *d, const char *name,
                           unsigned *out)
{
    for (unsigned i = 0; i < k->c.defined; i++) {
        const struct definition *have = &k->c.definition[i];
        if (strcmp(have->name, name) != 0 || names_files(have->command) != names_files(d))
            continue;
        if (have->command == d) {
            *out = i;
            return 0;
        }
        if (names_files(d)) {
            lang_error(k->c.remarks, d->at, "%s is defined in line %u already", name,
                       have->command->at.line);
            return -EINVAL;
        }
    }
    *out = k->c.defined;
    return check_number(k, d, k->c.defined);
}

/* What a loop defines means the loop's variable as it is in this pass. */
static int hold_loops(struct compilation *k, struct lang_pos at, struct scope **scope)
{
    int rc = k->loop ? scope_over(k->c.globals, scope) : 0;
    for (const struct loop *l = k->loop; l && rc == 0; l = l->outer)
        rc = scope_hold(*scope, at, l->name, k->c.remarks);
    return rc;
}

static int place_for(struct compilation *k, unsigned at)
{
    if (at < k->c.defined)
        return 0;
    struct definition *all = realloc(k->c.definition, (at + 1) * sizeof *all);
    if (!all)
        return -ENOMEM;
    all[at] = (struct definition){.scope = k->c.globals};
    k->c.definition = all;
    k->c.defined++;
    return 0;
}

static int define(struct compilation *k, const struct lang_command *d)
{
    struct definition made = {.command = d, .scope = k->c.globals};
    unsigned at = 0;
    int rc = defined_name(k, d, &made.name);
    if (rc == 0 && names_files(d)) {
        rc = attr_word(k->c.globals, &d->attrs, "path", k->c.remarks, &made.path);
        if (rc == 0 && !made.path) {
            lang_error(k->c.remarks, d->at, "define %s %s: path=… is missing", kind_name(d->kind),
                       made.name);
            rc = -EINVAL;
        }
    }
    if (rc == 0)
        rc = find_definition(k, d, made.name, &at);
    if (rc == 0)
        rc = hold_loops(k, d->at, &made.scope);
    if (rc == 0)
        rc = place_for(k, at);
    if (rc < 0) {
        compiler_forget(&k->c, &made);
        return rc;
    }
    compiler_forget(&k->c, &k->c.definition[at]);
    k->c.definition[at] = made;
    return 0;
}

static int define_composite(struct compilation *k, const struct lang_command *d)
{
    const char *name = NULL;
    int rc = defined_name(k, d, &name);
    if (rc < 0)
        return rc;
    const struct composite *have = compiler_composite(&k->c, name);
    if (have && have->definition == d)
        return 0;
    if (have) {
        lang_error(k->c.remarks, d->at, "flowop %s is defined in line %u already", name,
                   have->definition->at.line);
        return -EINVAL;
    }
    rc = check_number(k, d, k->c.composites);
    if (rc < 0)
        return rc;
    if (flowop_find(name))
        lang_warn(k->c.remarks, d->at,
                  "there is a flowop type %s already: this composite is never used", name);
    struct composite *all = realloc(k->c.composite, (k->c.composites + 1) * sizeof *all);
    if (!all)
        return -ENOMEM;
    k->c.composite = all;
    all[k->c.composites++] = (struct composite){name, d};
    return 0;
}

/* ---- what is said and done beside the runs ---- */

static int add_text(struct compilation *k, const struct lang_command *c, enum script_step_kind kind)
{
    struct text text;
    text_init(&text);
    int rc = scope_print(k->c.globals, &c->value, k->c.remarks, &text);
    char *s = rc == 0 ? text_take(&text) : NULL;
    text_fini(&text);
    if (rc < 0)
        return rc;
    return s ? script_add(k, c->at, &(struct script_step){.kind = kind, .text = s}) : -ENOMEM;
}

static int do_system(struct compilation *k, const struct lang_command *c)
{
    if (!k->c.o->allow_system) {
        lang_error(k->c.remarks, c->at,
                   "system runs a command of this file's choice on this machine: only with "
                   "--allow-system");
        return -EINVAL;
    }
    if (k->by_hand.up)
        lang_warn(k->c.remarks, c->at,
                  "system runs before the processes are started, not beside them");
    return add_text(k, c, SCRIPT_SHELL);
}

static int do_sleep(struct compilation *k, const struct lang_command *c)
{
    uint64_t ns = 0;
    int rc = seconds(k, &c->value, "sleep", &ns);
    if (rc < 0)
        return rc;
    if (k->by_hand.up) {
        by_hand_sleep(k, c->at, ns);
        return 0;
    }
    return script_add(k, c->at, &(struct script_step){.kind = SCRIPT_SLEEP, .ns = ns});
}

static int do_warmup(struct compilation *k, const struct lang_command *c)
{
    uint64_t ns = 0;
    int rc = seconds(k, &c->value, "warmup", &ns);
    if (rc < 0)
        return rc;
    if (k->by_hand.up)
        k->by_hand.warmup_ns += ns;
    else
        k->warmup_ns += ns;
    return 0;
}

bool begins(const char *word, const char *with)
{
    return word && strncmp(word, with, strlen(with)) == 0;
}

static int do_create(struct compilation *k, const struct lang_command *c)
{
    return begins(c->word, "process") ? by_hand_start(k, c->at) : sets_create(k, c->at);
}

static int do_shutdown(struct compilation *k, const struct lang_command *c)
{
    int rc = by_hand_stop(k, c->at);
    return rc == 0 && !begins(c->word, "process") ? sets_remove(k, c->at) : rc;
}

static int do_stats(struct compilation *k, const struct lang_command *c)
{
    if (!k->by_hand.up)
        return 0; /* a run begins with none and ends with a report */
    if (begins(c->word, "clear"))
        by_hand_clear(k);
    return begins(c->word, "snap") ? by_hand_snap(k, c->at) : 0;
}

static int do_mode(struct compilation *k, const struct lang_command *c)
{
    if (begins(c->word, "timeout"))
        k->c.quit = PLAN_QUIT_TIMEOUT;
    else if (begins(c->word, "firstdone"))
        k->c.quit = PLAN_QUIT_FIRSTDONE;
    else if (begins(c->word, "alldone"))
        k->c.quit = PLAN_QUIT_ALLDONE;
    return 0; /* nousestats says nothing about the load */
}

static int do_foreach(struct compilation *k, const struct lang_command *c)
{
    int rc = 0; /* what is wrong in one pass is wrong in the next */
    const struct loop loop = {.outer = k->loop, .name = c->name};
    k->loop = &loop;
    for (unsigned i = 0; rc == 0 && i < c->items && !k->quit; i++) {
        rc = scope_bind(k->c.globals, c->at, c->name, &c->item[i], k->c.remarks);
        if (rc == 0)
            rc = compile_commands(k, c->command, c->commands);
    }
    k->loop = loop.outer;
    return rc;
}

static int do_vars(struct compilation *k, const struct lang_command *c)
{
    struct text text;
    text_init(&text);
    int rc = scope_list(k->c.globals, "\n", &text);
    char *s = rc == 0 ? text_take(&text) : NULL;
    text_fini(&text);
    return s ? script_add(k, c->at, &(struct script_step){.kind = SCRIPT_ECHO, .text = s})
             : -ENOMEM;
}

/* ---- all of them ---- */

/* Outside of loops, where the next pass may run it. */
static void mind_late(struct compilation *k, const struct lang_command *c)
{
    bool changes = c->kind == LANG_SET || c->kind == LANG_SET_MODE || c->kind == LANG_EVENTGEN ||
                   c->kind == LANG_DEFINE_PROCESS || names_files(c);
    if (changes && k->ran && !k->by_hand.up && !k->loop && k->late.line == 0)
        k->late = c->at;
}

static int compile_command(struct compilation *k, const struct lang_command *c)
{
    mind_late(k, c);
    switch (c->kind) {
    case LANG_SET:
        return scope_assign(k->c.globals, c, k->c.remarks);
    case LANG_SET_MODE:
        return do_mode(k, c);
    case LANG_DEFINE_FILE:
    case LANG_DEFINE_FILESET:
    case LANG_DEFINE_PROCESS:
        return define(k, c);
    case LANG_DEFINE_FLOWOP:
        return define_composite(k, c);
    case LANG_CREATE:
        return do_create(k, c);
    case LANG_SHUTDOWN:
        return do_shutdown(k, c);
    case LANG_EVENTGEN:
        k->eventgen = c;
        return 0;
    case LANG_RUN:
    case LANG_PSRUN:
        return compile_run_command(k, c);
    case LANG_SLEEP:
        return do_sleep(k, c);
    case LANG_WARMUP:
        return do_warmup(k, c);
    case LANG_SYSTEM:
        return do_system(k, c);
    case LANG_ECHO:
        return add_text(k, c, SCRIPT_ECHO);
    case LANG_STATS:
        return do_stats(k, c);
    case LANG_FOREACH:
        return do_foreach(k, c);
    case LANG_FSFLUSH:
        return script_add(k, c->at, &(struct script_step){.kind = SCRIPT_FLUSH});
    case LANG_ENABLE_LATHIST:
        k->c.script->latency_histogram = true;
        return 0;
    case LANG_VARS:
        return do_vars(k, c);
    case LANG_QUIT:
        k->quit = true;
        return 0;
    case LANG_LIST:
    case LANG_LOG:
    case LANG_USAGE:
    case LANG_DEBUG:
    case LANG_VERSION:
        return 0; /* for whoever reads the file, nothing about the load */
    }
    return 0;
}

int compile_commands(struct compilation *k, const struct lang_command *command, unsigned n)
{
    int worst = 0;
    for (unsigned i = 0; i < n && worst != -ENOMEM && !k->quit; i++) {
        if (k->executed++ >= COMMANDS_MAX) {
            lang_error(k->c.remarks, command[i].at, "loops come to more than %u commands in all",
                       COMMANDS_MAX);
            return -EINVAL;
        }
        int rc = compile_command(k, &command[i]);
        if (rc < 0)
            worst = rc;
    }
    return worst;
}
