/* Which of its states a file is in is said by one word of its own, and for who looks for one by the
 * bits. The word decides about opening and deleting, the bit of the absent ones about creating. Whoever
 * has the file to himself moves the bits, in an order in which nobody else gets at it half-way:
 *
 *   exists, n opens      EXISTS bit    word n
 *   being deleted        no bit        word BUSY + n
 *   does not exist       ABSENT bit    word GONE + n
 *   being created        no bit        word BUSY + n
 *
 * Opens stay counted through a deletion (of a file that its deleter has open): every open is closed
 * once, whatever has become of the file. */
#include "fileset/state.h"

#include "base/rng.h"
#include "fileset/state_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define GONE  (UINT32_C(1) << 31)
#define BUSY  (UINT32_C(1) << 30)
#define COUNT (BUSY - 1)

/* What neighbours of one line would take from each other, two lines that are fetched together
 * included. */
#define APART 128

/* How often a file is taken away before the eyes of who looks for one, until he is told to ask
 * again. */
#define TRIES_MAX 64

#define FILES_STREAM 0x66696c65u
#define LEAFS_STREAM 0x6c656166u

/* Numbers in one state, and the place in them that is next for those who share it. */
struct pool {
    struct state_bits bits;
    /* As many as are in it, or are just being taken out or put in: all of them are here only when none
     * is in another state and no op on one of them is under way. */
    _Alignas(APART) _Atomic uint64_t count;
    _Alignas(APART) _Atomic uint64_t cursor;
};

struct fileset_state {
    uint64_t files;
    uint64_t dirs;
    uint64_t leafs;
    _Atomic uint32_t *word; /* of each file */
    struct pool existing;
    struct pool absent;
    struct pool leaf_existing;
    struct pool leaf_absent;
    _Alignas(APART) _Atomic uint64_t dir_cursor;
};

/* ---- made and ended ---- */

static void put_in(struct pool *pool, uint64_t number)
{
    atomic_fetch_add(&pool->count, 1);
    state_bits_set(&pool->bits, number);
}

static bool take_out(struct pool *pool, uint64_t number)
{
    if (!state_bits_clear(&pool->bits, number))
        return false;
    atomic_fetch_sub(&pool->count, 1);
    return true;
}

static bool exists_at_start(uint64_t seed, uint64_t number, uint32_t percent)
{
    struct rng rng;

    if (percent == 0 || percent >= 100)
        return percent > 0;
    rng_seed(&rng, mix64_pair(seed, number));
    return rng_below(&rng, 100) < percent;
}

static int make_room(struct fileset_state *s)
{
    int rc = state_bits_init(&s->existing.bits, s->files);

    if (rc == 0)
        rc = state_bits_init(&s->absent.bits, s->files);
    if (rc == 0)
        rc = state_bits_init(&s->leaf_existing.bits, s->leafs);
    if (rc == 0)
        rc = state_bits_init(&s->leaf_absent.bits, s->leafs);
    s->word = calloc(s->files > 0 ? s->files : 1, sizeof *s->word);
    return s->word == NULL ? -ENOMEM : rc;
}

int fileset_state_new(uint64_t files, uint64_t dirs, uint64_t leafs, uint32_t exists_percent,
                      uint64_t seed, struct fileset_state **out, struct err *err)
{
    struct fileset_state *s;

    if (exists_percent > 100)
        return err_set(err, -EINVAL,
                       "%" PRIu32 " %% of the files are to exist, accepted is up to 100",
                       exists_percent);
    s = aligned_alloc(_Alignof(struct fileset_state), sizeof *s);
    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for the state of a set of files");
    *s = (struct fileset_state){.files = files, .dirs = dirs, .leafs = leafs};
    if (make_room(s) < 0) {
        fileset_state_free(s);
        return err_set(err, -ENOMEM, "no memory for the state of %" PRIu64 " files", files + leafs);
    }
    for (uint64_t i = 0; i < files; i++) {
        bool exists = exists_at_start(mix64_pair(seed, FILES_STREAM), i, exists_percent);
        put_in(exists ? &s->existing : &s->absent, i);
        if (!exists)
            atomic_store_explicit(&s->word[i], GONE, memory_order_relaxed);
    }
    for (uint64_t i = 0; i < leafs; i++) {
        bool exists = exists_at_start(mix64_pair(seed, LEAFS_STREAM), i, exists_percent);
        put_in(exists ? &s->leaf_existing : &s->leaf_absent, i);
    }
    *out = s;
    return 0;
}

void fileset_state_free(struct fileset_state *s)
{
    if (s == NULL)
        return;
    state_bits_fini(&s->existing.bits);
    state_bits_fini(&s->absent.bits);
    state_bits_fini(&s->leaf_existing.bits);
    state_bits_fini(&s->leaf_absent.bits);
    free(s->word);
    free(s);
}

size_t fileset_state_memory(const struct fileset_state *s)
{
    return sizeof *s + s->files * sizeof *s->word + state_bits_memory(&s->existing.bits) +
           state_bits_memory(&s->absent.bits) + state_bits_memory(&s->leaf_existing.bits) +
           state_bits_memory(&s->leaf_absent.bits);
}

