#include "target/sim_keys_priv.h"

#include "base/nearest.h"
#include "base/text.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define KIND "KIND" /* stands in a key for any kind of op */

#define HOUR_NS   3600000000000ull
#define MANY      1000000u
#define PB        (1ull << 50)
#define TBIT_S    1000000000000ull
#define BYTE_PS   1000000000ull /* a millisecond for each */
#define MILLION   1000000u
#define EXTENT_LO 4096u
#define EXTENT_HI (1u << 20)

#define OF(type, member) offsetof(struct type, member)

#define COST_KEYS(section, place)                                                                   \
    {section, "cpu." KIND, SIM_VALUE_COSTS, place, 0, HOUR_NS},                                     \
        {section, "cpu.small", SIM_VALUE_SMALL, place, 0, BYTE_PS},                                 \
        {section, "cpu.bulk-read", SIM_VALUE_PS, (place) + OF(sim_cost, bulk_read_ps), 0, BYTE_PS}, \
        {section, "cpu.bulk-write", SIM_VALUE_PS, (place) + OF(sim_cost, bulk_write_ps),            \
         0,       BYTE_PS},                                                                         \
        {section, "cpu.disk-read", SIM_VALUE_PS, (place) + OF(sim_cost, disk_read_ps), 0, BYTE_PS}, \
    {                                                                                               \
        section, "cpu.disk-write", SIM_VALUE_PS, (place) + OF(sim_cost, disk_write_ps), 0, BYTE_PS  \
    }

#define WAY_KEYS(section, member)                                                                  \
    {section, "servers", SIM_VALUE_COUNT, OF(sim_profile, member.servers), 1, 1024},               \
        {section, "read", SIM_VALUE_RATE, OF(sim_profile, member.read_bytes_s), 1, PB},            \
        {section, "write", SIM_VALUE_RATE, OF(sim_profile, member.write_bytes_s), 1, PB},          \
        {section, "op", SIM_VALUE_NS, OF(sim_profile, member.op_ns), 0, HOUR_NS},                  \
        {section, "spread", SIM_VALUE_SPREAD, OF(sim_profile, member.spread), 0, 0},               \
    {                                                                                              \
        section, "mirrored", SIM_VALUE_SWITCH, OF(sim_profile, member.mirrored), 0, 0              \
    }

