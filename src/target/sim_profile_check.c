#include "target/sim_keys_priv.h"

#include "base/units.h"
#include "target/sim_cache_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROTOCOL    "protocol"
#define MTU_BYTES   1500u
#define DISK_BYTES  (1ull << 40)
#define DIRTY_MIN   (1ull << 20) /* what is written at once has to have room */
#define EXTENTS_MAX (1ull << 24)
#define FILES_MAX   1000000u

/* Where the key was written comes first, or whose it is. */
__attribute__((format(printf, 6, 7))) static int refuse(const struct sim_profile *p,
                                                        const char *section, unsigned protocol,
                                                        const char *key, struct err *err,
                                                        const char *fmt, ...)
{
    enum op_kind op;
    int k = sim_key_find(section, key, &op, NULL);
    unsigned i = strcmp(section, PROTOCOL) == 0 ? protocol : 0;
    const struct sim_where *where = &p->where[i][k >= 0 ? k : 0];
    const char *name = i > 0 || strcmp(section, PROTOCOL) == 0 ? p->protocol_of[i].name : "";
    char words[ERR_TEXT_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    if (*section == '\0')
        err_set(err, -EINVAL, "%s: %s", key, words);
    else
        err_set(err, -EINVAL, "[%s%s%s] %s: %s", section, *name != '\0' ? " " : "", name, key,
                words);
    return where->line > 0 ? err_prefix(err, "%s:%u", p->file[where->file], where->line)
                           : err_prefix(err, "%s", p->name);
}

/* ---- the way to the server ---- */

static int check_protocol(struct sim_profile *p, unsigned i, struct err *err)
{
    struct sim_protocol *protocol = &p->protocol_of[i];

    if (protocol->link_bit_s == 0)
        protocol->link_bit_s = p->client.link_bit_s;
    if (protocol->port_bit_s == 0)
        protocol->port_bit_s = p->ports.bit_s;
    if (protocol->clients == 0)
        protocol->clients = p->client.count;
    if (protocol->mtu_bytes == 0)
        protocol->mtu_bytes = MTU_BYTES;
    if (protocol->header_bytes >= protocol->mtu_bytes)
        return refuse(p, PROTOCOL, i, "headers", err, "%u bytes of headers leave nothing of %u",
                      protocol->header_bytes, protocol->mtu_bytes);
    if (p->client.links > 0 && protocol->link_bit_s == 0)
        return refuse(p, PROTOCOL, i, "link", err, "is missing, here and in [client]");
    if (p->ports.count > 0 && protocol->port_bit_s == 0)
        return refuse(p, PROTOCOL, i, "port", err, "is missing, and so is rate in [ports]");
    return 0;
}

static int check_way_in(struct sim_profile *p, struct err *err)
{
    int rc = 0;

    if (p->protocols == 0)
        return err_set(err, -EINVAL, "%s: has no [protocol NAME]", p->name);
    if (p->client.count == 0)
        p->client.count = 1;
    if ((p->client.links > 0) != (p->ports.count > 0))
        return refuse(p, p->ports.count > 0 ? "client" : "ports", 0,
                      p->ports.count > 0 ? "links" : "count", err,
                      "there are %u links of a client and %u ports of the server: give both, or "
                      "neither for a local system",
                      p->client.links, p->ports.count);
    for (unsigned i = 0; i < p->protocols && rc == 0; i++)
        rc = check_protocol(p, i, err);
    if (rc < 0)
        return rc;
    p->client.count = p->protocol_of[p->protocol].clients;
    p->client.link_bit_s = p->protocol_of[p->protocol].link_bit_s;
    p->ports.bit_s = p->protocol_of[p->protocol].port_bit_s;
    if (p->cpus == 0)
        return refuse(p, "cpu", 0, "cores", err, "is missing");
    return 0;
}

/* ---- memory ---- */

static int check_way(const struct sim_profile *p, struct sim_way *way, const char *section,
                     struct err *err)
{
    if (way->write_bytes_s == 0)
        way->write_bytes_s = way->read_bytes_s;
    if (way->read_bytes_s == 0 && (way->write_bytes_s > 0 || way->op_ns > 0))
        return refuse(p, section, 0, "read", err, "is missing");
    if (way->servers == 0)
        way->servers = 1;
    return 0;
}

static int check_dram(const struct sim_profile *p, struct err *err)
{
    const struct sim_dram *dram = &p->dram;
    char limit[UNITS_PRINT_MAX];
    char size[UNITS_PRINT_MAX];

    if (dram->dirty_limit_bytes > dram->bytes)
        return refuse(p, "dram", 0, "dirty-limit", err, "%s do not fit into size, %s",
                      units_print_bytes(limit, dram->dirty_limit_bytes),
                      units_print_bytes(size, dram->bytes));
    if (dram->dirty_limit_bytes > 0 && dram->dirty_limit_bytes < DIRTY_MIN)
        return refuse(p, "dram", 0, "dirty-limit", err,
                      "%s; accepted are 1 MiB and more, or 0: each write waits for the disks",
                      units_print_bytes(limit, dram->dirty_limit_bytes));
    return 0;
}

static int check_caches(struct sim_profile *p, struct err *err)
{
    char extent[UNITS_PRINT_MAX];
    int rc;

    if ((p->extent_bytes & (p->extent_bytes - 1)) != 0)
        return refuse(p, "", 0, "extent", err, "%u bytes are no power of two", p->extent_bytes);
    rc = check_dram(p, err);
    if (rc < 0)
        return rc;
    p->flash.on = p->flash.on && p->flash.bytes > 0;
    p->log.on = p->log.on && p->log.devices > 0;
    if (p->flash.on && p->flash.devices == 0)
        p->flash.devices = 1;
    if (p->flash.on && p->dram.bytes == 0)
        return refuse(p, "flash", 0, "size", err,
                      "takes what [dram] gives up, and [dram] has no size");
    if (p->flash.on && p->flash.read.mean_ns == 0)
        return refuse(p, "flash", 0, "read", err, "is missing");
    if (p->log.on && p->log.write.mean_ns == 0)
        return refuse(p, "log", 0, "write", err, "is missing");
    if ((p->dram.bytes + p->flash.bytes) / p->extent_bytes > EXTENTS_MAX)
        return refuse(p, "", 0, "extent", err,
                      "caches of this size have more than 16 million extents of %s; give a larger "
                      "one",
                      units_print_bytes(extent, p->extent_bytes));
    return 0;
}

/* ---- disks and what lies there ---- */

static unsigned data_disks(const struct sim_disks *d)
{
    return d->raid == SIM_RAID_5   ? d->count / d->per_set * (d->per_set - 1)
           : d->raid == SIM_RAID_1 ? d->count / d->per_set
                                   : d->count;
}

static int check_sets(const struct sim_profile *p, struct err *err)
{
    const struct sim_disks *d = &p->disks;
    unsigned least = d->raid == SIM_RAID_5 ? 3 : d->raid == SIM_RAID_1 ? 2 : 1;

    if (d->per_set < least)
        return refuse(p, "disks", 0, "per-set", err, "%u; of this level %u and more are a set",
                      d->per_set, least);
    if (d->count % d->per_set != 0)
        return refuse(p, "disks", 0, "count", err, "%u disks are no whole sets of %u (per-set)",
                      d->count, d->per_set);
    if (d->stripe_bytes % 4096 != 0)
        return refuse(p, "disks", 0, "stripe", err, "is no multiple of 4 KiB");
    return 0;
}

static int check_disks(struct sim_profile *p, struct err *err)
{
    struct sim_disks *d = &p->disks;
    int rc;

    if (d->count == 0)
        return refuse(p, "disks", 0, "count", err, "is missing");
    if (d->bytes_s == 0)
        return refuse(p, "disks", 0, "rate", err, "is missing");
    if (d->per_set == 0)
        d->per_set = d->raid == SIM_RAID_5 ? d->count : d->raid == SIM_RAID_1 ? 2 : 1;
    if (d->stripe_bytes == 0)
        d->stripe_bytes = p->extent_bytes;
    rc = check_sets(p, err);
    if (rc == 0 && d->capacity_bytes == 0)
        d->capacity_bytes = data_disks(d) * DISK_BYTES;
    return rc;
}

static int check_present(struct sim_profile *p, struct err *err)
{
    char most[UNITS_PRINT_MAX];
    unsigned __int128 bytes = 0;
    uint64_t files = 0;

    for (unsigned i = 0; i < p->presents; i++) {
        struct sim_present *present = &p->present[i];
        unsigned n = present->numbered ? present->last - present->first + 1 : 1;

        if (present->bytes > sim_file_bytes_max(p->extent_bytes))
            return err_set(err, -EINVAL,
                           "%s: [present] %.100s: with this extent a file has less than %s",
                           p->name, present->path,
                           units_print_bytes(most, sim_file_bytes_max(p->extent_bytes)));
        files += n;
        bytes += (unsigned __int128)present->bytes * n;
        present->in_dram = present->in_dram && p->dram.bytes > 0;
        present->in_flash = present->in_flash && p->flash.on;
    }
    if (files > FILES_MAX)
        return err_set(err, -EINVAL, "%s: [present] has more than %u files", p->name, FILES_MAX);
    if (bytes > p->disks.capacity_bytes)
        return err_set(err, -EINVAL, "%s: the files of [present] are larger than [disks] capacity",
                       p->name);
    return 0;
}

static int check_faults(const struct sim_profile *p, struct err *err)
{
    const struct sim_faults *f = &p->faults;

    for (unsigned i = 0; i < f->slow_disks; i++) {
        if (f->slow_disk[i].disk >= p->disks.count)
            return err_set(err, -EINVAL, "slow-disk=%u: %s has %u disks", f->slow_disk[i].disk + 1,
                           p->name, p->disks.count);
    }
    for (unsigned i = 0; i < f->slow_clients; i++) {
        if (f->slow_client[i].client >= p->client.count)
            return err_set(err, -EINVAL, "slow-client=%u: %s has %u clients",
                           f->slow_client[i].client + 1, p->name, p->client.count);
    }
    for (unsigned i = 0; i < f->drops; i++) {
        if (f->drop[i].client >= p->client.count)
            return err_set(err, -EINVAL, "drop-client=%u: %s has %u clients", f->drop[i].client + 1,
                           p->name, p->client.count);
    }
    return 0;
}

int sim_profile_check(struct sim_profile *p, struct err *err)
{
    int rc = check_way_in(p, err);

    if (p->title[0] == '\0')
        snprintf(p->title, sizeof p->title, "%s", p->name);
    if (rc == 0)
        rc = check_way(p, &p->bus, "bus", err);
    if (rc == 0)
        rc = check_way(p, &p->path, "path", err);
    if (rc == 0)
        rc = check_caches(p, err);
    if (rc == 0)
        rc = check_disks(p, err);
    if (rc == 0)
        rc = check_present(p, err);
    return rc < 0 ? rc : check_faults(p, err);
}
