#include "target/sim_rig_priv.h"

#include "base/nearest.h"
#include "base/units.h"
#include "target/catalog.h"
#include "target/sim_keys_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Those of docs/results-format.md, "Options of limits". A name that is no row would never be heeded, and nobody told. */
static const char *const rows[] = {
    "stream-read-cache",
    "stream-read-disk",
    "stream-write-disk",
    "read-1b-cache",
    "read-4k-cache",
    "read-512-flash",
    "write-512-sync",
    "read-block-disk",
    "read-4k-disk",
    "write-4k-disk",
    "create",
    "stat",
    "unlink",
    NULL,
};

const char *sim_rig_row(unsigned i)
{
    return i < sizeof rows / sizeof rows[0] ? rows[i] : NULL;
}

static int check_row(const char *row, struct err *err)
{
    struct nearest near = {.wish = row};

    for (unsigned i = 0; rows[i] != NULL; i++) {
        if (strcmp(rows[i], row) == 0)
            return 0;
        nearest_try(&near, rows[i]);
    }
    return err_set(err, -EINVAL, "there is no row \"%.40s\"%s%s%s", row,
                   near.best != NULL ? "; did you mean " : "", near.best != NULL ? near.best : "",
                   near.best != NULL ? "?" : "");
}

static struct sim_rig *find(struct sim_rigs *rigs, const struct sim_rig *like)
{
    for (unsigned i = 0; i < rigs->n; i++) {
        if (strcmp(rigs->rig[i].protocol, like->protocol) == 0 &&
            strcmp(rigs->rig[i].row, like->row) == 0)
            return &rigs->rig[i];
    }
    return rigs->n < SIM_RIGS_MAX ? &rigs->rig[rigs->n++] : NULL;
}

int sim_rig_take(struct sim_rigs *rigs, const char *key, const char *params, unsigned line,
                 unsigned file, struct err *err)
{
    struct sim_rig rig = {.line = (uint16_t)line, .file = (uint8_t)file};
    const char *dot = strchr(key, '.');
    size_t len = dot != NULL ? (size_t)(dot - key) : 0;
    struct sim_rig *place;
    int rc;

    if (len == 0 || len >= sizeof rig.protocol)
        return err_set(err, -EINVAL, "\"%.40s\": give PROTOCOL.ROW = NAME=VALUE&...", key);
    rc = check_row(dot + 1, err);
    if (rc < 0)
        return rc;
    if (strlen(params) >= sizeof rig.params || strpbrk(params, " \t?") != NULL)
        return err_set(err, -EINVAL,
                       "\"%.40s\" is not accepted: give NAME=VALUE&..., as behind the ? of an "
                       "address, %d characters at most",
                       params, SIM_RIG_MAX - 1);
    memcpy(rig.protocol, key, len);
    memcpy(rig.row, dot + 1, strlen(dot + 1) + 1);
    memcpy(rig.params, params, strlen(params) + 1);
    place = find(rigs, &rig);
    if (place == NULL)
        return err_set(err, -EINVAL, "more than %d rigs", SIM_RIGS_MAX);
    *place = rig;
    return 0;
}

static int take_param(void *ctx, const char *name, const char *value, struct err *err)
{
    uint64_t streams;

    if (strcmp(name, SIM_RIG_STREAMS) != 0)
        return sim_profile_set(ctx, name, value, err);
    if (units_parse_count(value, &streams, NULL) < 0 || streams == 0 || streams > UINT32_MAX)
        return sim_text_bad(err, value, "give how many streams the row has, as streams=20");
    return 0;
}

/* On a copy: what one row is measured with is not the system of the next. */
static int try_one(const struct sim_profile *p, const struct sim_rig *rig, struct err *err)
{
    struct sim_profile copy = *p;
    char address[SIM_RIG_MAX + 1];
    int protocol = sim_protocol_find(p, rig->protocol);
    size_t len;
    int rc;

    if (protocol < 0)
        return err_set(err, -EINVAL, "there is no [protocol %s]", rig->protocol);
    copy.protocol = (unsigned)protocol;
    snprintf(address, sizeof address, "?%s", rig->params);
    rc = target_params(address, &len, take_param, &copy, err);
    return rc < 0 ? rc : sim_profile_check(&copy, err);
}

int sim_rigs_check(const struct sim_profile *p, struct err *err)
{
    for (unsigned i = 0; i < p->rigs.n; i++) {
        const struct sim_rig *rig = &p->rigs.rig[i];

        if (try_one(p, rig, err) < 0) {
            err_prefix(err, "%s:%u: [rig] %s.%s", p->file[rig->file], rig->line, rig->protocol,
                       rig->row);
            if (err != NULL)
                err->code = -EINVAL;
            return -EINVAL;
        }
    }
    return 0;
}
