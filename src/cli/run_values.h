/* cli/run_values.h — options of `run` and what they come to.
 * Shape    tables over one struct; run_values_take makes options of a script of them.
 * Units    ns.                                   Threads  values. */
#ifndef LOADLINE_CLI_RUN_VALUES_H
#define LOADLINE_CLI_RUN_VALUES_H

#include "cli/options.h"
#include "cli/study_values.h"
#include "script/suite.h"

struct run_values {
    struct option_list set;
    uint64_t time_ns;
    uint64_t warmup_ns;
    double until_steady_frac;
    uint64_t max_warmup_ns;
    uint64_t repeats;
    int dialect; /* enum script_dialect */
    int cache;   /* enum study_client_cache */
    bool allow_system;
    bool adopt;
    const char *destroy;
    bool keep;
    bool dry_run;
    bool filebench;
};

extern const struct option_table run_ask_table;
extern const struct option_table run_rules_table; /* those of it that a whole session can have */
extern const struct option_table run_safety_table;
extern const struct option_table run_form_table;

/* What is set on the command line: of --set, then NAME=VALUE behind the target. Borrowed. */
struct run_sets {
    bool of_suite; /* WORKLOAD.NAME=VALUE may stand among them; set by the caller */
    unsigned n;
    const char *text[OPTION_ARGS_MAX + OPTION_LIST_MAX];
};

__attribute__((warn_unused_result)) int run_sets_add(struct run_sets *sets, const char *text,
                                                     struct err *err);

/* -EINVAL with words: two forms of one answer. */
__attribute__((warn_unused_result)) int
run_check_form(const struct run_values *v, const struct output_values *output, struct err *err);
/* Where the name begins, or its $: behind WORKLOAD and the dot, where there is one. */
const char *suite_set_name(const char *text);
/* What of the options a line of a suite has as well. */
struct suite_ask run_values_ask(const struct run_values *v, unsigned given);

/* -EINVAL with words: options that exclude each other, a word that sets nothing. */
__attribute__((warn_unused_result)) int run_values_take(const struct run_values *v, unsigned given,
                                                        const char *const *args, unsigned n_args,
                                                        struct run_sets *sets,
                                                        struct script_options *out,
                                                        struct err *err);

#endif
