/* script/script_priv.h — what the compiler's parts share.
 * Shape    scope_priv.h    variables, evaluation of values and attributes
 *          compile_priv.h  commands to steps, filesets
 *          process.c       a `run`: processes, threads, groups; calls flow_group for each
 *          flow.c …        one thread's flowops to the steps of a plan group
 * Errors   the functions return 0 or -EINVAL after a remark was made, or -ENOMEM.
 * Threads  single owner. */
#ifndef LOADLINE_SCRIPT_SCRIPT_PRIV_H
#define LOADLINE_SCRIPT_SCRIPT_PRIV_H

#include "lang/lang.h"
#include "plan/build.h"
#include "script/script.h"
#include "target/catalog.h"
#include "target/target.h"

/* ---- values.c, scope_set.c, attrs.c ---- */

enum value_kind { VALUE_UNSET, VALUE_INT, VALUE_BOOL, VALUE_TEXT, VALUE_DRAW };

/* A value with all variables resolved. `text` and `draw` are borrowed from the scope or the
 * tree. */
struct value {
    enum value_kind kind;
    struct lang_pos at;
    uint64_t integer;
    bool boolean;
    bool typed;       /* on the command line: no file has been read so for years */
    const char *text; /* DRAW: what echo prints for it */
    const struct draw *draw;
};

struct variable; /* a global, or a local of a composite that is being inlined */
struct scope;    /* locals over globals */

/* A composite's scope: its locals (defaults from its definition, then what the call gives,
 * evaluated in `outer`) over `outer`, which must live as long. */
__attribute__((warn_unused_result)) int
scope_enter(struct scope *outer, const struct lang_attrs *definition, const struct lang_attrs *call,
            struct lang_remarks *remarks, struct scope **out);
void scope_leave(struct scope *scope);

/* VALUE_UNSET only with a remark ("$x is not set") and -EINVAL. */
__attribute__((warn_unused_result)) int scope_value(struct scope *scope,
                                                    const struct lang_value *value,
                                                    struct lang_remarks *remarks,
                                                    struct value *out);
/* Attribute `name`, or `otherwise` when it is not there. Conversions as specs 6.3: with a
 * warning where that says so. A draw where a plain number is needed is drawn once, from the
 * run's seed. */
__attribute__((warn_unused_result)) int attr_count(struct scope *scope,
                                                   const struct lang_attrs *attrs, const char *name,
                                                   uint64_t otherwise, struct lang_remarks *remarks,
                                                   uint64_t *out);
__attribute__((warn_unused_result)) int attr_flag(struct scope *scope,
                                                  const struct lang_attrs *attrs, const char *name,
                                                  bool otherwise, struct lang_remarks *remarks,
                                                  bool *out);
/* *out NULL when it is not there; else owned by the scope. */
__attribute__((warn_unused_result)) int attr_word(struct scope *scope,
                                                  const struct lang_attrs *attrs, const char *name,
                                                  struct lang_remarks *remarks, const char **out);
/* A number or a distribution: *draw NULL and *count, or *draw. */
__attribute__((warn_unused_result)) int attr_number(struct scope *scope,
                                                    const struct lang_attrs *attrs,
                                                    const char *name, uint64_t otherwise,
                                                    struct lang_remarks *remarks, uint64_t *count,
                                                    const struct draw **draw);

/* ---- one compilation ---- */

struct composite {
    const char *name;
    const struct lang_command *definition;
};

/* A file, fileset or process. Its name and place, and the variables of the loops around it, are those
 * that held where it was defined; all else is evaluated anew for each run. */
struct definition {
    const struct lang_command *command;
    const char *name;    /* kept by the scope */
    const char *path;    /* NULL: none */
    struct scope *scope; /* the globals, or the definition's own over them */
};

struct compiler {
    const struct script_options *o;
    enum script_dialect dialect;
    bool arrivals_in_tens; /* 1.5 was asked for by name, so its event generator as well */
    struct lang_remarks *remarks;
    struct err *err;
    struct script *script;
    struct scope *globals;
    unsigned first_set; /* of the sets in force, in script->set: it is set 0 of a plan, and so on */
    unsigned composites;
    struct composite *composite;
    double event_rate; /* 0: no event generator, or one without a limit */
    enum plan_quit quit;
    /* and what is defined so far; script.c's own */
    unsigned defined;
    struct definition *definition; /* files, filesets and processes in order */
};

/* A line that is shown before the run that is being compiled. */
__attribute__((warn_unused_result)) int compiler_echo(struct compiler *c, struct lang_pos at,
                                                      const char *text);
/* Index into script->set of the set in force with that name, or −1. */
int compiler_set(const struct compiler *c, const char *name);
const struct composite *compiler_composite(const struct compiler *c, const char *name);

/* ---- process.c ---- */

/* The plan of one `run`. */
__attribute__((warn_unused_result)) int compile_run(struct compiler *c, struct lang_pos at,
                                                    const struct plan_window *window,
                                                    struct plan **out);

/* ---- flow.c ----
 * Set i of the plan is script->set[c->first_set + i]: whoever began the plan has added them all, up to
 * script->sets, in this order. flow_group also says of each whether it is written. */

/* What all groups of one plan share while it is built: names of blocks and semaphores that
 * flowops of any thread may name as their target. */
struct flow_plan;

struct flow_plan *flow_plan_new(struct compiler *c, struct plan_builder *b);
void flow_plan_free(struct flow_plan *f);
/* First pass, for every thread of every process: what it defines that others may name. */
__attribute__((warn_unused_result)) int flow_declare(struct flow_plan *f, struct scope *scope,
                                                     const struct lang_thread *thread);
/* Second pass: the three sections of the group that was begun with plan_begin_group. */
__attribute__((warn_unused_result)) int flow_group(struct flow_plan *f, struct scope *scope,
                                                   const struct lang_thread *thread);

#endif
