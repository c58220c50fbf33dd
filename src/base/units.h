/* base/units.h — sizes, times, rates and counts as people write them, both ways.
 * Shape    units_parse_* text → number; units_print_* number → text in the caller's buffer.
 * Units    k m g t are binary (1024); KiB MiB GiB TiB too; KB MB GB TB are powers of ten and are
 *          accepted in full spelling only. Times take ns us ms s m h d; a bare number is seconds.
 *          Rates are per second: "5000/s", "5k/s" (k binary is refused here: 5k/s is 5000/s),
 *          "300/min" or a bare number.
 *          One space may stand between number and unit, so that what is printed can be typed.
 * Limits   values up to UINT64_MAX; fractions allowed where a unit follows ("1.5m", "0.1s"),
 *          rounded to the nearest whole byte or ns; a fraction that rounds to nothing is refused.
 * Errors   -EINVAL with words that name the text and what is accepted; -ERANGE too large.
 * Threads  no state. */
#ifndef LOADLINE_BASE_UNITS_H
#define LOADLINE_BASE_UNITS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define UNITS_PRINT_MAX 32 /* room that every units_print_* needs */

__attribute__((warn_unused_result)) int units_parse_bytes(const char *text, uint64_t *out_bytes,
                                                          struct err *err);
__attribute__((warn_unused_result)) int units_parse_ns(const char *text, uint64_t *out_ns,
                                                       struct err *err);
__attribute__((warn_unused_result)) int units_parse_rate(const char *text, double *out_per_s,
                                                         struct err *err);
__attribute__((warn_unused_result)) int units_parse_count(const char *text, uint64_t *out,
                                                          struct err *err);

/* Exact where it can be: 1536 → "1536 B", 1572864 → "1.5 MiB", 4096 → "4 KiB". Two
 * decimals, zeros included, where it cannot: 1048577 → "1.00 MiB". Returns buf. */
char *units_print_bytes(char buf[UNITS_PRINT_MAX], uint64_t bytes);
/* Three significant digits: "850 ns", "12.3 us", "4.56 ms", "1.50 s", "2 m 05 s". Returns buf. */
char *units_print_ns(char buf[UNITS_PRINT_MAX], uint64_t ns);

#endif
