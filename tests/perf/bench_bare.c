/* What a file gives to a loop of pread and nothing else, on one thread.
 *
 * bench_bare DIRECTORY FILES FILE_BYTES BLOCK random|seq MS     CPU ns a read
 *
 * Makes its own files, and reads what a cache holds: of random reads, each picks a file and a place; in order, file behind
 * file, again and again. */
#include "perf.h"

#include "base/rng.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX  1024
#define CHUNK      ((uint64_t)1 << 20)
#define CLOCK_EACH 64 /* reads */

struct reads {
    uint64_t files, file_bytes, block;
    char *buf; /* of a chunk and of a block */
    int fd[FILES_MAX];
};

static uint64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Written in whole, so that it is in the cache. */
static void make_files(struct reads *r, const char *directory)
{
    char path[4096];

    memset(r->buf, 'x', CHUNK > r->block ? CHUNK : r->block);
    for (uint64_t i = 0; i < r->files; i++) {
        snprintf(path, sizeof path, "%s/bare%03u", directory, (unsigned)i);
        r->fd[i] = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (r->fd[i] < 0)
            perf_fail_errno(path);
        unlink(path);
        for (uint64_t off = 0; off < r->file_bytes; off += CHUNK) {
            uint64_t len = r->file_bytes - off < CHUNK ? r->file_bytes - off : CHUNK;
            if (pwrite(r->fd[i], r->buf, len, (off_t)off) != (ssize_t)len)
                perf_fail_errno(path);
        }
    }
}

static void read_at(struct reads *r, uint64_t number)
{
    uint64_t blocks = r->file_bytes / r->block;

    if (pread(r->fd[number / blocks], r->buf, r->block, (off_t)(number % blocks * r->block)) !=
        (ssize_t)r->block)
        perf_fail_errno("a read");
}

static double run(struct reads *r, bool random, uint64_t length_ns)
{
    uint64_t all = r->files * (r->file_bytes / r->block);
    uint64_t begin = cpu_ns();
    uint64_t spent = 0;
    uint64_t ops = 0;
    struct rng rng;

    rng_seed(&rng, PERF_SEED);
    while (spent < length_ns) {
        for (unsigned i = 0; i < CLOCK_EACH; i++, ops++)
            read_at(r, random ? rng_below(&rng, all) : ops % all);
        spent = cpu_ns() - begin;
    }
    return (double)spent / (double)ops;
}

int main(int argc, char **argv)
{
    struct reads r = {0};

    if (argc != 7)
        perf_fail(argv[0], "DIRECTORY FILES FILE_BYTES BLOCK random|seq MS");
    r.files = strtoull(argv[2], NULL, 10);
    r.file_bytes = strtoull(argv[3], NULL, 10);
    r.block = strtoull(argv[4], NULL, 10);
    if (r.files == 0 || r.files > FILES_MAX || r.block == 0 || r.file_bytes < r.block)
        perf_fail(argv[0], "sizes that do not fit");
    r.buf = aligned_alloc(4096, (CHUNK > r.block ? CHUNK : r.block) + 4096);
    if (r.buf == NULL)
        perf_fail_errno("a buffer");
    make_files(&r, argv[1]);
    printf("%.3f\n",
           run(&r, strcmp(argv[5], "random") == 0, strtoull(argv[6], NULL, 10) * 1000000));
    for (uint64_t i = 0; i < r.files; i++)
        close(r.fd[i]);
    free(r.buf);
    return 0;
}
