/* cli/options.h — command lines read by table.
 * Shape    a command lists its tables; options_parse fills one struct of values per table. Help,
 *          and whatever else describes the options, is made from the same tables.
 * Units    bytes, ns, per second, as the kind says.
 * Limits   min … max of the option, both included. `--name value`, `--name=value`, `-o value`,
 *          `-ovalue`; `--` ends the options; none but a list may stand there twice, a list
 *          at most OPTION_LIST_MAX times.
 * Errors   -EINVAL with words that name the option, the text and what is accepted; an unknown
 *          option is answered with the nearest one.
 * Threads  no state.
 * Source   tests/cli/test_usage.py has a case for every option of every command. */
#ifndef LOADLINE_CLI_OPTIONS_H
#define LOADLINE_CLI_OPTIONS_H

#include "base/err.h"
#include "base/nearest.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTION_TABLES_MAX 10
#define OPTION_TABLE_MAX  64
#define OPTION_ARGS_MAX   1024
#define OPTION_LIST_MAX   32

enum option_kind {                    /* and what stands at `at` */
                   OPTION_FLAG,       /* bool */
                   OPTION_TEXT,       /* const char *; min … max characters */
                   OPTION_COUNT,      /* uint64_t */
                   OPTION_BYTES,      /* uint64_t */
                   OPTION_TIME,       /* uint64_t, ns */
                   OPTION_RATE,       /* double, per second, above 0; max in per second */
                   OPTION_WORD,       /* int: index into words */
                   OPTION_LIST,       /* struct option_list; like OPTION_TEXT, but may stand there
                                       * again */
                   OPTION_OWN_PARSER, /* whatever `parse` writes */
};

struct option_list {
    unsigned n;
    const char *text[OPTION_LIST_MAX];
};

struct option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    const char *arg;  /* as help shows it; NULL: none, or the words */
    enum option_kind kind;
    size_t at; /* offset into the table's values */
    uint64_t min;
    uint64_t max;
    const char *const *words; /* NULL at the end */
    int (*parse)(const char *text, void *value, struct err *err);
    const char *accepts;   /* for OPTION_OWN_PARSER */
    const char *initial;   /* the default, as one would type it; NULL: zero bytes */
    const char *otherwise; /* the default in words, where there is no initial */
    unsigned given;        /* bit set in options_parsed.given when it is on the command line */
    const char *help;
};

struct option_table {
    const char *title; /* NULL: goes on under the title before */
    const struct option *option;
    unsigned n;
    const char *otherwise; /* NULL, or in words what holds instead of each option's own default */
};

#define OPTION_TABLE(title_, options)                                                              \
    {                                                                                              \
        .title = title_, .option = options, .n = sizeof(options) / sizeof((options)[0])            \
    }

struct options_parsed {
    void *values[OPTION_TABLES_MAX]; /* one per table, in the command's order; set by the caller */
    unsigned given[OPTION_TABLES_MAX];
    uint64_t seen[OPTION_TABLES_MAX]; /* bit i: option i of the table is on the command line */
    const char *typed[OPTION_TABLES_MAX][OPTION_TABLE_MAX]; /* its text; "" of a flag; NULL */
    const char *args[OPTION_ARGS_MAX];
    unsigned n_args;
    bool help;
};

/* Puts the defaults in place, then reads the command line. More than args_max arguments: -EINVAL.
 */
__attribute__((warn_unused_result)) int options_parse(const struct option_table *const *tables,
                                                      int argc, char **argv, unsigned args_max,
                                                      struct options_parsed *parsed,
                                                      struct err *err);

/* Of `given`: with such an option no argument need be there. */
#define OPTION_INSTEAD_OF_ARGS (1u << 31)

/* "a whole number from 1 to 65536". */
void option_accepts(const struct option *option, struct text *out);
/* "--client-cache drop|keep", "-o FILE", "--force". */
void option_synopsis(const struct option *option, struct text *out);

#endif
