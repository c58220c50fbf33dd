#include "lang/lang_priv.h"

#include <stdlib.h>
#include <string.h>

static bool define_files(struct parser *p, struct lang_command *c, enum lang_command_kind kind)
{
    c->kind = kind;
    parse_attrs(p, kind == LANG_DEFINE_FILE ? ENTITY_FILE : ENTITY_FILESET, &c->attrs);
    return true;
}

static bool define_process(struct parser *p, struct lang_command *c)
{
    c->kind = LANG_DEFINE_PROCESS;
    parse_attrs(p, ENTITY_PROCESS, &c->attrs);
    parse_threads(p, &c->thread, &c->threads);
    return true;
}

static bool define_composite(struct parser *p, struct lang_command *c)
{
    c->kind = LANG_DEFINE_FLOWOP;
    parse_attrs(p, ENTITY_COMPOSITE, &c->attrs);
    parse_flowops(p, &c->flowop, &c->flowops);
    return true;
}

/* The same as set $name=randvar(…): its name is taken out of its attributes. */
static bool define_randvar(struct parser *p, struct lang_command *c)
{
    struct lang_attrs *attrs = &c->value.attrs;
    unsigned kept = 0;
    c->kind = LANG_SET;
    c->by_define = true;
    c->value.kind = LANG_RANDVAR;
    c->value.at = c->at;
    p->tree->signs |= LANG_SIGN_14;
    parse_attrs(p, ENTITY_RANDVAR, attrs);
    for (unsigned i = 0; i < attrs->n; i++) {
        struct lang_attr *attr = &attrs->attr[i];
        if (!attr->name || strcmp(attr->name, "name") != 0) {
            attrs->attr[kept++] = *attr;
            continue;
        }
        if (attr->value.kind == LANG_VAR && !attr->value.suffix) {
            free(c->name);
            c->name = attr->value.text;
            attr->value.text = NULL;
        }
        lang_attr_fini(attr);
    }
    attrs->n = kept;
    if (!c->name && !p->panic)
        lang_error(p->remarks, c->at, "a randvar without a name, name=$name was expected");
    return true;
}

static bool define_posset(struct parser *p, struct lang_command *c)
{
    lang_warn(p->remarks, c->at,
              "posset is not heeded: random positions are drawn as they are "
              "needed");
    p->tree->signs |= LANG_SIGN_14;
    parse_attrs(p, ENTITY_POSSET, &c->attrs);
    return false;
}

bool parse_define(struct parser *p, struct lang_command *c)
{
    if (parse_take(p, "file") || parse_take(p, "files"))
        return define_files(p, c, LANG_DEFINE_FILE);
    if (parse_take(p, "fileset") || parse_take(p, "filesets"))
        return define_files(p, c, LANG_DEFINE_FILESET);
    if (parse_take(p, "process") || parse_take(p, "processes"))
        return define_process(p, c);
    if (parse_take(p, "flowop"))
        return define_composite(p, c);
    if (parse_take(p, "randvar"))
        return define_randvar(p, c);
    if (parse_take(p, "posset") || parse_take(p, "possets"))
        return define_posset(p, c);
    parse_missing(p, "file, fileset, process, flowop or randvar");
    return false;
}
