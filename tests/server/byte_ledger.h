/* byte_ledger.h — what a file may hold: what was committed, what was acknowledged since, what is under way.
 * Shape    ledger_begin when a write is issued, ledger_done when it is acknowledged, ledger_commit when
 *          fsync or close returned 0; ledger_check what was read.
 * Limits   LEDGER_BYTES a file, LEDGER_WRITES between two commits: then somebody has to commit.
 * Errors   ledger_check gives the place of the first wrong byte, or -1. */
#ifndef LOADLINE_TESTS_BYTE_LEDGER_H
#define LOADLINE_TESTS_BYTE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_BYTES  40000
#define LEDGER_WRITES 64

struct ledger_write {
    uint64_t seed;
    uint64_t off, end;
    uint64_t base; /* where in the file the bytes of `seed` begin */
    bool done;
};

struct ledger {
    unsigned char *committed, *now; /* now: with all that is acknowledged */
    uint64_t committed_bytes, now_bytes;
    struct ledger_write write[LEDGER_WRITES]; /* since the last commit, in their order */
    unsigned writes;
};

/* Every byte a function of the seed and its place. */
void ledger_fill(uint64_t seed, uint64_t pos, void *buf, uint64_t len);

void ledger_begin(struct ledger *l, uint64_t seed, uint64_t off, uint64_t len, uint64_t base);
void ledger_done(struct ledger *l); /* the last one begun */
void ledger_commit(struct ledger *l);
void ledger_cut(struct ledger *l, uint64_t bytes); /* both what is committed and what is not */
void ledger_empty(struct ledger *l);

/* keeps: the server keeps what it acknowledged, also when it is killed. */
uint64_t ledger_least_bytes(const struct ledger *l, bool keeps);
uint64_t ledger_most_bytes(const struct ledger *l);
int64_t ledger_check(const struct ledger *l, bool keeps, const unsigned char *got, uint64_t off,
                     uint64_t len);

#endif