static const struct sim_key keys[] = {
    {"", "title", SIM_VALUE_TITLE, OF(sim_profile, title), 0, 0},
    {"", "seed", SIM_VALUE_SEED, OF(sim_profile, seed), 0, UINT64_MAX},
    {"", "extent", SIM_VALUE_SHORT, OF(sim_profile, extent_bytes), EXTENT_LO, EXTENT_HI},

    COST_KEYS("protocol", OF(sim_protocol, cpu)),
    {"protocol", "latency", SIM_VALUE_NS, OF(sim_protocol, latency_ns), 0, HOUR_NS},
    {"protocol", "link", SIM_VALUE_LINE, OF(sim_protocol, link_bit_s), 1000, TBIT_S},
    {"protocol", "port", SIM_VALUE_LINE, OF(sim_protocol, port_bit_s), 1000, TBIT_S},
    {"protocol", "clients", SIM_VALUE_COUNT, OF(sim_protocol, clients), 1, SIM_CLIENTS_MAX},
    {"protocol", "headers", SIM_VALUE_SHORT, OF(sim_protocol, header_bytes), 0, 4096},
    {"protocol", "mtu", SIM_VALUE_SHORT, OF(sim_protocol, mtu_bytes), 576, 65536},
    {"protocol", "bus", SIM_VALUE_SWITCH, OF(sim_protocol, reads_wait_bus), 0, 0},
    {"protocol", "commit", SIM_VALUE_BYTES, OF(sim_protocol, commit_bytes), 1, PB},

    {"client", "count", SIM_VALUE_COUNT, OF(sim_profile, client.count), 1, SIM_CLIENTS_MAX},
    {"client", "links", SIM_VALUE_COUNT, OF(sim_profile, client.links), 0, 64},
    {"client", "link", SIM_VALUE_LINE, OF(sim_profile, client.link_bit_s), 1000, TBIT_S},
    {"client", "cpus", SIM_VALUE_COUNT, OF(sim_profile, client.cpus), 0, 4096},
    {"client", "cpu-spread", SIM_VALUE_SPREAD, OF(sim_profile, client.cpu_spread), 0, 0},
    COST_KEYS("client", OF(sim_profile, client.cpu)),
    {"client", "think." KIND, SIM_VALUE_THINKS, OF(sim_profile, client), 0, HOUR_NS},

    {"ports", "count", SIM_VALUE_COUNT, OF(sim_profile, ports.count), 0, SIM_PORTS_MAX},
    {"ports", "rate", SIM_VALUE_LINE, OF(sim_profile, ports.bit_s), 1000, TBIT_S},

    {"cpu", "cores", SIM_VALUE_COUNT, OF(sim_profile, cpus), 1, 4096},
    {"cpu", "spread", SIM_VALUE_SPREAD, OF(sim_profile, cpu_spread), 0, 0},

    WAY_KEYS("bus", bus),
    WAY_KEYS("path", path),

    {"dram", "size", SIM_VALUE_BYTES, OF(sim_profile, dram.bytes), 0, PB},
    {"dram", "replace", SIM_VALUE_REPLACE, OF(sim_profile, dram.replace), 0, 0},
    {"dram", "hit", SIM_VALUE_TIME, OF(sim_profile, dram.hit), 0, HOUR_NS},
    {"dram", "dirty-limit", SIM_VALUE_BYTES, OF(sim_profile, dram.dirty_limit_bytes), 0, PB},
    {"dram", "drain", SIM_VALUE_RATE, OF(sim_profile, dram.drain_bytes_s), 1, PB},

    {"flash", "on", SIM_VALUE_SWITCH, OF(sim_profile, flash.on), 0, 0},
    {"flash", "size", SIM_VALUE_BYTES, OF(sim_profile, flash.bytes), 0, PB},
    {"flash", "devices", SIM_VALUE_COUNT, OF(sim_profile, flash.devices), 1, SIM_DISKS_MAX},
    {"flash", "read", SIM_VALUE_TIME, OF(sim_profile, flash.read), 0, HOUR_NS},
    {"flash", "rate", SIM_VALUE_RATE, OF(sim_profile, flash.read_bytes_s), 1, PB},
    {"flash", "replace", SIM_VALUE_REPLACE, OF(sim_profile, flash.replace), 0, 0},

    {"log", "on", SIM_VALUE_SWITCH, OF(sim_profile, log.on), 0, 0},
    {"log", "devices", SIM_VALUE_COUNT, OF(sim_profile, log.devices), 1, SIM_DISKS_MAX},
    {"log", "write", SIM_VALUE_TIME, OF(sim_profile, log.write), 0, HOUR_NS},
    {"log", "rate", SIM_VALUE_RATE, OF(sim_profile, log.write_bytes_s), 1, PB},
    {"log", "metadata", SIM_VALUE_SWITCH, OF(sim_profile, log.metadata), 0, 0},

    {"disks", "count", SIM_VALUE_COUNT, OF(sim_profile, disks.count), 1, SIM_DISKS_MAX},
    {"disks", "raid", SIM_VALUE_RAID, OF(sim_profile, disks.raid), 0, 0},
    {"disks", "per-set", SIM_VALUE_COUNT, OF(sim_profile, disks.per_set), 1, SIM_DISKS_MAX},
    {"disks", "seek", SIM_VALUE_TIME, OF(sim_profile, disks.seek), 0, HOUR_NS},
    {"disks", "rpm", SIM_VALUE_COUNT, OF(sim_profile, disks.rpm), 0, 100000},
    {"disks", "rate", SIM_VALUE_RATE, OF(sim_profile, disks.bytes_s), 1, PB},
    {"disks", "queue-gain", SIM_VALUE_SHARE, OF(sim_profile, disks.queue_gain_ppm), 0, MILLION},
    {"disks", "stripe", SIM_VALUE_BYTES, OF(sim_profile, disks.stripe_bytes), 4096, 64u << 20},
    {"disks", "write-cache", SIM_VALUE_SWITCH, OF(sim_profile, disks.write_cache), 0, 0},
    {"disks", "capacity", SIM_VALUE_BYTES, OF(sim_profile, disks.capacity_bytes), 1u << 20, PB},
};

