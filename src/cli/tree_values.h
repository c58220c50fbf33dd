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
    bool classic;
    bool keep;
};

extern const struct option_table tree_shape_table; /* dirtest */
extern const struct option_table
    tree_found_shape_table; /* readtest: what is not given is as found */
extern const struct option_table tree_write_table;
extern const struct option_table tree_read_table;

/* Checks what belongs together and makes what a study takes, which points into `v`. `read_given`
 * are the bits of tree_read_table. -EINVAL names both options. */
__attribute__((warn_unused_result)) int tree_values_take(const struct tree_values *v,
                                                         unsigned read_given,
                                                         struct tree_options *out, struct err *err);

#endif
