/* target.h, OP_FLAG_DETACHED: ops that submit does not wait for, beside those of the session itself.
 * An asynchronous target waits for none, so the same sentences hold there with or without the flag. */
#include "rig.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>

#define DETACHED 8
#define FILES    DETACHED

struct bench {
    struct rig rig;
    uint64_t file;
    char *buf; /* FILES · PIECE */
};

#define PIECE 4096

static void bench_open(struct bench *b, const char *address)
{
    struct session_spec spec = rig_spec(DETACHED + 1);
    struct err err = {0};

    *b = (struct bench){.buf = calloc(FILES, PIECE)};
    assert_non_null(b->buf);
    if (strstr(address, "%s") != NULL)
        rig_make_dir(&b->rig);
    rig_open_target(&b->rig, address);
    spec.detached_max = DETACHED;
    if (b->rig.table->session_open(b->rig.target, &spec, &b->rig.session, &err) < 0)
        fail_msg("session: %s", err.text);
    b->file = rig_file(&b->rig, OP_CREATE, 0, 0, "f");
}

static void bench_close(struct bench *b)
{
    rig_close(&b->rig);
    free(b->buf);
}

static struct op moving(const struct bench *b, enum op_kind kind, unsigned i)
{
    return (struct op){.kind = kind,
                       .flags = OP_FLAG_DETACHED,
                       .handle = b->file,
                       .buf = b->buf + (size_t)(i % FILES) * PIECE,
                       .off = (uint64_t)i * PIECE,
                       .len = PIECE};
}

static int setup(void **state)
{
    const struct rig_case *c = *state;
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    bench_open(b, c->address);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench_close(*state);
    free(*state);
    return 0;
}

static int submit(const struct bench *b, struct op *const ops[], unsigned n)
{
    return b->rig.table->submit(b->rig.session, ops, n);
}

static int reap(const struct bench *b, struct op *done[], unsigned min, unsigned max)
{
    return b->rig.table->reap(b->rig.session, done, min, max, UINT64_MAX);
}

/* Offers all ops, as many as are taken, and reaps until each has come back. */
static void run_all(const struct bench *b, struct op *ops, unsigned n, unsigned *seen)
{
    unsigned offered = 0;
    unsigned reaped = 0;

    memset(seen, 0, n * sizeof *seen);
    while (reaped < n) {
        struct op *list[DETACHED + 3];
        struct op *done[DETACHED + 1];
        unsigned want = 1 + offered % (DETACHED + 3);
        int got;

        if (want > n - offered)
            want = n - offered;
        for (unsigned i = 0; i < want; i++)
            list[i] = &ops[offered + i];
        got = submit(b, list, want);
        assert_in_range(got, 0, want);
        offered += (unsigned)got;
        assert_true(offered > reaped);
        got = reap(b, done, 1, DETACHED + 1);
        assert_in_range(got, 1, DETACHED + 1);
        for (int i = 0; i < got; i++)
            seen[done[i] - ops]++;
        reaped += (unsigned)got;
    }
}

/* Detached ops and the session's own, mixed: each completes exactly once, with its own answer. */
static void every_op_completes_exactly_once(void **state)
{
    enum { OPS = 600 };
    struct bench *b = *state;
    static struct op ops[OPS];
    static unsigned seen[OPS];

    for (unsigned i = 0; i < OPS; i++) {
        ops[i] = moving(b, OP_WRITE, i);
        ops[i].len = 1 + i;
        if (i % 3 == 0)
            ops[i] = (struct op){.kind = OP_NOP, .res = 77};
    }
    run_all(b, ops, OPS, seen);
    for (unsigned i = 0; i < OPS; i++) {
        assert_int_equal(seen[i], 1);
        assert_int_equal(ops[i].res, i % 3 == 0 ? 0 : 1 + i);
    }
    assert_int_equal(b->rig.table->reap(b->rig.session, (struct op *[1]){0}, 0, 1, UINT64_MAX), 0);
}

static void reading_gives_what_was_written(void **state)
{
    struct bench *b = *state;
    struct op ops[FILES];
    unsigned seen[FILES];

    if (b->rig.caps.keeps_nothing)
        return;
    for (unsigned i = 0; i < FILES; i++) {
        memset(b->buf + (size_t)i * PIECE, 'a' + (int)i, PIECE);
        ops[i] = moving(b, OP_WRITE, i);
    }
    run_all(b, ops, FILES, seen);
    memset(b->buf, 0, (size_t)FILES * PIECE);
    for (unsigned i = 0; i < FILES; i++)
        ops[i] = moving(b, OP_READ, i);
    run_all(b, ops, FILES, seen);
    for (unsigned i = 0; i < FILES; i++) {
        assert_int_equal(ops[i].res, PIECE);
        assert_int_equal(b->buf[i * PIECE], 'a' + (int)i);
        assert_int_equal(b->buf[(i + 1) * PIECE - 1], 'a' + (int)i);
    }
}

