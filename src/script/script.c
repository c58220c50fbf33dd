#include "script/compile_priv.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void step_fini(struct script_step *step)
{
    free(step->text);
    plan_free(step->plan);
}

void script_free(struct script *script)
{
    if (!script)
        return;
    for (unsigned i = 0; i < script->steps; i++) /* plans look at the sets' trees */
        step_fini(&script->step[i]);
    for (unsigned i = 0; i < script->sets; i++) {
        free(script->set[i].name);
        grown_free(script->set[i].grown);
    }
    for (unsigned i = 0; i < script->variables; i++) {
        free(script->variable[i].name);
        free(script->variable[i].value);
    }
    free(script->step);
    free(script->set);
    free(script->variable);
    free(script->name);
    free(script);
}

static int too_much(struct compilation *k, struct lang_pos at, const char *what)
{
    lang_error(k->c.remarks, at, "more than %s, those of loops counted each time", what);
    k->quit = true;
    return -EINVAL;
}

static int check_room(struct compilation *k, struct lang_pos at, const struct script_step *step)
{
    if (k->c.script->steps >= SCRIPT_STEPS_MAX)
        return too_much(k, at, "10000 steps");
    k->text_bytes += step->text ? strlen(step->text) : 0;
    if (k->text_bytes > STEP_TEXT_MAX)
        return too_much(k, at, "64 MiB of texts");
    k->plan_steps += step->plan ? step->plan->steps : 0;
    if (k->plan_steps > STEP_PLANS_MAX)
        return too_much(k, at, "4000000 steps of all runs' threads");
    return 0;
}

/* Room for one more; arrays double. */
static int make_room(struct script *script)
{
    if ((script->steps & (script->steps - 1)) != 0)
        return 0;
    size_t room = script->steps == 0 ? 1 : 2 * (size_t)script->steps;
    struct script_step *all = realloc(script->step, room * sizeof *all);
    if (!all)
        return -ENOMEM;
    script->step = all;
    return 0;
}

int script_add(struct compilation *k, struct lang_pos at, const struct script_step *step)
{
    struct script *script = k->c.script;
    struct script_step own = *step;
    int rc = check_room(k, at, step);
    if (rc == 0)
        rc = make_room(script);
    if (rc < 0) {
        step_fini(&own);
        return rc;
    }
    own.line = at.line;
    script->runs += own.kind == SCRIPT_RUN;
    script->step[script->steps++] = own;
    return 0;
}

int compiler_echo(struct compiler *c, struct lang_pos at, const char *text)
{
    struct compilation *k = (struct compilation *)((char *)c - offsetof(struct compilation, c));
    struct script_step step = {.kind = SCRIPT_ECHO, .text = strdup(text)};
    return step.text ? script_add(k, at, &step) : -ENOMEM;
}

/* ---- the end ---- */

static int keep_variable(struct script_variable *out, struct scope *globals, struct variable *v)
{
    struct text text;
    text_init(&text);
    int rc = scope_print_variable(globals, v, &text);
    out->name = strdup(v->name);
    out->value = rc == 0 ? text_take(&text) : NULL;
    text_fini(&text);
    return out->name && out->value ? 0 : -ENOMEM;
}

/* One value may be meant for several files: what this one never asks for is none of its variables. */
static bool is_not_of_it(const struct variable *v)
{
    return v->pinned && !v->used && strcmp(v->name, "dir") != 0;
}

static int keep_variables(struct script *script, struct scope *globals)
{
    script->variable = calloc(globals->n + 1, sizeof *script->variable);
    if (!script->variable)
        return -ENOMEM;
    for (unsigned i = 0; i < globals->n; i++) {
        if (is_not_of_it(globals->variable[i]))
            continue;
        int rc =
            keep_variable(&script->variable[script->variables++], globals, globals->variable[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static bool same_remark(const struct lang_remark *a, const struct lang_remark *b)
{
    return a->warning == b->warning && a->at.file == b->at.file && a->at.line == b->at.line &&
           a->at.column == b->at.column && strcmp(a->text, b->text) == 0;
}

/* Each run evaluates everything anew, and would warn anew. */
static void drop_repeated(struct lang_remarks *remarks)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < remarks->n; i++) {
        unsigned j = 0;
        while (j < kept && !same_remark(&remarks->remark[j], &remarks->remark[i]))
            j++;
        if (j == kept) {
            remarks->remark[kept++] = remarks->remark[i];
            continue;
        }
        remarks->errors -= !remarks->remark[i].warning;
        free(remarks->remark[i].text);
    }
    remarks->n = kept;
}

/* ---- the whole ---- */

static enum script_dialect find_dialect(const struct lang_tree *tree,
                                        const struct script_options *o)
{
    if (o->dialect != SCRIPT_DIALECT_AUTO)
        return o->dialect;
    if (tree->signs & LANG_SIGN_15)
        return SCRIPT_DIALECT_15;
    return tree->signs & LANG_SIGN_14 ? SCRIPT_DIALECT_14 : SCRIPT_DIALECT_15;
}

static int compile_end(struct compilation *k)
{
    int rc = by_hand_stop(k, (struct lang_pos){0, 1, 1});
    if (rc == 0 && !k->ran && !k->refused)
        rc = compile_missing_run(k);
    if (rc < 0)
        return rc;
    if (k->late.line > 0)
        lang_warn(k->c.remarks, k->late, "nothing is run behind this: it changes no run");
    scope_check_pins(k->c.globals, k->c.remarks);
    return keep_variables(k->c.script, k->c.globals);
}

static int compile(struct compilation *k, const struct lang_tree *tree)
{
    struct compiler *c = &k->c;
    int rc = scope_new(c->o, c->remarks, &c->globals);
    if (rc < 0)
        return rc;
    c->script = calloc(1, sizeof *c->script);
    if (!c->script)
        return -ENOMEM;
    c->script->name = strdup(c->o->name ? c->o->name : "");
    c->script->dialect = c->dialect;
    if (!c->script->name)
        return -ENOMEM;
    k->own_runs = has_own_runs(tree->command, tree->commands);
    rc = compile_commands(k, tree->command, tree->commands);
    if (rc == 0)
        rc = compile_end(k);
    return rc;
}

static void compiler_fini(struct compilation *k)
{
    for (unsigned i = 0; i < k->c.defined; i++)
        compiler_forget(&k->c, &k->c.definition[i]);
    scope_free(k->c.globals);
    free(k->c.composite);
    free(k->c.definition);
    free(k->files.wish);
}

int script_compile(const struct lang_tree *tree, const struct script_options *options,
                   struct script **out, struct lang_remarks *remarks, struct err *err)
{
    struct compilation k = {
        .c = {.o = options,
              .dialect = find_dialect(tree, options),
              .arrivals_in_tens = options->dialect == SCRIPT_DIALECT_15,
              .remarks = remarks,
              .err = err,
              .quit = PLAN_QUIT_TIMEOUT},
    };
    int rc = compile(&k, tree);
    compiler_fini(&k);
    if (remarks->failed)
        rc = -ENOMEM;
    else
        drop_repeated(remarks);
    if (rc == 0 && remarks->errors > 0)
        rc = -EINVAL;
    if (rc == 0) {
        *out = k.c.script;
        return 0;
    }
    script_free(k.c.script);
    if (rc == -ENOMEM)
        err_set(err, rc, "no memory for the workload");
    else if (!err || err->code == 0)
        err_set(err, rc, "the workload cannot be run as it is");
    return rc;
}
