/* lang/lang_priv.h — what the parser's parts share.
 * Shape    lex.c        text → tokens
 *          parse.c      what is at hand, going on after errors, lists of commands
 *          texts.c      a text and what it loads
 *          commands.c   one command each
 *          define.c     what can be defined
 *          entities.c   attributes, threads, flowops
 *          lang_values.c what stands behind '='
 *          lang_names.c which attributes there are
 *          A function that meets something else than it expects says so with parse_bad, once, and
 *          comes back; whoever owns the loop goes on at the next word that can begin something.
 * Errors   remarks; `failed` when there was no memory. Then the lexer is at its end, so that every loop
 *          comes to its own.
 * Threads  single owner. */
#ifndef LOADLINE_LANG_LANG_PRIV_H
#define LOADLINE_LANG_LANG_PRIV_H

#include "lang/lang.h"

/* ---- lex.c ---- */

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_VAR, TOKEN_STRING, TOKEN_MARK };

struct token {
    enum token_kind kind;
    const char *s; /* in the text, quotes and $ included */
    size_t len;
    struct lang_pos at;
    bool glued;  /* no blank before it */
    bool closed; /* STRING: has its closing quote */
};

struct lexer {
    const char *s;
    size_t len;
    size_t next;
    size_t line_start;
    uint32_t line;
    uint32_t file;
    bool behind_variable; /* with nothing in between */
    struct lang_remarks *remarks;
};

void lex_begin(struct lexer *x, const char *text, size_t len, uint32_t file,
               struct lang_remarks *remarks);
struct token lex_next(struct lexer *x);

/* A variable's parts. */
struct lex_var {
    const char *name;
    size_t name_len;
    const char *suffix; /* NULL: none */
    size_t suffix_len;
    bool paren;
    bool braces;
};

/* How many bytes at `s`, which begins with '$', are a variable; 0: none is. */
size_t lex_variable(const char *s, size_t len, struct lex_var *out);

enum lex_number { LEX_NO_NUMBER, LEX_NUMBER, LEX_TOO_LARGE };

/* Digits and at most one of k m g t, in upper case too (`upper`). */
enum lex_number lex_integer(const char *s, size_t len, uint64_t *out, bool *upper);

/* ---- parse.c ---- */

struct parser {
    struct lexer x;
    struct token tok;  /* not yet taken */
    struct token last; /* the one before */
    struct lang_tree *tree;
    struct lang_remarks *remarks;
    const struct lang_loader *loader;
    unsigned nest;  /* of commands in commands */
    unsigned loads; /* that are being read, the outermost text among them */
    uint32_t loading[LANG_LOAD_MAX + 1];
    unsigned loaded; /* in all */
    size_t bytes;    /* of all texts */
    unsigned parts;
    unsigned unclosed; /* blocks that were given up before their '}' */
    bool failed;
    bool panic;    /* something was said of the present thing already */
    bool end_told; /* that a text ends too early: once is enough of all that it leaves open */
};

void parse_next(struct parser *p);
/* "'x' was found, WANTED was expected", unless something was said already. */
void parse_bad(struct parser *p, const char *wanted, ...) __attribute__((format(printf, 2, 3)));
/* The same where something goes on in its line: "the line ends, WANTED was expected". */
void parse_missing(struct parser *p, const char *wanted, ...) __attribute__((format(printf, 2, 3)));
bool parse_at(const struct parser *p, const char *word);
bool parse_at_mark(const struct parser *p, char mark);
/* Takes it when it is there. */
bool parse_take(struct parser *p, const char *word);
bool parse_take_mark(struct parser *p, char mark);
/* … and says that it was expected when not. */
bool parse_need_mark(struct parser *p, char mark);
/* On to the next word that can begin a command, flowop or thread, or to a brace. */
void parse_skip(struct parser *p);
/* Behind the '}' that belongs to the '{' at hand. */
void parse_skip_block(struct parser *p);
/* May a command, flowop or thread begin with the token at hand? */
bool parse_at_beginning(const struct parser *p);

