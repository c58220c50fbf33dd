#include "target/fault_priv.h"

#include "base/rng.h"
#include "base/units.h"
#include "target/catalog.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PART_MAX 64

/* Two years; 37 times it, the longest draw of an exponential latency, is still a time. */
#define TIME_MAX_NS (INT64_MAX / 128)

/* ---- parsing ---- */

static int bad(struct err *err, const char *name, const char *value, const char *accepted)
{
    return err_set(err, -EINVAL, "fault parameter %s=%s: accepted is %s=%s", name, value, name,
                   accepted);
}

/* Cuts value at the first `at`; false when there is none, or a part is empty or too long. */
static bool split(const char *value, char at, char left[PART_MAX], const char **right)
{
    const char *mark = strchr(value, at);
    size_t len = mark != NULL ? (size_t)(mark - value) : 0;

    if (len == 0 || len >= PART_MAX || mark[1] == '\0')
        return false;
    memcpy(left, value, len);
    left[len] = '\0';
    *right = mark + 1;
    return true;
}

static bool parse_ns(const char *text, uint64_t *ns)
{
    return units_parse_ns(text, ns, NULL) == 0 && *ns <= TIME_MAX_NS;
}

static bool parse_kind(const char *name, unsigned *kind)
{
    *kind = FAULT_ANY_KIND;
    if (strcmp(name, "op") == 0)
        return true;
    for (*kind = 0; *kind < OP_KINDS; (*kind)++) {
        if (strcmp(name, op_kind_name((enum op_kind) * kind)) == 0)
            return true;
    }
    return false;
}

/* "op:7", "read:7". */
static bool parse_place(const char *text, struct fault_place *place)
{
    char name[PART_MAX];
    const char *number;

    return split(text, ':', name, &number) && parse_kind(name, &place->kind) &&
           units_parse_count(number, &place->number, NULL) == 0 && place->number > 0;
}

static bool parse_op_number(const char *text, uint64_t *number)
{
    struct fault_place place;

    if (!parse_place(text, &place) || place.kind != FAULT_ANY_KIND)
        return false;
    *number = place.number;
    return true;
}

static bool parse_stall(struct fault_script *f, const char *value)
{
    char length[PART_MAX];
    const char *start;
    uint64_t length_ns;
    uint64_t at_ns;
    unsigned i = f->stalls;

    if (!split(value, '@', length, &start) || !parse_ns(length, &length_ns) ||
        !parse_ns(start, &at_ns) || length_ns == 0)
        return false;
    for (; i > 0 && f->stall[i - 1].at_ns > at_ns; i--)
        f->stall[i] = f->stall[i - 1];
    f->stall[i] = (struct fault_stall){.at_ns = at_ns, .end_ns = at_ns + length_ns};
    f->stalls++;
    return true;
}

static bool parse_error(struct fault_script *f, const char *value)
{
    struct fault_error *e = &f->error[f->errors];
    char name[PART_MAX];
    const char *place;

    if (!split(value, '@', name, &place) || !parse_place(place, &e->place))
        return false;
    e->code = -err_number(name);
    f->errors++;
    return e->code != 0;
}

static bool parse_short(struct fault_script *f, const char *value)
{
    struct fault_short *cut = &f->cut[f->shorts];
    char bytes[PART_MAX];
    const char *place;

    if (!split(value, '@', bytes, &place) || !parse_op_number(place, &cut->number))
        return false;
    f->shorts++;
    return units_parse_bytes(bytes, &cut->bytes, NULL) == 0;
}

static bool parse_latency(struct fault_script *f, const char *value)
{
    char kind[PART_MAX];
    char low[PART_MAX];
    const char *rest;
    const char *high;

    if (!split(value, ':', kind, &rest))
        return false;
    if (strcmp(kind, "uniform") == 0) {
        f->latency = FAULT_LATENCY_UNIFORM;
        return split(rest, '-', low, &high) && parse_ns(low, &f->latency_ns[0]) &&
               parse_ns(high, &f->latency_ns[1]) && f->latency_ns[0] <= f->latency_ns[1];
    }
    f->latency = strcmp(kind, "exp") == 0 ? FAULT_LATENCY_EXP : FAULT_LATENCY_FIXED;
    return (f->latency == FAULT_LATENCY_EXP || strcmp(kind, "fixed") == 0) &&
           parse_ns(rest, &f->latency_ns[0]);
}

static bool parse_hang(struct fault_script *f, const char *value)
{
    return parse_place(value + (value[0] == '@'), &f->hang[f->hangs++]);
}

static bool parse_dead(struct fault_script *f, const char *value)
{
    return parse_op_number(value + (value[0] == '@'), &f->dead_number);
}

static bool parse_seed(struct fault_script *f, const char *value)
{
    return units_parse_count(value, &f->seed, NULL) == 0;
}

static bool parse_quota(struct fault_script *f, const char *value)
{
    f->has_quota = true;
    return units_parse_bytes(value, &f->quota_bytes, NULL) == 0;
}

static bool parse_clock(struct fault_script *f, const char *value)
{
    f->clock_virtual = true;
    return strcmp(value, "virtual") == 0;
}

