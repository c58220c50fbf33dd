/* Composites inlined. Every use of one is expanded anew, since its locals may differ: a tree of
 * calls, written down in the order it is gone through. */
#include "script/flow_priv.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lang_pos place_of(const struct flow_node *n, const char *attr)
{
    const struct lang_attr *found = attr ? lang_attr_find(&n->f->attrs, attr) : NULL;
    if (!found)
        return n->f->at;
    return found->given ? found->value.at : found->at;
}

int flow_refuse(struct flow_thread *t, const struct flow_node *n, const char *attr, const char *fmt,
                ...)
{
    char words[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    lang_error(t->remarks, place_of(n, attr), "%s %s: %s", n->f->type, n->name, words);
    return -EINVAL;
}

void flow_warn(struct flow_thread *t, const struct flow_node *n, const char *attr, const char *fmt,
               ...)
{
    char words[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    lang_warn(t->remarks, place_of(n, attr), "%s %s: %s", n->f->type, n->name, words);
}

static int unknown_type(struct flow_thread *t, const struct lang_flowop *f)
{
    struct nearest near = {.wish = f->type};
    for (unsigned i = 0; flow_kind_name(i); i++)
        nearest_try(&near, flow_kind_name(i));
    for (unsigned i = 0; i < t->c->composites; i++)
        nearest_try(&near, t->c->composite[i].name);
    if (near.best)
        lang_error(t->remarks, f->at, "no flowop type is called '%s'; did you mean %s?", f->type,
                   near.best);
    else
        lang_error(t->remarks, f->at,
                   "no flowop type is called '%s', and no `define flowop` makes one", f->type);
    return -EINVAL;
}

/* "OUTER.name"; the caller frees it. */
static int full_name(struct flow_thread *t, const struct lang_flowop *f, struct scope *scope,
                     uint32_t parent, char **out)
{
    const char *own = NULL;
    int rc = attr_word(scope, &f->attrs, "name", t->remarks, &own);
    if (rc < 0)
        return rc;
    if (!own || !*own) {
        lang_error(t->remarks, f->at, "flowop %s specifies no name: name=… is needed", f->type);
        return -EINVAL;
    }
    const char *above = parent == FLOW_TOP ? NULL : t->node[parent].name;
    size_t room = strlen(own) + (above ? strlen(above) + 1 : 0) + 1;
    if (room > FLOW_NAME_MAX) {
        lang_error(t->remarks, f->at, "the name of a flowop, %s%s%s, is longer than %d characters",
                   above ? above : "", above ? "." : "", own, FLOW_NAME_MAX - 1);
        return -EINVAL;
    }
    return asprintf(out, "%s%s%s", above ? above : "", above ? "." : "", own) < 0 ? -ENOMEM : 0;
}

/* A node at the end of the list; *out is its index. */
static int add_node(struct flow_thread *t, const struct lang_flowop *f, struct scope *scope,
                    uint32_t parent, uint32_t *out)
{
    if (t->nodes == FLOW_NODES_MAX) {
        lang_error(t->remarks, f->at, "more than %u flowops in a thread, composites unfolded",
                   FLOW_NODES_MAX);
        return -EINVAL;
    }
    if ((t->nodes & (t->nodes - 1)) == 0) {
        size_t room = t->nodes ? 2 * (size_t)t->nodes : 1;
        struct flow_node *more = realloc(t->node, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        t->node = more;
    }
    char *name = NULL;
    int rc = full_name(t, f, scope, parent, &name);
    if (rc < 0)
        return rc;
    t->node[t->nodes] =
        (struct flow_node){.f = f,
                           .scope = scope,
                           .name = name,
                           .parent = parent,
                           .end = t->nodes + 1,
                           .depth = parent == FLOW_TOP ? 0 : t->node[parent].depth + 1,
                           .set = FLOW_NO_SET};
    *out = t->nodes++;
    return 0;
}

/* May the node be a use of this composite? */
static int check_nesting(struct flow_thread *t, const struct flow_node *n)
{
    for (uint32_t up = n->parent; up != FLOW_TOP; up = t->node[up].parent)
        if (t->node[up].composite == n->composite)
            return flow_refuse(t, n, NULL, "the composite %s contains itself", n->f->type);
    if (n->depth >= FLOW_NEST_MAX)
        return flow_refuse(t, n, NULL, "composites nest deeper than %d", FLOW_NEST_MAX);
    return 0;
}

static int expand_list(struct flow_thread *t, const struct lang_flowop *list, unsigned n,
                       struct scope *scope, uint32_t parent);

static int expand_composite(struct flow_thread *t, uint32_t i, const struct composite *composite)
{
    struct flow_node *n = &t->node[i];
    n->composite = composite->definition;
    int rc = check_nesting(t, n);
    if (rc == 0)
        rc = scope_enter(n->scope, &n->composite->attrs, &n->f->attrs, t->remarks, &n->inner);
    if (rc < 0)
        return rc;
    rc = expand_list(t, n->composite->flowop, n->composite->flowops, n->inner, i);
    t->node[i].end = t->nodes; /* the list may have moved */
    return rc;
}

static int expand_one(struct flow_thread *t, const struct lang_flowop *f, struct scope *scope,
                      uint32_t parent)
{
    const struct flow_kind *kind = flow_kind_find(f->type);
    const struct composite *composite = kind ? NULL : compiler_composite(t->c, f->type);
    if (!kind && !composite)
        return unknown_type(t, f);
    uint32_t i = 0;
    int rc = add_node(t, f, scope, parent, &i);
    if (rc < 0)
        return rc;
    if (composite)
        return expand_composite(t, i, composite);
    t->node[i].kind = kind;
    t->node[i].type = flowop_find(kind->name);
    return 0;
}

/* Goes on behind a wrong one, so that all are told at once. */
static int expand_list(struct flow_thread *t, const struct lang_flowop *list, unsigned n,
                       struct scope *scope, uint32_t parent)
{
    int first = 0;
    for (unsigned i = 0; i < n && first != -ENOMEM; i++) {
        int rc = expand_one(t, &list[i], scope, parent);
        if (rc < 0 && (first == 0 || rc == -ENOMEM))
            first = rc;
        if (rc < 0 && t->nodes == FLOW_NODES_MAX)
            break;
    }
    return first;
}

int flow_expand(struct flow_thread *t)
{
    return expand_list(t, t->def->flowop, t->def->flowops, t->scope, FLOW_TOP);
}

void flow_tree_free(struct flow_thread *t)
{
    for (uint32_t i = t->nodes; i-- > 0;) {
        if (t->node[i].inner)
            scope_leave(t->node[i].inner);
        free(t->node[i].name);
    }
    free(t->node);
    free(t->exit);
}
