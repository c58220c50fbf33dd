/* fileset/state_priv.h — sets of numbers that many threads change and search at once, and what of them
 * the state of a set of files is made.
 * Shape    a bit per number, and over each 64 of them a bit that says whether there is any, up to one
 *          word. Who changes a bit sees that the levels above follow; who searches believes them.
 *          Which of its states a file is in is said by one word of its own, and for who looks for one by
 *          the bits. The word decides about opening and deleting, the bit of the absent ones about
 *          creating. Whoever has the file to himself moves the bits, in an order in which nobody
 *          else gets at it half-way:
 *            exists, n opens      bit in existing    word n
 *            being deleted        no bit             word BUSY + n
 *            does not exist       bit in absent      word GONE + n
 *            being created        no bit             word BUSY + n
 *          Opens stay counted through a deletion (of a file that its deleter has open): every open is
 *          closed once, whatever has become of the file.
 * Units    numbers from 0.
 * Limits   a search beside a change may miss a number that was put in or is being looked for at that
 *          moment: what "there is none" means is for counters to say. Without changes it is exact.
 * Errors   -ENOMEM.
 * Threads  all but init and fini, without locks. */
#ifndef LOADLINE_FILESET_STATE_PRIV_H
#define LOADLINE_FILESET_STATE_PRIV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATE_LEVELS_MAX 7 /* of 64 each: more than there are numbers */

struct state_bits {
    uint64_t n;
    unsigned levels;
    uint64_t level_bits[STATE_LEVELS_MAX];
    _Atomic uint64_t *level[STATE_LEVELS_MAX]; /* of level 0, each within one allocation */
};

/* Bytes that a set takes. */
uint64_t state_bits_need(uint64_t n);
/* All clear. */
__attribute__((warn_unused_result)) int state_bits_init(struct state_bits *b, uint64_t n);
void state_bits_fini(struct state_bits *b);

bool state_bits_get(const struct state_bits *b, uint64_t number);
void state_bits_set(struct state_bits *b, uint64_t number);
/* Whether it was set: of several who clear it one is told so. */
bool state_bits_clear(struct state_bits *b, uint64_t number);
/* The first that is set at or behind `from`. */
bool state_bits_next(const struct state_bits *b, uint64_t from, uint64_t *number);

/* What neighbours of one line would take from each other, two lines that are fetched together
 * included. */
#define STATE_APART 128

#define STATE_GONE (UINT32_C(1) << 31)
#define STATE_BUSY (UINT32_C(1) << 30)

/* Numbers in one state, and the place in them that is next for those who share it. */
struct state_pool {
    struct state_bits bits;
    /* As many as are in it, or are just being taken out or put in: all of them are here only when none
     * is in another state and no op on one of them is under way. */
    _Alignas(STATE_APART) _Atomic uint64_t count;
    _Alignas(STATE_APART) _Atomic uint64_t cursor;
};

struct fileset_state {
    uint64_t files;
    uint64_t dirs;
    uint64_t leafs;
    bool settled;           /* no opens are counted */
    _Atomic uint32_t *word; /* of each file: state_word */
    struct state_pool existing;
    struct state_pool absent;
    struct state_pool leaf_existing;
    struct state_pool leaf_absent;
    _Alignas(STATE_APART) _Atomic uint64_t dir_cursor;
};

/* Files that are next to each other are taken at the same time, by several: their words lie apart, in
 * another order within a block. */
#define STATE_ROWS  (STATE_APART / sizeof(uint32_t))
#define STATE_BLOCK (STATE_ROWS * STATE_ROWS)

static inline _Atomic uint32_t *state_word(const struct fileset_state *s, uint64_t file)
{
    uint64_t block = file & ~(uint64_t)(STATE_BLOCK - 1);
    return &s->word[block | file % STATE_ROWS * STATE_ROWS | file / STATE_ROWS % STATE_ROWS];
}

void state_put_in(struct state_pool *pool, uint64_t number);
bool state_take_out(struct state_pool *pool, uint64_t number);

#endif
