#include "fileset/state.h"

#include "base/rng.h"
#include "fileset/state_priv.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fileset_state *new_state(uint64_t files, uint64_t dirs, uint64_t leafs,
                                       uint32_t percent)
{
    struct fileset_state *s = NULL;
    struct err err;

    assert_int_equal(fileset_state_new(files, dirs, leafs, percent, 1, &s, &err), 0);
    return s;
}

/* ---- the sets of numbers ---- */

/* Against an array of flags, at sizes on both sides of every level. */
static void sets_find_the_next(void **state)
{
    static const uint64_t size[] = {1, 63, 64, 65, 4095, 4096, 4097, 262143, 262145};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        struct state_bits bits;
        uint64_t n = size[i];
        bool *flag = calloc(n, sizeof *flag);
        assert_int_equal(state_bits_init(&bits, n), 0);
        for (unsigned op = 0; op < 20000; op++) {
            uint64_t at = rng_below(&rng, n);
            uint64_t found;
            if (rng_below(&rng, 100) < 45 - op % 2000 / 100) {
                state_bits_set(&bits, at);
                flag[at] = true;
            } else {
                assert_int_equal(state_bits_clear(&bits, at), flag[at]);
                flag[at] = false;
            }
            if (op % 16 != 0)
                continue;
            uint64_t from = rng_below(&rng, n + 1);
            bool any = state_bits_next(&bits, from, &found);
            while (from < n && !flag[from])
                from++;
            assert_int_equal(any, from < n);
            if (any)
                assert_int_equal(found, from);
        }
        for (uint64_t at = 0; at < n; at++)
            state_bits_clear(&bits, at);
        /* A search in what is empty looks at one word. */
        assert_int_equal(*bits.level[bits.levels - 1], 0);
        state_bits_fini(&bits);
        free(flag);
    }
}

/* ---- one thread, against the plain definition ---- */

enum { MODEL_MAX = 2100 };
enum model_state { ABSENT, EXISTS, CREATING, DELETING };

struct model {
    unsigned n;
    enum model_state is[MODEL_MAX];
    unsigned opens[MODEL_MAX];
    unsigned cursor[2]; /* of those that exist, of those that do not */
};

static int model_take(struct model *m, enum fileset_use use, uint64_t from, uint64_t *number)
{
    enum model_state wanted =
        use == FILESET_USE_CREATE || use == FILESET_USE_MKDIR ? ABSENT : EXISTS;
    unsigned *cursor = &m->cursor[wanted == ABSENT];
    unsigned start = from == FILESET_FROM_CURSOR ? *cursor : from < m->n ? (unsigned)from : 0;
    bool under_way = false, busy = false;
    unsigned tries = FILESET_BUSY_MAX;

    for (unsigned i = 0; busy ? tries > 0 : i < m->n; i++) {
        unsigned at = (start + i) % m->n;
        under_way |= m->is[at] == CREATING || m->is[at] == DELETING;
        if (m->is[at] != wanted)
            continue;
        if (from == FILESET_FROM_CURSOR)
            *cursor = (at + 1) % m->n;
        *number = at;
        if (use == FILESET_USE_DELETE && m->opens[at] > 0) {
            busy = true;
            tries--;
            continue;
        }
        if (use == FILESET_USE_OPEN || use == FILESET_USE_STAT)
            m->opens[at]++;
        else
            m->is[at] = wanted == ABSENT ? CREATING : DELETING;
        return 0;
    }
    return busy ? -EBUSY : under_way ? -EAGAIN : -ENOENT;
}

static void model_done(struct model *m, enum fileset_use use, uint64_t number, bool worked)
{
    bool makes = use == FILESET_USE_CREATE || use == FILESET_USE_MKDIR;

    if (use == FILESET_USE_OPEN || use == FILESET_USE_STAT)
        m->opens[number] -= use == FILESET_USE_STAT || !worked;
    else
        m->is[number] = makes == worked ? EXISTS : ABSENT;
    if (use == FILESET_USE_CREATE && worked)
        m->opens[number]++;
}

struct pending {
    enum fileset_use use;
    uint64_t number;
};

struct both {
    struct fileset_state *s;
    struct model file;
    struct model leaf;
    struct pending pending[64];
    unsigned pendings;
    struct rng rng;
    unsigned outcomes[4]; /* 0, -ENOENT, -EAGAIN, -EBUSY */
};

