#include "target/sim_keys_priv.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PPM 1000000u

int sim_text_bad(struct err *err, const char *value, const char *accepted)
{
    return err_set(err, -EINVAL, "\"%.60s\" is not accepted: %s", value, accepted);
}

bool sim_text_word(const char **text, char word[SIM_WORD_MAX])
{
    const char *at = *text + strspn(*text, " \t");
    size_t len = strcspn(at, " \t");

    if (len == 0 || len >= SIM_WORD_MAX)
        return false;
    memcpy(word, at, len);
    word[len] = '\0';
    *text = at + len;
    return true;
}

bool sim_text_split(const char *text, const char *at, char left[SIM_WORD_MAX], const char **right)
{
    const char *mark = strstr(text, at);
    size_t len = mark != NULL ? (size_t)(mark - text) : 0;

    if (len == 0 || len >= SIM_WORD_MAX || mark[strlen(at)] == '\0')
        return false;
    memcpy(left, text, len);
    left[len] = '\0';
    *right = mark + strlen(at);
    return true;
}

/* "30%" */
int sim_share_parse(const char *text, uint64_t *out, struct err *err)
{
    size_t len = strlen(text);
    char number[SIM_WORD_MAX];
    double percent;

    if (len < 2 || len >= sizeof number || text[len - 1] != '%')
        return sim_text_bad(err, text, "give a percentage, as 30%");
    snprintf(number, sizeof number, "%.*s", (int)(len - 1), text);
    if (strspn(number, "0123456789.") != len - 1)
        return sim_text_bad(err, text, "give a percentage, as 30%");
    /* A rate of "12.5/s" is read as a number with a fraction; no other reader is. */
    snprintf(number, sizeof number, "%.*s/s", (int)(len - 1), text);
    if (len > 20 || units_parse_rate(number, &percent, NULL) < 0 || percent > 100)
        return sim_text_bad(err, text, "give a percentage, as 30%");
    *out = (uint64_t)(percent * 10000 + 0.5);
    return 0;
}

/* ---- times ---- */

static int uniform(const char *text, struct sim_time *out, struct err *err)
{
    struct sim_time t = {.kind = SIM_TIME_TABLE, .points = 2};
    char low[SIM_WORD_MAX];
    const char *high;

    t.point[1].share_ppm = PPM;
    if (!sim_text_split(text, "-", low, &high) || units_parse_ns(low, &t.point[0].ns, NULL) < 0 ||
        units_parse_ns(high, &t.point[1].ns, NULL) < 0 || t.point[0].ns > t.point[1].ns)
        return sim_text_bad(err, text, "give the lesser time first, as 128us-260us");
    *out = t;
    return 0;
}

/* One "50:180us" of a table. */
static bool take_point(const char *word, struct sim_time *t)
{
    unsigned i = t->points;
    char percent[SIM_WORD_MAX];
    const char *time;
    uint64_t ppm;

    if (i == SIM_TABLE_MAX || !sim_text_split(word, ":", percent, &time) || strlen(percent) > 16)
        return false;
    memcpy(percent + strlen(percent), "%", sizeof "%");
    if (sim_share_parse(percent, &ppm, NULL) < 0 || units_parse_ns(time, &t->point[i].ns, NULL) < 0)
        return false;
    t->point[i].share_ppm = (uint32_t)ppm;
    t->points++;
    return i == 0 ? ppm == 0
                  : ppm >= t->point[i - 1].share_ppm && t->point[i].ns >= t->point[i - 1].ns;
}

static int table(const char *text, struct sim_time *out, struct err *err)
{
    struct sim_time t = {.kind = SIM_TIME_TABLE};
    const char *at = text;
    char word[SIM_WORD_MAX];
    bool good = true;

    while (good && sim_text_word(&at, word))
        good = take_point(word, &t);
    good = good && at[strspn(at, " \t")] == '\0' && t.points >= 2 &&
           t.point[t.points - 1].share_ppm == PPM;
    if (!good)
        return sim_text_bad(
            err, text,
            "give percent and time, both rising, from 0 to 100, 16 pairs at most, as "
            "\"0:120us 50:180us 100:2ms\"");
    *out = t;
    return 0;
}

/* The area under the quantiles. */
static uint64_t table_mean(const struct sim_time *t)
{
    unsigned __int128 sum = 0;

    for (unsigned i = 1; i < t->points; i++)
        sum += (unsigned __int128)(t->point[i].share_ppm - t->point[i - 1].share_ppm) *
               (t->point[i].ns + t->point[i - 1].ns);
    return (uint64_t)(sum / (2 * PPM));
}

int sim_time_parse(const char *text, struct sim_time *out, struct err *err)
{
    int rc;

    if (strchr(text, ':') != NULL)
        rc = table(text, out, err);
    else if (strchr(text, '-') != NULL)
        rc = uniform(text, out, err);
    else {
        bool exponential = strncmp(text, "exp ", 4) == 0;

        *out = (struct sim_time){.kind = exponential ? SIM_TIME_EXP : SIM_TIME_FIXED};
        return units_parse_ns(text + (exponential ? 4 : 0), &out->mean_ns, err);
    }
    if (rc == 0)
        out->mean_ns = table_mean(out);
    return rc;
}
