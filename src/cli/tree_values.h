/* cli/tree_values.h — the options of dirtest and readtest.
 * Units    bytes, ns.                            Threads  values. */
#ifndef LOADLINE_CLI_TREE_VALUES_H
#define LOADLINE_CLI_TREE_VALUES_H

#include "cli/study_values.h"
#include "study/study.h"

struct tree_values {
    uint64_t threads;
    uint64_t levels;
    uint64_t branches;
    uint64_t files;
    struct length_list lengths;
    uint64_t repeats;
    uint64_t min_time_ns;
    uint64_t chunk_bytes;
    int fsync; /* enum study_fsync */
    int cache; /* enum study_client_cache */
    bool write_only;
    bool verify;
    bool walk;
    bool classic;
    bool keep;
    double until_frac;
    uint64_t max_repeats;
    const char *resume; /* names a study; NULL */
};

extern const struct option_table tree_shape_table; /* dirtest */
extern const struct option_table
    tree_found_shape_table; /* readtest: what is not given is as found */
extern const struct option_table tree_write_table;
extern const struct option_table tree_until_table; /* dirtest */
extern const struct option_table tree_read_table;
extern const struct option_table tree_resume_table;

/* Bits of `given` of every tree table. */
enum tree_values_given {
    GIVEN_CACHE = 1 << 16,
    GIVEN_MIN_TIME = 1 << 17,
    GIVEN_UNTIL = 1 << 18,
    GIVEN_MAX_REPEAT = 1 << 19,
};

/* Checks what belongs together and makes what a study takes, which points into `v`. `given` are the
 * bits of all its tables. -EINVAL names both options. */
__attribute__((warn_unused_result)) int tree_values_take(const struct tree_values *v,
                                                         unsigned given, struct tree_options *out,
                                                         struct err *err);

#endif
