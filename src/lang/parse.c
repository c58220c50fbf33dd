#include "lang/lang_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOADS_MAX 1000       /* of one parse */
#define PARTS_MAX (1u << 20) /* commands, attributes, flowops and items together */

void parse_fail(struct parser *p)
{
    p->failed = true;
    p->x.next = p->x.len;
    p->tok = (struct token){.s = p->x.s + p->x.len, .at = p->tok.at};
}

void parse_next(struct parser *p)
{
    p->last = p->tok;
    p->tok = lex_next(&p->x);
}

void *parse_room(struct parser *p, void *items, unsigned n, size_t size)
{
    if (++p->parts > PARTS_MAX) {
        if (p->parts == PARTS_MAX + 1)
            lang_error(p->remarks, p->tok.at, "this is too much: more than %u parts in all",
                       PARTS_MAX);
        p->panic = true;
        p->x.next = p->x.len;
        p->tok = (struct token){.s = p->x.s + p->x.len, .at = p->tok.at};
        return NULL;
    }
    if (n > 0 && (n < 4 || (n & (n - 1)) != 0)) {
        memset((char *)items + n * size, 0, size);
        return items;
    }
    size_t room = n == 0 ? 4 : (size_t)n * 2;
    void *grown = reallocarray(items, room, size);
    if (grown)
        memset((char *)grown + n * size, 0, size);
    else
        parse_fail(p);
    return grown;
}