/* Room for one more of the n items, zeroed; NULL without memory or when there are too many. */
void *parse_room(struct parser *p, void *items, unsigned n, size_t size);
/* A copy that the tree owns; NULL sets `failed`. */
char *parse_copy(struct parser *p, const char *s, size_t len);
void parse_fail(struct parser *p);
/* "'text'" of a token, cut where it is long; in `buf`. */
#define PARSE_SHOWN_MAX 64
const char *parse_shown(const struct token *t, char buf[PARSE_SHOWN_MAX]);

/* Until the end of the text, or the '}' of the block that began at `opened`. */
void parse_commands(struct parser *p, const struct token *opened, struct lang_command **list,
                    unsigned *n);

/* ---- texts.c ---- */

/* The word `load` is taken already. */
void parse_load(struct parser *p, struct lang_command **list, unsigned *n);

/* ---- commands.c ---- */

struct lang_word {
    const char *word;
    enum lang_command_kind kind;
    /* The word is taken already. False: nothing is to be kept of it. */
    bool (*parse)(struct parser *p, struct lang_command *c);
    const char *ignored; /* what is said of it; NULL: it is heeded */
};

/* NULL: there is none of that name. */
const struct lang_word *lang_word_find(const char *s, size_t len);
/* The one that the word is meant for, perhaps; NULL. */
const char *lang_word_nearest(const char *s, size_t len);

/* ---- define.c ---- */

bool parse_define(struct parser *p, struct lang_command *c);

/* ---- entities.c ---- */

enum entity {
    ENTITY_FILE = 1 << 0,
    ENTITY_FILESET = 1 << 1,
    ENTITY_PROCESS = 1 << 2,
    ENTITY_THREAD = 1 << 3,
    ENTITY_FLOWOP = 1 << 4,
    ENTITY_COMPOSITE = 1 << 5,
    ENTITY_RANDVAR = 1 << 6,
    ENTITY_CVAR = 1 << 7,
    ENTITY_EVENTGEN = 1 << 8,
    ENTITY_MULTI = 1 << 9,
    ENTITY_SYNC = 1 << 10,
    ENTITY_POSSET = 1 << 11,
    ENTITY_SYSTEM = 1 << 12, /* fscheck, fsflush */
};

void parse_attrs(struct parser *p, enum entity entity, struct lang_attrs *attrs);
/* '{', flowops, '}'. */
void parse_flowops(struct parser *p, struct lang_flowop **list, unsigned *n);
void parse_threads(struct parser *p, struct lang_thread **list, unsigned *n);

/* ---- lang_values.c ---- */

enum value_wish {
    VALUE_PLAIN, /* number, flag, word, text, variable, or several of them glued together */
    VALUE_WORD,  /* the same, but a number or flag is a word as well */
    VALUE_SUM,   /* as PLAIN, or one operator between two of them */
    VALUE_SHOWN, /* for people to read: TEXT or JOIN, whatever it is */
};

/* Says itself what was expected. */
void parse_value(struct parser *p, enum value_wish wish, struct lang_value *out);
/* … with the opening '(' at hand. */
void parse_distribution(struct parser *p, enum lang_value_kind kind, struct lang_value *out);
void parse_table(struct parser *p, struct lang_value *out);
/* Does the token at hand begin a value? */
bool parse_at_value(const struct parser *p);
/* A number or a variable, as run and sleep take them; a minus sign where `negative` is not NULL. */
bool parse_at_count(const struct parser *p);
void parse_count(struct parser *p, struct lang_value *out, bool *negative);

/* ---- lang_names.c ---- */

struct attr_name {
    const char *name;
    unsigned of;         /* entities that have it */
    unsigned unheeded;   /* entities that accept it with a warning */
    const char *same_as; /* of a synonym */
    bool word;           /* its value is never a number or a flag */
    unsigned sign;       /* LANG_SIGN_… */
};

const struct attr_name *attr_name_find(const char *s, size_t len);
/* The attribute of that entity that is meant, perhaps; NULL. */
const char *attr_name_nearest(const char *s, size_t len, enum entity entity);
const char *entity_name(enum entity entity);

/* ---- tree.c ---- */

void lang_attr_fini(struct lang_attr *attr);
void lang_command_fini(struct lang_command *c);

#endif
