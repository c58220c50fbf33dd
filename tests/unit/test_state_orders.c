/* The state of a set of files in every order in which its streams can come to it. What threads do by
 * chance is done here on purpose: at each atomic operation the stream at work may be left for
 * another one, and all ways to do so up to three times (among three streams twice) are tried one
 * after the other. So the sources are compiled into this program, with atomics that hand over. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

static void turn(void);

#undef atomic_load
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_fetch_or
#undef atomic_fetch_and
#undef atomic_fetch_xor
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_strong
#define ORDER                   memory_order_seq_cst
#define atomic_load(at)         (turn(), atomic_load_explicit(at, ORDER))
#define atomic_fetch_add(at, v) (turn(), atomic_fetch_add_explicit(at, v, ORDER))
#define atomic_fetch_sub(at, v) (turn(), atomic_fetch_sub_explicit(at, v, ORDER))
#define atomic_fetch_or(at, v)  (turn(), atomic_fetch_or_explicit(at, v, ORDER))
#define atomic_fetch_and(at, v) (turn(), atomic_fetch_and_explicit(at, v, ORDER))
#define atomic_fetch_xor(at, v) (turn(), atomic_fetch_xor_explicit(at, v, ORDER))
#define atomic_compare_exchange_weak(at, was, v)                                                   \
    (turn(), atomic_compare_exchange_strong_explicit(at, was, v, ORDER, ORDER))
#define atomic_compare_exchange_strong(at, was, v)                                                 \
    (turn(), atomic_compare_exchange_strong_explicit(at, was, v, ORDER, ORDER))

#include "fileset/state.c"
#include "fileset/state_bits.c"
#include "fileset/state_take.c"

#ifdef __SANITIZE_THREAD__
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#else
#define __tsan_get_current_fiber()    NULL
#define __tsan_create_fiber(flags)    NULL
#define __tsan_destroy_fiber(fiber)   ((void)(fiber))
#define __tsan_switch_to_fiber(f, fl) ((void)(f))
#endif

/* ---- all orders ---- */

enum { STREAMS_MAX = 3, STACK_BYTES = 65536, CHOICES_MAX = 512 };

struct stream {
    ucontext_t context;
    void *fiber;
    bool over;
};

struct orders {
    struct stream stream[STREAMS_MAX];
    unsigned streams;
    unsigned now;
    bool running;
    unsigned preempted;
    ucontext_t scheduler;
    void *fiber;
    /* Which of how many ways was gone at each choice. */
    unsigned choice[CHOICES_MAX];
    unsigned ways[CHOICES_MAX];
    unsigned choices;
    unsigned at;
    uint64_t tried;
};

static struct orders all;
static char stack[STREAMS_MAX][STACK_BYTES];

static unsigned choose(unsigned ways)
{
    if (all.at == CHOICES_MAX)
        fail_msg("more than %d choices", CHOICES_MAX);
    if (all.at == all.choices) {
        all.choice[all.at] = 0;
        all.choices++;
    }
    all.ways[all.at] = ways;
    return all.choice[all.at++];
}

static void leave(void)
{
    __tsan_switch_to_fiber(all.fiber, 0);
    swapcontext(&all.stream[all.now].context, &all.scheduler);
}

static void turn(void)
{
    if (all.running)
        leave();
}

/* The number-th stream that is not over, `first` counted first. */
static unsigned living(unsigned first, unsigned number)
{
    for (unsigned i = 0;; i++) {
        unsigned s = (first + i) % all.streams;
        if (!all.stream[s].over && number-- == 0)
            return s;
    }
}

static void run_once(void)
{
    unsigned left = all.streams;

    all.at = all.preempted = all.now = 0;
    while (left > 0) {
        bool goes_on = !all.stream[all.now].over;
        unsigned way =
            left > 1 && (!goes_on || all.preempted < (all.streams > 2 ? 2 : 3)) ? choose(left) : 0;
        all.preempted += goes_on && way > 0;
        all.now = living(all.now, way);
        all.running = true;
        __tsan_switch_to_fiber(all.stream[all.now].fiber, 0);
        swapcontext(&all.scheduler, &all.stream[all.now].context);
        all.running = false;
        left -= all.stream[all.now].over;
    }
    all.tried++;
}

