#include "verdict/change_words.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static void put_signed(char *buf, size_t room, double frac)
{
    double percent = frac * 100;
    int decimals = fabs(percent) < 99.95 ? 1 : 0;
    bool zero = fabs(percent) < 0.05;

    snprintf(buf, room, "%s%.*f",
             zero          ? ""
             : percent < 0 ? "-"
                           : "+",
             decimals, zero ? 0 : fabs(percent));
}

char *change_words(char buf[CHANGE_WORDS_MAX], double frac)
{
    char number[CHANGE_WORDS_MAX / 2];

    if (!isfinite(frac) || frac > 1e6) {
        snprintf(buf, CHANGE_WORDS_MAX, "-");
        return buf;
    }
    put_signed(number, sizeof number, frac);
    snprintf(buf, CHANGE_WORDS_MAX, "%s%%", number);
    return buf;
}

char *change_words_interval(char buf[CHANGE_WORDS_MAX], double low, double high)
{
    char from[CHANGE_WORDS_MAX / 3], to[CHANGE_WORDS_MAX / 3];

    put_signed(from, sizeof from, low);
    if (!isfinite(high) || high > 99)
        snprintf(to, sizeof to, ">+9900");
    else
        put_signed(to, sizeof to, high);
    snprintf(buf, CHANGE_WORDS_MAX, "%s … %s%%", from, to);
    return buf;
}