static void an_error_is_the_ops_own(void **state)
{
    struct bench *b = *state;
    struct op ops[2];
    unsigned seen[2];

    if (b->rig.caps.keeps_nothing)
        return;
    ops[0] = moving(b, OP_READ, 0);
    ops[0].handle = RIG_BAD_FD;
    ops[1] = moving(b, OP_WRITE, 1);
    run_all(b, ops, 2, seen);
    assert_int_equal(ops[0].res, -EBADF);
    assert_int_equal(ops[0].extra, 0);
    assert_int_equal(ops[1].res, PIECE);
}

/* As many as the session was opened for, and one op of its own; the rest is taken after a reap. */
static void no_more_are_held_than_agreed(void **state)
{
    struct bench *b = *state;
    struct op ops[DETACHED + 3];
    struct op *list[DETACHED + 3];
    struct op *done[DETACHED + 1];
    int n = 0;

    for (unsigned i = 0; i < DETACHED + 3; i++) {
        ops[i] = moving(b, OP_WRITE, i);
        list[i] = &ops[i];
    }
    ops[1] = (struct op){.kind = OP_NOP};
    ops[DETACHED + 1] = (struct op){.kind = OP_NOP, .res = 77};
    ops[DETACHED + 2].res = 77;
    assert_int_equal(submit(b, list, DETACHED + 3), DETACHED + 1);
    assert_int_equal(submit(b, &list[DETACHED + 1], 1), 0);
    assert_int_equal(submit(b, &list[DETACHED + 2], 1), 0);
    assert_int_equal(ops[DETACHED + 1].res, 77);
    while (n < DETACHED + 1) /* all of them: more are not held than that */
        n += reap(b, done, DETACHED + 1, DETACHED + 1);
    assert_int_equal(n, DETACHED + 1);
    assert_int_equal(submit(b, &list[DETACHED + 1], 2), 2);
    n = 0;
    while (n < 2)
        n += reap(b, done, 8, DETACHED + 1);
}

/* Another kind of op is done as any other, with the flag too. */
static void the_flag_means_reads_and_writes(void **state)
{
    struct bench *b = *state;
    struct op op = {.kind = OP_FSYNC, .flags = OP_FLAG_DETACHED, .handle = b->file, .res = 77};
    struct op nop = {.kind = OP_NOP};
    struct op *list[2] = {&op, &nop};
    struct op *done[2];
    int taken = submit(b, list, 2);

    /* It is the session's own, and of those a blocking target holds one. */
    assert_int_equal(taken, b->rig.caps.blocking ? 1 : 2);
    assert_int_equal(reap(b, done, 2, 2), taken);
    assert_int_equal(op.res, 0);
}

/* What a helper reports ends the wait for it, and no other: only `wake` does that. */
static void a_completion_is_no_wake(void **state)
{
    struct bench *b = *state;
    struct op op;
    struct op *list[1] = {&op};
    struct op *done[2];
    uint64_t until_ns;

    for (unsigned i = 0; i < 100; i++) {
        op = moving(b, OP_WRITE, i);
        assert_int_equal(submit(b, list, 1), 1);
        /* Two cannot come: it returns with the one there is, not for a time and not without. */
        assert_int_equal(reap(b, done, 2, 2), 1);
    }
    until_ns = rig_now(&b->rig) + 2000000;
    assert_int_equal(b->rig.table->reap(b->rig.session, done, 1, 1, until_ns), 0);
    assert_true(rig_now(&b->rig) >= until_ns);
    b->rig.table->wake(b->rig.session);
    assert_int_equal(reap(b, done, 1, 1), 0);
}

