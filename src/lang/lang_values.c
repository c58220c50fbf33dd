#include "lang/lang_priv.h"

#include <stdlib.h>
#include <string.h>

static bool at_piece(const struct parser *p)
{
    return p->tok.kind == TOKEN_WORD || p->tok.kind == TOKEN_VAR || p->tok.kind == TOKEN_STRING;
}

/* A word that begins a line below and can begin something is not what was forgotten behind '='. */
bool parse_at_value(const struct parser *p)
{
    bool below = p->tok.at.line > p->last.at.line;
    return at_piece(p) && !(below && parse_at_beginning(p));
}

/* ---- pieces ---- */

/* A value in the making: text that was read and not yet made a piece of it. */
struct making {
    struct parser *p;
    struct lang_value *value;
    struct text text;
    struct lang_pos text_at;
};

static struct lang_value *new_item(struct making *m)
{
    struct lang_value *v = m->value;
    struct lang_value *grown = parse_room(m->p, v->item, v->n, sizeof *v->item);
    if (!grown)
        return NULL;
    v->item = grown;
    return &grown[v->n++];
}

static void end_text(struct making *m)
{
    struct lang_value *item = m->text.len > 0 || m->text.failed ? new_item(m) : NULL;
    if (!item)
        return;
    item->kind = LANG_TEXT;
    item->at = m->text_at;
    item->text = text_take(&m->text);
    if (!item->text)
        parse_fail(m->p);
}

static void add_text(struct making *m, struct lang_pos at, const char *s, size_t len)
{
    if (m->text.len == 0)
        m->text_at = at;
    text_add_bytes(&m->text, s, len);
}

static void add_variable(struct making *m, struct lang_pos at, const struct lex_var *var)
{
    end_text(m);
    struct lang_value *item = new_item(m);
    if (!item)
        return;
    item->kind = LANG_VAR;
    item->at = at;
    item->paren = var->paren;
    item->text = parse_copy(m->p, var->name, var->name_len);
    if (var->suffix)
        item->suffix = parse_copy(m->p, var->suffix, var->suffix_len);
    if (var->braces || var->suffix)
        m->p->tree->signs |= LANG_SIGN_14;
}

static void add_string(struct making *m, const struct token *t)
{
    const char *s = t->s + 1;
    const char *end = t->s + t->len - t->closed;
    struct lex_var var;
    m->value->quoted = true;
    while (s < end) {
        size_t left = (size_t)(end - s);
        size_t len = *s == '$' ? lex_variable(s, left, &var) : 0;
        bool escaped = *s == '\\' && left > 1 && (s[1] == '$' || s[1] == 'n');
        if (len > 0) {
            add_variable(m, t->at, &var);
        } else if (escaped) {
            add_text(m, t->at, s[1] == 'n' ? "\n" : "$", 1);
            len = 2;
        } else {
            for (len = 1; len < left && s[len] != '$' && s[len] != '\\';)
                len++;
            add_text(m, t->at, s, len);
        }
        s += len;
    }
}

static void add_piece(struct making *m, const struct token *t)
{
    struct lex_var var;
    if (t->kind == TOKEN_STRING) {
        add_string(m, t);
    } else if (t->kind == TOKEN_VAR) {
        lex_variable(t->s, t->len, &var);
        add_variable(m, t->at, &var);
    } else {
        add_text(m, t->at, t->s, t->len);
    }
}

/* One piece alone is that piece. */
static void finish(struct making *m, enum value_wish wish)
{
    struct lang_value *v = m->value;
    end_text(m);
    v->kind = LANG_JOIN;
    if (v->n == 0) {
        v->kind = LANG_TEXT;
        v->text = parse_copy(m->p, "", 0);
    } else if (v->n == 1 && (v->item->kind == LANG_TEXT || wish != VALUE_SHOWN)) {
        struct lang_value *item = v->item;
        bool quoted = v->quoted;
        *v = *item;
        v->quoted = quoted;
        free(item);
    }
}

/* ---- numbers ---- */

static void say_number(struct parser *p, const struct token *t, enum lex_number how, bool upper)
{
    char shown[PARSE_SHOWN_MAX];
    if (how == LEX_TOO_LARGE)
        lang_error(p->remarks, t->at, "%s is too large, at most 9223372036854775807 was expected",
                   parse_shown(t, shown));
    else if (upper)
        lang_warn(p->remarks, t->at,
                  "%s is read with a small letter: k is 1024, m 1024 k, g 1024 m",
                  parse_shown(t, shown));
}

