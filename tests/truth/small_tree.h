/* truth/small_tree.h — a dirtest that is over in a moment, told to a sink: what tests of tree studies
 * begin with.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_SMALL_TREE_H
#define LOADLINE_TRUTH_SMALL_TREE_H

#include "truth/studies.h"

static const uint64_t lengths[] = {1, 3000};

static inline struct tree_options small_tree(void)
{
    return (struct tree_options){.threads = 2,
                                 .levels = 2,
                                 .branches = 2,
                                 .files = 2,
                                 .length_bytes = lengths,
                                 .lengths = 2,
                                 .repeats = 2,
                                 .min_time_ns = 1,
                                 .chunk_bytes = 1024,
                                 .verify = true};
}

static inline int open_told(void **state)
{
    *state = told_open();
    return 0;
}

static inline int close_told(void **state)
{
    told_close(*state);
    return 0;
}

static inline void dirtest(struct told *t, const struct tree_options *o)
{
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    if (study_dirtest(&t->common, o, &sink, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->begun, 1);
    assert_int_equal(t->ended, 1);
}

#define told_test(f) cmocka_unit_test_setup_teardown(f, open_told, close_told)

#endif