static struct model *model_of(struct both *b, enum fileset_use use)
{
    return use == FILESET_USE_MKDIR || use == FILESET_USE_RMDIR ? &b->leaf : &b->file;
}

static void take_both(struct both *b, unsigned creating)
{
    static const enum fileset_use uses[] = {FILESET_USE_OPEN,   FILESET_USE_STAT,
                                            FILESET_USE_DELETE, FILESET_USE_RMDIR,
                                            FILESET_USE_CREATE, FILESET_USE_MKDIR};
    bool makes = rng_below(&b->rng, 100) < creating;
    enum fileset_use use = uses[makes ? 4 + rng_below(&b->rng, 2) : rng_below(&b->rng, 4)];
    struct model *m = model_of(b, use);
    uint64_t from = rng_below(&b->rng, 4) > 0 ? FILESET_FROM_CURSOR : rng_below(&b->rng, m->n + 2);
    uint64_t right = UINT64_MAX;
    uint64_t number = UINT64_MAX;
    int expected = model_take(m, use, from, &right);
    int rc = fileset_state_take(b->s, use, from, &number);

    assert_int_equal(rc, expected);
    b->outcomes[rc == 0 ? 0 : rc == -ENOENT ? 1 : rc == -EAGAIN ? 2 : 3]++;
    if (rc == 0 || rc == -EBUSY)
        assert_int_equal(number, right);
    if (rc == 0)
        b->pending[b->pendings++] = (struct pending){use, number};
}

static void end_one(struct both *b)
{
    unsigned at = (unsigned)rng_below(&b->rng, b->pendings);
    struct pending p = b->pending[at];
    bool worked = rng_below(&b->rng, 4) > 0;

    b->pending[at] = b->pending[--b->pendings];
    fileset_state_done(b->s, p.use, p.number, worked);
    model_done(model_of(b, p.use), p.use, p.number, worked);
}

static void close_one(struct both *b)
{
    for (unsigned i = 0, at = (unsigned)rng_below(&b->rng, b->file.n); i < b->file.n; i++) {
        unsigned f = (at + i) % b->file.n;
        unsigned held = b->file.opens[f];
        for (unsigned p = 0; p < b->pendings; p++)
            held -= b->pending[p].number == f && (b->pending[p].use == FILESET_USE_OPEN ||
                                                  b->pending[p].use == FILESET_USE_STAT);
        if (held == 0)
            continue;
        fileset_state_close(b->s, f);
        b->file.opens[f]--;
        return;
    }
}

static void compare_both(const struct both *b)
{
    unsigned existing = 0;

    for (unsigned i = 0; i < b->file.n; i++) {
        assert_int_equal(fileset_state_file_exists(b->s, i), b->file.is[i] == EXISTS);
        existing += b->file.is[i] == EXISTS;
    }
    for (unsigned i = 0; i < b->leaf.n; i++)
        assert_int_equal(fileset_state_leaf_exists(b->s, i), b->leaf.is[i] == EXISTS);
    assert_int_equal(fileset_state_existing(b->s), existing);
}

static void run_both(unsigned files, unsigned leafs, uint64_t seed, unsigned outcomes[4])
{
    struct both b = {.file = {.n = files}, .leaf = {.n = leafs}};

    b.s = new_state(files, 5, leafs, 50);
    rng_seed(&b.rng, seed);
    for (unsigned i = 0; i < files; i++)
        b.file.is[i] = fileset_state_file_exists(b.s, i) ? EXISTS : ABSENT;
    for (unsigned i = 0; i < leafs; i++)
        b.leaf.is[i] = fileset_state_leaf_exists(b.s, i) ? EXISTS : ABSENT;
    for (unsigned op = 0; op < 20000; op++) {
        uint64_t what = rng_below(&b.rng, 10);
        if (what < 6 && b.pendings < 64)
            take_both(&b, op / 500 % 2 > 0 ? 60 : 10);
        else if (what < 9 && b.pendings > 0)
            end_one(&b);
        else
            close_one(&b);
        if (op % 64 == 0)
            compare_both(&b);
    }
    for (unsigned i = 0; i < 4; i++)
        outcomes[i] += b.outcomes[i];
    fileset_state_free(b.s);
}

/* Twenty thousand takes, ends and closes at random: everything as by the plain definition, with one file
 * as with many. */