static unsigned threads_now(void)
{
    DIR *dir = opendir("/proc/self/task");
    unsigned n = 0;

    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* No op is under way when session_close returns, begun or not: its buffer may go at once. */
static void closing_leaves_none_behind(void **state)
{
    struct bench *b = *state;
    unsigned before = threads_now();
    struct op ops[DETACHED];
    struct op *list[DETACHED];

    for (unsigned i = 0; i < DETACHED; i++) {
        ops[i] = moving(b, i % 2 ? OP_READ : OP_WRITE, i);
        list[i] = &ops[i];
    }
    assert_int_equal(submit(b, list, DETACHED), DETACHED);
    b->rig.table->session_close(b->rig.session);
    b->rig.session = NULL;
    memset(ops, 0xff, sizeof ops);
    free(b->buf);
    b->buf = NULL;
    /* A thread that has been joined may be listed for a moment; one that has not, for ever. */
    while (threads_now() != before - (b->rig.caps.blocking ? DETACHED : 0))
        sched_yield();
}

/* On a thread other than the process's first a session has descriptors of its own: helpers too must see
 * what it opens. */
static void *on_a_thread(void *address)
{
    struct bench b;
    struct op ops[FILES];
    unsigned seen[FILES];

    bench_open(&b, address);
    for (unsigned i = 0; i < FILES; i++)
        ops[i] = moving(&b, OP_WRITE, i);
    run_all(&b, ops, FILES, seen);
    for (unsigned i = 0; i < FILES; i++)
        assert_int_equal(ops[i].res, PIECE);
    bench_close(&b);
    return NULL;
}

static void helpers_see_what_the_session_opens(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, on_a_thread,
                                        i == 0 ? "%s" : "fault:%s?latency=fixed:1us"),
                         0);
        pthread_join(thread, NULL);
    }
}

struct told {
    char helpers[16];
};

static void take_helpers(void *ctx, const char *key, const char *value, const char *unit)
{
    struct told *told = ctx;

    (void)unit;
    if (strcmp(key, "detached_helpers") == 0)
        snprintf(told->helpers, sizeof told->helpers, "%s", value);
}

static void helpers_are_told(void **state)
{
    struct session_spec spec = rig_spec(1001);
    struct told told = {""};
    const struct target_sink sink = {.put = take_helpers, .ctx = &told};
    struct session *s = NULL;
    struct err err = {0};
    struct rig r;

    (void)state;
    rig_open(&r, "%s", 1);
    r.table->describe(r.target, &sink);
    assert_string_equal(told.helpers, "");
    spec.detached_max = 1000; /* more than there are threads for: they wait their turn */
    assert_int_equal(r.table->session_open(r.target, &spec, &s, &err), 0);
    r.table->describe(r.target, &sink);
    assert_string_equal(told.helpers, "16");
    r.table->session_close(s);
    rig_close(&r);
}

/* Submit returns although the op is not done, and the session's own op overtakes it. */
static void submit_does_not_wait(void **state)
{
    struct bench b;
    struct op slow, own = {.kind = OP_NOP, .res = 77};
    struct op *list[2] = {&slow, &own};
    struct op *done[2];

    (void)state;
    bench_open(&b, "fault:%s?hang=write:1");
    slow = moving(&b, OP_WRITE, 0);
    slow.res = 77;
    assert_int_equal(submit(&b, list, 2), 2);
    assert_int_equal(reap(&b, done, 1, 2), 1);
    assert_ptr_equal(done[0], &own);
    assert_int_equal(own.res, 0);
    assert_int_equal(slow.res, 77);
    b.rig.table->wake(b.rig.session);
    assert_int_equal(reap(&b, done, 1, 2), 0);
    bench_close(&b);
}

static void a_lost_session_gives_detached_ops_back(void **state)
{
    struct bench b;
    struct op ops[4];
    unsigned seen[4];

    (void)state;
    bench_open(&b, "fault:%s?dead=op:3"); /* the file's create is the first */
    for (unsigned i = 0; i < 4; i++)
        ops[i] = moving(&b, OP_WRITE, i);
    run_all(&b, ops, 4, seen);
    for (unsigned i = 1; i < 4; i++) {
        assert_int_equal(seen[i], 1);
        assert_int_equal(ops[i].res, -EIO);
    }
    bench_close(&b);
}

int main(void)
{
    static const struct CMUnitTest on_all[] = {
        cmocka_unit_test(every_op_completes_exactly_once),
        cmocka_unit_test(reading_gives_what_was_written),
        cmocka_unit_test(an_error_is_the_ops_own),
        cmocka_unit_test(no_more_are_held_than_agreed),
        cmocka_unit_test(the_flag_means_reads_and_writes),
        cmocka_unit_test(a_completion_is_no_wake),
        cmocka_unit_test(closing_leaves_none_behind),
    };
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(helpers_see_what_the_session_opens),
        cmocka_unit_test(helpers_are_told),
        cmocka_unit_test(submit_does_not_wait),
        cmocka_unit_test(a_lost_session_gives_detached_ops_back),
    };
    static struct rig_case cases[] = {
        {"%s"},
        {"fault:%s"},
        {"fault:%s?latency=uniform:1us-50us"},
        {"fault:fault:%s?latency=fixed:1us"},
        {"null:"},
        {"fault:null:?clock=virtual"},
    };
    int failed = rig_run_with("detached", on_all, RIG_COUNT(on_all), cases, RIG_COUNT(cases), setup,
                              teardown);

    return failed + cmocka_run_group_tests_name("detached, single", single, NULL, NULL);
}
