#include "lang/lang_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- attributes ---- */

static struct lang_attr *new_attr(struct parser *p, struct lang_attrs *attrs)
{
    struct lang_attr *grown = parse_room(p, attrs->attr, attrs->n, sizeof *grown);
    if (!grown)
        return NULL;
    attrs->attr = grown;
    grown[attrs->n].at = p->tok.at;
    return &grown[attrs->n++];
}

static void drop_attr(struct lang_attrs *attrs)
{
    lang_attr_fini(&attrs->attr[--attrs->n]);
}

/* False: it is not to be kept, and that was said. */
static bool heed(struct parser *p, enum entity entity, const struct attr_name *name)
{
    char shown[PARSE_SHOWN_MAX];
    parse_shown(&p->tok, shown);
    if (name)
        p->tree->signs |= name->sign;
    if (name && name->of & entity)
        return true;
    if (name && name->unheeded & entity) {
        lang_warn(p->remarks, p->tok.at, "%s of %s is not heeded", shown, entity_name(entity));
        return false;
    }
    const char *near = attr_name_nearest(p->tok.s, p->tok.len, entity);
    if (near)
        lang_error(p->remarks, p->tok.at, "%s is no attribute of %s; did you mean %s?", shown,
                   entity_name(entity), near);
    else
        lang_error(p->remarks, p->tok.at, "%s is no attribute of %s", shown, entity_name(entity));
    return false;
}

static bool equals_is_missing(const struct parser *p)
{
    return p->tok.at.line == p->last.at.line && parse_at_value(p) && !parse_at_beginning(p) &&
           !attr_name_find(p->tok.s, p->tok.len);
}

/* "4kb" and "1.5m" would else be texts, and stand for 0 where a number is needed. */
static void check_number(struct parser *p, const struct lang_value *v)
{
    if (v->kind == LANG_TEXT && !v->quoted && v->text && *v->text >= '0' && *v->text <= '9')
        lang_error(p->remarks, v->at,
                   "'%.40s' was found, a whole number with at most one of k m g t was expected",
                   v->text);
}

static void attr_value(struct parser *p, bool word, bool table, struct lang_attr *attr)
{
    if (!parse_take_mark(p, '=')) {
        if (equals_is_missing(p))
            parse_bad(p, "'=' or ','");
        return;
    }
    attr->given = true;
    attr->value = (struct lang_value){0};
    if (table && parse_at_mark(p, '{'))
        parse_table(p, &attr->value);
    else
        parse_value(p, word ? VALUE_WORD : VALUE_SUM, &attr->value);
    if (!word && !attr->local)
        check_number(p, &attr->value);
}

static void attr_local(struct parser *p, enum entity entity, struct lang_attrs *attrs)
{
    struct lex_var var;
    if (entity != ENTITY_FLOWOP && entity != ENTITY_COMPOSITE) {
        parse_missing(p, "an attribute of %s", entity_name(entity));
        return;
    }
    struct lang_attr *attr = new_attr(p, attrs);
    if (!attr)
        return;
    lex_variable(p->tok.s, p->tok.len, &var);
    attr->local = true;
    attr->name = parse_copy(p, var.name, var.name_len);
    attr->value.at = attr->at;
    if (var.suffix)
        lang_error(p->remarks, attr->at, "$name.part was found, the $name of a local was expected");
    parse_next(p);
    attr_value(p, false, false, attr);
}

static void attr_named(struct parser *p, enum entity entity, struct lang_attrs *attrs)
{
    const struct attr_name *name = attr_name_find(p->tok.s, p->tok.len);
    struct lang_attr *attr = new_attr(p, attrs);
    if (!attr)
        return;
    bool keep = heed(p, entity, name);
    if (name && name->same_as)
        attr->name = parse_copy(p, name->same_as, strlen(name->same_as));
    else
        attr->name = parse_copy(p, p->tok.s, p->tok.len);
    attr->value = (struct lang_value){.kind = LANG_BOOL, .at = attr->at, .boolean = true};
    bool table = parse_at(p, "randtable");
    parse_next(p);
    attr_value(p, name && name->word, table, attr);
    if (!keep)
        drop_attr(attrs);
}

static void parse_attr(struct parser *p, enum entity entity, struct lang_attrs *attrs)
{
    if (p->tok.kind == TOKEN_VAR)
        attr_local(p, entity, attrs);
    else if (p->tok.kind == TOKEN_WORD && !parse_at_beginning(p))
        attr_named(p, entity, attrs);
    else
        parse_missing(p, "an attribute of %s", entity_name(entity));
}