char *parse_copy(struct parser *p, const char *s, size_t len)
{
    char *copy = malloc(len + 1);
    if (!copy) {
        parse_fail(p);
        return NULL;
    }
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

/* ---- what is at hand ---- */

bool parse_at(const struct parser *p, const char *word)
{
    return p->tok.kind == TOKEN_WORD && p->tok.len == strlen(word) &&
           memcmp(p->tok.s, word, p->tok.len) == 0;
}

bool parse_at_mark(const struct parser *p, char mark)
{
    return p->tok.kind == TOKEN_MARK && *p->tok.s == mark;
}

bool parse_take(struct parser *p, const char *word)
{
    bool there = parse_at(p, word);
    if (there)
        parse_next(p);
    return there;
}

bool parse_take_mark(struct parser *p, char mark)
{
    bool there = parse_at_mark(p, mark);
    if (there)
        parse_next(p);
    return there;
}

bool parse_need_mark(struct parser *p, char mark)
{
    bool there = parse_take_mark(p, mark);
    if (!there)
        parse_bad(p, "'%c'", mark);
    return there;
}

const char *parse_shown(const struct token *t, char buf[PARSE_SHOWN_MAX])
{
    const char *line = memchr(t->s, '\n', t->len);
    size_t len = line ? (size_t)(line - t->s) : t->len;
    bool cut = len > 40 || len < t->len;
    struct text text;
    text_init(&text);
    if (t->kind == TOKEN_END)
        text_add(&text, "the end of the text");
    else
        text_addf(&text, "'%.*s%s'", (int)(len < 40 ? len : 40), t->s, cut ? "..." : "");
    size_t room = text.len < PARSE_SHOWN_MAX ? text.len : PARSE_SHOWN_MAX - 1;
    memcpy(buf, text.s, room);
    buf[room] = '\0';
    text_fini(&text);
    return buf;
}

void parse_bad(struct parser *p, const char *wanted, ...)
{
    char shown[PARSE_SHOWN_MAX];
    struct text text;
    va_list ap;
    if (p->panic)
        return;
    p->panic = true;
    text_init(&text);
    va_start(ap, wanted);
    text_addv(&text, wanted, ap);
    va_end(ap);
    lang_error(p->remarks, p->tok.at, "%s was found, %s was expected", parse_shown(&p->tok, shown),
               text.s);
    text_fini(&text);
}

/* ---- going on ---- */

bool parse_at_beginning(const struct parser *p)
{
    return p->tok.kind == TOKEN_WORD && (parse_at(p, "flowop") || parse_at(p, "thread") ||
                                         lang_word_find(p->tok.s, p->tok.len) != NULL);
}

void parse_skip(struct parser *p)
{
    while (p->tok.kind != TOKEN_END && !parse_at_mark(p, '{') && !parse_at_mark(p, '}')) {
        bool value = p->last.kind == TOKEN_MARK && *p->last.s == '=';
        if (!value && parse_at_beginning(p))
            break;
        parse_next(p);
    }
}

void parse_skip_block(struct parser *p)
{
    size_t depth = 0;
    do {
        depth += parse_at_mark(p, '{');
        depth -= parse_at_mark(p, '}');
        parse_next(p);
    } while (depth > 0 && p->tok.kind != TOKEN_END);
}

/* ---- commands ---- */

static void unknown_command(struct parser *p)
{
    char shown[PARSE_SHOWN_MAX];
    const char *near = p->tok.kind == TOKEN_WORD ? lang_word_nearest(p->tok.s, p->tok.len) : NULL;
    parse_shown(&p->tok, shown);
    if (parse_at(p, "thread") || parse_at(p, "flowop"))
        lang_error(p->remarks, p->tok.at, "%s was found outside a %s, a command was expected",
                   shown, parse_at(p, "thread") ? "process" : "thread");
    else if (near)
        lang_error(p->remarks, p->tok.at, "%s is no command; did you mean %s?", shown, near);
    else
        lang_error(p->remarks, p->tok.at, "%s was found, a command was expected", shown);
    p->panic = true;
}

/* What is left behind a command that went wrong. */
static void go_on(struct parser *p)
{
    if (!p->panic)
        return;
    parse_skip(p);
    while (parse_at_mark(p, '{')) {
        parse_skip_block(p);
        parse_skip(p);
    }
    while (parse_at(p, "thread") || parse_at(p, "flowop")) {
        parse_next(p);
        parse_skip(p);
    }
    p->panic = false;
}

static void command(struct parser *p, struct lang_command **list, unsigned *n)
{
    struct lang_command c = {.at = p->tok.at};
    const struct lang_word *word =
        p->tok.kind == TOKEN_WORD ? lang_word_find(p->tok.s, p->tok.len) : NULL;
    if (!word) {
        unknown_command(p);
        parse_next(p);
        return;
    }
    if (word->ignored)
        lang_warn(p->remarks, c.at, "%s", word->ignored);
    parse_next(p);
    c.kind = word->kind;
    bool keep = word->parse(p, &c) && !word->ignored;
    struct lang_command *grown = keep ? parse_room(p, *list, *n, sizeof **list) : NULL;
    if (grown) {
        *list = grown;
        grown[(*n)++] = c;
    } else {
        lang_command_fini(&c);
    }
}

/* Nothing is said of one whose block was given up, because of what was found in it. */
static void stray_brace(struct parser *p)
{
    if (p->unclosed > 0)
        p->unclosed--;
    else
        lang_error(p->remarks, p->tok.at, "'}' was found without its '{', a command was expected");
    parse_next(p);
}

void parse_commands(struct parser *p, const struct token *opened, struct lang_command **list,
                    unsigned *n)
{
    while (p->tok.kind != TOKEN_END && !(opened && parse_at_mark(p, '}'))) {
        if (parse_at_mark(p, '}')) {
            stray_brace(p);
        } else if (parse_take(p, "load")) {
            parse_load(p, list, n);
        } else {
            command(p, list, n);
        }
        go_on(p);
    }
    if (opened && !parse_take_mark(p, '}'))
        parse_bad(p, "the '}' of the '{' in line %u", opened->at.line);
}

/* ---- texts ---- */

/* The number of a file among the remarks' files; there once, however often it is loaded. */
static int file_number(struct parser *p, const char *name, uint32_t *out)
{
    struct lang_remarks *r = p->remarks;
    for (unsigned i = 0; i < r->files; i++)
        if (strcmp(r->file[i], name) == 0) {
            *out = i;
            return 0;
        }
    char *copy = strdup(name);
    char **grown = copy ? reallocarray(r->file, r->files + 1, sizeof *grown) : NULL;
    if (!grown) {
        free(copy);
        parse_fail(p);
        return -ENOMEM;
    }
    r->file = grown;
    r->file[r->files] = copy;
    *out = r->files++;
    return 0;
}

static void parse_text(struct parser *p, const char *name, const char *text, size_t len,
                       struct lang_command **list, unsigned *n)
{
    uint32_t file;
    struct lang_pos loaded_at = p->tok.at;
    if (file_number(p, name, &file) < 0)
        return;
    for (unsigned i = 0; i < p->loads; i++)
        if (p->loading[i] == file) {
            lang_error(p->remarks, loaded_at, "%s loads itself", name);
            return;
        }
    if (p->loads > LANG_LOAD_MAX || len > LANG_TEXT_MAX - p->bytes) {
        lang_error(p->remarks, loaded_at,
                   "%s is too much: loads nest at most %u deep, and all texts together are at most "
                   "%u MiB",
                   name, LANG_LOAD_MAX, LANG_TEXT_MAX >> 20);
        return;
    }
    struct lexer outer = p->x;
    struct token tok = p->tok, last = p->last;
    p->bytes += len;
    p->loading[p->loads++] = file;
    lex_begin(&p->x, text, len, file, p->remarks);
    parse_next(p);
    parse_commands(p, NULL, list, n);
    p->loads--;
    p->x = outer;
    p->tok = tok;
    p->last = last;
    if (p->failed || p->parts > PARTS_MAX)
        p->x.next = p->x.len;
}

static void load(struct parser *p, const struct lang_value *name, struct lang_command **list,
                 unsigned *n)
{
    char *text = NULL, *shown_as = NULL;
    size_t len = 0;
    struct err err = {0};
    struct lang_pos outer = p->tok.at;
    if (++p->loaded > LOADS_MAX) {
        lang_error(p->remarks, name->at, "'%s' is the load too many: %u are allowed in one file",
                   name->text, LOADS_MAX);
        return;
    }
    int rc = p->loader ? p->loader->load(p->loader->ctx, name->text, &text, &len, &shown_as, &err)
                       : err_set(&err, -ENOENT, "nothing can be loaded here");
    p->tok.at = name->at; /* of what may be wrong with the text as a whole */
    if (rc == 0)
        parse_text(p, shown_as ? shown_as : name->text, text, len, list, n);
    else
        lang_error(p->remarks, name->at, "cannot load '%s': %s", name->text, err.text);
    p->tok.at = outer;
    free(text);
    free(shown_as);
}

void parse_load(struct parser *p, struct lang_command **list, unsigned *n)
{
    struct lang_value name = {0};
    if (!parse_at_value(p)) {
        parse_bad(p, "the name of a workload");
        return;
    }
    parse_value(p, VALUE_WORD, &name);
    if (name.kind == LANG_TEXT && name.text)
        load(p, &name, list, n);
    else if (!p->failed)
        lang_error(p->remarks, name.at,
                   "a variable was found, the name of a workload was expected: files are loaded "
                   "before variables have values");
    struct lang_command holder = {.value = name};
    lang_command_fini(&holder);
}

/* ---- the whole ---- */

static int copy_files(struct lang_tree *tree, const struct lang_remarks *remarks)
{
    tree->file = calloc(remarks->files + 1, sizeof *tree->file);
    for (unsigned i = 0; tree->file && i < remarks->files; i++) {
        tree->file[i] = strdup(remarks->file[i]);
        if (!tree->file[i])
            return -ENOMEM;
        tree->files++;
    }
    return tree->file ? 0 : -ENOMEM;
}

int lang_parse(const char *name, const char *text, size_t len, const struct lang_loader *loader,
               struct lang_tree **out, struct lang_remarks *remarks)
{
    struct lang_tree *tree = calloc(1, sizeof *tree);
    unsigned errors = remarks->errors;
    if (!tree)
        return -ENOMEM;
    struct parser p = {.tree = tree, .remarks = remarks, .loader = loader};
    p.tok.at = (struct lang_pos){remarks->files, 1, 1};
    parse_text(&p, name, text, len, &tree->command, &tree->commands);
    int rc = p.failed || remarks->failed ? -ENOMEM : 0;
    if (rc == 0 && remarks->errors > errors)
        rc = -EINVAL;
    if (rc == 0)
        rc = copy_files(tree, remarks);
    if (rc == 0)
        *out = tree;
    else
        lang_free(tree);
    return rc;
}