static void states_are_those_of_the_definition(void **state)
{
    static const unsigned files[] = {1, 2, 7, 64, 65, 300, 2100};
    unsigned outcomes[4] = {0};

    (void)state;
    for (unsigned i = 0; i < 7; i++)
        run_both(files[i], 1 + files[i] / 2, i, outcomes);
    for (unsigned i = 0; i < 4; i++)
        assert_true(outcomes[i] > 100);
}

static void take_is(struct fileset_state *s, enum fileset_use use, int expected, uint64_t right)
{
    uint64_t number = UINT64_MAX;

    assert_int_equal(fileset_state_take(s, use, FILESET_FROM_CURSOR, &number), expected);
    assert_int_equal(number, right);
}

/* Opening, asking for and deleting move one cursor; the others have theirs. */
static void cursors_are_shared_by_kind(void **state)
{
    struct fileset_state *s = new_state(10, 3, 4, 100);
    uint64_t number;

    (void)state;
    take_is(s, FILESET_USE_OPEN, 0, 0);
    take_is(s, FILESET_USE_STAT, 0, 1);
    take_is(s, FILESET_USE_DELETE, 0, 2);
    fileset_state_done(s, FILESET_USE_DELETE, 2, true);
    take_is(s, FILESET_USE_CREATE, 0, 2);
    take_is(s, FILESET_USE_OPEN, 0, 3);
    take_is(s, FILESET_USE_RMDIR, 0, 0);
    fileset_state_done(s, FILESET_USE_RMDIR, 0, true);
    take_is(s, FILESET_USE_MKDIR, 0, 0);
    take_is(s, FILESET_USE_RMDIR, 0, 1);
    for (unsigned i = 0; i < 7; i++)
        take_is(s, FILESET_USE_LIST, 0, i % 3);
    assert_int_equal(fileset_state_take(s, FILESET_USE_LIST, 2, &number), 0);
    assert_int_equal(number, 2);
    assert_int_equal(fileset_state_take(s, FILESET_USE_ANY, 0, &number), -EINVAL);
    assert_int_equal(fileset_state_take(s, FILESET_USE_INITIAL, 0, &number), -EINVAL);
    fileset_state_free(s);
}

/* Nothing of a kind, and nothing that could bring it. */
static void empty_sets_have_nothing(void **state)
{
    struct fileset_state *s = new_state(0, 0, 0, 100);
    uint64_t number;

    (void)state;
    for (enum fileset_use use = FILESET_USE_OPEN; use <= FILESET_USE_RMDIR; use++)
        assert_int_equal(fileset_state_take(s, use, FILESET_FROM_CURSOR, &number), -ENOENT);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_OPEN, 0, 0), -ENOENT);
    fileset_state_reset(s);
    fileset_state_free(s);
    fileset_state_free(NULL);
}

/* What was wrong: a file that was open was left alone and none deleted instead, so that of two who each
 * delete one and create one in turn, there were more and more files. */
static void a_deletion_passes_by_what_is_open(void **state)
{
    struct fileset_state *s = new_state(FILESET_BUSY_MAX + 1, 1, 0, 100);
    uint64_t number = 0;

    (void)state;
    for (unsigned i = 0; i < FILESET_BUSY_MAX; i++)
        take_is(s, FILESET_USE_OPEN, 0, i);
    assert_int_equal(fileset_state_take(s, FILESET_USE_DELETE, 0, &number), -EBUSY);
    assert_int_equal(fileset_state_take(s, FILESET_USE_DELETE, 1, &number), 0);
    assert_int_equal(number, FILESET_BUSY_MAX);
    fileset_state_done(s, FILESET_USE_DELETE, number, true);
    assert_int_equal(fileset_state_take(s, FILESET_USE_DELETE, FILESET_FROM_CURSOR, &number),
                     -EBUSY);
    fileset_state_close(s, 7);
    assert_int_equal(fileset_state_take(s, FILESET_USE_DELETE, FILESET_FROM_CURSOR, &number), 0);
    assert_int_equal(number, 7);
    fileset_state_free(s);
}

/* A file that its deleter has open himself may go; his opens stay counted, whatever is created in its place,
 * and are closed one by one. */
