/* Taking a file, and the end of what it was taken for: the part of the state that streams share. */
#include "fileset/state.h"

#include "fileset/state_priv.h"

#include <errno.h>

#define OPENS (STATE_BUSY - 1)

/* How often a file is taken away before the eyes of who looks for one, or is one that he may not delete,
 * until he is told so. */
#define TRIES_MAX FILESET_BUSY_MAX

/* ---- one file or leaf directory: 0, -EBUSY, -EAGAIN an op on it is under way, -ENOENT ---- */

static int not_there(uint32_t word)
{
    return (word & STATE_GONE) != 0 ? -ENOENT : -EAGAIN;
}

static int try_open(struct fileset_state *s, uint64_t file)
{
    uint32_t word = atomic_load_explicit(state_word(s, file), memory_order_relaxed);

    do {
        if ((word & (STATE_GONE | STATE_BUSY)) != 0)
            return not_there(word);
        if (s->settled)
            return 0;
    } while (!atomic_compare_exchange_weak(state_word(s, file), &word, word + 1));
    return 0;
}

static int try_delete(struct fileset_state *s, uint64_t file, unsigned own_open)
{
    uint32_t word = atomic_load_explicit(state_word(s, file), memory_order_relaxed);

    do {
        if ((word & (STATE_GONE | STATE_BUSY)) != 0)
            return not_there(word);
        if ((word & OPENS) > own_open)
            return -EBUSY;
    } while (!atomic_compare_exchange_weak(state_word(s, file), &word, word | STATE_BUSY));
    state_take_out(&s->existing, file);
    return 0;
}

static int try_create(struct fileset_state *s, uint64_t file)
{
    if (!state_take_out(&s->absent, file))
        return (atomic_load(state_word(s, file)) & STATE_BUSY) != 0 ? -EAGAIN : -ENOENT;
    atomic_fetch_xor(state_word(s, file), STATE_GONE | STATE_BUSY);
    return 0;
}

static int try_leaf(struct state_pool *from, struct state_pool *other, uint64_t leaf)
{
    if (state_take_out(from, leaf))
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
static struct state_pool *pool_of(struct fileset_state *s, enum fileset_use use,
                                  struct state_pool **other)
{
    bool leaf = use == FILESET_USE_MKDIR || use == FILESET_USE_RMDIR;
    bool absent = use == FILESET_USE_CREATE || use == FILESET_USE_MKDIR;
    struct state_pool *existing = leaf ? &s->leaf_existing : &s->existing;
    struct state_pool *not_existing = leaf ? &s->leaf_absent : &s->absent;

    *other = absent ? existing : not_existing;
    return absent ? not_existing : existing;
}

static bool next_round(const struct state_pool *pool, uint64_t from, uint64_t *number)
{
    return state_bits_next(&pool->bits, from, number) || state_bits_next(&pool->bits, 0, number);
}

static int none(const struct state_pool *pool, const struct state_pool *other)
{
    return atomic_load(&other->count) == pool->bits.n ? -ENOENT : -EAGAIN;
}

static int take_from(struct fileset_state *s, enum fileset_use use, uint64_t from, uint64_t *number)
{
    struct state_pool *other;
    struct state_pool *pool = pool_of(s, use, &other);

    bool busy = false;
    for (unsigned i = 0; i < TRIES_MAX; i++) {
        if (!next_round(pool, from < pool->bits.n ? from : 0, number))
            return none(pool, other);
        int rc = try_one(s, use, *number, 0);
        if (rc == 0)
            return rc;
        busy |= rc == -EBUSY;
        from = *number + 1;
    }
    return busy ? -EBUSY : -EAGAIN;
}

/* Puts the place back to where nothing was found. */
static int none_behind(struct state_pool *pool, const struct state_pool *other, uint64_t first)
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
    struct state_pool *other;
    struct state_pool *pool = pool_of(s, use, &other);
    uint64_t n = pool->bits.n;
    uint64_t first = atomic_fetch_add(&pool->cursor, 1);
    int rc = first < n ? try_one(s, use, first, 0) : -EAGAIN;
    unsigned busy = rc == -EBUSY;

    *number = first;
    for (unsigned i = 0; rc != 0 && busy < TRIES_MAX && i < TRIES_MAX; i++) {
        uint64_t cursor = atomic_load(&pool->cursor);
        if (!next_round(pool, cursor < n ? cursor : 0, number))
            return none_behind(pool, other, first);
        if (!atomic_compare_exchange_strong(&pool->cursor, &cursor, *number + 1))
            continue;
        rc = try_one(s, use, *number, 0);
        busy += rc == -EBUSY;
    }
    if (rc == 0)
        return 0;
    return busy > 0 ? -EBUSY : -EAGAIN;
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
    state_put_in(&s->existing, file);
    atomic_fetch_add(state_word(s, file), opens - STATE_BUSY);
}

static void now_gone(struct fileset_state *s, uint64_t file)
{
    atomic_fetch_xor(state_word(s, file), STATE_GONE | STATE_BUSY);
    state_put_in(&s->absent, file);
}

void fileset_state_close(struct fileset_state *s, uint64_t file)
{
    if (!s->settled)
        atomic_fetch_sub(state_word(s, file), 1);
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
        state_put_in(worked ? &s->leaf_existing : &s->leaf_absent, number);
        return;
    case FILESET_USE_RMDIR:
        state_put_in(worked ? &s->leaf_absent : &s->leaf_existing, number);
        return;
    case FILESET_USE_ANY:
    case FILESET_USE_INITIAL:
    case FILESET_USE_LIST:
        return;
    }
}
