/* lang/lang.h — workload files: text to a syntax tree with positions.
 * Shape    lang_parse reads a text and what it loads, into one list of commands; whatever is wrong
 *          goes into a list of remarks, several per file, and so does what is accepted and not
 *          heeded. Nothing is evaluated: a variable is a variable. The tree is read-only afterwards.
 *          The union of all dialects is accepted (specs 3 to 6, 17); which one a file is written in
 *          shows in what it uses, and is for the reader of the tree to weigh.
 * Units    lines and columns count from 1; a column is one byte of UTF-8 text.
 * Limits   a text and what it loads are at most LANG_TEXT_MAX bytes and LANG_PARTS_MAX commands,
 *          attributes, flowops and items; loads nest LANG_LOAD_MAX deep, commands LANG_NEST_MAX deep.
 *          LANG_REMARKS_MAX remarks are kept, errors before warnings, and how many more is counted.
 * Errors   -EINVAL: there is at least one error among the remarks; -ENOMEM. The tree is there only
 *          on 0.
 * Threads  single owner.
 * Source   docs/wml.md; tests/golden/lang, fuzz/fuzz_wml.c. */
#ifndef LOADLINE_LANG_LANG_H
#define LOADLINE_LANG_LANG_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANG_TEXT_MAX    (16u << 20)
#define LANG_LOAD_MAX    16
#define LANG_NEST_MAX    64
#define LANG_REMARKS_MAX 50
#define LANG_PARTS_MAX   (1u << 18)

struct lang_pos {
    uint32_t file; /* index into lang_tree.file */
    uint32_t line;
    uint32_t column;
};

/* ---- remarks ---- */

struct lang_remark {
    bool warning; /* else an error */
    struct lang_pos at;
    char *text; /* "what, what was expected" */
};

struct lang_remarks {
    unsigned n;
    struct lang_remark *remark; /* in the order they were made */
    unsigned errors;            /* of all, also of those not kept */
    unsigned more;              /* not kept */
    unsigned files;
    char **file; /* names, as lang_pos.file counts them; copies */
    bool failed; /* no memory for one of them */
};

