#include "fileset/content.h"

#include "base/rng.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define STAMP_BYTES 16
#define CHECK_BYTES 4096
#define ENTRY_BYTES 64
#define ENTRY_LAST  ((64u << 10) - 1)

/* Of zlib, level 6: bytes a run of zeros, and bytes a random byte. */
#define ZEROS_COST   3.0
#define LITERAL_COST 1.02

/* How much of a sector is random. Zeros and the switch to them cost a compressor some bits, too; and
 * random bytes beside them take a little more than their own size: both were fitted to zlib. */
static size_t random_bytes(uint32_t compress_centi)
{
    double share = 100.0 / compress_centi;
    double bytes = (CONTENT_SECTOR * share - ZEROS_COST) / LITERAL_COST;
    return bytes < STAMP_BYTES ? STAMP_BYTES : (size_t)(bytes + 0.5);
}

/* The zeros lie in the block itself, so that content which compresses costs what other content does:
 * one copy. */
static void put_zeros(unsigned char *block, uint32_t compress_centi)
{
    size_t kept = random_bytes(compress_centi);
    for (size_t at = 0; at < CONTENT_BLOCK; at += CONTENT_SECTOR)
        memset(block + at + kept, 0, CONTENT_SECTOR - kept);
}

/* Twice in a row, so that any piece up to CONTENT_BLOCK long is one memcpy from any entry. */
int content_open(struct content *c, uint64_t seed, uint32_t compress_centi)
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
    if (compress_centi > 0)
        put_zeros(block, compress_centi);
    memcpy(block + CONTENT_BLOCK, block, CONTENT_BLOCK);
    /* Content that could change would make verification worthless. */
    if (mprotect(block, 2 * CONTENT_BLOCK, PROT_READ) != 0) {
        munmap(block, 2 * CONTENT_BLOCK);
        return -ENOMEM;
    }
    c->seed = seed;
    c->entry_bytes = compress_centi > 0 ? CONTENT_SECTOR : ENTRY_BYTES;
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
 * making them. Of compressible content the places are sectors, so that stamps fall on what is random.
 * One without stamps has only its entry to tell it from others: any byte. */
static uint64_t entry_of(const struct content *c, uint64_t file, uint64_t file_bytes)
{
    return file_bytes < CONTENT_SECTOR ? file : file * c->entry_bytes & ENTRY_LAST;
}

void content_fill(const struct content *c, uint64_t key, uint64_t file_bytes, uint64_t generation,
                  uint64_t off, void *buf, size_t len)
{
    uint64_t file = mix64_pair(c->seed, key);
    unsigned char *to = buf;

    for (size_t done = 0; done < len;) {
        size_t from = (size_t)((entry_of(c, file, file_bytes) + off + done) & (CONTENT_BLOCK - 1));
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