static void own_opens_do_not_hold_a_file(void **state)
{
    struct fileset_state *s = new_state(1, 1, 0, 100);

    (void)state;
    take_is(s, FILESET_USE_OPEN, 0, 0);
    take_is(s, FILESET_USE_OPEN, 0, 0);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 1), -EBUSY);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 2), 0);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 2), -EAGAIN);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_OPEN, 0, 0), -EAGAIN);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_CREATE, 0, 0), -EAGAIN);
    fileset_state_done(s, FILESET_USE_DELETE, 0, true);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 2), -ENOENT);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_CREATE, 0, 0), 0);
    fileset_state_close(s, 0);
    fileset_state_done(s, FILESET_USE_CREATE, 0, true);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_CREATE, 0, 0), -ENOENT);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 1), -EBUSY);
    fileset_state_close(s, 0);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 0), -EBUSY);
    fileset_state_close(s, 0);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 0), 0);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_OPEN, 1, 0), -ENOENT);
    fileset_state_free(s);
}

/* Closing what was not counted takes nothing away from what is. */
static void settled_sets_count_no_opens(void **state)
{
    struct fileset_state *s = new_state(2, 1, 0, 100);
    uint64_t file;

    (void)state;
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 1, 0), 0);
    fileset_state_done(s, FILESET_USE_DELETE, 1, true);
    fileset_state_settle(s, true);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(fileset_state_take(s, FILESET_USE_OPEN, FILESET_FROM_CURSOR, &file), 0);
        assert_int_equal(file, 0);
        fileset_state_done(s, FILESET_USE_OPEN, file, true);
    }
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_STAT, 1, 0), -ENOENT);
    fileset_state_close(s, 0);
    fileset_state_settle(s, false);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 0), 0);
    fileset_state_done(s, FILESET_USE_DELETE, 0, false);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_OPEN, 0, 0), 0);
    fileset_state_done(s, FILESET_USE_OPEN, 0, true);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_DELETE, 0, 0), -EBUSY);
    fileset_state_free(s);
}

static void leafs_are_taken_by_number(void **state)
{
    struct fileset_state *s = new_state(0, 1, 2, 100);

    (void)state;
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_MKDIR, 1, 0), -ENOENT);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_RMDIR, 1, 0), 0);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_RMDIR, 1, 0), -EAGAIN);
    fileset_state_done(s, FILESET_USE_RMDIR, 1, true);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_MKDIR, 1, 0), 0);
    assert_int_equal(fileset_state_take_file(s, FILESET_USE_MKDIR, 2, 0), -ENOENT);
    fileset_state_free(s);
}

/* So many per cent, by a seed: the same ones again, other ones by another. */
static void a_share_exists_at_the_start(void **state)
{
    struct fileset_state *s[3];
    struct err err = {0};
    unsigned same = 0;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fileset_state_new(100000, 1, 100000, 80, 1 + i / 2, &s[i], &err), 0);
    assert_in_range(fileset_state_existing(s[0]), 79400, 80600);
    unsigned leafs = 0;
    for (uint64_t f = 0; f < 100000; f++) {
        assert_int_equal(fileset_state_file_exists(s[0], f), fileset_state_file_exists(s[1], f));
        same += fileset_state_file_exists(s[0], f) == fileset_state_file_exists(s[2], f);
        leafs += fileset_state_leaf_exists(s[0], f);
    }
    assert_in_range(leafs, 79400, 80600);
    assert_in_range(same, 67000, 69000);
    for (unsigned i = 0; i < 3; i++)
        fileset_state_free(s[i]);
    struct fileset_state *none = NULL;
    assert_int_equal(fileset_state_new(1, 1, 1, 101, 1, &none, &err), -EINVAL);
    assert_null(none);
    assert_non_null(strstr(err.text, "101"));
}

/* What a run that was cut short leaves is no longer open and no longer under way. */
static void a_reset_ends_everything(void **state)
{
    struct fileset_state *s = new_state(4, 2, 1, 100);

    (void)state;
    take_is(s, FILESET_USE_OPEN, 0, 0);
    take_is(s, FILESET_USE_DELETE, 0, 1);
    take_is(s, FILESET_USE_LIST, 0, 0);
    take_is(s, FILESET_USE_RMDIR, 0, 0);
    fileset_state_reset(s);
    assert_int_equal(fileset_state_existing(s), 3);
    assert_false(fileset_state_file_exists(s, 1));
    assert_false(fileset_state_leaf_exists(s, 0));
    take_is(s, FILESET_USE_LIST, 0, 0);
    take_is(s, FILESET_USE_DELETE, 0, 0);
    take_is(s, FILESET_USE_CREATE, 0, 1);
    take_is(s, FILESET_USE_MKDIR, 0, 0);
    fileset_state_free(s);
}

