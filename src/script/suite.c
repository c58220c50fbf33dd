#include "script/suite.h"

#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct suite *suite;
    struct lang_remarks *remarks;
    const char *at; /* in the line at hand */
    const char *end;
    const char *begin;
    uint32_t line;
    struct suite_line *to; /* of the line at hand; NULL: no workload yet */
};

static struct lang_pos here(const struct reader *r)
{
    return (struct lang_pos){0, r->line, (uint32_t)(r->at - r->begin) + 1};
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool more_words(struct reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
    return r->at < r->end && *r->at != '#';
}

/* The next word without its quotes. */
static int take_word(struct reader *r, struct text *word)
{
    const char *quote = NULL;
    for (; r->at < r->end && (quote || !is_blank(*r->at)); r->at++) {
        if (*r->at == '\0') {
            lang_error(r->remarks, here(r), "a byte of value 0: text was expected");
            return -EINVAL;
        }
        if (*r->at == '"')
            quote = quote ? NULL : r->at;
        else
            text_add_bytes(word, r->at, 1);
    }
    if (word->failed)
        return -ENOMEM;
    if (!quote)
        return 0;
    r->at = quote;
    lang_error(r->remarks, here(r), "a text without end: a second \" was expected in this line");
    return -EINVAL;
}

/* How long the name of name=value is; 0: it is none. */
static size_t name_len(const char *word)
{
    size_t len = 0;
    while (isalnum((unsigned char)word[len]) || word[len] == '_')
        len++;
    return word[len] == '=' ? len : 0;
}

/* ---- words of the suite ---- */

static int take_ns(const char *value, uint64_t min, uint64_t max, uint64_t *out)
{
    struct err unsaid = {0};
    uint64_t ns = 0;
    int rc = units_parse_ns(value, &ns, &unsaid);
    if (rc < 0 || ns < min || ns > max)
        return -EINVAL;
    *out = ns;
    return 0;
}

static int take_time(struct suite_ask *ask, const char *value)
{
    return take_ns(value, SUITE_TIME_MIN_NS, SUITE_TIME_MAX_NS, &ask->time_ns);
}

static int take_warmup(struct suite_ask *ask, const char *value)
{
    return take_ns(value, 0, SUITE_WARMUP_MAX_NS, &ask->warmup_ns);
}

static int take_repeat(struct suite_ask *ask, const char *value)
{
    struct err unsaid = {0};
    uint64_t n = 0;
    int rc = units_parse_count(value, &n, &unsaid);
    if (rc < 0 || n < 1 || n > SUITE_REPEATS_MAX)
        return -EINVAL;
    ask->repeats = (unsigned)n;
    return 0;
}

static int take_dialect(struct suite_ask *ask, const char *value)
{
    static const char *const word[] = {"auto", "sun", "1.4", "1.5"};
    for (unsigned i = 0; i < sizeof word / sizeof word[0]; i++)
        if (strcmp(value, word[i]) == 0) {
            ask->dialect = (enum script_dialect)i;
            return 0;
        }
    return -EINVAL;
}

static const struct own {
    const char *name;
    enum suite_said said;
    int (*take)(struct suite_ask *ask, const char *value);
    const char *expected;
} own_words[] = {
    {"time", SUITE_TIME, take_time, "a time from 1ms to 7d"},
    {"warmup", SUITE_WARMUP, take_warmup, "a time up to 1d"},
    {"repeat", SUITE_REPEAT, take_repeat, "a whole number from 1 to 1000"},
    {"dialect", SUITE_DIALECT, take_dialect, "auto, sun, 1.4 or 1.5"},
};

static const struct own *own_word(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof own_words / sizeof own_words[0]; i++)
        if (strlen(own_words[i].name) == len && strncmp(own_words[i].name, word, len) == 0)
            return &own_words[i];
    return NULL;
}

static void take_own(struct reader *r, struct lang_pos at, const struct own *own, const char *value)
{
    struct suite_ask *ask = &r->to->ask;
    if (ask->said & own->said)
        lang_error(r->remarks, at, "%s is there twice: once was expected", own->name);
    else if (own->take(ask, value) < 0)
        lang_error(r->remarks, at, "%s=%s: %s was expected", own->name, value, own->expected);
    ask->said |= own->said;
}

/* ---- variables ---- */

static bool is_set(const struct suite_line *line, const char *word, size_t len)
{
    for (unsigned i = 0; i < line->sets; i++)
        if (strncmp(line->set[i].text, word, len + 1) == 0)
            return true;
    return false;
}