/* The next way at the last choice that has one left. */
static bool another_order(void)
{
    while (all.choices > 0 && all.choice[all.choices - 1] + 1 >= all.ways[all.choices - 1])
        all.choices--;
    if (all.choices == 0)
        return false;
    all.choice[all.choices - 1]++;
    return true;
}

/* ---- what streams do ---- */

struct scene {
    uint64_t files;
    uint32_t exists_percent;
    void (*begin)(void);
    void (*stream[STREAMS_MAX])(void);
    void (*end)(void);
};

static const struct scene *scene;
static struct fileset_state *state_of_all;
static struct state_bits bits;
/* What the streams that are in it say of file 0. */
static int holders, loners;

/* Left in the middle at its end, and begun anew for the next order by the same fiber. To make fibers for
 * each order took ThreadSanitizer minutes. */
__attribute__((no_sanitize_thread)) static void stream_main(void)
{
    scene->stream[all.now]();
    all.stream[all.now].over = true;
    __tsan_switch_to_fiber(all.fiber, 0);
    swapcontext(&all.stream[all.now].context, &all.scheduler);
}

static void in_every_order(const struct scene *what)
{
    all = (struct orders){.fiber = __tsan_get_current_fiber()};
    scene = what;
    while (all.streams < STREAMS_MAX && what->stream[all.streams] != NULL)
        all.streams++;
    for (unsigned i = 0; i < all.streams; i++)
        all.stream[i].fiber = __tsan_create_fiber(0);
    do {
        what->begin();
        for (unsigned i = 0; i < all.streams; i++) {
            struct stream *s = &all.stream[i];
            getcontext(&s->context);
            s->context.uc_stack.ss_sp = stack[i];
            s->context.uc_stack.ss_size = STACK_BYTES;
            s->over = false;
            makecontext(&s->context, stream_main, 0);
        }
        run_once();
        what->end();
    } while (another_order());
    for (unsigned i = 0; i < all.streams; i++)
        __tsan_destroy_fiber(all.stream[i].fiber);
    assert_true(all.tried > 20);
}

/* ---- sets of numbers ---- */

static void begin_with_70(void)
{
    assert_int_equal(state_bits_init(&bits, 5000), 0);
    state_bits_set(&bits, 70);
}

static void clear_70(void)
{
    assert_true(state_bits_clear(&bits, 70));
}

static void set_71(void)
{
    state_bits_set(&bits, 71);
}

static void set_4999(void)
{
    state_bits_set(&bits, 4999);
}

static void set_and_clear_71(void)
{
    state_bits_set(&bits, 71);
    assert_true(state_bits_clear(&bits, 71));
}

static void set_100_again_and_again(void)
{
    state_bits_set(&bits, 100);
    assert_true(state_bits_clear(&bits, 100));
    state_bits_set(&bits, 100);
}

static void expect_only(uint64_t number)
{
    uint64_t found;

    assert_true(state_bits_next(&bits, 0, &found));
    assert_int_equal(found, number);
    assert_false(state_bits_next(&bits, number + 1, &found));
    state_bits_fini(&bits);
}

static void end_with_71(void)
{
    expect_only(71);
}

static void end_with_4999(void)
{
    expect_only(4999);
}

static void end_with_100(void)
{
    expect_only(100);
}

static void end_with_none(void)
{
    uint64_t found;

    assert_false(state_bits_next(&bits, 0, &found));
    state_bits_fini(&bits);
}