/* Two bits and their summaries, and four bytes. */
static void memory_is_what_is_said(void **state)
{
    struct fileset_state *s = new_state(1000000, 1, 0, 50);

    (void)state;
    assert_in_range(fileset_state_memory(s), 4250000, 4265000);
    assert_int_equal(fileset_state_need(1000000, 0), fileset_state_memory(s));
    fileset_state_free(s);
}

/* ---- many threads ---- */

enum { THREADS = 4, SHARED_MAX = 130, ROUNDS = 20000 };

/* What each thread says about the files that it has taken: true from its take to before its end. */
struct shared {
    struct fileset_state *s;
    unsigned files;
    uint64_t seed;
    _Atomic int exists[SHARED_MAX];
    _Atomic int open[SHARED_MAX];
    _Atomic int alone[SHARED_MAX]; /* being created or deleted */
    _Atomic unsigned wrong;
    _Atomic unsigned ended[3];
};

static void expect(struct shared *sh, bool right)
{
    if (!right)
        atomic_fetch_add(&sh->wrong, 1);
}

static void hold_open(struct shared *sh, uint64_t f)
{
    atomic_fetch_add(&sh->open[f], 1);
    expect(sh, atomic_load(&sh->exists[f]) == 1 && atomic_load(&sh->alone[f]) == 0);
    atomic_fetch_sub(&sh->open[f], 1);
}

/* Alone with the file, which is open nowhere; changes it, or fails to. */
static void hold_alone(struct shared *sh, uint64_t f, int exists, bool worked)
{
    expect(sh, atomic_exchange(&sh->alone[f], 1) == 0);
    expect(sh, atomic_load(&sh->exists[f]) == exists && atomic_load(&sh->open[f]) == 0);
    if (worked)
        atomic_store(&sh->exists[f], !exists);
    expect(sh, atomic_exchange(&sh->alone[f], 0) == 1);
}

static void one_op(struct shared *sh, struct rng *rng)
{
    static const enum fileset_use uses[] = {FILESET_USE_OPEN,   FILESET_USE_STAT,
                                            FILESET_USE_CREATE, FILESET_USE_DELETE,
                                            FILESET_USE_CREATE, FILESET_USE_DELETE};
    enum fileset_use use = uses[rng_below(rng, 6)];
    bool worked = rng_below(rng, 8) > 0;
    uint64_t from = rng_below(rng, 3) > 0 ? FILESET_FROM_CURSOR : rng_below(rng, sh->files);
    uint64_t f;
    int rc = fileset_state_take(sh->s, use, from, &f);

    if (rc != 0) {
        atomic_fetch_add(&sh->ended[rc == -ENOENT ? 0 : rc == -EAGAIN ? 1 : 2], 1);
        expect(sh, rc == -ENOENT || rc == -EAGAIN || (rc == -EBUSY && use == FILESET_USE_DELETE));
        return;
    }
    if (use == FILESET_USE_OPEN || use == FILESET_USE_STAT)
        hold_open(sh, f);
    else
        hold_alone(sh, f, use == FILESET_USE_DELETE, worked);
    fileset_state_done(sh->s, use, f, worked);
    if (use == FILESET_USE_CREATE && worked)
        hold_open(sh, f);
    if (use != FILESET_USE_DELETE && use != FILESET_USE_STAT && worked)
        fileset_state_close(sh->s, f);
}

static void *work(void *arg)
{
    struct shared *sh = arg;
    struct rng rng;

    rng_seed(&rng, mix64_pair(sh->seed, (uint64_t)(uintptr_t)&rng));
    for (unsigned i = 0; i < ROUNDS; i++)
        one_op(sh, &rng);
    return NULL;
}

/* Afterwards bits, summaries, counters and words agree: all that exist can be deleted, then all be
 * created, each once, in the order of their numbers. */