/* A word that is a number or a flag. */
static bool plain_word(struct parser *p, const struct token *t, struct lang_value *out)
{
    bool upper = false;
    enum lex_number how = lex_integer(t->s, t->len, &out->integer, &upper);
    if (how != LEX_NO_NUMBER) {
        say_number(p, t, how, upper);
        out->kind = LANG_INT;
        return true;
    }
    out->boolean = t->len == 4 && memcmp(t->s, "true", 4) == 0;
    if (!out->boolean && !(t->len == 5 && memcmp(t->s, "false", 5) == 0))
        return false;
    out->kind = LANG_BOOL;
    return true;
}

/* ---- one operator ---- */

static bool is_number(const char *s, size_t len)
{
    uint64_t value;
    bool upper;
    return lex_integer(s, len, &value, &upper) != LEX_NO_NUMBER;
}

/* '/' and '-' belong to a word that they touch, as in paths. Where both sides look like numbers
 * somebody may have meant a sum. */
static void warn_glued_sum(struct parser *p, const struct lang_value *v)
{
    const struct lang_value *text = v;
    bool before = false, behind = false;
    if (v->quoted || (v->kind == LANG_JOIN && v->n != 2) ||
        (v->kind != LANG_JOIN && v->kind != LANG_TEXT))
        return;
    if (v->kind == LANG_JOIN) {
        before = v->item[0].kind == LANG_VAR;
        behind = v->item[1].kind == LANG_VAR;
        text = &v->item[before];
    }
    if (!text->text || text->kind != LANG_TEXT)
        return;
    size_t at = strcspn(text->text, "/-");
    if (text->text[at] == '\0')
        return;
    const char *rest = text->text + at + 1;
    if ((before ? at == 0 : is_number(text->text, at)) &&
        (behind ? *rest == '\0' : is_number(rest, strlen(rest))))
        lang_warn(p->remarks, v->at, "this is text; with blanks around '%c' it is a number",
                  text->text[at]);
}

static bool at_operator(const struct parser *p)
{
    char c = p->tok.len > 0 ? *p->tok.s : '\0';
    if (p->tok.kind == TOKEN_MARK)
        return c == '+' || c == '*';
    return p->tok.kind == TOKEN_WORD && (c == '-' || c == '/');
}

/* The operator; of "-1" the rest stays at hand. */
static char take_operator(struct parser *p)
{
    char op = *p->tok.s;
    if (p->tok.len == 1) {
        parse_next(p);
    } else {
        p->tok.s++;
        p->tok.len--;
        p->tok.at.column++;
    }
    return op;
}

static void sum(struct parser *p, struct lang_value *out)
{
    struct lang_value left = *out;
    struct lang_value *item = calloc(2, sizeof *item);
    if (!item) {
        parse_fail(p);
        return;
    }
    *out = (struct lang_value){.kind = LANG_ARITH, .at = left.at, .n = 2, .item = item};
    p->tree->signs |= LANG_SIGN_14;
    item[0] = left;
    out->op = take_operator(p);
    if (!parse_at_count(p)) {
        parse_missing(p, "a number or a variable behind '%c'", out->op);
        return;
    }
    parse_value(p, VALUE_PLAIN, &item[1]);
    if (item[1].kind != LANG_INT && item[1].kind != LANG_VAR)
        lang_error(p->remarks, item[1].at,
                   "text was found, a number or a variable was expected "
                   "behind '%c'",
                   out->op);
    else if (at_operator(p))
        parse_bad(p, "one operator in a value, and not a second one,");
}

void parse_value(struct parser *p, enum value_wish wish, struct lang_value *out)
{
    struct making m = {.p = p, .value = out};
    struct token first = p->tok;
    *out = (struct lang_value){.kind = LANG_TEXT, .at = p->tok.at};
    if (!parse_at_value(p)) {
        parse_missing(p, "a value");
        return;
    }
    parse_next(p);
    bool alone = !(p->tok.glued && at_piece(p));
    bool word = first.kind == TOKEN_WORD && alone && (wish == VALUE_PLAIN || wish == VALUE_SUM);
    if (!word || !plain_word(p, &first, out)) {
        text_init(&m.text);
        add_piece(&m, &first);
        while (p->tok.glued && at_piece(p)) {
            add_piece(&m, &p->tok);
            parse_next(p);
        }
        finish(&m, wish);
        text_fini(&m.text);
    }
    if (wish == VALUE_SUM && (out->kind == LANG_INT || out->kind == LANG_VAR) && at_operator(p))
        sum(p, out);
    else if (wish == VALUE_SUM)
        warn_glued_sum(p, out);
}

