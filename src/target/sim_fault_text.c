#include "target/sim_keys_priv.h"

#include "base/units.h"

#include <errno.h>
#include <string.h>

#define TIME_MAX_NS (INT64_MAX / 128)
#define SLOW_MAX    1000u

static bool parse_ns(const char *text, uint64_t *ns)
{
    return units_parse_ns(text, ns, NULL) == 0 && *ns <= TIME_MAX_NS;
}

static bool parse_stall(struct sim_faults *f, const char *value)
{
    char length[SIM_WORD_MAX];
    const char *start;
    uint64_t for_ns;
    uint64_t at_ns;

    if (!sim_text_split(value, "@", length, &start) || !parse_ns(length, &for_ns) ||
        !parse_ns(start, &at_ns) || for_ns == 0)
        return false;
    f->stall[f->stalls].at_ns = at_ns;
    f->stall[f->stalls++].for_ns = for_ns;
    return true;
}

static bool parse_error(struct sim_faults *f, const char *value)
{
    char name[SIM_WORD_MAX];
    const char *number;
    uint64_t n;

    if (!sim_text_split(value, "@op:", name, &number) || units_parse_count(number, &n, NULL) < 0 ||
        n == 0 || err_number(name) == 0)
        return false;
    f->error[f->errors].number = n;
    f->error[f->errors++].code = -err_number(name);
    return true;
}

/* To the user the first is 1. */
static bool parse_nth(const char *text, unsigned limit, unsigned *out)
{
    uint64_t n;

    if (units_parse_count(text, &n, NULL) < 0 || n < 1 || n > limit)
        return false;
    *out = (unsigned)n - 1;
    return true;
}

/* "3:x10" */
static bool parse_slow(const char *value, unsigned limit, unsigned *which, uint32_t *by)
{
    char nth[SIM_WORD_MAX];
    const char *times;
    uint64_t n;

    if (!sim_text_split(value, ":x", nth, &times) || !parse_nth(nth, limit, which) ||
        units_parse_count(times, &n, NULL) < 0 || n < 1 || n > SLOW_MAX)
        return false;
    *by = (uint32_t)n;
    return true;
}

static bool parse_slow_disk(struct sim_faults *f, const char *value)
{
    unsigned i = f->slow_disks++;

    return parse_slow(value, SIM_DISKS_MAX, &f->slow_disk[i].disk, &f->slow_disk[i].by);
}

static bool parse_slow_client(struct sim_faults *f, const char *value)
{
    unsigned i = f->slow_clients++;

    return parse_slow(value, SIM_CLIENTS_MAX, &f->slow_client[i].client, &f->slow_client[i].by);
}

static bool parse_drop(struct sim_faults *f, const char *value)
{
    char nth[SIM_WORD_MAX];
    const char *start;
    unsigned i = f->drops++;

    return sim_text_split(value, "@", nth, &start) &&
           parse_nth(nth, SIM_CLIENTS_MAX, &f->drop[i].client) &&
           parse_ns(start, &f->drop[i].at_ns);
}

static const struct fault {
    const char *name;
    const char *accepted;
    bool (*parse)(struct sim_faults *f, const char *value);
    size_t count; /* where it is counted */
} faults[] = {
    {"stall", "LENGTH@START, such as 5s@10s", parse_stall, offsetof(struct sim_faults, stalls)},
    {"error", "NAME@op:N, such as EIO@op:1000", parse_error, offsetof(struct sim_faults, errors)},
    {"slow-disk", "DISK:xTIMES up to x1000, such as 3:x10", parse_slow_disk,
     offsetof(struct sim_faults, slow_disks)},
    {"slow-client", "CLIENT:xTIMES up to x1000, such as 7:x6", parse_slow_client,
     offsetof(struct sim_faults, slow_clients)},
    {"drop-client", "CLIENT@TIME, such as 7@30s", parse_drop, offsetof(struct sim_faults, drops)},
};

#define FAULTS (sizeof faults / sizeof faults[0])

const char *sim_fault_name(unsigned i)
{
    return i < FAULTS ? faults[i].name : NULL;
}

int sim_fault_take(struct sim_faults *f, const char *name, const char *value, struct err *err)
{
    for (size_t i = 0; i < FAULTS; i++) {
        unsigned count;

        if (strcmp(faults[i].name, name) != 0)
            continue;
        memcpy(&count, (const char *)f + faults[i].count, sizeof count);
        if (count == SIM_FAULTS_MAX)
            return err_set(err, -EINVAL, "%s may be given %d times at the most", name,
                           SIM_FAULTS_MAX);
        return faults[i].parse(f, value) ? 0
                                         : err_set(err, -EINVAL, "%s=%.60s: accepted is %s=%s",
                                                   name, value, name, faults[i].accepted);
    }
    return 1;
}