static void drain(struct shared *sh)
{
    uint64_t existing = fileset_state_existing(sh->s);
    uint64_t number;
    uint64_t before = 0;

    for (unsigned f = 0; f < sh->files; f++)
        assert_int_equal(fileset_state_file_exists(sh->s, f), atomic_load(&sh->exists[f]));
    for (uint64_t i = 0; i < existing; i++) {
        assert_int_equal(fileset_state_take(sh->s, FILESET_USE_DELETE, 0, &number), 0);
        assert_true(i == 0 || number > before);
        before = number;
        fileset_state_done(sh->s, FILESET_USE_DELETE, number, true);
    }
    assert_int_equal(fileset_state_take(sh->s, FILESET_USE_OPEN, 0, &number), -ENOENT);
    for (uint64_t i = 0; i < sh->files; i++) {
        assert_int_equal(fileset_state_take(sh->s, FILESET_USE_CREATE, 0, &number), 0);
        assert_int_equal(number, i);
        fileset_state_done(sh->s, FILESET_USE_CREATE, number, true);
    }
    assert_int_equal(fileset_state_take(sh->s, FILESET_USE_CREATE, 0, &number), -ENOENT);
}

/* No file is open while it is deleted or does not exist, none is created twice or by two, whatever
 * the threads do: with few files, where all are after the same, and with many. */
static void threads_never_share_what_is_one_s(void **state)
{
    static const unsigned files[] = {1, 2, 5, 64, 130};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct shared sh = {.files = files[i], .seed = i};
        pthread_t thread[THREADS];
        sh.s = new_state(files[i], 1, 0, 50);
        for (unsigned f = 0; f < files[i]; f++)
            sh.exists[f] = fileset_state_file_exists(sh.s, f);
        for (unsigned t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&thread[t], NULL, work, &sh), 0);
        for (unsigned t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
        assert_int_equal(sh.wrong, 0);
        drain(&sh);
        fileset_state_free(sh.s);
    }
}

struct turns {
    struct fileset_state *s;
    _Atomic unsigned *taken;
    enum fileset_use use;
};

static void *take_turns(void *arg)
{
    struct turns *turns = arg;
    uint64_t number;

    while (fileset_state_take(turns->s, turns->use, FILESET_FROM_CURSOR, &number) == 0) {
        if (atomic_fetch_add(&turns->taken[number], 1) + 1 == 3)
            break;
        if (turns->use != FILESET_USE_OPEN)
            fileset_state_done(turns->s, turns->use, number, true);
    }
    return NULL;
}

/* Round robin over all threads: none is opened twice before all are opened once; what is created is
 * each created once. */
static void threads_take_turns(void **state)
{
    enum { FILES = 10000 };
    static _Atomic unsigned taken[FILES];

    (void)state;
    for (unsigned creating = 0; creating < 2; creating++) {
        struct turns turns = {.taken = taken,
                              .use = creating ? FILESET_USE_CREATE : FILESET_USE_OPEN};
        pthread_t thread[THREADS];
        unsigned least = UINT32_MAX;
        unsigned most = 0;
        for (unsigned f = 0; f < FILES; f++)
            taken[f] = 0;
        turns.s = new_state(FILES, 1, 0, creating ? 0 : 100);
        for (unsigned t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&thread[t], NULL, take_turns, &turns), 0);
        for (unsigned t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
        for (unsigned f = 0; f < FILES; f++) {
            least = taken[f] < least ? taken[f] : least;
            most = taken[f] > most ? taken[f] : most;
        }
        assert_true(least >= 1);
        assert_true(most <= (creating ? 1 : 3));
        fileset_state_free(turns.s);
    }
}

/* Two threads that meet before and behind each of many short races. */
enum { RACES = 20000 };

struct race {
    void (*side[2])(struct race *race);
    void (*judge)(struct race *race); /* alone, by the first of them */
    _Atomic unsigned come;
    struct state_bits bits;
    struct fileset_state *s;
    int rc[2];
    unsigned wrong;
};

static void meet(struct race *race, unsigned *meetings)
{
    unsigned all = 2 * ++*meetings;

    atomic_fetch_add(&race->come, 1);
    for (unsigned spins = 0; atomic_load(&race->come) < all; spins++) {
        if (spins > 1000)
            sched_yield();
    }
}

static void run_side(struct race *race, unsigned number)
{
    struct rng rng;
    unsigned meetings = 0;

    rng_seed(&rng, number);
    for (unsigned i = 0; i < RACES; i++) {
        meet(race, &meetings);
        /* A little later than the other, or a little earlier. */
        for (uint64_t late = rng_below(&rng, 40); late > 0; late--)
            atomic_load(&race->come);
        race->side[number](race);
        meet(race, &meetings);
        if (number == 0)
            race->judge(race);
    }
}