bool fileset_state_file_exists(const struct fileset_state *s, uint64_t file)
{
    return state_bits_get(&s->existing.bits, file);
}

bool fileset_state_leaf_exists(const struct fileset_state *s, uint64_t leaf)
{
    return state_bits_get(&s->leaf_existing.bits, leaf);
}

uint64_t fileset_state_existing(const struct fileset_state *s)
{
    return atomic_load_explicit(&s->existing.count, memory_order_relaxed);
}

void fileset_state_set_file(struct fileset_state *s, uint64_t file, bool exists)
{
    struct pool *pool = exists ? &s->existing : &s->absent;

    take_out(exists ? &s->absent : &s->existing, file);
    if (!state_bits_get(&pool->bits, file))
        put_in(pool, file);
    atomic_store_explicit(&s->word[file], exists ? 0 : GONE, memory_order_relaxed);
}

static void reset_pools(struct pool *existing, struct pool *absent, uint64_t n)
{
    /* What was under way may have happened or not; that it did not is what a later create, which takes a
     * file that is there, can stand. */
    for (uint64_t i = 0; i < n; i++) {
        if (!state_bits_get(&existing->bits, i) && !state_bits_get(&absent->bits, i))
            put_in(absent, i);
    }
    atomic_store(&existing->cursor, 0);
    atomic_store(&absent->cursor, 0);
}

void fileset_state_reset(struct fileset_state *s)
{
    reset_pools(&s->existing, &s->absent, s->files);
    reset_pools(&s->leaf_existing, &s->leaf_absent, s->leafs);
    atomic_store(&s->dir_cursor, 0);
    for (uint64_t i = 0; i < s->files; i++) {
        uint32_t word = fileset_state_file_exists(s, i) ? 0 : GONE;
        if (atomic_load_explicit(&s->word[i], memory_order_relaxed) != word)
            atomic_store_explicit(&s->word[i], word, memory_order_relaxed);
    }
}

/* ---- one file or leaf directory: 0, -EBUSY, -EAGAIN an op on it is under way, -ENOENT ---- */

static int not_there(uint32_t word)
{
    return (word & GONE) != 0 ? -ENOENT : -EAGAIN;
}

static int try_open(struct fileset_state *s, uint64_t file)
{
    uint32_t word = atomic_load_explicit(&s->word[file], memory_order_relaxed);

    do {
        if ((word & (GONE | BUSY)) != 0)
            return not_there(word);
    } while (!atomic_compare_exchange_weak(&s->word[file], &word, word + 1));
    return 0;
}

static int try_delete(struct fileset_state *s, uint64_t file, unsigned own_open)
{
    uint32_t word = atomic_load_explicit(&s->word[file], memory_order_relaxed);

    do {
        if ((word & (GONE | BUSY)) != 0)
            return not_there(word);
        if ((word & COUNT) > own_open)
            return -EBUSY;
    } while (!atomic_compare_exchange_weak(&s->word[file], &word, word | BUSY));
    take_out(&s->existing, file);
    return 0;
}

static int try_create(struct fileset_state *s, uint64_t file)
{
    if (!take_out(&s->absent, file))
        return (atomic_load(&s->word[file]) & BUSY) != 0 ? -EAGAIN : -ENOENT;
    atomic_fetch_xor(&s->word[file], GONE | BUSY);
    return 0;
}

static int try_leaf(struct pool *from, struct pool *other, uint64_t leaf)
{
    if (take_out(from, leaf))
        return 0;
    return state_bits_get(&other->bits, leaf) ? -ENOENT : -EAGAIN;
}

static int try_one(struct fileset_state *s, enum fileset_use use, uint64_t number,
                   unsigned own_open)
{
    switch (use) {
    case FILESET_USE_OPEN:
    case FILESET_USE_STAT:
        return try_open(s, number);
    case FILESET_USE_CREATE:
        return try_create(s, number);
    case FILESET_USE_DELETE:
        return try_delete(s, number, own_open);
    case FILESET_USE_MKDIR:
        return try_leaf(&s->leaf_absent, &s->leaf_existing, number);
    case FILESET_USE_RMDIR:
        return try_leaf(&s->leaf_existing, &s->leaf_absent, number);
    case FILESET_USE_ANY:
    case FILESET_USE_INITIAL:
    case FILESET_USE_LIST:
        break;
    }
    return -EINVAL;
}

/* ---- whichever is next ---- */

/* Where numbers in the state that the use looks for are, and where those that are not. */
static struct pool *pool_of(struct fileset_state *s, enum fileset_use use, struct pool **other)
{
    bool leaf = use == FILESET_USE_MKDIR || use == FILESET_USE_RMDIR;
    bool absent = use == FILESET_USE_CREATE || use == FILESET_USE_MKDIR;
    struct pool *existing = leaf ? &s->leaf_existing : &s->existing;
    struct pool *not_existing = leaf ? &s->leaf_absent : &s->absent;

    *other = absent ? existing : not_existing;
    return absent ? not_existing : existing;
}

static bool next_round(const struct pool *pool, uint64_t from, uint64_t *number)
{
    return state_bits_next(&pool->bits, from, number) || state_bits_next(&pool->bits, 0, number);
}

