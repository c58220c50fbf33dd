/* engine/check_priv.h — comparing what was read, by helpers where a worker has many streams.
 * Shape    check_note where an op's answer is looked at; check_begin behind it hands the stream to a helper,
 *          where there is enough to compare; the helper does check_run and sends the stream back; check_back
 *          takes what it found. The stream's next op comes after that, so its buffer stays as it was read.
 * Units    bytes.
 * Limits   one check of a stream at a time; below CHECK_HERE_BYTES handing over costs more than comparing, so
 *          that is done at once.
 * Errors   a wrong byte is in worker.mismatch and ends the run.
 * Threads  the worker's; check_run a helper's, while the stream is parked.
 * Source   tests/truth/test_verify_aside.c. */
#ifndef LOADLINE_ENGINE_CHECK_PRIV_H
#define LOADLINE_ENGINE_CHECK_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#define CHECK_HERE_BYTES 16384u

struct run;
struct slot;
struct stream;
struct worker;

/* What of a stream's last read is to be compared, and with what. */
struct check {
    uint64_t index; /* which file */
    uint64_t bytes; /* of it in all */
    uint64_t off;
    uint64_t len;
    int64_t wrong; /* place in the buffer of the first wrong byte; −1: none */
    uint32_t tree;
    uint16_t set;
    bool asked;
    bool away; /* at a helper */
};

void check_note(struct worker *w, struct stream *s, const struct slot *slot, uint64_t len);
/* true: a helper has the stream now. */
bool check_begin(struct worker *w, struct stream *s);
void check_run(const struct run *run, struct stream *s);
/* Of a stream that was sent back: true when it was for a check, which is over. */
bool check_back(struct worker *w, struct stream *s);

#endif
