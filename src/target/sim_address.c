#include "target/sim_keys_priv.h"

#include "base/nearest.h"
#include "target/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PROTOCOL    "protocol"
#define SECTION_MAX 24

/* ---- short names ---- */

static int set(struct sim_profile *p, const char *section, const char *key, const char *value,
               struct err *err)
{
    int k = sim_profile_key(p, section, 0, key, value, err);

    return k < 0 ? k : 0;
}

static int set_protocol(struct sim_profile *p, const char *value, struct err *err)
{
    struct nearest near = {.wish = value};
    int i = sim_protocol_find(p, value);
    char known[SIM_PROTOCOLS_MAX * (SIM_NAME_MAX + 2)] = "";
    size_t used = 0;

    if (i >= 0) {
        p->protocol = (unsigned)i;
        return 0;
    }
    for (unsigned n = 0; n < p->protocols; n++) {
        nearest_try(&near, p->protocol_of[n].name);
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", p->protocol_of[n].name);
    }
    return err_set(err, -EINVAL, "%s has no protocol \"%.40s\";%s%s%s it has%s", p->name, value,
                   near.best != NULL ? " did you mean " : "", near.best != NULL ? near.best : "",
                   near.best != NULL ? "?" : "", known);
}

/* What the protocols say of it no longer counts. */
static int set_clients(struct sim_profile *p, const char *value, struct err *err)
{
    for (unsigned i = 0; i < p->protocols; i++)
        p->protocol_of[i].clients = 0;
    return set(p, "client", "count", value, err);
}

static int set_link(struct sim_profile *p, const char *value, struct err *err)
{
    for (unsigned i = 0; i < p->protocols; i++)
        p->protocol_of[i].link_bit_s = 0;
    return set(p, "client", "link", value, err);
}

static int set_port(struct sim_profile *p, const char *value, struct err *err)
{
    for (unsigned i = 0; i < p->protocols; i++)
        p->protocol_of[i].port_bit_s = 0;
    return set(p, "ports", "rate", value, err);
}

static int set_ports(struct sim_profile *p, const char *value, struct err *err)
{
    return set(p, "ports", "count", value, err);
}

static int set_cores(struct sim_profile *p, const char *value, struct err *err)
{
    return set(p, "cpu", "cores", value, err);
}

static int set_disks(struct sim_profile *p, const char *value, struct err *err)
{
    return set(p, "disks", "count", value, err);
}

/* Of another level the sets are others too: as many disks as sim_profile_check gives one. */
static int set_raid(struct sim_profile *p, const char *value, struct err *err)
{
    enum sim_raid before = p->disks.raid;
    int rc = set(p, "disks", "raid", value, err);

    if (rc == 0 && p->disks.raid != before)
        p->disks.per_set = 0;
    return rc;
}

/* The dirty limit keeps its share of it, as where it is a share of memory. */
static int set_dram(struct sim_profile *p, const char *value, struct err *err)
{
    uint64_t before = p->dram.bytes;
    int rc = set(p, "dram", "size", value, err);

    if (rc == 0 && before > 0)
        p->dram.dirty_limit_bytes =
            (uint64_t)((unsigned __int128)p->dram.dirty_limit_bytes * p->dram.bytes / before);
    return rc;
}

static bool is_switch(const char *value)
{
    return strcmp(value, "on") == 0 || strcmp(value, "off") == 0;
}

static int set_flash(struct sim_profile *p, const char *value, struct err *err)
{
    if (strcmp(value, "on") == 0 && p->flash.bytes == 0)
        return err_set(err, -EINVAL, "%s has no flash; give its size, as flash=200g", p->name);
    p->flash.on = true;
    return set(p, "flash", is_switch(value) ? "on" : "size", value, err);
}

static int set_log(struct sim_profile *p, const char *value, struct err *err)
{
    if (strcmp(value, "on") == 0 && p->log.devices == 0)
        return err_set(err, -EINVAL, "%s has no log device; give [log] in a file", p->name);
    p->log.on = true;
    return set(p, "log", is_switch(value) ? "on" : "devices", value, err);
}

static int set_seed(struct sim_profile *p, const char *value, struct err *err)
{
    return set(p, "", "seed", value, err);
}

/* ---- SECTION.KEY ---- */

