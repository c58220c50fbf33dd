#include "target/sim_keys_priv.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int outside(struct err *err, const char *value)
{
    return err_set(err, -EINVAL, "\"%.60s\" is too small or too large", value);
}

/* ---- numbers ---- */

/* "1g" is 10^9 bit/s: lines are decimal. */
static int line_rate(const char *text, uint64_t *out, struct err *err)
{
    double per_s;

    if (strchr(text, '/') != NULL || units_parse_rate(text, &per_s, NULL) < 0 || per_s > 1e15)
        return sim_text_bad(err, text, "give bits per second of a line, as 1g, 2.5g or 100m");
    *out = (uint64_t)(per_s + 0.5);
    return 0;
}

static int byte_rate(const char *text, uint64_t *out, struct err *err)
{
    char bytes[SIM_WORD_MAX];
    const char *per;

    if (!sim_text_split(text, "/", bytes, &per) || strcmp(per, "s") != 0 ||
        units_parse_bytes(bytes, out, NULL) < 0)
        return sim_text_bad(err, text,
                            "give bytes per second, binary as 85m/s or decimal as 85MB/s");
    return 0;
}

static int picoseconds(const char *text, uint64_t *out, struct err *err)
{
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits;
    char number[SIM_WORD_MAX];

    if (digits > 0 && digits < sizeof number && strcmp(unit, "ps") == 0) {
        snprintf(number, sizeof number, "%.*s", (int)digits, text);
        return units_parse_count(number, out, err);
    }
    return sim_text_bad(err, text, "give whole picoseconds for a byte, as 6500ps");
}

static int number_of(enum sim_value value, const char *text, uint64_t *out, struct err *err)
{
    switch (value) {
    case SIM_VALUE_BYTES:
    case SIM_VALUE_SHORT:
        return units_parse_bytes(text, out, err);
    case SIM_VALUE_NS:
        return units_parse_ns(text, out, err);
    case SIM_VALUE_LINE:
        return line_rate(text, out, err);
    case SIM_VALUE_RATE:
        return byte_rate(text, out, err);
    case SIM_VALUE_PS:
        return picoseconds(text, out, err);
    case SIM_VALUE_SHARE:
        return sim_share_parse(text, out, err);
    default:
        return units_parse_count(text, out, err);
    }
}

/* ---- words ---- */

static const struct {
    enum sim_value value;
    const char *word;
    unsigned number;
} words[] = {
    {SIM_VALUE_SWITCH, "on", true},
    {SIM_VALUE_SWITCH, "off", false},
    {SIM_VALUE_SPREAD, "fixed", SIM_FIXED},
    {SIM_VALUE_SPREAD, "exponential", SIM_EXPONENTIAL},
    {SIM_VALUE_REPLACE, "lru", SIM_REPLACE_LRU},
    {SIM_VALUE_REPLACE, "random", SIM_REPLACE_RANDOM},
    {SIM_VALUE_RAID, "0", SIM_RAID_0},
    {SIM_VALUE_RAID, "1", SIM_RAID_1},
    {SIM_VALUE_RAID, "5", SIM_RAID_5},
};

#define WORDS (sizeof words / sizeof words[0])

static int word_of(enum sim_value value, const char *text, unsigned *out, struct err *err)
{
    char accepted[SIM_WORD_MAX] = "";
    size_t used = 0;

    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].value != value)
            continue;
        *out = words[i].number;
        if (strcmp(words[i].word, text) == 0)
            return 0;
        used += (size_t)snprintf(accepted + used, sizeof accepted - used, "%s%s",
                                 used > 0 ? " or " : "give ", words[i].word);
    }
    return sim_text_bad(err, text, accepted);
}

/* ---- what has several parts ---- */

static uint64_t longest(const struct sim_time *t)
{
    return t->kind == SIM_TIME_TABLE ? t->point[t->points - 1].ns : t->mean_ns;
}

static int take_time(const struct sim_key *key, struct sim_time *at, const char *value,
                     struct err *err)
{
    struct sim_time time;
    int rc = sim_time_parse(value, &time, err);

    if (rc < 0)
        return rc;
    if (longest(&time) > key->high)
        return outside(err, value);
    *at = time;
    return 0;
}

/* "4k 6500ps": up to so many bytes of an op, and for each. */
static int take_small(const struct sim_key *key, struct sim_cost *cost, const char *value,
                      struct err *err)
{
    const char *at = value;
    char bytes[SIM_WORD_MAX];
    char each[SIM_WORD_MAX];
    uint64_t small_bytes;
    uint64_t ps;

