/* Between the gate's opening and closing no worker allocates or frees memory.
 * Every allocation of this program comes by here and is counted while the gate is open. */
#include "truth/set_files.h"
#include "truth/trees.h"
#include "truth/waiting.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_bool gate_open;
static atomic_uint worker_calls;
static pthread_t collector; /* which may allocate: it keeps the intervals */

static void note_call(void)
{
    if (atomic_load_explicit(&gate_open, memory_order_relaxed) &&
        !pthread_equal(pthread_self(), collector))
        atomic_fetch_add_explicit(&worker_calls, 1, memory_order_relaxed);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
/* The sanitizers have an allocator of their own, and a place to listen at. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void on_malloc(const volatile void *p, size_t size)
{
    (void)p;
    (void)size;
    note_call();
}

static void on_free(const volatile void *p)
{
    if (p)
        note_call();
}

static void listen_to_allocator(void)
{
    assert_true(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);

void *malloc(size_t size)
{
    note_call();
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    note_call();
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    note_call();
    return __libc_realloc(p, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    note_call();
    return __libc_memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
    note_call();
    *out = __libc_memalign(align, size);
    return *out ? 0 : ENOMEM;
}

void free(void *p)
{
    if (p)
        note_call();
    __libc_free(p);
}

static void listen_to_allocator(void)
{
}
#endif

static void watch_gate(void *ctx, bool open)
{
    (void)ctx;
    atomic_store(&gate_open, open);
}

static void run_watched(struct measured *m, struct plan_builder *b, const char *address)
{
    atomic_store(&worker_calls, 0);
    collector = pthread_self();
    truth_run_job(m, b, address, (struct engine_job){.gate = watch_gate, .workers = 2});
    assert_int_equal(atomic_load(&worker_calls), 0);
    assert_int_equal(m->out.end, ENGINE_DONE);
}

static void *allocate_once(void *arg)
{
    void *volatile p = malloc(100);
    (void)arg;
    free(p);
    return NULL;
}

/* What the other tests rely on: an allocation by a thread that is not the collector is seen. */
static void an_allocation_of_a_worker_would_be_seen(void **state)
{
    (void)state;
    pthread_t thread;
    collector = pthread_self();
    atomic_store(&worker_calls, 0);
    atomic_store(&gate_open, true);
    assert_int_equal(pthread_create(&thread, NULL, allocate_once, NULL), 0);
    pthread_join(thread, NULL);
    atomic_store(&gate_open, false);
    assert_true(atomic_load(&worker_calls) >= 2);
}

static void a_thousand_closed_streams(void **state)
{
    (void)state;
    struct measured m;
    run_watched(&m,
                truth_reads((struct reads){.streams = 1000,
                                           .measure_ns = 500 * MS_NS,
                                           .interval_ns = 10 * MS_NS,
                                           .where = PLAN_AT_UNIFORM}),
                "null:");
    assert_true(truth_line(&m, "read")->samples > 0);
    truth_fini(&m);
}

static void a_thousand_rated_streams(void **state)
{
    (void)state;
    struct measured m;
    run_watched(&m,
                truth_reads((struct reads){.streams = 1000,
                                           .rate_per_s = 20000,
                                           .arrival = PLAN_ARRIVAL_POISSON,
                                           .measure_ns = 500 * MS_NS,
                                           .interval_ns = 10 * MS_NS}),
                "null:");
    assert_int_equal(m.out.arrivals, truth_line(&m, "read")->samples + m.out.unfinished);
    truth_fini(&m);
}

static void blocks_by_a_law_of_files_that_are_shared(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 9, .size_bytes = 1 << 20};
    const struct plan_window window = {.measure_ns = 500 * MS_NS, .interval_ns = 10 * MS_NS};
    struct plan_builder *b = plan_new(1);
    struct plan_step read = t_io(OP_READ, 0, 4096);
    struct measured m;
    plan_window(b, &window);
    plan_add_set(b, &spec);
    plan_add_line(b, "read", OP_READ, false);
    plan_begin_group(b, "g", 50, 1);
    t_add(b, t_pick(PLAN_UNIT_ALL, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_end_section(b);
    read.at = (struct plan_place){.where = PLAN_AT_ZIPF, .skew = 1.1};
    t_add(b, read);
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
    plan_end_section(b);
    run_watched(&m, b, "null:");
    assert_true(truth_line(&m, "read")->samples > 0);
    assert_int_equal(m.out.errors, 0);
    truth_fini(&m);
}

static void a_tree_of_files(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(3 * TREE_PIECE + 1);
    struct truth_dir dir;
    struct measured m;
    truth_dir_make(&dir);
    run_watched(&m, tree_write(&spec), dir.path);
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(truth_line(&m, "write")->samples, 48);
    truth_fini(&m);
    run_watched(&m, tree_read(&spec, true), dir.path);
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(truth_line(&m, "read")->samples, 48);
    truth_fini(&m);
    truth_dir_remove(&dir);
}

static void a_tree_that_is_walked(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(TREE_PIECE);
    struct truth_dir dir;
    struct measured m;
    char path[128];
    truth_dir_make(&dir);
    truth_run(&m, tree_write(&spec), dir.path);
    truth_fini(&m);
    snprintf(path, sizeof path, "%s/t00/d1/f0", dir.path);
    assert_int_equal(unlink(path), 0);
    run_watched(&m, tree_walk(&spec, 1024), dir.path);
    assert_int_equal(engine_error_count(&m.out), 1);
    assert_int_equal(truth_line(&m, "read")->samples, 47);
    truth_fini(&m);
    truth_dir_remove(&dir);
}

/* Errors are data: taking them down is on the hot path as well. */
static void errors_on_the_way(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(TREE_PIECE);
    struct truth_dir dir;
    struct measured m;
    char address[160];
    truth_dir_make(&dir);
    snprintf(address, sizeof address,
             "fault:%s?error=EIO@write:3&error=ENOSPC@create:7&short=10@op:9", dir.path);
    run_watched(&m, tree_write(&spec), address);
    assert_int_equal(engine_error_count(&m.out), 2);
    truth_fini(&m);
    truth_dir_remove(&dir);
}

/* By semaphores, for a hog, for events of a rate, and ending by a count. */
static struct plan_builder *waiting_for_each_other(void)
{
    const struct plan_schedule schedule = {.rate_per_s = 5000};
    struct plan_builder *b = flow_begin(100 * MS_NS);
    uint16_t sem = plan_add_semaphore(b, 10), events = plan_add_schedule(b, &schedule);
    flow_group(b, "waiters", 4);
    flow_step(b, "wait", "semblock",
              (struct plan_step){.kind = PLAN_SEM_WAIT, .object = sem, .value = 3});
    flow_step(b, "hog", "hog", (struct plan_step){.kind = PLAN_HOG, .value = 500});
    flow_end(b, 0);
    flow_group(b, "posters", 20);
    uint16_t counter = plan_add_counter(b, false, true);
    flow_op(b, "op", 1);
    flow_step(b, "limit", "eventlimit",
              (struct plan_step){.kind = PLAN_LIMIT, .whole = true, .schedule = events});
    flow_step(
        b, "post", "sempost",
        (struct plan_step){.kind = PLAN_SEM_POST, .object = sem, .value = 1, .blocking = true});
    flow_step(b, "finish", "finishoncount",
              (struct plan_step){.kind = PLAN_FINISH, .object = counter, .value = 1u << 30});
    flow_end(b, 0);
    return b;
}

static void streams_that_wait_for_each_other(void **state)
{
    (void)state;
    struct truth_dir dir;
    struct measured m;
    truth_dir_make(&dir);
    const char *const address[] = {"null:", dir.path};
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        run_watched(&m, waiting_for_each_other(), address[i]);
        assert_true(ops_of(&m, "wait") > 0);
        assert_true(ops_of(&m, "hog") > 0);
        truth_fini(&m);
    }
    truth_dir_remove(&dir);
}

/* Taken by their state, by turns and drawn, of drawn sizes, appended to, deleted and made again; and
 * written to by ops that nobody waits for. */
static void files_of_a_set(void **state)
{
    (void)state;
    const struct draw draw = {.kind = DRAW_UNIFORM, .a = 0, .b = 5000};
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 60,
                                      .bytes = 5000,
                                      .bytes_to = 50000,
                                      .exist = 50,
                                      .streams = 6,
                                      .measure_ns = 500 * MS_NS,
                                      .on_disk = true});
    plan_group_detached(t.b, 4);
    plan_add_draw(t.b, &draw);
    struct plan_step pick = sets_pick(FILESET_USE_OPEN, PLAN_ORDER_DRAWN, 0);
    struct plan_step write = sets_op(&t, OP_WRITE, "write", 0);
    struct plan_step append = sets_op(&t, OP_APPEND, "append", 0);
    pick.draw = write.draw = append.draw = 1;
    write.size = append.size = PLAN_SIZE_DRAWN;
    write.at.where = PLAN_AT_UNIFORM;
    write.detached = true;
    write.done_line = plan_add_line(t.b, "write.done", OP_WRITE, false);
    t_add(t.b, (struct plan_step){.kind = PLAN_TURN});
    t_add(t.b, pick);
    t_add(t.b, sets_op(&t, OP_OPEN, "open", 0));
    for (unsigned i = 0; i < 6; i++)
        t_add(t.b, write);
    t_add(t.b, append);
    t_add(t.b, (struct plan_step){.kind = PLAN_JOIN, .value = 50, .line = PLAN_NO_LINE});
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
    struct plan_step take = sets_pick(FILESET_USE_DELETE, PLAN_ORDER_ROUND, 129);
    take.to = take.skip = plan_here(t.b) + 2;
    t_add(t.b, take);
    t_add(t.b, sets_op(&t, OP_UNLINK, "delete", 129));
    take = sets_pick(FILESET_USE_CREATE, PLAN_ORDER_ROUND, 1);
    take.to = plan_here(t.b) + 3;
    t_add(t.b, take);
    t_add(t.b, sets_op(&t, OP_CREATE, "create", 1));
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 1));
    t_add(t.b, sets_op(&t, OP_NOP, "nop", 0));
    sets_end(&t, 0);
    atomic_store(&worker_calls, 0);
    collector = pthread_self();
    sets_run_job(&t, (struct engine_job){.gate = watch_gate});
    assert_int_equal(atomic_load(&worker_calls), 0);
    assert_done(&t);
    assert_true(truth_line(&t.m, "write.done")->samples > 0);
    assert_true(truth_line(&t.m, "delete")->samples > 0);
    assert_true(truth_line(&t.m, "create")->samples > 0);
    sets_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_of_a_worker_would_be_seen),
        cmocka_unit_test(a_thousand_closed_streams),
        cmocka_unit_test(a_thousand_rated_streams),
        cmocka_unit_test(blocks_by_a_law_of_files_that_are_shared),
        cmocka_unit_test(a_tree_of_files),
        cmocka_unit_test(a_tree_that_is_walked),
        cmocka_unit_test(errors_on_the_way),
        cmocka_unit_test(streams_that_wait_for_each_other),
        cmocka_unit_test(files_of_a_set),
    };
    listen_to_allocator();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
