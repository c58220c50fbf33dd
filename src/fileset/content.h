/* fileset/content.h — what is written: every byte a function of (seed, file key, offset), and of how
 * often it was written where that is more than once.
 * Shape    content_open makes one read-only block per seed; content_fill copies from it and stamps
 *          each whole 512-byte sector of the file (sector number from the file's start) with 16
 *          bytes; content_check compares at any offset and length what was written once. An
 *          overwrite carries a generation of its own, so that storage which compares blocks with
 *          what it has cannot skip it. Compressible content is made the same way, from a block
 *          whose sectors each end in zeros.
 * Units    bytes.
 * Limits   incompressible and not repeating at any block size of 512 bytes to 1 MiB (a compressor
 *          whose window reaches back further sees the block come round again); off and len are free
 *          (a fill of any part gives the same bytes as a fill of the whole). A generation shows in
 *          each whole sector by 8 of its bytes: an overwrite that covers none of them is identical.
 *          Compressible as zlib sees it: within 10 % of what was asked in blocks of 4 KiB, 3 % from
 *          64 KiB up, 1.1 : 1 to 10 : 1; files below a sector only about so.
 * Errors   -ENOMEM.                              Threads  read-only after open.
 * Source   tests/unit/test_content.c: no eight bytes twice in 1 MiB, even byte counts, no equal
 *          sectors, any split gives equal bytes, no generation of a sector equals another;
 *          tests/cli/test_compress.py: zlib's own ratio; docs/adr/0008, docs/adr/0013. */
#ifndef LOADLINE_FILESET_CONTENT_H
#define LOADLINE_FILESET_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#define CONTENT_SECTOR 512
#define CONTENT_BLOCK  ((size_t)1 << 20)

/* The generation of whole files, which can be checked. */
#define CONTENT_WRITTEN_ONCE 0

/* Of a ratio in hundredths, 200 is 2 : 1; 0 is incompressible. */
#define CONTENT_COMPRESS_MIN 110
#define CONTENT_COMPRESS_MAX 1000

struct content {
    uint64_t seed;
    uint64_t entry_bytes;       /* files enter the block at multiples of it */
    const unsigned char *block; /* CONTENT_BLOCK bytes, twice in a row */
};

__attribute__((warn_unused_result)) int content_open(struct content *c, uint64_t seed,
                                                     uint32_t compress_centi);
void content_close(struct content *c);

void content_fill(const struct content *c, uint64_t key, uint64_t file_bytes, uint64_t generation,
                  uint64_t off, void *buf, size_t len);

/* -1 when all len bytes are right, else the place in buf of the first wrong byte. */
int64_t content_check(const struct content *c, uint64_t key, uint64_t file_bytes, uint64_t off,
                      const void *buf, size_t len);

#endif