static int none(const struct pool *pool, const struct pool *other)
{
    return atomic_load(&other->count) == pool->bits.n ? -ENOENT : -EAGAIN;
}

static int take_from(struct fileset_state *s, enum fileset_use use, uint64_t from, uint64_t *number)
{
    struct pool *other;
    struct pool *pool = pool_of(s, use, &other);

    for (unsigned i = 0; i < TRIES_MAX; i++) {
        if (!next_round(pool, from < pool->bits.n ? from : 0, number))
            return none(pool, other);
        int rc = try_one(s, use, *number, 0);
        if (rc == 0 || rc == -EBUSY)
            return rc;
        from = *number + 1;
    }
    return -EAGAIN;
}

/* Puts the place back to where nothing was found. */
static int none_behind(struct pool *pool, const struct pool *other, uint64_t first)
{
    uint64_t moved = first + 1;

    atomic_compare_exchange_strong(&pool->cursor, &moved, first);
    return none(pool, other);
}

/* Where all are in the state that is looked for, one addition is all that streams share: each gets the
 * number it comes to. Where it is not in that state, the place moves to the next that is, by whoever
 * is first. */
static int take_next(struct fileset_state *s, enum fileset_use use, uint64_t *number)
{
    struct pool *other;
    struct pool *pool = pool_of(s, use, &other);
    uint64_t n = pool->bits.n;
    uint64_t first = atomic_fetch_add(&pool->cursor, 1);
    int rc = first < n ? try_one(s, use, first, 0) : -EAGAIN;

    *number = first;
    for (unsigned i = 0; rc != 0 && rc != -EBUSY && i < TRIES_MAX; i++) {
        uint64_t cursor = atomic_load(&pool->cursor);
        if (!next_round(pool, cursor < n ? cursor : 0, number))
            return none_behind(pool, other, first);
        if (atomic_compare_exchange_strong(&pool->cursor, &cursor, *number + 1))
            rc = try_one(s, use, *number, 0);
    }
    return rc == -ENOENT ? -EAGAIN : rc;
}

static int take_dir(struct fileset_state *s, uint64_t from, uint64_t *number)
{
    if (s->dirs == 0)
        return -ENOENT;
    if (from == FILESET_FROM_CURSOR)
        from = atomic_fetch_add_explicit(&s->dir_cursor, 1, memory_order_relaxed) % s->dirs;
    *number = from < s->dirs ? from : 0;
    return 0;
}

int fileset_state_take(struct fileset_state *s, enum fileset_use use, uint64_t from,
                       uint64_t *number)
{
    uint64_t found = 0;
    int rc;

    if (use == FILESET_USE_ANY || use == FILESET_USE_INITIAL)
        return -EINVAL;
    if (use == FILESET_USE_LIST)
        rc = take_dir(s, from, &found);
    else if (from == FILESET_FROM_CURSOR)
        rc = take_next(s, use, &found);
    else
        rc = take_from(s, use, from, &found);
    if (rc == 0 || rc == -EBUSY)
        *number = found;
    return rc;
}

int fileset_state_take_file(struct fileset_state *s, enum fileset_use use, uint64_t file,
                            unsigned own_open)
{
    if (use == FILESET_USE_MKDIR || use == FILESET_USE_RMDIR)
        return file < s->leafs ? try_one(s, use, file, 0) : -ENOENT;
    return file < s->files ? try_one(s, use, file, own_open) : -ENOENT;
}

/* ---- it is over ---- */

/* The bit is there before the word lets others at the file: else one of them could take it away and leave
 * a bit behind. */
static void now_exists(struct fileset_state *s, uint64_t file, uint32_t opens)
{
    put_in(&s->existing, file);
    atomic_fetch_add(&s->word[file], opens - BUSY);
}

static void now_gone(struct fileset_state *s, uint64_t file)
{
    atomic_fetch_xor(&s->word[file], GONE | BUSY);
    put_in(&s->absent, file);
}

void fileset_state_close(struct fileset_state *s, uint64_t file)
{
    atomic_fetch_sub(&s->word[file], 1);
}

void fileset_state_done(struct fileset_state *s, enum fileset_use use, uint64_t number, bool worked)
{
    switch (use) {
    case FILESET_USE_OPEN:
        if (!worked)
            fileset_state_close(s, number);
        return;
    case FILESET_USE_STAT:
        fileset_state_close(s, number);
        return;
    case FILESET_USE_CREATE:
        if (worked)
            now_exists(s, number, 1);
        else
            now_gone(s, number);
        return;
    case FILESET_USE_DELETE:
        if (worked)
            now_gone(s, number);
        else
            now_exists(s, number, 0);
        return;
    case FILESET_USE_MKDIR:
        put_in(worked ? &s->leaf_existing : &s->leaf_absent, number);
        return;
    case FILESET_USE_RMDIR:
        put_in(worked ? &s->leaf_absent : &s->leaf_existing, number);
        return;
    case FILESET_USE_ANY:
    case FILESET_USE_INITIAL:
    case FILESET_USE_LIST:
        return;
    }
}