/* Whatever was put in and not taken out again is found, and nothing else is. */
static void summaries_follow(void **state)
{
    static const struct scene scenes[] = {
        {.begin = begin_with_70, .stream = {clear_70, set_71}, .end = end_with_71},
        {.begin = begin_with_70, .stream = {clear_70, set_4999}, .end = end_with_4999},
        {.begin = begin_with_70, .stream = {clear_70, set_and_clear_71}, .end = end_with_none},
        {.begin = begin_with_70,
         .stream = {clear_70, set_and_clear_71, set_4999},
         .end = end_with_4999},
        {.begin = begin_with_70,
         .stream = {clear_70, set_100_again_and_again, set_and_clear_71},
         .end = end_with_100},
    };

    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        in_every_order(&scenes[i]);
}

/* ---- files ---- */

static void begin_files(void)
{
    struct err err;

    holders = loners = 0;
    assert_int_equal(
        fileset_state_new(scene->files, 1, 0, scene->exists_percent, 1, &state_of_all, &err), 0);
}

static uint64_t take(enum fileset_use use, int *rc)
{
    uint64_t file = UINT64_MAX;

    *rc = fileset_state_take(state_of_all, use, FILESET_FROM_CURSOR, &file);
    return file;
}

/* Only of file 0 it is known who is in it. */
static void hold(uint64_t file)
{
    holders += file == 0;
    assert_true(file > 0 || loners == 0);
    turn();
    assert_true(file > 0 || loners == 0);
    holders -= file == 0;
}

static void hold_alone(uint64_t file)
{
    assert_true(file > 0 || (holders == 0 && loners == 0));
    loners += file == 0;
    turn();
    assert_true(file > 0 || (holders == 0 && loners == 1));
    loners -= file == 0;
}

static void open_one(void)
{
    int rc;
    uint64_t file = take(FILESET_USE_OPEN, &rc);

    if (rc != 0)
        return;
    hold(file);
    fileset_state_done(state_of_all, FILESET_USE_OPEN, file, true);
    fileset_state_close(state_of_all, file);
}

static void open_one_that_fails(void)
{
    int rc;
    uint64_t file = take(FILESET_USE_OPEN, &rc);

    if (rc == 0)
        fileset_state_done(state_of_all, FILESET_USE_OPEN, file, false);
}

static void delete_as(bool worked)
{
    int rc;
    uint64_t file = take(FILESET_USE_DELETE, &rc);

    if (rc != 0)
        return;
    hold_alone(file);
    fileset_state_done(state_of_all, FILESET_USE_DELETE, file, worked);
}

static void delete_one(void)
{
    delete_as(true);
}

static void delete_one_that_stays(void)
{
    delete_as(false);
}

static void create_as(bool worked)
{
    int rc;
    uint64_t file = take(FILESET_USE_CREATE, &rc);

    if (rc != 0)
        return;
    hold_alone(file);
    fileset_state_done(state_of_all, FILESET_USE_CREATE, file, worked);
    if (worked)
        hold(file);
    if (worked)
        fileset_state_close(state_of_all, file);
}

static void create_one(void)
{
    create_as(true);
}

static void create_one_in_vain(void)
{
    create_as(false);
}

static void delete_and_create(void)
{
    delete_one();
    create_one();
}

/* There is one, at every moment: so nobody may be told that there is none. */
static void open_surely(void)
{
    int rc;
    uint64_t file = take(FILESET_USE_OPEN, &rc);

    assert_int_not_equal(rc, -ENOENT);
    if (rc == 0)
        fileset_state_close(state_of_all, file);
}

/* Likewise one that does not exist. */
static void create_surely(void)
{
    int rc;
    uint64_t file = take(FILESET_USE_CREATE, &rc);

    assert_int_not_equal(rc, -ENOENT);
    if (rc == 0)
        fileset_state_done(state_of_all, FILESET_USE_CREATE, file, false);
}

/* At first file 0 exists and file 1 does not. */
static void create_1(void)
{
    if (fileset_state_take_file(state_of_all, FILESET_USE_CREATE, 1, 0) < 0)
        return;
    fileset_state_done(state_of_all, FILESET_USE_CREATE, 1, true);
    fileset_state_close(state_of_all, 1);
}

