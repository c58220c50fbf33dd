/* unit/wire.h — messages as 32-bit words, and bytes compared with them.
 * Shape    struct wire w = wire_words((const uint32_t[]){…}, n); wire_in(&w) reads it.
 * Limits   WIRE_MAX words.                        Threads  values. */
#ifndef LOADLINE_UNIT_WIRE_H
#define LOADLINE_UNIT_WIRE_H

#include "nfs/xdr.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define WIRE_MAX 256

struct wire {
    unsigned char bytes[4 * WIRE_MAX];
    size_t len;
};

static inline void wire_add(struct wire *w, const uint32_t *words, size_t n)
{
    assert_true(w->len + 4 * n <= sizeof w->bytes);
    for (size_t i = 0; i < n; i++) {
        for (int shift = 24; shift >= 0; shift -= 8)
            w->bytes[w->len++] = (unsigned char)(words[i] >> shift);
    }
}

static inline struct xdr_in wire_in(const struct wire *w)
{
    return xdr_in(w->bytes, w->len);
}

#define WIRE_ADD(w, ...)                                                                           \
    wire_add(w, (const uint32_t[]){__VA_ARGS__},                                                   \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* A file with this size, 84 bytes as RFC 1813 has them. */
static inline void wire_add_attr(struct wire *w, uint32_t type, uint32_t size)
{
    WIRE_ADD(w, type, 0640, 1, 1000, 100, 0, size, 0, 8192, 0, 0, 0, 7, 1, 42, 11, 12, 13, 14, 15,
             16);
}

#define WIRE_IS(buf, out, ...)                                                                     \
    do {                                                                                           \
        struct wire want = {.len = 0};                                                             \
        WIRE_ADD(&want, __VA_ARGS__);                                                              \
        assert_false((out)->bad);                                                                  \
        assert_int_equal((out)->at - (buf), want.len);                                             \
        assert_memory_equal(buf, want.bytes, want.len);                                            \
    } while (0)

#endif
