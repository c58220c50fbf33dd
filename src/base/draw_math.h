/* base/draw_math.h — logarithm, exponential and powers that are the same on every machine.
 * Shape    pure functions of +, −, ·, / and shifts of the exponent, which IEEE 754 defines to the last
 *          bit; those of a C library differ between its versions, and within one between processors.
 * Limits   relative error below 4·10^-15 (draw_pow: times the size of the logarithm).
 * Errors   none: draw_log of 0 is −∞, of less than 0 no number.      Threads  no state.
 * Source   tests/unit/test_draw.c compares with the C library and pins bits. */
#ifndef LOADLINE_BASE_DRAW_MATH_H
#define LOADLINE_BASE_DRAW_MATH_H

double draw_log(double x);
double draw_exp(double x);
/* x ≥ 0. */
double draw_pow(double x, double y);
/* The gamma function of x > 0. */
double draw_gamma_of(double x);

#endif