/* ---- counts ---- */

bool parse_at_count(const struct parser *p)
{
    const struct token *t = &p->tok;
    size_t sign = t->len > 1 && *t->s == '-';
    return t->kind == TOKEN_VAR ||
           (t->kind == TOKEN_WORD && t->s[sign] >= '0' && t->s[sign] <= '9');
}

void parse_count(struct parser *p, struct lang_value *out, bool *negative)
{
    struct token t = p->tok;
    size_t sign = t.kind == TOKEN_WORD && negative && *t.s == '-';
    bool upper = false;
    *out = (struct lang_value){.kind = LANG_INT, .at = t.at};
    if (t.kind == TOKEN_VAR) {
        parse_value(p, VALUE_PLAIN, out);
        if (out->kind != LANG_VAR)
            lang_error(p->remarks, out->at,
                       "a text was found, a number or a variable was expected");
        return;
    }
    enum lex_number how = LEX_NO_NUMBER;
    if (t.kind == TOKEN_WORD)
        how = lex_integer(t.s + sign, t.len - sign, &out->integer, &upper);
    if (how == LEX_NO_NUMBER) {
        parse_missing(p, "a number or a variable");
        return;
    }
    say_number(p, &t, how, upper);
    if (negative)
        *negative = sign == 1;
    parse_next(p);
}

/* ---- distributions ---- */

void parse_distribution(struct parser *p, enum lang_value_kind kind, struct lang_value *out)
{
    enum entity entity = kind == LANG_RANDVAR ? ENTITY_RANDVAR : ENTITY_CVAR;
    *out = (struct lang_value){.kind = kind, .at = p->last.at};
    p->tree->signs |= LANG_SIGN_15;
    parse_next(p);
    parse_attrs(p, entity, &out->attrs);
    const struct lang_attr *name = lang_attr_find(&out->attrs, "name");
    if (name)
        lang_error(p->remarks, name->at, "a name was found, the name stands in front of the '='");
    if (!parse_take_mark(p, ')'))
        parse_bad(p, "',' or ')'");
}

static bool table_number(struct parser *p, uint64_t *out)
{
    struct lang_value value = {0};
    if (p->tok.kind != TOKEN_WORD) {
        parse_missing(p, "a number");
        return false;
    }
    parse_count(p, &value, NULL);
    *out = value.integer;
    return !p->panic;
}

static bool table_mark(struct parser *p, char mark, unsigned *depth)
{
    bool there = parse_need_mark(p, mark);
    *depth += there && mark == '{';
    *depth -= there && mark == '}';
    return there;
}

static bool table_row(struct parser *p, struct lang_row *row, unsigned *depth)
{
    return table_mark(p, '{', depth) && table_number(p, &row->percent) &&
           table_mark(p, ',', depth) && table_number(p, &row->low) && table_mark(p, ',', depth) &&
           table_number(p, &row->high) && table_mark(p, '}', depth);
}

static void leave_table(struct parser *p, size_t depth)
{
    while (depth > 0 && p->tok.kind != TOKEN_END && !parse_at_beginning(p)) {
        depth += parse_at_mark(p, '{');
        depth -= parse_at_mark(p, '}');
        parse_next(p);
    }
}

void parse_table(struct parser *p, struct lang_value *out)
{
    unsigned depth = 1;
    *out = (struct lang_value){.kind = LANG_TABLE, .at = p->tok.at};
    parse_next(p);
    do {
        struct lang_row *grown = parse_room(p, out->row, out->rows, sizeof *out->row);
        if (!grown)
            return;
        out->row = grown;
        if (!table_row(p, &grown[out->rows], &depth)) {
            leave_table(p, depth);
            return;
        }
        out->rows++;
    } while (parse_take_mark(p, ','));
    if (!parse_take_mark(p, '}')) {
        parse_bad(p, "',' or '}'");
        leave_table(p, depth);
    }
}
