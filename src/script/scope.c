#include "base/nearest.h"
#include "script/scope_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    struct kept *next;
    max_align_t data[];
};

void *scope_keep(struct scope *scope, size_t bytes)
{
    struct kept *kept = calloc(1, sizeof *kept + bytes);
    if (!kept)
        return NULL;
    kept->next = scope->world->kept;
    scope->world->kept = kept;
    return kept->data;
}

const char *scope_keep_text(struct scope *scope, const char *s)
{
    size_t len = strlen(s) + 1;
    char *copy = scope_keep(scope, len);
    if (copy)
        memcpy(copy, s, len);
    return copy;
}

static struct variable *find_here(const struct scope *scope, const char *name)
{
    for (unsigned i = 0; i < scope->n; i++)
        if (strcmp(scope->variable[i]->name, name) == 0)
            return scope->variable[i];
    return NULL;
}

struct variable *scope_find(const struct scope *scope, const char *name)
{
    for (; scope; scope = scope->outer) {
        struct variable *v = find_here(scope, name);
        if (v)
            return v;
    }
    return NULL;
}

struct scope *scope_globals(struct scope *scope)
{
    while (scope->outer)
        scope = scope->outer;
    return scope;
}

struct variable *scope_variable(struct scope *scope, const char *name)
{
    struct variable *v = find_here(scope, name);
    if (v)
        return v;
    struct variable **all = realloc(scope->variable, (scope->n + 1) * sizeof(struct variable *));
    if (!all)
        return NULL;
    scope->variable = all;
    v = calloc(1, sizeof *v);
    char *copy = strdup(name);
    if (!v || !copy) {
        free(v);
        free(copy);
        return NULL;
    }
    v->name = copy;
    all[scope->n++] = v;
    return v;
}

static void scope_drop_variables(struct scope *scope)
{
    for (unsigned i = 0; i < scope->n; i++) {
        free(scope->variable[i]->name);
        free(scope->variable[i]->override);
        free(scope->variable[i]);
    }
    free(scope->variable);
}

void scope_free(struct scope *globals)
{
    if (!globals)
        return;
    scope_drop_variables(globals);
    while (globals->world->kept) {
        struct kept *next = globals->world->kept->next;
        free(globals->world->kept);
        globals->world->kept = next;
    }
    free(globals->world);
    free(globals);
}

/* "16k", "true", or a text. */
static struct value plain_value(const char *text)
{
    struct value value = {.kind = VALUE_TEXT, .text = text};
    if (value_parse_count(text, &value.integer)) {
        value.kind = VALUE_INT;
    } else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value.kind = VALUE_BOOL;
        value.boolean = *text == 't';
    }
    return value;
}

static int pin(struct scope *globals, const char *name, struct value value)
{
    struct variable *v = scope_variable(globals, name);
    if (!v)
        return -ENOMEM;
    v->pinned = true;
    v->value = value;
    return 0;
}

static int pin_word(struct scope *globals, const char *word, struct lang_remarks *remarks)
{
    const char *equals = strchr(word, '=');
    const char *begin = *word == '$' ? word + 1 : word;
    if (!equals || equals <= begin) {
        lang_error(remarks, (struct lang_pos){0, 1, 1}, "\"%s\": name=value was expected", word);
        return -EINVAL;
    }
    char *name = scope_keep(globals, (size_t)(equals - begin) + 1);
    const char *text = scope_keep_text(globals, equals + 1);
    if (!name || !text)
        return -ENOMEM;
    memcpy(name, begin, (size_t)(equals - begin));
    return pin(globals, name, plain_value(text));
}

int scope_new(const struct script_options *o, struct lang_remarks *remarks, struct scope **out)
{
    struct scope *globals = calloc(1, sizeof *globals);
    struct world *world = calloc(1, sizeof *world);
    if (!globals || !world) {
        free(globals);
        free(world);
        return -ENOMEM;
    }
    world->o = o;
    globals->world = world;
    int rc = 0;
    if (o->target)
        rc = pin(globals, "dir", (struct value){.kind = VALUE_TEXT, .text = o->target});
    for (unsigned i = 0; rc == 0 && i < o->sets; i++)
        rc = pin_word(globals, o->set[i], remarks);
    if (rc == 0)
        *out = globals;
    else
        scope_free(globals);
    return rc;
}

void scope_rate(struct scope *globals, double event_rate)
{
    globals->world->event_rate = event_rate;
}

static const char *nearest_variable(const struct scope *globals, const struct variable *not_this)
{
    struct nearest nearest = {.wish = not_this->name};
    for (unsigned i = 0; i < globals->n; i++)
        if (globals->variable[i] != not_this)
            nearest_try(&nearest, globals->variable[i]->name);
    return nearest.best;
}

void scope_check_pins(const struct scope *globals, struct lang_remarks *remarks)
{
    for (unsigned i = 0; i < globals->n; i++) {
        const struct variable *v = globals->variable[i];
        if (!v->pinned || v->used || strcmp(v->name, "dir") == 0)
            continue;
        const char *best = nearest_variable(globals, v);
        lang_error(remarks, (struct lang_pos){0, 1, 1},
                   "$%s is given on the command line, and nothing here sets or uses it%s%s",
                   v->name, best ? ", did you mean $" : "", best ? best : "");
    }
}

/* ---- set ---- */

static int override(struct variable *v, const char *field, const struct lang_value *value)
{
    for (unsigned i = 0; i < v->overrides; i++) {
        if (strcmp(v->override[i].field, field) == 0) {
            v->override[i].value = value;
            return 0;
        }
    }
    struct override *all = realloc(v->override, (v->overrides + 1) * sizeof *all);
    if (!all)
        return -ENOMEM;
    v->override = all;
    all[v->overrides++] = (struct override){field, value};
    return 0;
}