static int take_set(struct reader *r, struct lang_pos at, const char *word, size_t len)
{
    struct suite_line *line = r->to;
    if (is_set(line, word, len)) {
        lang_error(r->remarks, at, "%.*s is there twice: once was expected", (int)len, word);
        return 0;
    }
    if (line->sets == SUITE_SETS_MAX) {
        lang_error(r->remarks, at, "a variable too many: at most %u were expected", SUITE_SETS_MAX);
        return -EINVAL;
    }
    struct suite_set *more = realloc(line->set, (line->sets + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    line->set = more;
    more[line->sets] = (struct suite_set){.at = at, .text = strdup(word)};
    return more[line->sets++].text ? 0 : -ENOMEM;
}

/* ---- lines ---- */

static int take_workload(struct reader *r, struct lang_pos at, const char *word)
{
    struct suite *suite = r->suite;
    if (suite->lines == SUITE_LINES_MAX) {
        lang_error(r->remarks, at, "a workload too many: at most %u were expected",
                   SUITE_LINES_MAX);
        return -EINVAL;
    }
    struct suite_line *more = realloc(suite->line, (suite->lines + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    suite->line = more;
    r->to = &more[suite->lines];
    *r->to = (struct suite_line){.at = at, .workload = strdup(word)};
    suite->lines++;
    /* What follows is looked at all the same. */
    if (!*word || name_len(word + (*word == '$')) > 0)
        lang_error(r->remarks, at, "\"%s\": a workload was expected as the first word of a line",
                   word);
    return r->to->workload ? 0 : -ENOMEM;
}

static int take(struct reader *r, struct lang_pos at, const char *word)
{
    if (!r->to)
        return take_workload(r, at, word);
    const char *name = word + (*word == '$');
    size_t len = name_len(name);
    const struct own *own = name == word ? own_word(name, len) : NULL;
    if (len == 0)
        lang_error(r->remarks, at, "\"%s\": name=value was expected", word);
    else if (own)
        take_own(r, at, own, name + len + 1);
    else
        return take_set(r, at, name, len);
    return 0;
}

/* A line is given up at what cannot be read as words; those behind it are read. */
static int read_line(struct reader *r)
{
    struct text word;
    int rc = 0;
    r->to = NULL;
    text_init(&word);
    while (rc == 0 && more_words(r)) {
        struct lang_pos at = here(r);
        text_clear(&word);
        rc = take_word(r, &word);
        if (rc == 0)
            rc = take(r, at, word.s);
    }
    text_fini(&word);
    return rc == -EINVAL ? 0 : rc;
}

static int read_lines(struct reader *r, const char *text, size_t len)
{
    const char *end = text + len;
    int rc = 0;
    for (const char *at = text; rc == 0 && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        r->line++;
        r->begin = r->at = at;
        r->end = newline ? newline : end;
        rc = read_line(r);
        at = newline ? newline + 1 : end;
    }
    if (rc == 0 && r->suite->lines == 0 && r->remarks->errors == 0)
        lang_error(r->remarks, (struct lang_pos){0, 1, 1},
                   "nothing to run: a line such as \"varmail nfiles=1000 time=60s\" was expected");
    return rc;
}

static int name_remarks(struct lang_remarks *remarks, const char *name)
{
    remarks->file = calloc(1, sizeof *remarks->file);
    if (!remarks->file)
        return -ENOMEM;
    remarks->file[0] = strdup(name);
    remarks->files = remarks->file[0] != NULL;
    return remarks->file[0] ? 0 : -ENOMEM;
}

int suite_parse(const char *name, const char *text, size_t len, struct suite **out,
                struct lang_remarks *remarks)
{
    struct reader r = {.suite = calloc(1, sizeof *r.suite), .remarks = remarks};
    if (!r.suite)
        return -ENOMEM;
    int rc = name_remarks(remarks, name);
    if (rc == 0)
        rc = read_lines(&r, text, len);
    if (remarks->failed)
        rc = -ENOMEM;
    if (rc == 0 && remarks->errors > 0)
        rc = -EINVAL;
    if (rc == 0)
        *out = r.suite;
    else
        suite_free(r.suite);
    return rc;
}

void suite_free(struct suite *suite)
{
    if (!suite)
        return;
    for (unsigned i = 0; i < suite->lines; i++) {
        for (unsigned k = 0; k < suite->line[i].sets; k++)
            free(suite->line[i].set[k].text);
        free(suite->line[i].set);
        free(suite->line[i].workload);
    }
    free(suite->line);
    free(suite);
}

struct suite_ask suite_ask_over(const struct suite_ask *ask, const struct suite_ask *over)
{
    struct suite_ask both = *ask;
    both.said |= over->said;
    both.time_ns = over->said & SUITE_TIME ? over->time_ns : ask->time_ns;
    both.warmup_ns = over->said & SUITE_WARMUP ? over->warmup_ns : ask->warmup_ns;
    both.repeats = over->said & SUITE_REPEAT ? over->repeats : ask->repeats;
    both.dialect = over->said & SUITE_DIALECT ? over->dialect : ask->dialect;
    return both;
}
