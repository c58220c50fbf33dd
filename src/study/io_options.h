/* study/io_options.h — what the plain mix can be asked for.
 * Shape    a value filled in by whoever asks; study_io (study.h) runs it. io_dist_text and
 *          io_blocks_text write parts of it the way they are typed.
 * Units    bytes, ns, per cent, per second.
 * Limits   checked by io_options_check: -EINVAL with words that name the option.
 * Threads  a value.
 * Source   tests/truth/test_study_io.c, tests/unit/test_io_options.c. */
#ifndef LOADLINE_STUDY_IO_OPTIONS_H
#define LOADLINE_STUDY_IO_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define IO_BLOCKS_MAX  8
#define IO_REPEATS_MAX 1000
#define IO_WORDS_MAX   160

enum io_where { IO_UNIFORM, IO_SEQ, IO_ZIPF, IO_HOT };

/* Where in the files blocks are read and written. */
struct io_dist {
    enum io_where where;
    double skew;         /* ZIPF: above 0, up to 20 */
    unsigned hot_ops;    /* HOT: per cent of the operations, 1 to 99 … */
    unsigned hot_blocks; /* … that go to the first so many per cent of the blocks, 1 to 99 */
};

enum io_arrival { IO_CONSTANT, IO_POISSON };

enum io_sync { IO_SYNC_NONE, IO_SYNC_DATA, IO_SYNC_FULL };

struct io_block {
    uint64_t bytes;
    unsigned percent; /* of the operations of each kind */
};

enum study_client_cache { STUDY_CACHE_DROP, STUDY_CACHE_KEEP };

struct io_options {
    unsigned read_percent;
    unsigned blocks;
    struct io_block block[IO_BLOCKS_MAX]; /* percents add up to 100 */
    uint32_t streams;                     /* in all */
    uint32_t
        clients; /* that share them out evenly, 0 is 1; more than one where the client is our own */
    uint32_t files;      /* shared by all streams; 0: each stream has one of its own */
    uint64_t size_bytes; /* over all files; 0, until it is fitted: the default */
    double rate_per_s;   /* 0: closed loop */
    enum io_arrival arrival;
    uint64_t time_ns;
    uint64_t warmup_ns;
    struct io_dist dist;
    enum io_sync sync;
    uint32_t compress_centi; /* ratio in hundredths; 0: incompressible */
    bool direct;
    enum study_client_cache cache;
    unsigned repeats;     /* 0 is 1 */
    double until_ci_frac; /* 0, or go on until the interval of throughput is that narrow … */
    unsigned max_repeats; /* … at most so often */
};

__attribute__((warn_unused_result)) int io_options_check(const struct io_options *o,
                                                         struct err *err);

struct target_caps;
/* What this target makes of it: where there is one file, all streams share it and all of it is used.
 * -EINVAL with words for more files, or a larger one, than there can be. Twice is as once. */
__attribute__((warn_unused_result)) int
io_options_fit(struct io_options *o, const struct target_caps *caps, struct err *err);

uint64_t io_block_least(const struct io_options *o);
uint64_t io_block_most(const struct io_options *o);
/* Whether all blocks are multiples of it. */
bool io_blocks_align(const struct io_options *o, uint64_t unit_bytes);
uint32_t io_file_count(const struct io_options *o);
/* Bytes of each file: its share of the whole, in whole blocks. -EINVAL with words where that leaves
 * a file, or in order a stream, without a block. */
__attribute__((warn_unused_result)) int io_file_bytes(const struct io_options *o,
                                                      uint64_t *out_bytes, struct err *err);

/* "uniform", "zipf:1.1", "hot:90/10"; into room for IO_WORDS_MAX. */
const char *io_dist_text(char *buf, const struct io_dist *dist);
/* "8k" or "4k:60,64k:40". */
const char *io_blocks_text(char *buf, const struct io_options *o);
/* "4k": a size as it is typed, and as a line of a mix is named. */
const char *io_size_text(char *buf, uint64_t bytes);
const char *io_sync_name(enum io_sync sync);

#endif
