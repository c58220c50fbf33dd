/* A storage system made of a profile, and the list of those that are open. */
#include "target/sim_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t systems_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_system *systems;

static void system_free(struct sim_system *s)
{
    if (s == NULL)
        return;
    sim_store_free(s->store);
    sim_names_free(s->names);
    sim_net_free(s->net);
    sim_pool_fini(&s->pool);
    free(s->machine);
    free(s->address);
    free(s);
}

/* ---- stations ---- */

/* Three of each client, two of each port, one of each disk, and cpu, bus, path, flash, log. */
_Static_assert(3 * SIM_CLIENTS_MAX + 2 * SIM_PORTS_MAX + SIM_DISKS_MAX + 5 <= SIM_STATIONS_MAX,
               "whatever a profile may say has its station");

/* The number in *out; an error stays what it was. */
static void add_station(struct sim_system *s, const char *name, unsigned servers,
                        enum sim_spread spread, uint32_t slow_by, unsigned *out, int *rc)
{
    struct sim_station_spec spec = {
        .servers = servers, .spread = spread, .slow_by = slow_by, .slow_of = 1};
    int number;

    *out = SIM_NOWHERE;
    if (*rc < 0 || servers == 0)
        return;
    snprintf(spec.name, sizeof spec.name, "%s", name);
    number = sim_net_station(s->net, &spec);
    if (number < 0)
        *rc = number;
    else
        *out = (unsigned)number;
}

static uint32_t slowness_of(const struct sim_faults *f, unsigned client)
{
    for (unsigned i = 0; i < f->slow_clients; i++)
        if (f->slow_client[i].client == client)
            return f->slow_client[i].by;
    return 1;
}

static int make_stations(struct sim_system *s)
{
    const struct sim_profile *p = &s->profile;
    bool has_bus = s->protocol->reads_wait_bus && p->bus.read_bytes_s > 0;
    int rc = 0;

    add_station(s, "cpu", p->cpus, p->cpu_spread, 1, &s->cpu, &rc);
    add_station(s, "bus", has_bus ? p->bus.servers : 0, p->bus.spread, 1, &s->bus, &rc);
    for (unsigned i = 0; i < p->ports.count; i++) {
        add_station(s, "port in", 1, SIM_FIXED, 1, &s->port[i].in, &rc);
        add_station(s, "port out", 1, SIM_FIXED, 1, &s->port[i].out, &rc);
    }
    for (unsigned i = 0; i < p->client.count; i++) {
        struct sim_machine *m = &s->machine[i];

        m->slow_by = slowness_of(&p->faults, i);
        m->drop_ns = SIM_NEVER;
        add_station(s, "client in", p->client.links, SIM_FIXED, m->slow_by, &m->in, &rc);
        add_station(s, "client out", p->client.links, SIM_FIXED, m->slow_by, &m->out, &rc);
        add_station(s, "client cpu", p->client.cpus, p->client.cpu_spread, m->slow_by, &m->cpu,
                    &rc);
    }
    return rc;
}

/* ns a byte, in 2^-32. */
static uint64_t pace_of(uint64_t bit_s)
{
    return bit_s > 0 ? (uint64_t)(((unsigned __int128)8000000000u << 32) / bit_s) : 0;
}

static void set_paces(struct sim_system *s)
{
    const struct sim_profile *p = &s->profile;

    s->pace = (struct sim_paces){.link = pace_of(p->client.link_bit_s),
                                 .port = pace_of(p->ports.bit_s),
                                 .bus_read = pace_of(8 * p->bus.read_bytes_s),
                                 .bus_write = pace_of(8 * p->bus.write_bytes_s)};
    s->latency_ns = sim_is_local(p) ? 0 : s->protocol->latency_ns;
}

/* ---- files that are there beforehand ---- */

