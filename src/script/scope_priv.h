/* script/scope_priv.h — variables, and what they stand for where they are used.
 * Shape    scope_new with what the command line says; then `set` after `set`, in the order of the
 *          file, and in between whatever is evaluated. A variable keeps how it was written, so that
 *          a later `set` of what it is made of shows in it. Locals of composites lie over the
 *          globals.
 * Units    as written.
 * Limits   references go VARIABLE_DEPTH_MAX deep, a text put together is at most VALUE_TEXT_MAX
 *          bytes, there are at most VARIABLES_MAX, EVALUATIONS_MAX values are evaluated in all, and
 *          what is kept takes at most KEPT_BYTES_MAX (-ENOMEM): a file that doubles what it has in
 *          each line comes to an end.
 * Errors   -EINVAL after a remark, -ENOMEM.
 * Threads  single owner.
 * Source   specs 6, 17.2; tests/unit/test_script_values.c, test_script_randvar.c. */
#ifndef LOADLINE_SCRIPT_SCOPE_PRIV_H
#define LOADLINE_SCRIPT_SCOPE_PRIV_H

#include "base/draw.h"
#include "script/script_priv.h"

#define VARIABLE_DEPTH_MAX 64
#define VARIABLES_MAX      4096
#define VALUE_TEXT_MAX     65536
#define EVALUATIONS_MAX    50000000u
#define KEPT_BYTES_MAX     (256u << 20)

/* What `set $x.mean=…` has put over a random variable's own attribute. */
struct override {
    const char *field;
    const struct lang_value *value;
};

struct variable {
    char *name;
    bool pinned; /* by the command line: a `set` is not heeded */
    bool used;
    struct lang_pos set_at; /* pinned: of the first `set`; line 0: none */
    bool by_define;         /* define randvar: evaluated where it is used, not where it stands */
    const struct lang_value *tree; /* evaluated at each use; NULL: `value` is it */
    struct value value;
    unsigned overrides;
    struct override *override;
    const struct draw *drawn; /* of a random variable, what its last `set` made of it */
    unsigned busy;            /* being evaluated: a reference back to it has no end */
    unsigned looked;          /* when it was last looked through for references */
};

struct kept; /* a piece of memory that lives as long as the globals */

/* What all scopes over the same globals share. */
struct world {
    const struct script_options *o;
    double event_rate;
    const double *mean; /* of the next random variable evaluated, in place of its own; NULL */
    unsigned depth;
    unsigned evaluations;
    unsigned looks;
    size_t kept_bytes;
    struct kept *kept;
    struct kept_draw *draws; /* among them; equal ones are one */
};

struct scope {
    struct scope *outer; /* NULL: the globals */
    struct world *world;
    unsigned n;
    struct variable **variable;
};

/* ---- scope.c ---- */

/* Pins what options->set says, and $dir to the target. */
__attribute__((warn_unused_result)) int scope_new(const struct script_options *o,
                                                  struct lang_remarks *remarks, struct scope **out);
void scope_free(struct scope *globals);
struct scope *scope_globals(struct scope *scope);
struct variable *scope_find(const struct scope *scope, const char *name);
/* Not in those it lies over. */
struct variable *scope_find_here(const struct scope *scope, const char *name);
/* In this scope, made when it is not there. */
__attribute__((warn_unused_result)) int scope_variable(struct scope *scope, struct lang_pos at,
                                                       const char *name,
                                                       struct lang_remarks *remarks,
                                                       struct variable **out);
void scope_rate(struct scope *globals, double event_rate);
/* "on the command line", or where else variables are pinned. */
const char *scope_set_where(const struct scope *globals);
/* What was pinned and nothing ever asked for: an error each, or told in options->set_known. */
void scope_check_pins(const struct scope *globals, struct lang_remarks *remarks);
/* Memory of the globals' own; NULL: none left. */
void *scope_keep(struct scope *scope, size_t bytes);
const char *scope_keep_text(struct scope *scope, const char *s);
const struct draw *scope_keep_draw(struct scope *scope, const struct draw *draw);