/* "protocol.KEY": of all of them. */
static int set_in_all(struct sim_profile *p, const char *key, const char *value, struct err *err)
{
    int rc = 0;

    for (unsigned i = 0; i < p->protocols && rc >= 0; i++)
        rc = sim_profile_key(p, PROTOCOL, i, key, value, err);
    return rc < 0 ? rc : 0;
}

static int set_mtu(struct sim_profile *p, const char *value, struct err *err)
{
    return set_in_all(p, "mtu", value, err);
}

static const struct short_name {
    const char *name;
    int (*set)(struct sim_profile *p, const char *value, struct err *err);
} short_names[] = {
    {"protocol", set_protocol}, {"clients", set_clients}, {"ports", set_ports},
    {"cores", set_cores},       {"disks", set_disks},     {"raid", set_raid},
    {"dram", set_dram},         {"flash", set_flash},     {"log", set_log},
    {"seed", set_seed},         {"mtu", set_mtu},         {"link", set_link},
    {"port", set_port},
};

#define SHORT_NAMES (sizeof short_names / sizeof short_names[0])

static int unknown_name(const char *name, struct err *err)
{
    struct nearest near = {.wish = name};
    char known[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < SHORT_NAMES; i++) {
        nearest_try(&near, short_names[i].name);
        used += (size_t)snprintf(known + used, sizeof known - used, "%s ", short_names[i].name);
    }
    for (unsigned i = 0; sim_fault_name(i) != NULL; i++) {
        nearest_try(&near, sim_fault_name(i));
        used += (size_t)snprintf(known + used, sizeof known - used, "%s ", sim_fault_name(i));
    }
    return err_set(err, -EINVAL,
                   "sim has no parameter \"%.40s\";%s%s%s accepted are %sand any SECTION.KEY of a "
                   "profile, such as disks.rpm=7200",
                   name, near.best != NULL ? " did you mean " : "",
                   near.best != NULL ? near.best : "", near.best != NULL ? "?" : "", known);
}

/* A section's key, or a protocol's: "nfs.cpu.read". */
static int set_key(struct sim_profile *p, const char *name, const char *value, struct err *err)
{
    const char *dot = strchr(name, '.');
    char section[SECTION_MAX];
    size_t len = dot != NULL ? (size_t)(dot - name) : 0;

    if (dot == NULL)
        return unknown_name(name, err);
    if (len >= sizeof section)
        return sim_section_unknown(name, err);
    memcpy(section, name, len);
    section[len] = '\0';
    if (strcmp(section, PROTOCOL) == 0)
        return set_in_all(p, dot + 1, value, err);
    if (sim_section_is(section))
        return set(p, section, dot + 1, value, err);
    int i = sim_protocol_find(p, section);
    if (i < 0)
        return sim_section_unknown(section, err);
    int rc = sim_profile_key(p, PROTOCOL, (unsigned)i, dot + 1, value, err);
    return rc < 0 ? rc : 0;
}

int sim_profile_set(struct sim_profile *p, const char *name, const char *value, struct err *err)
{
    for (size_t i = 0; i < SHORT_NAMES; i++) {
        if (strcmp(short_names[i].name, name) == 0)
            return short_names[i].set(p, value, err);
    }
    int rc = sim_fault_take(&p->faults, name, value, err);
    return rc == 1 ? set_key(p, name, value, err) : rc;
}

/* ---- the address ---- */

static int take_param(void *ctx, const char *name, const char *value, struct err *err)
{
    return sim_profile_set(ctx, name, value, err);
}

static int take_nothing(void *ctx, const char *name, const char *value, struct err *err)
{
    (void)ctx;
    (void)name;
    (void)value;
    (void)err;
    return 0;
}

int sim_address_parse(const char *address, struct sim_profile *out, struct err *err)
{
    char name[SIM_FILE_NAME_MAX];
    size_t len;
    int rc = target_params(address, &len, take_nothing, NULL, err);

    if (rc < 0)
        return rc;
    if (len == 0)
        return err_set(err, -EINVAL,
                       "sim: needs a profile behind it, such as sim:linux-nfs-10g; "
                       "`loadline targets sim` lists them");
    if (len >= sizeof name)
        return err_set(err, -EINVAL, "sim:%.40s... is too long", address);
    memcpy(name, address, len);
    name[len] = '\0';
    rc = sim_profile_open(name, out, err);
    if (rc == 0)
        rc = sim_rigs_check(out, err);
    if (rc == 0)
        rc = target_params(address, &len, take_param, out, err);
    return rc < 0 ? rc : sim_profile_check(out, err);
}
