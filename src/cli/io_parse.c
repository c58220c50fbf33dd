/* Values of io's options that are more than a number. */
#include "cli/io_values.h"

#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MAX (UINT64_C(1) << 30)
#define WORD_MAX  32

/* ---- parts of a value ---- */

/* The text up to `stop` as a word of its own; false: too long or empty. */
static bool word_of(const char *text, size_t len, char word[WORD_MAX])
{
    if (len == 0 || len >= WORD_MAX)
        return false;
    memcpy(word, text, len);
    word[len] = '\0';
    return true;
}

static bool parse_count(const char *text, size_t len, uint64_t most, uint64_t *out)
{
    char word[WORD_MAX];
    return word_of(text, len, word) && units_parse_count(word, out, NULL) >= 0 && *out <= most;
}

/* A plain decimal number; strtod alone would take "nan", "0x1" and leading spaces. */
static bool parse_decimal(const char *text, size_t len, double *out)
{
    char word[WORD_MAX];
    char *end;
    if (!word_of(text, len, word) || strspn(word, "0123456789.") != len)
        return false;
    *out = strtod(word, &end);
    return *end == '\0' && isfinite(*out);
}

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* ---- --block ---- */

static int add_block(struct io_blocks *list, const char *item, size_t len)
{
    const char *colon = memchr(item, ':', len);
    size_t size_len = colon ? (size_t)(colon - item) : len;
    struct io_block *block = &list->block[list->n];
    uint64_t percent = 100;
    char word[WORD_MAX];
    if (list->n == IO_BLOCKS_MAX || !word_of(item, size_len, word) ||
        units_parse_bytes(word, &block->bytes, NULL) < 0)
        return -EINVAL;
    if (colon && !parse_count(colon + 1, len - size_len - 1, 100, &percent))
        return -EINVAL;
    if (block->bytes < 1 || block->bytes > BLOCK_MAX || percent < 1)
        return -EINVAL;
    block->percent = (unsigned)percent;
    list->n++;
    return 0;
}

int io_parse_blocks(const char *text, void *value, struct err *err)
{
    struct io_blocks list = {.n = 0};
    unsigned sum = 0;
    for (const char *item = text;;) {
        size_t len = strcspn(item, ",");
        if (add_block(&list, item, len) < 0)
            return -EINVAL;
        if (!item[len])
            break;
        item += len + 1;
    }
    for (unsigned i = 0; i < list.n; i++)
        sum += list.block[i].percent;
    if (sum != 100)
        return err_set(err, -EINVAL, "the shares add up to %u per cent, not to 100", sum);
    *(struct io_blocks *)value = list;
    return 0;
}

/* ---- --dist, --mix, --compress ---- */

int io_parse_dist(const char *text, void *value, struct err *err)
{
    struct io_dist dist = {.where = IO_UNIFORM};
    uint64_t ops = 0, blocks = 0;
    (void)err;
    size_t kind = strcspn(text, ":");
    const char *rest = text[kind] ? text + kind + 1 : "";
    size_t slash = strcspn(rest, "/");
    if (strcmp(text, "uniform") == 0) {
        dist.where = IO_UNIFORM;
    } else if (strcmp(text, "seq") == 0) {
        dist.where = IO_SEQ;
    } else if (is_word(text, kind, "zipf")) {
        dist.where = IO_ZIPF;
        if (!parse_decimal(rest, strlen(rest), &dist.skew) || dist.skew < 0.001 || dist.skew > 20)
            return -EINVAL;
    } else if (is_word(text, kind, "hot")) {
        dist.where = IO_HOT;
        if (!rest[slash] || !parse_count(rest, slash, 99, &ops) ||
            !parse_count(rest + slash + 1, strlen(rest + slash + 1), 99, &blocks) || ops < 1 ||
            blocks < 1)
            return -EINVAL;
        dist.hot_ops = (unsigned)ops;
        dist.hot_blocks = (unsigned)blocks;
    } else {
        return -EINVAL;
    }
    *(struct io_dist *)value = dist;
    return 0;
}

int io_parse_mix(const char *text, void *value, struct err *err)
{
    uint64_t reads, writes;
    size_t slash = strcspn(text, "/");
    if (!text[slash] || !parse_count(text, slash, 100, &reads) ||
        !parse_count(text + slash + 1, strlen(text + slash + 1), 100, &writes))
        return -EINVAL;
    if (reads + writes != 100)
        return err_set(err, -EINVAL, "the shares add up to %llu per cent, not to 100",
                       (unsigned long long)(reads + writes));
    *(uint64_t *)value = reads;
    return 0;
}

int io_parse_compress(const char *text, void *value, struct err *err)
{
    double ratio;
    size_t colon = strcspn(text, ":");
    (void)err;
    if (strcmp(text + colon, ":1") != 0 || !parse_decimal(text, colon, &ratio) || ratio < 1.1 ||
        ratio > 10)
        return -EINVAL;
    *(uint32_t *)value = (uint32_t)(ratio * 100 + 0.5);
    return 0;
}