static void *run_other(void *race)
{
    run_side(race, 1);
    return NULL;
}

static void run_races(struct race *race)
{
    pthread_t other;

    assert_int_equal(pthread_create(&other, NULL, run_other, race), 0);
    run_side(race, 0);
    pthread_join(other, NULL);
    assert_int_equal(race->wrong, 0);
}

static void clear_the_last(struct race *race)
{
    state_bits_clear(&race->bits, 70);
}

static void set_its_neighbour(struct race *race)
{
    state_bits_set(&race->bits, 71);
}

static void neighbour_is_found(struct race *race)
{
    uint64_t found;

    race->wrong += !state_bits_next(&race->bits, 0, &found) || found != 71;
    state_bits_clear(&race->bits, 71);
    state_bits_set(&race->bits, 70);
}

/* A number that is put in while the last other one of its word is taken out is found afterwards. */
static void summaries_are_not_lost(void **state)
{
    struct race race = {.side = {clear_the_last, set_its_neighbour}, .judge = neighbour_is_found};

    (void)state;
    assert_int_equal(state_bits_init(&race.bits, 300000), 0);
    state_bits_set(&race.bits, 70);
    run_races(&race);
    state_bits_fini(&race.bits);
}

static void race_to_open(struct race *race)
{
    race->rc[0] = fileset_state_take_file(race->s, FILESET_USE_OPEN, 3, 0);
}

static void race_to_delete(struct race *race)
{
    race->rc[1] = fileset_state_take_file(race->s, FILESET_USE_DELETE, 3, 0);
}

/* Opened or deleted, never both, never neither. */
static void one_got_it(struct race *race)
{
    bool opened = race->rc[0] == 0 && race->rc[1] == -EBUSY;
    bool deleted = race->rc[0] == -EAGAIN && race->rc[1] == 0;

    race->wrong += opened == deleted;
    if (race->rc[0] == 0)
        fileset_state_close(race->s, 3);
    if (race->rc[1] == 0)
        fileset_state_done(race->s, FILESET_USE_DELETE, 3, false);
}

static void a_file_is_opened_or_deleted(void **state)
{
    struct race race = {.side = {race_to_open, race_to_delete}, .judge = one_got_it};

    (void)state;
    race.s = new_state(5, 1, 0, 100);
    run_races(&race);
    fileset_state_free(race.s);
}

static void race_to_create(struct race *race)
{
    uint64_t number;
    race->rc[0] = fileset_state_take(race->s, FILESET_USE_CREATE, 0, &number);
}

static void race_to_create_too(struct race *race)
{
    uint64_t number;
    race->rc[1] = fileset_state_take(race->s, FILESET_USE_CREATE, FILESET_FROM_CURSOR, &number);
}

static void one_created_it(struct race *race)
{
    race->wrong += (race->rc[0] == 0) == (race->rc[1] == 0);
    race->wrong += race->rc[race->rc[0] == 0] != -EAGAIN;
    fileset_state_done(race->s, FILESET_USE_CREATE, 0, false);
}

/* The other one is told that it may come back, for the creation may fail. */
static void a_file_is_created_once(void **state)
{
    struct race race = {.side = {race_to_create, race_to_create_too}, .judge = one_created_it};

    (void)state;
    race.s = new_state(1, 1, 0, 0);
    run_races(&race);
    fileset_state_free(race.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_find_the_next),
        cmocka_unit_test(states_are_those_of_the_definition),
        cmocka_unit_test(cursors_are_shared_by_kind),
        cmocka_unit_test(empty_sets_have_nothing),
        cmocka_unit_test(a_deletion_passes_by_what_is_open),
        cmocka_unit_test(own_opens_do_not_hold_a_file),
        cmocka_unit_test(settled_sets_count_no_opens),
        cmocka_unit_test(leafs_are_taken_by_number),
        cmocka_unit_test(a_share_exists_at_the_start),
        cmocka_unit_test(a_reset_ends_everything),
        cmocka_unit_test(memory_is_what_is_said),
        cmocka_unit_test(threads_never_share_what_is_one_s),
        cmocka_unit_test(threads_take_turns),
        cmocka_unit_test(summaries_are_not_lost),
        cmocka_unit_test(a_file_is_opened_or_deleted),
        cmocka_unit_test(a_file_is_created_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
