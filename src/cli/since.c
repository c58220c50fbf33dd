#include "cli/since.h"

#include "base/units.h"
#include "clk/clk.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static int refuse(struct err *err)
{
    return err_set(err, -EINVAL, SINCE_ACCEPTS);
}

static bool all_read(const char *text, const char *form, struct tm *tm)
{
    *tm = (struct tm){.tm_isdst = -1};
    const char *end = strptime(text, form, tm);
    return end && *end == '\0';
}

/* mktime makes 1 March of 30 February. */
static int date_of(struct tm tm, uint64_t *out, struct err *err)
{
    struct tm asked = tm;
    time_t t = mktime(&tm);
    if (t < 0 || tm.tm_mday != asked.tm_mday || tm.tm_mon != asked.tm_mon)
        return err_set(err, -EINVAL, "there is no such day since 1970");
    *out = (uint64_t)t * 1000000000u;
    return 0;
}

static int age_of(const char *text, uint64_t *out, struct err *err)
{
    uint64_t age = 0, now = clk_wall_ns();
    size_t len = strlen(text);
    bool unit = len > 0 && strchr("smhd", text[len - 1]);
    if (!unit || units_parse_ns(text, &age, NULL) < 0)
        return refuse(err);
    *out = age < now ? now - age : 0;
    return 0;
}

int since_parse(const char *text, void *value, struct err *err)
{
    static const char *const form[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
                                       "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    struct tm tm;
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        if (all_read(text, form[i], &tm))
            return date_of(tm, value, err);
    }
    return age_of(text, value, err);
}
