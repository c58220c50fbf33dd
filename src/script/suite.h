/* script/suite.h — a suite: a plain list of workloads to be run one after the other.
 * Shape    suite_parse makes a list of lines of a text; nothing is opened and nothing is evaluated. A line is
 *          a workload, then name=value in any order: time, warmup, repeat and dialect are of the suite, any
 *          other is a variable of the workload, and so is a name behind a $. `#` where a word could begin is a
 *          comment to the end of the line; between two " blanks and # stand for themselves.
 * Units    ns.
 * Limits   SUITE_LINES_MAX workloads, SUITE_SETS_MAX variables of each; time SUITE_TIME_MIN_NS to
 *          SUITE_TIME_MAX_NS, warmup up to SUITE_WARMUP_MAX_NS, repeat 1 to SUITE_REPEATS_MAX.
 * Errors   -EINVAL: the remarks say where and what, as many as there are; -ENOMEM.
 * Threads  single owner.
 * Source   docs/wml.md; tests/unit/test_suite.c, fuzz/fuzz_suite.c. */
#ifndef LOADLINE_SCRIPT_SUITE_H
#define LOADLINE_SCRIPT_SUITE_H

#include "lang/lang.h"
#include "script/script.h"

#define SUITE_LINES_MAX     1000u
#define SUITE_SETS_MAX      1000u
#define SUITE_TIME_MIN_NS   1000000ull
#define SUITE_TIME_MAX_NS   (7 * 86400000000000ull)
#define SUITE_WARMUP_MAX_NS 86400000000000ull
#define SUITE_REPEATS_MAX   1000u

enum suite_said {
    SUITE_TIME = 1 << 0,
    SUITE_WARMUP = 1 << 1,
    SUITE_REPEAT = 1 << 2,
    SUITE_DIALECT = 1 << 3,
};

/* How a workload is to be run; of what is not said the value is 0. */
struct suite_ask {
    unsigned said; /* enum suite_said */
    uint64_t time_ns;
    uint64_t warmup_ns;
    unsigned repeats;
    enum script_dialect dialect;
};

struct suite_set {
    struct lang_pos at;
    char *text; /* "name=value" */
};

struct suite_line {
    struct lang_pos at;
    char *workload; /* the word for it */
    struct suite_ask ask;
    unsigned sets;
    struct suite_set *set;
};

struct suite {
    unsigned lines; /* 1 or more */
    struct suite_line *line;
};

/* `name` is how remarks call the text: it becomes their only file. */
__attribute__((warn_unused_result)) int suite_parse(const char *name, const char *text, size_t len,
                                                    struct suite **out,
                                                    struct lang_remarks *remarks);
void suite_free(struct suite *suite);
/* What `over` says, else what `ask` does. */
struct suite_ask suite_ask_over(const struct suite_ask *ask, const struct suite_ask *over);

#endif