void lang_remarks_fini(struct lang_remarks *r);
void lang_error(struct lang_remarks *r, struct lang_pos at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void lang_warn(struct lang_remarks *r, struct lang_pos at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "varmail.f:12:7: error: …", one line each, by file, line and column. */
void lang_remarks_text(const struct lang_remarks *r, struct text *out);

/* ---- the tree ---- */

enum lang_value_kind {
    LANG_INT,
    LANG_BOOL,
    LANG_TEXT,    /* a bare word, a keyword or a quoted string without variables; also a number or a
                     flag as name, path, target … */
    LANG_VAR,     /* $x, ${x}; $(x) has `paren`; $x.mean and ${stats.iocount} have a `suffix` */
    LANG_JOIN,    /* text and variables one behind the other */
    LANG_ARITH,   /* item[0] op item[1] */
    LANG_RANDVAR, /* randvar(attrs) */
    LANG_CVAR,    /* cvar(attrs) */
    LANG_TABLE,   /* {{percent, low, high}, …} */
};

struct lang_row {
    uint64_t percent;
    uint64_t low;
    uint64_t high;
};

struct lang_attrs {
    unsigned n;
    struct lang_attr *attr; /* in the order written; a repeated name: the last one counts */
};

struct lang_value {
    enum lang_value_kind kind;
    struct lang_pos at;
    uint64_t integer;
    bool boolean;
    bool quoted;
    bool paren;
    char op;
    char *text;   /* TEXT; name of VAR, without its $ and brackets */
    char *suffix; /* VAR: "mean" of $x.mean; NULL */
    unsigned n;
    struct lang_value *item; /* JOIN, ARITH */
    struct lang_attrs attrs; /* RANDVAR, CVAR */
    unsigned rows;
    struct lang_row *row; /* TABLE */
};

struct lang_attr {
    char *name; /* "filesetname" is "filename", "filesize" is "size"; of a local without its $ */
    bool local; /* $name or $name=value, of composites */
    bool given; /* has a value; without one it is true */
    struct lang_pos at;
    struct lang_value value;
};

struct lang_flowop {
    char *type;
    struct lang_pos at;
    struct lang_attrs attrs;
};

struct lang_thread {
    struct lang_pos at;
    struct lang_attrs attrs;
    unsigned flowops;
    struct lang_flowop *flowop;
};

enum lang_command_kind {
    LANG_SET,         /* name, suffix, value; `define randvar name=$x` is one as well, by_define */
    LANG_SET_MODE,    /* word: "timeout", "firstdone", "alldone", "nousestats" */
    LANG_DEFINE_FILE, /* attrs */
    LANG_DEFINE_FILESET,
    LANG_DEFINE_PROCESS, /* attrs, thread */
    LANG_DEFINE_FLOWOP,  /* attrs, flowop: a composite */
    LANG_CREATE,         /* word: "files", "processes" (whatever was written) */
    LANG_SHUTDOWN,       /* word: "processes", "files" */
    LANG_EVENTGEN,       /* attrs */
    LANG_RUN,            /* value, or none (given false) */
    LANG_PSRUN,          /* period: value or none, negative: `negative`; runtime: value2 */
    LANG_SLEEP,          /* value */
    LANG_WARMUP,         /* value */
    LANG_SYSTEM,         /* value: TEXT or JOIN */
    LANG_ECHO,
    LANG_LOG,
    LANG_USAGE,
    LANG_STATS,   /* word: "clear", "snap"; the others are ignored with a warning */
    LANG_FOREACH, /* name; items: list; body */
    LANG_FSFLUSH, /* attrs */
    LANG_ENABLE_LATHIST,
    LANG_LIST,  /* word: "fileset", "flowop" */
    LANG_DEBUG, /* value */
    LANG_VERSION,
    LANG_VARS,
    LANG_QUIT, /* quit, exit */
};

struct lang_command {
    enum lang_command_kind kind;
    struct lang_pos at;
    char *name;   /* of a variable, without $ */
    char *suffix; /* "mean" of set $x.mean=…; NULL */
    char *word;
    bool by_define;
    bool given;
    bool negative;
    bool given2;
    struct lang_value value;
    struct lang_value value2;
    struct lang_attrs attrs;
    unsigned threads;
    struct lang_thread *thread;
    unsigned flowops;
    struct lang_flowop *flowop;
    unsigned items;
    struct lang_value *item;
    unsigned commands; /* body of foreach */
    struct lang_command *command;
};

/* What only one dialect has, so that the dialect of a file can be told: not what can be put around
 * any file (load, foreach, set $a=$b, texts glued together). */
enum lang_dialect_sign {
    LANG_SIGN_15 = 1 << 0, /* cvar, lathist, psrun, randvar(…) */
    LANG_SIGN_14 = 1 << 1, /* usage, define randvar, ${x}, $x.mean, arithmetic, cached,
                              filesizegamma, stats, create and shutdown processes, warmup … */
};

struct lang_tree {
    unsigned commands;
    struct lang_command *command;
    unsigned files;
    char **file;
    unsigned signs;
};

/* How `load NAME` finds its text: *text is from malloc. -ENOENT with words when there is none. */
struct lang_loader {
    int (*load)(void *ctx, const char *name, char **text, size_t *len, char **shown_as,
                struct err *err);
    void *ctx;
};

/* loader may be NULL: load is then an error. */
__attribute__((warn_unused_result)) int lang_parse(const char *name, const char *text, size_t len,
                                                   const struct lang_loader *loader,
                                                   struct lang_tree **out,
                                                   struct lang_remarks *remarks);
void lang_free(struct lang_tree *tree);

/* NULL when it is not there; the last one of that name. */
const struct lang_attr *lang_attr_find(const struct lang_attrs *attrs, const char *name);

/* The tree again as one would write it, for golden tests: parsing it gives the same tree. */
void lang_text(const struct lang_tree *tree, struct text *out);

#endif
