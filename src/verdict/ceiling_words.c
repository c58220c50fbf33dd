#include "verdict/ceilings_priv.h"

#include <string.h>

/* In the order of the ladder. */
static const struct {
    const char *row;
    const char *title;
} titles[] = {
    {"stream-read-cache", "stream read, cache"},
    {"stream-read-disk", "stream read, disk"},
    {"stream-write-disk", "stream write, disk"},
    {"read-1b-cache", "1-byte read, cache"},
    {"read-4k-cache", "4 KiB read, cache"},
    {"read-512-flash", "512-byte read, flash"},
    {"write-512-sync", "512-byte sync write"},
    {"read-block-disk", "one-block read, disk"},
    {"read-4k-disk", "4 KiB read, disk"},
    {"write-4k-disk", "4 KiB write, disk"},
    {"create", "create"},
    {"stat", "stat"},
    {"unlink", "unlink"},
};

static const char *const states[] = {
    [CEILING_FOUND] = "found",           [CEILING_RISING] = "still rising",
    [CEILING_STARVED] = "starved",       [CEILING_NOT_PROVEN] = "not proven",
    [CEILING_INCOMPLETE] = "incomplete", [CEILING_NOT_APPLICABLE] = "not applicable",
    [CEILING_SKIPPED] = "skipped",
};

unsigned ceiling_rank(const char *row)
{
    unsigned i = 0;

    while (i < sizeof titles / sizeof *titles && strcmp(titles[i].row, row) != 0)
        i++;
    return i;
}

const char *ceiling_title(const char *row)
{
    unsigned rank = ceiling_rank(row);

    return rank < sizeof titles / sizeof *titles ? titles[rank].title : NULL;
}

const char *ceiling_state_name(enum ceiling_state state)
{
    return states[state];
}

const char *ceiling_option(const struct result *r, const char *key)
{
    const char *value = result_fact_get(&r->options, key);

    return value ? value : "";
}

bool ceiling_option_is(const struct result *r, const char *key, const char *value)
{
    return strcmp(ceiling_option(r, key), value) == 0;
}
