#include "fileset/content.h"

#include "base/rng.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define STAMP_BYTES 16
#define CHECK_BYTES 4096

/* Twice in a row, so that any piece up to CONTENT_BLOCK long is one memcpy from any entry. */
int content_open(struct content *c, uint64_t seed)
{
    struct rng rng;
    unsigned char *block =
        mmap(NULL, 2 * CONTENT_BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == MAP_FAILED)
        return -ENOMEM;
    rng_seed(&rng, seed);
    for (size_t at = 0; at < CONTENT_BLOCK; at += sizeof(uint64_t)) {
        uint64_t word = htole64(rng_next(&rng));
        memcpy(block + at, &word, sizeof word);
    }
    memcpy(block + CONTENT_BLOCK, block, CONTENT_BLOCK);
    /* Content that could change would make verification worthless. */
    if (mprotect(block, 2 * CONTENT_BLOCK, PROT_READ) != 0) {
        munmap(block, 2 * CONTENT_BLOCK);
        return -ENOMEM;
    }
    c->seed = seed;
    c->block = block;
    return 0;
}

void content_close(struct content *c)
{
    if (c->block != NULL)
        munmap((void *)(uintptr_t)c->block, 2 * CONTENT_BLOCK);
    c->block = NULL;
}

/* mix64 is a bijection: no two sectors of a file share the first word. The second one tells files
 * apart whose first words meet, and one generation of a sector from the next. */
static void make_stamp(uint64_t file, uint64_t sector, uint64_t generation,
                       unsigned char stamp[STAMP_BYTES])
{
    uint64_t first = mix64(file + sector);
    uint64_t second = ((first ^ file) + generation) * 0xd1342543de82ef95u;

    first = htole64(first);
    second = htole64(second);
    memcpy(stamp, &first, sizeof first);
    memcpy(stamp + sizeof first, &second, sizeof second);
}

/* The part of the stamp at file offset `at` that lies in [off, off + len). */
static void put_part(const unsigned char stamp[STAMP_BYTES], uint64_t at, uint64_t off,
                     unsigned char *buf, size_t len)
{
    for (size_t i = 0; i < STAMP_BYTES; i++) {
        if (at + i >= off && at + i - off < len)
            buf[at + i - off] = stamp[i];
    }
}

static void put_stamps(uint64_t file, uint64_t file_bytes, uint64_t generation, uint64_t off,
                       unsigned char *buf, size_t len)
{
    uint64_t sectors = file_bytes / CONTENT_SECTOR;
    unsigned char stamp[STAMP_BYTES];

    for (uint64_t sector = off / CONTENT_SECTOR; sector < sectors; sector++) {
        uint64_t at = sector * CONTENT_SECTOR;
        if (at >= off + len)
            break;
        make_stamp(file, sector, generation, stamp);
        if (at >= off && at + STAMP_BYTES <= off + len)
            memcpy(buf + (at - off), stamp, STAMP_BYTES);
        else
            put_part(stamp, at, off, buf, len);
    }
}

/* A file with stamps enters at one of 1,024 places, a cache line apart, in the first 64 KiB: the source
 * of small files then stays in the processor's second-level cache, which is a third of the cost of
 * making them. One without stamps has only its entry to tell it from others: any byte. */
static uint64_t entry_of(uint64_t file, uint64_t file_bytes)
{
    return file_bytes < CONTENT_SECTOR ? file : (file & 0x3ff) * 64;
}

void content_fill(const struct content *c, uint64_t key, uint64_t file_bytes, uint64_t generation,
                  uint64_t off, void *buf, size_t len)
{
    uint64_t file = mix64_pair(c->seed, key);
    unsigned char *to = buf;

    for (size_t done = 0; done < len;) {
        size_t from = (size_t)((entry_of(file, file_bytes) + off + done) & (CONTENT_BLOCK - 1));
        size_t n = len - done < CONTENT_BLOCK ? len - done : CONTENT_BLOCK;
        memcpy(to + done, c->block + from, n);
        done += n;
    }
    put_stamps(file, file_bytes, generation, off, to, len);
}

static int64_t first_difference(const unsigned char *a, const unsigned char *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i])
            return (int64_t)i;
    }
    return -1;
}

int64_t content_check(const struct content *c, uint64_t key, uint64_t file_bytes, uint64_t off,
                      const void *buf, size_t len)
{
    unsigned char right[CHECK_BYTES];
    const unsigned char *is = buf;

    for (size_t done = 0; done < len;) {
        size_t n = len - done < CHECK_BYTES ? len - done : CHECK_BYTES;
        content_fill(c, key, file_bytes, CONTENT_WRITTEN_ONCE, off + done, right, n);
        if (memcmp(is + done, right, n) != 0)
            return (int64_t)done + first_difference(is + done, right, n);
        done += n;
    }
    return -1;
}
