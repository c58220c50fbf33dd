/* engine.h, cpu_sys_ns: what threads of the kernel use for a ring counts, too. Buffered writes and the
 * making of files are theirs: without them an asynchronous run would look far cheaper than it is. */
#include "truth/trees.h"

#include <sys/resource.h>

static uint64_t used_ns(int who)
{
    struct rusage used;
    getrusage(who, &used);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * SEC_NS +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
}

/* Of all threads but this one, which collects. */
static void note_others(void *ctx, bool open)
{
    uint64_t *ns = ctx;
    uint64_t others = used_ns(RUSAGE_SELF) - used_ns(RUSAGE_THREAD);
    *ns = open ? others : others - *ns;
}

static void cpu_of_the_kernels_threads_counts(void **state)
{
    const struct fileset_spec spec = tree_small(100 * TREE_PIECE);
    struct truth_dir dir;
    struct measured m;
    char address[96];
    uint64_t others_ns = 0;

    (void)state;
    truth_dir_make(&dir);
    snprintf(address, sizeof address, "uring:%s", dir.path);
    truth_run_job(&m, tree_write(&spec), address,
                  (struct engine_job){.workers = 1, .gate = note_others, .ctx = &others_ns});
    assert_int_equal(m.out.errors, 0);
    uint64_t told_ns = m.out.cpu_user_ns + m.out.cpu_sys_ns;
    assert_true(told_ns >= others_ns / 10 * 9);
    assert_true(told_ns <= others_ns / 10 * 11);
    truth_fini(&m);
    truth_dir_remove(&dir);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_of_the_kernels_threads_counts),
    };
    return cmocka_run_group_tests_name("uring_cpu", tests, NULL, NULL);
}
