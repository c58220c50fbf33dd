#include "fileset/state_priv.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t words_of(uint64_t bits)
{
    return (bits + 63) / 64;
}

/* Returns the words of all levels together. */
static uint64_t lay_out(struct state_bits *b, uint64_t n)
{
    uint64_t bits = n > 0 ? n : 1;
    uint64_t words = 0;

    *b = (struct state_bits){.n = n};
    for (;; bits = words_of(bits)) {
        b->level_bits[b->levels++] = bits;
        words += words_of(bits);
        if (bits <= 64)
            return words;
    }
}

uint64_t state_bits_need(uint64_t n)
{
    struct state_bits b;
    return lay_out(&b, n) * sizeof *b.level[0];
}

int state_bits_init(struct state_bits *b, uint64_t n)
{
    uint64_t words = lay_out(b, n);

    b->level[0] = calloc(words, sizeof *b->level[0]);
    if (b->level[0] == NULL)
        return -ENOMEM;
    for (unsigned l = 1; l < b->levels; l++)
        b->level[l] = b->level[l - 1] + words_of(b->level_bits[l - 1]);
    return 0;
}

void state_bits_fini(struct state_bits *b)
{
    free(b->level[0]);
    b->level[0] = NULL;
}

bool state_bits_get(const struct state_bits *b, uint64_t number)
{
    uint64_t word = atomic_load(&b->level[0][number / 64]);
    return (word >> number % 64 & 1) != 0;
}

/* Sets a bit of a level, and those above it that are not. Whoever finds one set that is being cleared may
 * stop there: he who clears it looks below once more. */
static void set_from(struct state_bits *b, unsigned level, uint64_t at)
{
    for (; level < b->levels; level++, at /= 64) {
        uint64_t bit = UINT64_C(1) << at % 64;
        if ((atomic_load(&b->level[level][at / 64]) & bit) != 0)
            return;
        atomic_fetch_or(&b->level[level][at / 64], bit);
    }
}

void state_bits_set(struct state_bits *b, uint64_t number)
{
    set_from(b, 0, number);
}

/* A word has become empty: so its bit above is cleared. Somebody may have put something into it in
 * between, and have found that bit still set: then it is set again. */
bool state_bits_clear(struct state_bits *b, uint64_t number)
{
    uint64_t at = number;
    uint64_t bit = UINT64_C(1) << at % 64;
    uint64_t was = atomic_fetch_and(&b->level[0][at / 64], ~bit);

    if ((was & bit) == 0)
        return false;
    for (unsigned level = 1; level < b->levels && (was & ~bit) == 0; level++) {
        at /= 64;
        bit = UINT64_C(1) << at % 64;
        was = atomic_fetch_and(&b->level[level][at / 64], ~bit);
        if (atomic_load(&b->level[level - 1][at]) != 0) {
            set_from(b, level, at);
            break;
        }
    }
    return true;
}

/* Up while there is nothing left in a word, down where there may be something. */
bool state_bits_next(const struct state_bits *b, uint64_t from, uint64_t *number)
{
    unsigned level = 0;
    uint64_t at = from;

    while (level < b->levels) {
        uint64_t word = 0;
        if (at < b->level_bits[level])
            word = atomic_load(&b->level[level][at / 64]) & ~UINT64_C(0) << at % 64;
        if (word == 0) {
            at = at / 64 + 1;
            level++;
            continue;
        }
        at = (at & ~UINT64_C(63)) | (unsigned)__builtin_ctzll(word);
        if (level == 0) {
            *number = at;
            return true;
        }
        level--;
        at *= 64;
    }
    return false;
}
