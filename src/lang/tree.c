#include "lang/lang_priv.h"

#include <stdlib.h>
#include <string.h>

static void attrs_fini(struct lang_attrs *attrs);

static void value_fini(struct lang_value *v)
{
    for (unsigned i = 0; i < v->n; i++)
        value_fini(&v->item[i]);
    free(v->item);
    free(v->row);
    free(v->text);
    free(v->suffix);
    attrs_fini(&v->attrs);
}

void lang_attr_fini(struct lang_attr *attr)
{
    free(attr->name);
    value_fini(&attr->value);
    *attr = (struct lang_attr){0};
}

static void attrs_fini(struct lang_attrs *attrs)
{
    for (unsigned i = 0; i < attrs->n; i++)
        lang_attr_fini(&attrs->attr[i]);
    free(attrs->attr);
}

static void flowops_fini(struct lang_flowop *flowop, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        free(flowop[i].type);
        attrs_fini(&flowop[i].attrs);
    }
    free(flowop);
}

void lang_command_fini(struct lang_command *c)
{
    for (unsigned i = 0; i < c->threads; i++) {
        attrs_fini(&c->thread[i].attrs);
        flowops_fini(c->thread[i].flowop, c->thread[i].flowops);
    }
    for (unsigned i = 0; i < c->items; i++)
        value_fini(&c->item[i]);
    for (unsigned i = 0; i < c->commands; i++)
        lang_command_fini(&c->command[i]);
    free(c->thread);
    free(c->item);
    free(c->command);
    flowops_fini(c->flowop, c->flowops);
    attrs_fini(&c->attrs);
    value_fini(&c->value);
    value_fini(&c->value2);
    free(c->name);
    free(c->suffix);
    free(c->word);
    *c = (struct lang_command){0};
}

void lang_free(struct lang_tree *tree)
{
    if (!tree)
        return;
    for (unsigned i = 0; i < tree->commands; i++)
        lang_command_fini(&tree->command[i]);
    for (unsigned i = 0; i < tree->files; i++)
        free(tree->file[i]);
    free(tree->command);
    free(tree->file);
    free(tree);
}

const struct lang_attr *lang_attr_find(const struct lang_attrs *attrs, const char *name)
{
    for (unsigned i = attrs->n; i > 0; i--) {
        const struct lang_attr *attr = &attrs->attr[i - 1];
        /* Without a name while it is read, when there was no memory for it. */
        if (!attr->local && attr->name && strcmp(attr->name, name) == 0)
            return attr;
    }
    return NULL;
}
