#include "base/nearest.h"
#include "script/scope_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void value_print(const struct value *value, struct text *out)
{
    switch (value->kind) {
    case VALUE_INT:
        text_addf(out, "%" PRIu64, value->integer);
        return;
    case VALUE_BOOL:
        text_add(out, value->boolean ? "true" : "false");
        return;
    case VALUE_TEXT:
    case VALUE_DRAW:
        text_add(out, value->text);
        return;
    case VALUE_UNSET:
        text_add(out, "No default");
        return;
    }
}

/* ---- variables ---- */

static bool is_set(const struct variable *v)
{
    return v->tree || v->value.kind != VALUE_UNSET;
}

static int not_set(const struct scope *scope, const struct lang_value *var,
                   struct lang_remarks *remarks)
{
    struct nearest nearest = {.wish = var->text};
    for (; scope; scope = scope->outer)
        for (unsigned i = 0; i < scope->n; i++)
            if (is_set(scope->variable[i]))
                nearest_try(&nearest, scope->variable[i]->name);
    lang_error(remarks, var->at, "$%s%s%s is not set%s%s", var->text, var->suffix ? "." : "",
               var->suffix ? var->suffix : "", nearest.best ? ", did you mean $" : "",
               nearest.best ? nearest.best : "");
    return -EINVAL;
}

static int variable_value(struct scope *globals, struct variable *v, const struct lang_value *asked,
                          struct lang_remarks *remarks, struct value *out)
{
    if (asked->suffix)
        return randvar_field(globals, v, asked, remarks, out);
    if (!v->tree || (v->drawn && !globals->world->mean)) {
        *out = v->value;
        out->at = asked->at;
        return 0;
    }
    if (v->tree->kind == LANG_RANDVAR || v->tree->kind == LANG_CVAR)
        return randvar_value(globals, v->tree, v, remarks, out);
    return scope_value(globals, v->tree, remarks, out);
}

static int var_value(struct scope *scope, const struct lang_value *asked,
                     struct lang_remarks *remarks, struct value *out)
{
    struct variable *v = scope_find(scope, asked->text);
    if (!v || !is_set(v)) {
        if (v)
            v->used = true;
        return special_value(scope, asked, remarks, out) ? 0 : not_set(scope, asked, remarks);
    }
    v->used = true;
    if (v->busy) {
        lang_error(remarks, asked->at, "$%s is made of itself", asked->text);
        return -EINVAL;
    }
    v->busy++;
    int rc = variable_value(scope_globals(scope), v, asked, remarks, out);
    v->busy--;
    out->at = asked->at;
    return rc;
}

/* ---- expressions ---- */

static int arith_error(const struct lang_value *value, struct lang_remarks *remarks,
                       const char *what)
{
    lang_error(remarks, value->at, "%s", what);
    return -EINVAL;
}

static int arith(const struct lang_value *value, uint64_t a, uint64_t b,
                 struct lang_remarks *remarks, uint64_t *out)
{
    switch (value->op) {
    case '+':
        return __builtin_add_overflow(a, b, out)
                   ? arith_error(value, remarks, "the sum is beyond 64 bits")
                   : 0;
    case '-':
        return __builtin_sub_overflow(a, b, out)
                   ? arith_error(value, remarks, "the difference is below 0")
                   : 0;
    case '*':
        return __builtin_mul_overflow(a, b, out)
                   ? arith_error(value, remarks, "the product is beyond 64 bits")
                   : 0;
    default:
        if (b == 0)
            return arith_error(value, remarks, "a division by 0");
        *out = a / b;
        return 0;
    }
}

static int arith_value(struct scope *scope, const struct lang_value *value,
                       struct lang_remarks *remarks, struct value *out)
{
    struct value side[2] = {0};
    for (unsigned i = 0; i < 2; i++) {
        int rc = scope_value(scope, &value->item[i], remarks, &side[i]);
        if (rc < 0)
            return rc;
    }
    *out = (struct value){.kind = VALUE_INT, .at = value->at};
    return arith(value, value_count(scope, &side[0], "arithmetic", remarks),
                 value_count(scope, &side[1], "arithmetic", remarks), remarks, &out->integer);
}

static int join_value(struct scope *scope, const struct lang_value *value,
                      struct lang_remarks *remarks, struct value *out)
{
    struct text text;
    text_init(&text);
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < value->n; i++) {
        struct value item = {0};
        rc = scope_value(scope, &value->item[i], remarks, &item);
        if (rc == 0)
            value_print(&item, &text);
        if (rc == 0 && text.len > VALUE_TEXT_MAX) {
            lang_error(remarks, value->at, "a text of more than %d bytes", VALUE_TEXT_MAX);
            rc = -EINVAL;
        }
    }
    *out = (struct value){.kind = VALUE_TEXT, .at = value->at};
    if (rc == 0)
        out->text = text.failed ? NULL : scope_keep_text(scope, text.s);
    text_fini(&text);
    return rc == 0 && !out->text ? -ENOMEM : rc;
}