    if (!sim_text_word(&at, bytes) || !sim_text_word(&at, each) || at[strspn(at, " \t")] != '\0' ||
        units_parse_bytes(bytes, &small_bytes, NULL) < 0 || picoseconds(each, &ps, NULL) < 0)
        return sim_text_bad(err, value,
                            "give a size and picoseconds for each byte up to it, as 4k 6500ps");
    if (ps > key->high)
        return outside(err, value);
    cost->small_bytes = small_bytes;
    cost->small_ps = ps;
    return 0;
}

/* `op` itself, or with OP_KINDS all that have no line of their own. */
static bool is_meant(enum op_kind op, unsigned i, uint32_t named)
{
    return op == OP_KINDS ? (named & 1u << i) == 0 : i == (unsigned)op;
}

static int take_costs(const struct sim_key *key, enum op_kind op, struct sim_cost *cost,
                      const char *value, struct err *err)
{
    uint64_t ns;
    int rc = units_parse_ns(value, &ns, err);

    if (rc < 0)
        return rc;
    if (ns > key->high)
        return outside(err, value);
    for (unsigned i = 0; i < OP_KINDS; i++) {
        if (is_meant(op, i, cost->named))
            cost->op_ns[i] = ns;
    }
    if (op < OP_KINDS)
        cost->named |= 1u << op;
    return 0;
}

static int take_thinks(const struct sim_key *key, enum op_kind op, struct sim_client *client,
                       const char *value, struct err *err)
{
    struct sim_time time;
    int rc = take_time(key, &time, value, err);

    if (rc < 0)
        return rc;
    for (unsigned i = 0; i < OP_KINDS; i++) {
        if (is_meant(op, i, client->think_named))
            client->think[i] = time;
    }
    if (op < OP_KINDS)
        client->think_named |= 1u << op;
    return 0;
}

static int take_title(char title[128], const char *value, struct err *err)
{
    if (strlen(value) >= 128)
        return err_set(err, -EINVAL, "a title has 127 bytes at most");
    memcpy(title, value, strlen(value) + 1);
    return 0;
}

static int take_number(const struct sim_key *key, char *at, const char *value, struct err *err)
{
    uint64_t wide;
    int rc = number_of(key->value, value, &wide, err);

    if (rc < 0)
        return rc;
    if (key->value == SIM_VALUE_COUNT && (wide < key->low || wide > key->high))
        return err_set(err, -EINVAL, "%.60s; accepted are %u to %u", value, (unsigned)key->low,
                       (unsigned)key->high);
    if (wide < key->low || wide > key->high)
        return outside(err, value);
    if (key->value == SIM_VALUE_COUNT || key->value == SIM_VALUE_SHORT ||
        key->value == SIM_VALUE_SHARE) {
        uint32_t narrow = (uint32_t)wide;
        memcpy(at, &narrow, sizeof narrow);
    } else {
        memcpy(at, &wide, sizeof wide);
    }
    return 0;
}

static int take_word(const struct sim_key *key, char *at, const char *value, struct err *err)
{
    unsigned number = 0;
    int rc = word_of(key->value, value, &number, err);
    bool on = number != 0;

    if (rc < 0)
        return rc;
    if (key->value == SIM_VALUE_SWITCH)
        memcpy(at, &on, sizeof on);
    else
        memcpy(at, &number, sizeof number); /* an enum */
    return 0;
}

_Static_assert(sizeof(enum sim_raid) == sizeof(unsigned) &&
                   sizeof(enum sim_spread) == sizeof(unsigned) &&
                   sizeof(enum sim_replace) == sizeof(unsigned),
               "enums are written as numbers");

int sim_value_take(const struct sim_key *key, enum op_kind op, void *base, const char *value,
                   struct err *err)
{
    char *at = (char *)base + key->at;

    switch (key->value) {
    case SIM_VALUE_TITLE:
        return take_title(at, value, err);
    case SIM_VALUE_TIME:
        return take_time(key, (void *)at, value, err);
    case SIM_VALUE_SMALL:
        return take_small(key, (void *)at, value, err);
    case SIM_VALUE_COSTS:
        return take_costs(key, op, (void *)at, value, err);
    case SIM_VALUE_THINKS:
        return take_thinks(key, op, (void *)at, value, err);
    case SIM_VALUE_SWITCH:
    case SIM_VALUE_SPREAD:
    case SIM_VALUE_REPLACE:
    case SIM_VALUE_RAID:
        return take_word(key, at, value, err);
    default:
        return take_number(key, at, value, err);
    }
}