/* The last name of the path; *dir is where it is to be, made as far as it was not there. */
static int64_t make_way(struct sim_names *names, const char *path, const char **leaf)
{
    int64_t dir = SIM_ROOT;

    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        char name[TARGET_LEAF_MAX];
        int64_t next;

        if (slash == path)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(slash - path), path);
        next = sim_names_look(names, (uint32_t)dir, name);
        if (next == -ENOENT)
            next = sim_names_make(names, (uint32_t)dir, name, TARGET_TYPE_DIR);
        if (next < 0)
            return next;
        dir = next;
    }
    *leaf = path;
    return dir;
}

static int make_present(struct sim_system *s, const struct sim_present *p, const char *path)
{
    const char *leaf;
    int64_t thing = make_way(s->names, path, &leaf);

    if (thing >= 0)
        thing = sim_names_make(s->names, (uint32_t)thing, leaf, TARGET_TYPE_FILE);
    if (thing < 0)
        return (int)thing;
    sim_names_resize(s->names, (uint32_t)thing, p->bytes);
    sim_store_present(s->store, (uint32_t)thing, p->bytes, p->in_dram, p->in_flash);
    return 0;
}

static int make_presents(struct sim_system *s, struct err *err)
{
    for (unsigned i = 0; i < s->profile.presents; i++) {
        const struct sim_present *p = &s->profile.present[i];
        const char *hole = strchr(p->path, '{');
        unsigned last = p->numbered ? p->last : p->first;

        for (unsigned n = p->first; n <= last; n++) {
            char path[sizeof p->path + 16];
            int rc;

            if (p->numbered && hole != NULL)
                snprintf(path, sizeof path, "%.*s%u%s", (int)(hole - p->path), p->path, n,
                         strchr(hole, '}') + 1);
            else
                snprintf(path, sizeof path, "%s", p->path);
            rc = make_present(s, p, path);
            if (rc < 0)
                return err_set(err, rc, "sim:%s: [present] %s cannot be made: %s", s->address, path,
                               strerror(-rc));
        }
    }
    return 0;
}

/* ---- the system ---- */

static int make_model(struct sim_system *s, struct err *err)
{
    int rc = sim_net_new(s->profile.seed, &s->net);

    if (rc == 0)
        rc = sim_names_new(&s->names);
    s->machine = calloc(s->profile.client.count, sizeof *s->machine);
    if (rc == 0 && s->machine == NULL)
        rc = -ENOMEM;
    if (rc == 0)
        rc = sim_net_room(s->net, SIM_MISHAPS_MAX);
    if (rc == 0)
        rc = make_stations(s);
    if (rc < 0)
        return err_set(err, rc, "no memory for the model sim:%s", s->address);
    rc = sim_store_new(&s->profile, s->net, &s->store, err);
    return rc < 0 ? rc : make_presents(s, err);
}

static int system_new(const char *address, struct sim_system **out, struct err *err)
{
    struct sim_system *s = calloc(1, sizeof *s);
    int rc;

    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for the model sim:%.64s", address);
    s->address = strdup(address);
    rc = s->address != NULL ? sim_address_parse(address, &s->profile, err)
                            : err_set(err, -ENOMEM, "no memory for the model sim:%.64s", address);
    if (rc == 0) {
        s->protocol = &s->profile.protocol_of[s->profile.protocol];
        set_paces(s);
        rc = make_model(s, err);
    }
    if (rc < 0)
        system_free(s);
    else
        *out = s;
    return rc;
}

int sim_system_get(const char *address, struct sim_system **out, struct err *err)
{
    struct sim_system *s;
    int rc = 0;

    pthread_mutex_lock(&systems_lock);
    for (s = systems; s != NULL && strcmp(s->address, address) != 0;)
        s = s->next;
    if (s == NULL) {
        rc = system_new(address, &s, err);
        if (rc == 0) {
            s->next = systems;
            systems = s;
        }
    }
    if (rc == 0) {
        s->users++;
        *out = s;
    }
    pthread_mutex_unlock(&systems_lock);
    return rc;
}

void sim_system_put(struct sim_system *s)
{
    struct sim_system **at = &systems;

    pthread_mutex_lock(&systems_lock);
    if (--s->users == 0) {
        while (*at != s)
            at = &(*at)->next;
        *at = s->next;
        system_free(s);
    }
    pthread_mutex_unlock(&systems_lock);
}