/* Only where the comma between two attributes was forgotten. */
static bool comma_is_missing(struct parser *p)
{
    if (p->panic || p->tok.kind != TOKEN_WORD || !attr_name_find(p->tok.s, p->tok.len))
        return false;
    parse_bad(p, "','");
    p->panic = false;
    return true;
}

void parse_attrs(struct parser *p, enum entity entity, struct lang_attrs *attrs)
{
    unsigned errors = p->remarks->errors;
    struct lang_pos at = p->tok.at;
    do {
        parse_attr(p, entity, attrs);
    } while (!p->panic && (parse_take_mark(p, ',') || comma_is_missing(p)));
    if (attrs->n == 0 && p->remarks->errors == errors && !p->failed)
        lang_error(p->remarks, at,
                   "no attribute of %s is left that is heeded, name=... was expected",
                   entity_name(entity));
}

/* ---- blocks ---- */

/* Finds, behind something wrong, what the block goes on with. */
static void block_recover(struct parser *p, const char *item, bool threads)
{
    if (!p->panic)
        return;
    parse_skip(p);
    for (;;) {
        if (parse_at_mark(p, '{'))
            parse_skip_block(p);
        else if (threads && parse_at(p, "flowop"))
            parse_next(p);
        else
            break;
        parse_skip(p);
    }
    if (parse_at(p, item) || parse_at_mark(p, '}'))
        p->panic = false;
}

/* Attributes may have been wrong; the block behind them is read all the same, and so is one whose '{'
 * was forgotten. */
static bool block_begin(struct parser *p, const char *item)
{
    if (p->panic) {
        parse_skip(p);
        p->panic = !parse_at_mark(p, '{');
    }
    bool there = parse_need_mark(p, '{') || parse_at(p, item);
    if (there)
        p->panic = false;
    return there;
}

static void block(struct parser *p, const char *item, void (*one)(struct parser *p, void *owner),
                  void *owner)
{
    bool threads = strcmp(item, "thread") == 0;
    if (!block_begin(p, item))
        return;
    uint32_t line = p->last.at.line;
    while (!parse_take_mark(p, '}')) {
        bool beyond = p->tok.kind == TOKEN_END || (!threads && parse_at(p, "thread")) ||
                      (p->tok.kind == TOKEN_WORD && lang_word_find(p->tok.s, p->tok.len));
        if (parse_at(p, item))
            one(p, owner);
        else
            parse_bad(p, "'%s' or the '}' of what began in line %u", item, line);
        if (beyond) {
            p->unclosed++;
            return;
        }
        block_recover(p, item, threads);
    }
}

/* ---- flowops and threads ---- */

struct flowops {
    struct lang_flowop **list;
    unsigned *n;
};

static void one_flowop(struct parser *p, void *owner)
{
    struct flowops *to = owner;
    struct lang_flowop *grown = parse_room(p, *to->list, *to->n, sizeof *grown);
    if (!grown)
        return;
    *to->list = grown;
    struct lang_flowop *flowop = &grown[(*to->n)++];
    flowop->at = p->tok.at;
    parse_next(p);
    if (p->tok.kind != TOKEN_WORD || parse_at_beginning(p)) {
        parse_missing(p, "the type of a flowop");
        return;
    }
    flowop->at = p->tok.at;
    flowop->type = parse_copy(p, p->tok.s, p->tok.len);
    parse_next(p);
    parse_attrs(p, ENTITY_FLOWOP, &flowop->attrs);
}

void parse_flowops(struct parser *p, struct lang_flowop **list, unsigned *n)
{
    struct flowops to = {list, n};
    block(p, "flowop", one_flowop, &to);
}

struct threads {
    struct lang_thread **list;
    unsigned *n;
};

static void one_thread(struct parser *p, void *owner)
{
    struct threads *to = owner;
    struct lang_thread *grown = parse_room(p, *to->list, *to->n, sizeof *grown);
    if (!grown)
        return;
    *to->list = grown;
    struct lang_thread *thread = &grown[(*to->n)++];
    thread->at = p->tok.at;
    parse_next(p);
    parse_attrs(p, ENTITY_THREAD, &thread->attrs);
    parse_flowops(p, &thread->flowop, &thread->flowops);
}

void parse_threads(struct parser *p, struct lang_thread **list, unsigned *n)
{
    struct threads to = {list, n};
    block(p, "thread", one_thread, &to);
}
