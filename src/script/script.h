/* script/script.h — a workload file as a list of steps: what it compiles to.
 * Shape    script_compile evaluates a syntax tree from top to bottom: variables, loops (unrolled),
 *          filesets (grown), and for every run a frozen plan with the values that hold there. All
 *          is checked before anything is done. Then a study carries the steps out, one by one.
 *          scope*.c, values.c variables; sets.c filesets; script_commands.c, runs.c commands;
 *          process.c processes and threads; flow*.c flowops to plan steps.
 * Units    ns, bytes.
 * Limits   SCRIPT_STEPS_MAX steps, SCRIPT_SETS_MAX sets; loops, texts, variables and plans are
 *          bounded as compile_priv.h and scope_priv.h say.
 * Errors   -EINVAL: the remarks say where and what; -ENOMEM, -EOPNOTSUPP (the target cannot do an
 *          op).
 * Threads  single owner; read-only once compiled.
 * Source   specs/wml.md, docs/wml.md; tests/golden/wml: one file per family of constructs, with its
 *          exact plan. */
#ifndef LOADLINE_SCRIPT_SCRIPT_H
#define LOADLINE_SCRIPT_SCRIPT_H

#include "base/err.h"
#include "base/text.h"
#include "fileset/grown.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define SCRIPT_STEPS_MAX 10000
#define SCRIPT_SETS_MAX  1024

struct lang_tree;
struct lang_remarks;

enum script_dialect {
    SCRIPT_DIALECT_AUTO, /* what the file's own constructs say, else 1.5 */
    SCRIPT_DIALECT_SUN,  /* 2005 to 1.4.8 */
    SCRIPT_DIALECT_14,
    SCRIPT_DIALECT_15,
};

struct script_options {
    const char *name; /* of the workload, for $(scriptname) and results */
    enum script_dialect dialect;
    uint64_t seed;
    const char *target; /* its address, which $dir becomes */
    const struct target_caps *caps;
    const struct plan_instrument *instrument;
    /* From the command line; 0 or NULL: as the file says. */
    uint64_t time_ns; /* every run takes so long; a file without a run gets one */
    uint64_t warmup_ns;
    double steady_frac; /* --until-steady */
    uint64_t steady_max_ns;
    const char *const *set; /* "name=value"; pins the variable */
    unsigned sets;
    /* [sets], where one value is meant for several files: whether this one sets or uses the variable. NULL:
     * that it does not is an error. */
    bool *set_known;
    const char *set_where; /* for remarks; NULL: "on the command line" */
    bool allow_system;
    uint64_t max_memory_bytes; /* for the names of files; 0: as much as they need */
    const char *(*environment)(const char *name); /* $(NAME); NULL: none of them is there */
};

struct script_set {
    char *name;
    bool single;              /* define file */
    struct fileset_spec spec; /* GROWN, or FLAT of one file: the device that the target is */
    struct grown *grown;      /* owned; NULL for a device */
    uint32_t exists_percent;  /* prealloc; 100 where reuse or trusttree imply it */
    uint32_t makers;          /* how many make its files at once */
    bool reuse;
    bool trust;
    bool read_only;  /* its files are opened for reading only */
    bool write_only; /* read_only wins */
    bool written;    /* some flowop writes to it, creates or deletes in it */
    uint64_t memory_bytes;
};

enum script_step_kind {
    SCRIPT_MAKE,   /* sets first … first + n − 1 */
    SCRIPT_REMOVE, /* likewise */
    SCRIPT_RUN,    /* plan */
    SCRIPT_SHELL,  /* text */
    SCRIPT_SLEEP,  /* ns */
    SCRIPT_ECHO,   /* text */
    SCRIPT_FLUSH,  /* write everything out and empty this machine's cache */
};

struct script_step {
    enum script_step_kind kind;
    uint32_t line; /* in the file that was named */
    char *text;
    uint64_t ns;
    unsigned first;
    unsigned n;
    struct plan *plan;
    bool period_reset; /* psrun: the sums begin anew at each report */
};

struct script_variable {
    char *name;
    char *value; /* as echo prints it; of a random variable what it draws */
};

struct script {
    char *name;
    enum script_dialect dialect; /* never AUTO */
    bool latency_histogram;
    unsigned sets;
    struct script_set *set;
    unsigned steps;
    struct script_step *step;
    unsigned runs;
    unsigned variables; /* as they stand at the end */
    struct script_variable *variable;
    uint64_t bytes; /* of all files that are made before the first op, the most there is at once */
    uint64_t files;
};

/* Remarks may hold warnings on success. */
__attribute__((warn_unused_result)) int
script_compile(const struct lang_tree *tree, const struct script_options *options,
               struct script **out, struct lang_remarks *remarks, struct err *err);
void script_free(struct script *script);

/* What `usage` lines say, variables expanded; and the variables a file sets, with their values. For
 * `loadline workloads NAME`. */
__attribute__((warn_unused_result)) int script_describe(const struct lang_tree *tree,
                                                        struct text *usage, struct text *variables);

/* Canonical form of the whole, plans included: --dry-run and golden tests. */
void script_text(const struct script *script, struct text *out);

#endif