static bool is_random(const struct lang_value *value)
{
    return value && (value->kind == LANG_RANDVAR || value->kind == LANG_CVAR);
}

/* A random variable is what its parameters were where it was set; one that was defined the old way
 * is evaluated where files are made of it. */
static int settle(struct scope *globals, struct variable *v, struct lang_remarks *remarks)
{
    v->drawn = NULL;
    if (!is_random(v->tree) || v->by_define)
        return 0;
    int rc = randvar_value(globals, v->tree, v, remarks, &v->value);
    v->drawn = rc == 0 ? v->value.draw : NULL;
    return rc;
}

static bool refers(const struct scope *globals, const struct lang_value *value, const char *name,
                   unsigned depth)
{
    if (depth > VARIABLE_DEPTH_MAX)
        return true;
    if (value->kind == LANG_VAR) {
        if (strcmp(value->text, name) == 0)
            return true;
        const struct variable *v = find_here(globals, value->text);
        return v && v->tree && refers(globals, v->tree, name, depth + 1);
    }
    for (unsigned i = 0; i < value->n; i++)
        if (refers(globals, &value->item[i], name, depth + 1))
            return true;
    for (unsigned i = 0; i < value->attrs.n; i++)
        if (refers(globals, &value->attrs.attr[i].value, name, depth + 1))
            return true;
    return false;
}

static int bind_tree(struct scope *globals, struct variable *v, const struct lang_value *tree,
                     bool by_define, struct lang_remarks *remarks)
{
    /* `set $n=$n*2`: of what it has been so far; a reference to itself would have no end. */
    bool now = !is_random(tree) && refers(globals, tree, v->name, 0);
    struct value value = {0};
    int rc = now ? scope_value(globals, tree, remarks, &value) : 0;
    if (rc < 0)
        return rc;
    v->value = value;
    v->tree = now ? NULL : tree;
    v->by_define = by_define;
    v->overrides = 0;
    return settle(globals, v, remarks);
}

static int assign_field(struct scope *globals, struct variable *v, const struct lang_command *set,
                        struct lang_remarks *remarks)
{
    if (!is_random(v->tree)) {
        lang_error(remarks, set->at, "$%s is no random variable, so it has no .%s", v->name,
                   set->suffix);
        return -EINVAL;
    }
    if (!randvar_has_field(set->suffix)) {
        lang_error(remarks, set->at,
                   "a random variable has no .%s: type, randsrc, seed, min, mean, gamma or round "
                   "was expected",
                   set->suffix);
        return -EINVAL;
    }
    int rc = override(v, set->suffix, &set->value);
    return rc == 0 ? settle(globals, v, remarks) : rc;
}

static bool is_pinned(struct variable *v, struct lang_pos at, struct lang_remarks *remarks)
{
    v->used = true;
    if (v->pinned && strcmp(v->name, "dir") != 0)
        lang_warn(remarks, at, "$%s is given on the command line: this set is not heeded", v->name);
    return v->pinned;
}

int scope_assign(struct scope *globals, const struct lang_command *set,
                 struct lang_remarks *remarks)
{
    struct variable *v = scope_variable(globals, set->name);
    if (!v)
        return -ENOMEM;
    if (is_pinned(v, set->at, remarks))
        return 0;
    if (set->suffix)
        return assign_field(globals, v, set, remarks);
    return bind_tree(globals, v, &set->value, set->by_define, remarks);
}

int scope_bind(struct scope *globals, struct lang_pos at, const char *name,
               const struct lang_value *value, struct lang_remarks *remarks)
{
    struct variable *v = scope_variable(globals, name);
    if (!v)
        return -ENOMEM;
    if (is_pinned(v, at, remarks))
        return 0;
    return bind_tree(globals, v, value, false, remarks);
}

/* ---- composites ---- */

static int enter_local(struct scope *inner, struct scope *from, const struct lang_attr *attr,
                       struct lang_remarks *remarks)
{
    struct variable *v = scope_variable(inner, attr->name);
    if (!v)
        return -ENOMEM;
    if (!attr->given)
        return 0;
    v->tree = NULL;
    return scope_value(from, &attr->value, remarks, &v->value);
}

static bool names_local(const struct lang_attrs *definition, const char *name)
{
    for (unsigned i = 0; i < definition->n; i++)
        if (definition->attr[i].local && strcmp(definition->attr[i].name, name) == 0)
            return true;
    return false;
}

int scope_enter(struct scope *outer, const struct lang_attrs *definition,
                const struct lang_attrs *call, struct lang_remarks *remarks, struct scope **out)
{
    struct scope *inner = calloc(1, sizeof *inner);
    if (!inner)
        return -ENOMEM;
    inner->outer = outer;
    inner->world = outer->world;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < definition->n; i++)
        if (definition->attr[i].local)
            rc = enter_local(inner, outer, &definition->attr[i], remarks);
    for (unsigned i = 0; rc == 0 && i < call->n; i++) {
        const struct lang_attr *attr = &call->attr[i];
        if (!attr->local)
            continue;
        if (!names_local(definition, attr->name))
            lang_warn(remarks, attr->at, "$%s is no local of the composite: it is one all the same",
                      attr->name);
        rc = enter_local(inner, outer, attr, remarks);
    }
    if (rc == 0)
        *out = inner;
    else
        scope_leave(inner);
    return rc;
}

void scope_leave(struct scope *scope)
{
    if (!scope)
        return;
    scope_drop_variables(scope);
    free(scope);
}