static void delete_0(void)
{
    if (fileset_state_take_file(state_of_all, FILESET_USE_DELETE, 0, 0) == 0)
        fileset_state_done(state_of_all, FILESET_USE_DELETE, 0, true);
}

static void create_then_delete(void)
{
    create_1();
    if (fileset_state_file_exists(state_of_all, 1))
        delete_0();
}

static void delete_then_create(void)
{
    delete_0();
    create_1();
}

/* Nothing is open or under way any more: each file is in one state by its bits, by its word and by the
 * counts, and whatever is looked for is found. */
static void end_files(void)
{
    const struct fileset_state *s = state_of_all;
    uint64_t existing = 0;
    uint64_t number;

    for (uint64_t f = 0; f < s->files; f++) {
        bool exists = state_bits_get(&s->existing.bits, f);
        assert_int_equal(state_bits_get(&s->absent.bits, f), !exists);
        assert_int_equal(*state_word(s, f), exists ? 0 : STATE_GONE);
        existing += exists;
    }
    assert_int_equal(s->existing.count, existing);
    assert_int_equal(s->absent.count, s->files - existing);
    assert_int_equal(fileset_state_take(state_of_all, FILESET_USE_OPEN, 0, &number),
                     existing > 0 ? 0 : -ENOENT);
    assert_int_equal(fileset_state_take(state_of_all, FILESET_USE_CREATE, 0, &number),
                     existing < s->files ? 0 : -ENOENT);
    fileset_state_free(state_of_all);
}

/* One file, which all are after. */
static void one_file_in_every_order(void **state)
{
    void (*const ops[])(void) = {
        open_one,   open_one_that_fails, delete_one,       delete_one_that_stays,
        create_one, create_one_in_vain,  delete_and_create};
    enum { OPS = sizeof ops / sizeof ops[0] };

    (void)state;
    for (unsigned a = 0; a < OPS; a++) {
        for (unsigned b = a; b < OPS; b++) {
            for (unsigned percent = 0; percent <= 100; percent += 100) {
                const struct scene one = {.files = 1,
                                          .exists_percent = percent,
                                          .begin = begin_files,
                                          .stream = {ops[a], ops[b]},
                                          .end = end_files};
                in_every_order(&one);
            }
        }
    }
}

/* Two files, and three streams. */
static void two_files_in_every_order(void **state)
{
    static const struct scene scenes[] = {
        {.files = 2, .exists_percent = 100, .stream = {delete_one, delete_one, open_one}},
        {.files = 2, .exists_percent = 0, .stream = {create_one, create_one, open_one}},
        {.files = 2, .exists_percent = 100, .stream = {open_one, delete_and_create}},
        {.files = 1, .exists_percent = 100, .stream = {open_one, delete_one, create_one}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        struct scene two = scenes[i];
        two.begin = begin_files;
        two.end = end_files;
        in_every_order(&two);
    }
}

static void begin_with_one_of_two(void)
{
    begin_files();
    assert_int_equal(fileset_state_take_file(state_of_all, FILESET_USE_CREATE, 0, 0), 0);
    fileset_state_done(state_of_all, FILESET_USE_CREATE, 0, true);
    fileset_state_close(state_of_all, 0);
}

/* Of two files one always exists, or one never does: nobody is told that there is none. */
static void nobody_is_told_wrongly_that_there_is_none(void **state)
{
    static const struct scene scenes[] = {
        {.files = 2,
         .begin = begin_with_one_of_two,
         .stream = {create_then_delete, open_surely},
         .end = end_files},
        {.files = 2,
         .begin = begin_with_one_of_two,
         .stream = {delete_then_create, create_surely},
         .end = end_files},
    };

    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        in_every_order(&scenes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_follow),
        cmocka_unit_test(one_file_in_every_order),
        cmocka_unit_test(two_files_in_every_order),
        cmocka_unit_test(nobody_is_told_wrongly_that_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
