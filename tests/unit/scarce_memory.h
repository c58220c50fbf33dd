/* unit/scarce_memory.h — an allocator that fails where a test wants it to.
 * Shape    included once, by the test program itself: it takes the place of malloc. Allocation
 *          `fail_at` since `calls` was set to 0 fails, and with fail_on all behind it; in_use counts
 *          what has not been freed.
 * Limits   the sanitizers have an allocator of their own, which cannot be made to fail: with them
 *          SANITIZED is defined, and nothing fails.
 * Threads  one. */
#ifndef LOADLINE_UNIT_SCARCE_MEMORY_H
#define LOADLINE_UNIT_SCARCE_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static unsigned long calls;
static unsigned long fail_at; /* 0: none */
static bool fail_on;          /* all behind it as well */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
static long in_use(void)
{
    return 0;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static long live;

static bool fails(void)
{
    bool now = ++calls == fail_at || (fail_on && fail_at && calls > fail_at);
    if (now)
        errno = ENOMEM;
    return now;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
    if (fails())
        return NULL;
    return p ? __libc_realloc(p, size) : counted(__libc_realloc(p, size));
}

void free(void *p)
{
    live -= p != NULL;
    __libc_free(p);
}

static long in_use(void)
{
    return live;
}
#endif

#endif
