/* How a state is made, read and reset; what happens to it meanwhile is in state_take.c. */
#include "fileset/state.h"

#include "base/rng.h"
#include "fileset/state_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define FILES_STREAM 0x66696c65u
#define LEAFS_STREAM 0x6c656166u

void state_put_in(struct state_pool *pool, uint64_t number)
{
    atomic_fetch_add(&pool->count, 1);
    state_bits_set(&pool->bits, number);
}

bool state_take_out(struct state_pool *pool, uint64_t number)
{
    if (!state_bits_clear(&pool->bits, number))
        return false;
    atomic_fetch_sub(&pool->count, 1);
    return true;
}

static uint64_t whole_blocks(uint64_t files)
{
    return (files + STATE_BLOCK - 1) / STATE_BLOCK * STATE_BLOCK;
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
    s->word = calloc(whole_blocks(s->files) + 1, sizeof *s->word);
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
        state_put_in(exists ? &s->existing : &s->absent, i);
        if (!exists)
            atomic_store_explicit(state_word(s, i), STATE_GONE, memory_order_relaxed);
    }
    for (uint64_t i = 0; i < leafs; i++) {
        bool exists = exists_at_start(mix64_pair(seed, LEAFS_STREAM), i, exists_percent);
        state_put_in(exists ? &s->leaf_existing : &s->leaf_absent, i);
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

uint64_t fileset_state_need(uint64_t files, uint64_t leafs)
{
    return sizeof(struct fileset_state) + whole_blocks(files) * sizeof(uint32_t) +
           2 * state_bits_need(files) + 2 * state_bits_need(leafs);
}

size_t fileset_state_memory(const struct fileset_state *s)
{
    return fileset_state_need(s->files, s->leafs);
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

void fileset_state_settle(struct fileset_state *s, bool settled)
{
    s->settled = settled;
}

static void reset_pools(struct state_pool *existing, struct state_pool *absent, uint64_t n)
{
    /* What was under way may have happened or not; that it did not is what a later create, which takes a
     * file that is there, can stand. */
    for (uint64_t i = 0; i < n; i++) {
        if (!state_bits_get(&existing->bits, i) && !state_bits_get(&absent->bits, i))
            state_put_in(absent, i);
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
        uint32_t word = fileset_state_file_exists(s, i) ? 0 : STATE_GONE;
        if (atomic_load_explicit(state_word(s, i), memory_order_relaxed) != word)
            atomic_store_explicit(state_word(s, i), word, memory_order_relaxed);
    }
}