static int any_value(struct scope *scope, const struct lang_value *value,
                     struct lang_remarks *remarks, struct value *out)
{
    switch (value->kind) {
    case LANG_INT:
        *out = (struct value){.kind = VALUE_INT, .at = value->at, .integer = value->integer};
        return 0;
    case LANG_BOOL:
        *out = (struct value){.kind = VALUE_BOOL, .at = value->at, .boolean = value->boolean};
        return 0;
    case LANG_TEXT:
        *out = (struct value){.kind = VALUE_TEXT, .at = value->at, .text = value->text};
        return 0;
    case LANG_VAR:
        return var_value(scope, value, remarks, out);
    case LANG_JOIN:
        return join_value(scope, value, remarks, out);
    case LANG_ARITH:
        return arith_value(scope, value, remarks, out);
    case LANG_RANDVAR:
    case LANG_CVAR:
        return randvar_value(scope, value, NULL, remarks, out);
    case LANG_TABLE:
        break;
    }
    lang_error(remarks, value->at, "a table belongs into randtable of a random variable");
    return -EINVAL;
}

int scope_value(struct scope *scope, const struct lang_value *value, struct lang_remarks *remarks,
                struct value *out)
{
    struct world *world = scope->world;
    if (world->depth >= VARIABLE_DEPTH_MAX) {
        lang_error(remarks, value->at, "variables refer to each other more than %d deep",
                   VARIABLE_DEPTH_MAX);
        return -EINVAL;
    }
    if (world->evaluations == EVALUATIONS_MAX) {
        lang_error(remarks, value->at, "more than %u values are evaluated in all", EVALUATIONS_MAX);
        return -EINVAL;
    }
    world->evaluations++;
    world->depth++;
    int rc = any_value(scope, value, remarks, out);
    world->depth--;
    return rc;
}

int scope_value_mean(struct scope *scope, const struct lang_value *value, double mean,
                     struct lang_remarks *remarks, struct value *out)
{
    scope->world->mean = &mean;
    int rc = scope_value(scope, value, remarks, out);
    scope->world->mean = NULL;
    return rc;
}

/* ---- echo ---- */

static void print_literal(const struct lang_value *var, struct text *out)
{
    text_addf(out, var->paren ? "$(%s" : "$%s", var->text);
    if (var->suffix)
        text_addf(out, ".%s", var->suffix);
    if (var->paren)
        text_add(out, ")");
}

static bool is_known(struct scope *scope, const struct lang_value *var)
{
    struct lang_remarks quiet = {0};
    struct value value;
    const struct variable *v = scope_find(scope, var->text);
    bool known = v ? is_set(v) : special_value(scope, var, &quiet, &value);
    lang_remarks_fini(&quiet);
    return known;
}

static int print_item(struct scope *scope, const struct lang_value *item,
                      struct lang_remarks *remarks, struct text *out)
{
    if (item->kind == LANG_VAR && !is_known(scope, item)) {
        print_literal(item, out);
        return 0;
    }
    struct value value = {0};
    int rc = scope_value(scope, item, remarks, &value);
    if (rc == 0)
        value_print(&value, out);
    return rc;
}

int scope_print(struct scope *scope, const struct lang_value *value, struct lang_remarks *remarks,
                struct text *out)
{
    if (value->kind != LANG_JOIN)
        return print_item(scope, value, remarks, out);
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < value->n; i++)
        rc = print_item(scope, &value->item[i], remarks, out);
    return rc;
}

int scope_print_variable(struct scope *globals, struct variable *v, struct text *out)
{
    /* What it cannot be evaluated for is said where it is used, if it ever is. */
    struct lang_remarks quiet = {0};
    bool used = v->used;
    const struct lang_value asked = {.kind = LANG_VAR, .text = v->name};
    struct value value = {0};
    int rc = is_set(v) ? scope_value(globals, &asked, &quiet, &value) : 0;
    if (rc == 0 && value.kind == VALUE_DRAW)
        draw_text(value.draw, out);
    else if (rc == 0)
        value_print(&value, out);
    lang_remarks_fini(&quiet);
    v->used = used;
    return rc == -ENOMEM || out->failed ? -ENOMEM : 0;
}

int scope_list(struct scope *globals, const char *end, struct text *out)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < globals->n; i++) {
        text_addf(out, "%s=", globals->variable[i]->name);
        rc = scope_print_variable(globals, globals->variable[i], out);
        text_add(out, end);
    }
    return rc;
}
