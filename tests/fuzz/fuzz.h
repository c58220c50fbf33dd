/* fuzz/fuzz.h — what every fuzz_NAME.c defines, for libFuzzer and for replay.c.
 * Shape    one call per input; must return 0, keep nothing, print nothing, and trap (FUZZ_CHECK)
 *          when a promise of the header under test is broken.
 * Threads  one. */
#ifndef LOADLINE_FUZZ_FUZZ_H
#define LOADLINE_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_CHECK(promise) ((promise) ? (void)0 : __builtin_trap())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