/* ---- scope_set.c: also scope_enter of script_priv.h ---- */

/* A `set` or `define randvar`. */
__attribute__((warn_unused_result)) int
scope_assign(struct scope *globals, const struct lang_command *set, struct lang_remarks *remarks);
/* What foreach does before each pass. */
__attribute__((warn_unused_result)) int scope_bind(struct scope *globals, struct lang_pos at,
                                                   const char *name, const struct lang_value *value,
                                                   struct lang_remarks *remarks);

/* A scope over the globals, for what a loop defines. */
__attribute__((warn_unused_result)) int scope_over(struct scope *globals, struct scope **out);
/* Gives it the value that a global has now. */
__attribute__((warn_unused_result)) int scope_hold(struct scope *over, struct lang_pos at,
                                                   char *name, struct lang_remarks *remarks);

/* ---- special.c ---- */

/* ${date}, $(NAME) …; false: no such thing. */
bool special_value(struct scope *scope, const struct lang_value *var, struct lang_remarks *remarks,
                   struct value *out);

/* ---- values.c ---- */

/* As echo prints it. */
void value_print(const struct value *value, struct text *out);
/* A text of echo or system: what is not set stays as it was written. */
__attribute__((warn_unused_result)) int scope_print(struct scope *scope,
                                                    const struct lang_value *value,
                                                    struct lang_remarks *remarks, struct text *out);
/* All globals as scope_print_variable has them: "name=value" and then `end`, for each. */
__attribute__((warn_unused_result)) int scope_list(struct scope *globals, const char *end,
                                                   struct text *out);
/* As echo prints it, but of a random variable what it draws. */
__attribute__((warn_unused_result)) int scope_print_variable(struct scope *globals,
                                                             struct variable *v, struct text *out);
/* A random variable as if its mean were this one. */
__attribute__((warn_unused_result)) int scope_value_mean(struct scope *scope,
                                                         const struct lang_value *value,
                                                         double mean, struct lang_remarks *remarks,
                                                         struct value *out);

/* ---- attrs.c ---- */

/* Conversions of specs 6.3; `what` is the attribute, for words. 0 after an error. */
uint64_t value_count(struct scope *scope, const struct value *value, const char *what,
                     struct lang_remarks *remarks);
/* … and -EINVAL after one. */
__attribute__((warn_unused_result)) int value_number(struct scope *scope, const struct value *value,
                                                     const char *what, struct lang_remarks *remarks,
                                                     uint64_t *out);
bool value_flag(struct scope *scope, const struct value *value, const char *what,
                struct lang_remarks *remarks);
/* A whole number with its k, m, g or t, in upper case too; false: none, or above INT64_MAX. */
bool value_parse_count(const char *text, uint64_t *out);

/* ---- randvar.c ---- */

/* `variable` NULL: none that overrides. */
__attribute__((warn_unused_result)) int
randvar_value(struct scope *scope, const struct lang_value *definition,
              const struct variable *variable, struct lang_remarks *remarks, struct value *out);
/* $x.mean and the like. */
__attribute__((warn_unused_result)) int
randvar_field(struct scope *scope, const struct variable *variable, const struct lang_value *asked,
              struct lang_remarks *remarks, struct value *out);
bool randvar_has_field(const char *field);

/* ---- cvar.c ---- */

__attribute__((warn_unused_result)) int cvar_value(struct scope *scope,
                                                   const struct lang_value *definition,
                                                   const struct variable *variable,
                                                   struct lang_remarks *remarks, struct value *out);

/* Of a definition, with what overrides it; NULL: not there. */
const struct lang_value *variable_attr(const struct lang_value *definition,
                                       const struct variable *variable, const char *field);
/* Checks the draw and makes it a value of this scope. */
__attribute__((warn_unused_result)) int scope_draw(struct scope *scope, struct lang_pos at,
                                                   struct draw *draw, const char *shown,
                                                   struct lang_remarks *remarks, struct value *out);

#endif
