/* engine.h, cpu_sys_ns: what threads of the kernel use for a ring counts, too. Buffered writes and the
 * making of files are theirs: without them an asynchronous run would look far cheaper than it is. What the
 * caller's own threads use does not. */
#include "truth/trees.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

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

/* A server in this process, as the self-test has one: its CPU was told as the client's. */
struct aside {
    pthread_t thread;
    atomic_bool stop;
};

static void *burn(void *arg)
{
    struct aside *aside = arg;
    while (!atomic_load(&aside->stop))
        ;
    return NULL;
}

static uint64_t burnt_ns(void *arg)
{
    const struct aside *aside = arg;
    struct timespec used = {0};
    clockid_t clock;
    assert_int_equal(pthread_getcpuclockid(aside->thread, &clock), 0);
    clock_gettime(clock, &used);
    return (uint64_t)used.tv_sec * SEC_NS + (uint64_t)used.tv_nsec;
}

static void cpu_of_the_callers_threads_does_not(void **state)
{
    struct aside aside = {.stop = false};
    struct measured m;

    (void)state;
    assert_int_equal(pthread_create(&aside.thread, NULL, burn, &aside), 0);
    uint64_t before_ns = burnt_ns(&aside);
    truth_run_job(
        &m, truth_reads((struct reads){.measure_ns = SEC_NS / 2, .streams = 2, .rate_per_s = 100}),
        "null:", (struct engine_job){.workers = 1, .aside_ns = burnt_ns, .ctx = &aside});
    uint64_t aside_ns = burnt_ns(&aside) - before_ns;
    atomic_store(&aside.stop, true);
    pthread_join(aside.thread, NULL);
    assert_true(m.out.cpu_user_ns + m.out.cpu_sys_ns < aside_ns / 2);
    truth_fini(&m);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_of_the_kernels_threads_counts),
        cmocka_unit_test(cpu_of_the_callers_threads_does_not),
    };
    return cmocka_run_group_tests_name("uring_cpu", tests, NULL, NULL);
}