#define KEYS (sizeof keys / sizeof keys[0])
_Static_assert(KEYS <= SIM_KEYS_MAX, "room for where each was set");

const struct sim_key *sim_key_at(unsigned i)
{
    return i < KEYS ? &keys[i] : NULL;
}

/* The kind of op that stands in `given` where `key` has KIND. */
static bool kind_in(const char *key, const char *given, enum op_kind *op)
{
    const char *mark = strstr(key, KIND);
    size_t len = mark != NULL ? (size_t)(mark - key) : 0;

    if (mark == NULL || strncmp(key, given, len) != 0)
        return false;
    *op = OP_KINDS;
    if (strcmp(given + len, "*") == 0)
        return true;
    for (*op = 0; *op < OP_KINDS; (*op)++) {
        if (strcmp(given + len, op_kind_name(*op)) == 0)
            return true;
    }
    return false;
}

/* A key with KIND is tried with each kind, so that "cpu.raed" is near to "cpu.read". */
static void try_kinds(struct nearest *near, const char *key, char candidate[][SIM_NAME_MAX])
{
    for (unsigned op = 0; op < OP_KINDS; op++) {
        snprintf(candidate[op], SIM_NAME_MAX, "%.*s%s", (int)(strstr(key, KIND) - key), key,
                 op_kind_name((enum op_kind)op));
        nearest_try(near, candidate[op]);
    }
}

static int no_key(const char *section, const char *key, struct err *err)
{
    char candidate[2][OP_KINDS][SIM_NAME_MAX];
    struct nearest near = {.wish = key};
    unsigned with_kinds = 0;
    struct text known;

    text_init(&known);
    for (unsigned i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].section, section) != 0)
            continue;
        text_addf(&known, "%s%s", known.len > 0 ? " " : "", keys[i].key);
        if (strstr(keys[i].key, KIND) != NULL)
            try_kinds(&near, keys[i].key, candidate[with_kinds++]);
        else
            nearest_try(&near, keys[i].key);
    }
    err_set(err, -EINVAL, "%s%s%s has no key \"%.40s\";%s%s%s accepted are %s",
            *section != '\0' ? "[" : "",
            *section != '\0' ? section : "what stands before the sections",
            *section != '\0' ? "]" : "", key, near.best != NULL ? " did you mean " : "",
            near.best != NULL ? near.best : "", near.best != NULL ? "?" : "", known.s);
    text_fini(&known);
    return -EINVAL;
}

int sim_key_find(const char *section, const char *key, enum op_kind *op, struct err *err)
{
    int found = -1;

    for (unsigned i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].section, section) != 0)
            continue;
        if (strcmp(keys[i].key, key) == 0 && strstr(key, KIND) == NULL)
            return (int)i;
        if (found < 0 && kind_in(keys[i].key, key, op))
            found = (int)i;
    }
    return found >= 0 ? found : no_key(section, key, err);
}

bool sim_section_is(const char *section)
{
    for (unsigned i = 0; i < KEYS; i++) {
        if (*section != '\0' && strcmp(keys[i].section, section) == 0)
            return true;
    }
    return strcmp(section, SIM_SECTION_PRESENT) == 0 || strcmp(section, SIM_SECTION_RIG) == 0;
}

int sim_section_unknown(const char *section, struct err *err)
{
    struct nearest near = {.wish = section};
    struct text known;

    text_init(&known);
    nearest_try(&near, SIM_SECTION_PRESENT);
    nearest_try(&near, SIM_SECTION_RIG);
    for (unsigned i = 1; i < KEYS; i++) {
        if (strcmp(keys[i].section, keys[i - 1].section) == 0)
            continue;
        nearest_try(&near, keys[i].section);
        text_addf(&known, "%s%s, ", keys[i].section,
                  strcmp(keys[i].section, "protocol") == 0 ? " NAME" : "");
    }
    err_set(err, -EINVAL, "there is no section \"%.40s\";%s%s%s accepted are %s%s, %s", section,
            near.best != NULL ? " did you mean " : "", near.best != NULL ? near.best : "",
            near.best != NULL ? "?" : "", known.s, SIM_SECTION_PRESENT, SIM_SECTION_RIG);
    text_fini(&known);
    return -EINVAL;
}
