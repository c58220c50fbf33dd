#include "script/scope_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* No mean yet: it gets one where it is used, or cannot be used there. */
static bool has_no_mean(const struct variable *v)
{
    const struct lang_value *type = variable_attr(v->tree, v, "type");
    if (type && type->kind == LANG_TEXT && strcmp(type->text, "tabular") == 0)
        return false;
    return v->tree->kind == LANG_RANDVAR && variable_attr(v->tree, v, "min") &&
           !variable_attr(v->tree, v, "mean") && !variable_attr(v->tree, v, "randtable");
}

/* A random variable is what its parameters were where it was set; one that was defined the old way
 * is evaluated where files are made of it. */
static int settle(struct scope *globals, struct variable *v, struct lang_remarks *remarks)
{
    v->drawn = NULL;
    if (!is_random(v->tree) || v->by_define || has_no_mean(v))
        return 0;
    int rc = randvar_value(globals, v->tree, v, remarks, &v->value);
    v->drawn = rc == 0 ? v->value.draw : NULL;
    return rc;
}

/* Whether `value` leads to the variable; each one on the way is looked through once. */
static bool refers(const struct scope *globals, const struct lang_value *value,
                   const struct variable *to)
{
    if (value->kind == LANG_VAR) {
        struct variable *v = scope_find_here(globals, value->text);
        if (v == to)
            return true;
        if (!v || !v->tree || v->looked == globals->world->looks)
            return false;
        v->looked = globals->world->looks;
        return refers(globals, v->tree, to);
    }
    for (unsigned i = 0; i < value->n; i++)
        if (refers(globals, &value->item[i], to))
            return true;
    for (unsigned i = 0; i < value->attrs.n; i++)
        if (refers(globals, &value->attrs.attr[i].value, to))
            return true;
    return false;
}

static int bind_tree(struct scope *globals, struct variable *v, const struct lang_value *tree,
                     bool by_define, struct lang_remarks *remarks)
{
    /* `set $n=$n*2`: of what it has been so far; a reference to itself would have no end. */
    globals->world->looks++;
    bool now = !is_random(tree) && refers(globals, tree, v);
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

/* The first `set` of a variable is its default, and all such are told together; whoever sets it again
 * means something by it. */
static bool is_pinned(const struct scope *globals, struct variable *v, struct lang_pos at,
                      struct lang_remarks *remarks)
{
    v->used = true;
    if (v->pinned && v->set_at.line > 0 && strcmp(v->name, "dir") != 0)
        lang_warn(remarks, at, "$%s is given %s: this set is not heeded", v->name,
                  scope_set_where(globals));
    if (v->set_at.line == 0)
        v->set_at = at;
    return v->pinned;
}

int scope_assign(struct scope *globals, const struct lang_command *set,
                 struct lang_remarks *remarks)
{
    struct variable *v = NULL;
    int rc = scope_variable(globals, set->at, set->name, remarks, &v);
    if (rc < 0)
        return rc;
    if (is_pinned(globals, v, set->at, remarks))
        return 0;
    if (set->suffix)
        return assign_field(globals, v, set, remarks);
    return bind_tree(globals, v, &set->value, set->by_define, remarks);
}

int scope_bind(struct scope *globals, struct lang_pos at, const char *name,
               const struct lang_value *value, struct lang_remarks *remarks)
{
    struct variable *v = NULL;
    int rc = scope_variable(globals, at, name, remarks, &v);
    if (rc < 0)
        return rc;
    if (is_pinned(globals, v, at, remarks))
        return 0;
    return bind_tree(globals, v, value, false, remarks);
}

/* ---- loops ---- */

int scope_over(struct scope *globals, struct scope **out)
{
    struct scope *over = calloc(1, sizeof *over);
    if (!over)
        return -ENOMEM;
    over->outer = globals;
    over->world = globals->world;
    *out = over;
    return 0;
}

int scope_hold(struct scope *over, struct lang_pos at, char *name, struct lang_remarks *remarks)
{
    const struct lang_value asked = {.kind = LANG_VAR, .at = at, .text = name};
    struct variable *v = NULL;
    int rc = scope_variable(over, at, name, remarks, &v);
    return rc < 0 ? rc : scope_value(over->outer, &asked, remarks, &v->value);
}

/* ---- composites ---- */

static int enter_local(struct scope *inner, struct scope *from, const struct lang_attr *attr,
                       struct lang_remarks *remarks)
{
    struct variable *v = NULL;
    int rc = scope_variable(inner, attr->at, attr->name, remarks, &v);
    if (rc < 0)
        return rc;
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
    struct scope *inner = NULL;
    int rc = scope_over(outer, &inner);
    if (rc < 0)
        return rc;
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