static const struct fault_param {
    const char *name;
    const char *accepted;
    bool (*parse)(struct fault_script *f, const char *value);
    size_t count; /* where it is counted, of those that may be given several times; else 0 */
} fault_params[] = {
    {"stall", "LENGTH@START, such as 1s@5s", parse_stall, offsetof(struct fault_script, stalls)},
    {"error", "NAME@op:N or NAME@KIND:N, such as EIO@op:7 or ENOSPC@write:7", parse_error,
     offsetof(struct fault_script, errors)},
    {"short", "BYTES@op:N, such as 100@op:7", parse_short, offsetof(struct fault_script, shorts)},
    {"hang", "op:N or KIND:N, such as op:7", parse_hang, offsetof(struct fault_script, hangs)},
    {"dead", "op:N, such as op:7", parse_dead, 0},
    {"latency", "fixed:TIME, uniform:TIME-TIME or exp:TIME, such as exp:1ms", parse_latency, 0},
    {"seed", "NUMBER", parse_seed, 0},
    {"quota", "SIZE, such as 10m", parse_quota, 0},
    {"clock", "virtual", parse_clock, 0},
};

static unsigned count_of(const struct fault_script *f, const struct fault_param *param)
{
    unsigned count = 0;

    if (param->count > 0)
        memcpy(&count, (const char *)f + param->count, sizeof count);
    return count;
}

static int take_param(void *ctx, const char *name, const char *value, struct err *err)
{
    struct fault_script *f = ctx;

    for (size_t i = 0; i < sizeof fault_params / sizeof fault_params[0]; i++) {
        const struct fault_param *param = &fault_params[i];

        if (strcmp(param->name, name) != 0)
            continue;
        if (count_of(f, param) == FAULT_PARTS_MAX)
            return err_set(err, -EINVAL, "fault parameter %s may be given %d times at the most",
                           name, FAULT_PARTS_MAX);
        return param->parse(f, value) ? 0 : bad(err, name, value, param->accepted);
    }
    return err_set(err, -EINVAL, "fault has no parameter \"%s\"; accepted are %s", name,
                   FAULT_PARAMS);
}

int fault_script_parse(const char *address, struct fault_script *out, size_t *inner_len,
                       struct err *err)
{
    unsigned nested = 0;
    int rc;

    for (const char *at = address; strncmp(at, "fault:", 6) == 0; at += 6)
        nested++;
    if (nested >= FAULT_NESTED_MAX)
        return err_set(err, -EINVAL, "fault may be nested %d deep at the most", FAULT_NESTED_MAX);
    *out = (struct fault_script){.seed = 1};
    rc = target_params(address, inner_len, take_param, out, err);
    if (rc == 0 && *inner_len == 0)
        rc = err_set(err, -EINVAL, "fault: needs a target behind it, such as fault:/dir?%s",
                     "error=EIO@op:7");
    return rc;
}

/* ---- questions ---- */

static bool place_is(const struct fault_place *place, enum op_kind kind,
                     const struct fault_number *number)
{
    if (place->kind == FAULT_ANY_KIND)
        return place->number == number->any;
    return place->kind == (unsigned)kind && place->number == number->kind;
}

int fault_script_error(const struct fault_script *f, enum op_kind kind,
                       const struct fault_number *number)
{
    for (unsigned i = 0; i < f->errors; i++) {
        if (place_is(&f->error[i].place, kind, number))
            return f->error[i].code;
    }
    return 0;
}

bool fault_script_hangs(const struct fault_script *f, enum op_kind kind,
                        const struct fault_number *number)
{
    for (unsigned i = 0; i < f->hangs; i++) {
        if (place_is(&f->hang[i], kind, number))
            return true;
    }
    return false;
}

uint64_t fault_script_len(const struct fault_script *f, const struct fault_number *number,
                          uint64_t len)
{
    for (unsigned i = 0; i < f->shorts && number->data > 0; i++) {
        if (f->cut[i].number == number->data && f->cut[i].bytes < len)
            return f->cut[i].bytes;
    }
    return len;
}

uint64_t fault_script_latency_ns(const struct fault_script *f, const struct fault_number *number)
{
    uint64_t draw = mix64_pair(f->seed, number->any);
    uint64_t width;

    switch (f->latency) {
    case FAULT_LATENCY_UNIFORM:
        width = f->latency_ns[1] - f->latency_ns[0] + 1;
        return f->latency_ns[0] + (uint64_t)(((unsigned __int128)draw * width) >> 64);
    case FAULT_LATENCY_EXP:
        /* In (0, 1], so that the logarithm is finite: at most 37 times the mean. */
        return (uint64_t)(-log((double)((draw >> 11) + 1) * 0x1p-53) * (double)f->latency_ns[0]);
    case FAULT_LATENCY_FIXED:
        break;
    }
    return f->latency_ns[0];
}

uint64_t fault_script_stalled(const struct fault_script *f, uint64_t accepted_ns, uint64_t done_ns)
{
    for (unsigned i = 0; i < f->stalls; i++) {
        const struct fault_stall *stall = &f->stall[i];

        if (accepted_ns < stall->end_ns && done_ns >= stall->at_ns && done_ns < stall->end_ns)
            done_ns = stall->end_ns;
    }
    return done_ns;
}
