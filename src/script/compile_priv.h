/* script/compile_priv.h — what the parts that turn commands into steps share.
 * Shape    script.c      begin and end of a compilation, steps
 *          script_commands.c  one command after the other
 *          runs.c        run, psrun, and processes that are started, measured and stopped by hand
 *          sets.c        what a definition of files asks for, with the values that hold now
 *          generation.c  which sets there are: made, kept, made anew
 * Errors   0, -EINVAL after a remark, -ENOMEM.
 * Threads  single owner. */
#ifndef LOADLINE_SCRIPT_COMPILE_PRIV_H
#define LOADLINE_SCRIPT_COMPILE_PRIV_H

#include "script/scope_priv.h"

#define DEFINITIONS_MAX 10000
#define COMMANDS_MAX    1000000u    /* executed, loop bodies counted each time */
#define STEP_TEXT_MAX   (64u << 20) /* bytes of all echo and system */
#define STEP_PLANS_MAX  4000000u    /* steps of all plans */
#define SECOND_NS       1000000000u
#define SECONDS_MAX     1000000000u

/* A set as its definition asks for it. */
struct set_wish {
    struct lang_pos at;
    struct script_set set; /* its name is the definition's */
    struct grown_spec grown;
};

/* A foreach that is being gone through. */
struct loop {
    const struct loop *outer;
    char *name; /* the tree's */
};

struct compilation {
    struct compiler c;
    const struct loop *loop; /* the innermost one */
    unsigned executed;
    bool own_runs; /* the file that was named has runs: those of what it loads are not wanted */
    bool quit;     /* `quit` was met */
    bool refused;  /* a run could not be planned: the next would only say it again */
    bool ran;
    struct lang_pos late; /* of the first that changes what the runs before it have used */
    const struct lang_command *eventgen;
    uint64_t text_bytes;
    uint64_t plan_steps;
    uint64_t memory_bytes; /* of all sets so far, at the most */
    uint64_t warmup_ns;    /* that `warmup` asked for, of the next run */

    struct generation {
        unsigned n;
        struct set_wish *wish; /* of the sets in force */
        bool made;             /* their files are there */
        bool used;             /* and a run has been over them */
    } files;

    struct by_hand { /* create processes … shutdown processes */
        bool up;
        bool cleared;
        bool snapped; /* all that was measured is a run already */
        uint64_t warmup_ns;
        uint64_t measure_ns;
    } by_hand;
};

/* ---- script.c ---- */

/* text is taken over, freed also on failure. */
__attribute__((warn_unused_result)) int script_add(struct compilation *k, struct lang_pos at,
                                                   const struct script_step *step);

/* ---- script_commands.c ---- */

__attribute__((warn_unused_result)) int
compile_commands(struct compilation *k, const struct lang_command *command, unsigned n);
bool begins(const char *word, const char *with);
/* Frees what the definition has of its own. */
void compiler_forget(struct compiler *c, struct definition *d);
/* A value in seconds. */
__attribute__((warn_unused_result)) int
seconds(struct compilation *k, const struct lang_value *value, const char *what, uint64_t *ns);

/* ---- runs.c ---- */

/* Whether commands of the file that was named measure anything. */
bool has_own_runs(const struct lang_command *command, unsigned n);
__attribute__((warn_unused_result)) int compile_run_command(struct compilation *k,
                                                            const struct lang_command *run);
/* A file that ends without any run. */
__attribute__((warn_unused_result)) int compile_missing_run(struct compilation *k);
__attribute__((warn_unused_result)) int by_hand_start(struct compilation *k, struct lang_pos at);
void by_hand_sleep(struct compilation *k, struct lang_pos at, uint64_t ns);
void by_hand_clear(struct compilation *k);
__attribute__((warn_unused_result)) int by_hand_snap(struct compilation *k, struct lang_pos at);
__attribute__((warn_unused_result)) int by_hand_stop(struct compilation *k, struct lang_pos at);

/* ---- process.c ---- */

/* Of a run that cannot be planned, because its sets are wrong: what else is wrong with it. */
__attribute__((warn_unused_result)) int check_processes(struct compiler *c, struct lang_pos at);

/* ---- sets.c ---- */

/* All files and filesets defined so far; the caller frees *out. */
__attribute__((warn_unused_result)) int sets_read(struct compiler *c, struct set_wish **out,
                                                  unsigned *n);
bool set_wish_same(const struct set_wish *a, const struct set_wish *b);

/* ---- set_place.c ---- */

void set_place(struct compiler *c, const struct definition *d, struct set_wish *wish);

/* ---- generation.c ---- */

/* `create files`. */
__attribute__((warn_unused_result)) int sets_create(struct compilation *k, struct lang_pos at);
/* Before a run: made when they are not there as they are asked for now. */
__attribute__((warn_unused_result)) int sets_ready(struct compilation *k, struct lang_pos at);
/* `shutdown filesets`. */
__attribute__((warn_unused_result)) int sets_remove(struct compilation *k, struct lang_pos at);

#endif
