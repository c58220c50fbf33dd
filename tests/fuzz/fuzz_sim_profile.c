/* sim_profile_priv.h under any text: as a profile, with the last line in the place of what an address changes when
 * it begins with '?'. No crash; a refusal has words; what is accepted is within the header's bounds, a check of it once
 * more changes nothing, and its times and costs can be drawn. */
#include "fuzz/fuzz.h"
#include "target/catalog.h"
#include "target/sim_profile_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS 8
#define LONGEST_NS                                                                                 \
    (64 * 3600000000000ull) /* an exponential draw of an hour's mean is below 37 hours */
#define EXTENT_LEAST 4096u

static int take(void *p, const char *name, const char *value, struct err *err)
{
    return sim_profile_set(p, name, value, err);
}

static void check_words(int rc, const struct err *err)
{
    FUZZ_CHECK(rc == 0 || rc == -EINVAL);
    FUZZ_CHECK(err->code == rc && (rc == 0) == (err->text[0] == '\0'));
}

static void check_time(const struct sim_time *t, struct rng *rng)
{
    uint64_t least = t->kind == SIM_TIME_TABLE ? t->point[0].ns : 0;
    uint64_t most = t->kind == SIM_TIME_TABLE ? t->point[t->points - 1].ns : LONGEST_NS;

    FUZZ_CHECK(t->points <= SIM_TABLE_MAX && t->mean_ns <= most);
    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t ns = sim_time_draw(t, rng);
        FUZZ_CHECK(ns >= least && ns <= most);
        FUZZ_CHECK(t->kind != SIM_TIME_FIXED || ns == t->mean_ns);
    }
}

static void check_cost(const struct sim_cost *cost)
{
    for (unsigned op = 0; op < OP_KINDS; op++) {
        uint64_t none = sim_cost_ns(cost, (enum op_kind)op, false, 0, 0);

        FUZZ_CHECK(none == cost->op_ns[op]);
        FUZZ_CHECK(sim_cost_ns(cost, (enum op_kind)op, true, 1 << 20, 1 << 20) >= none);
    }
}

static void check_protocol(const struct sim_profile *p, const struct sim_protocol *protocol)
{
    FUZZ_CHECK(protocol->name[0] != '\0' && memchr(protocol->name, '\0', SIM_NAME_MAX) != NULL);
    FUZZ_CHECK(protocol->clients >= 1 && protocol->clients <= SIM_CLIENTS_MAX);
    FUZZ_CHECK(protocol->header_bytes < protocol->mtu_bytes);
    FUZZ_CHECK(p->client.links == 0 || protocol->link_bit_s > 0);
    FUZZ_CHECK(p->ports.count == 0 || protocol->port_bit_s > 0);
    check_cost(&protocol->cpu);
}

static void check_store(const struct sim_profile *p)
{
    const struct sim_disks *d = &p->disks;
    uint32_t extent = p->extent_bytes;

    FUZZ_CHECK(extent >= EXTENT_LEAST && (extent & (extent - 1)) == 0);
    FUZZ_CHECK(d->count >= 1 && d->count <= SIM_DISKS_MAX && d->bytes_s > 0);
    FUZZ_CHECK(d->per_set >= 1 && d->count % d->per_set == 0 && d->stripe_bytes > 0);
    FUZZ_CHECK(d->raid != SIM_RAID_1 || d->per_set >= 2);
    FUZZ_CHECK(d->raid != SIM_RAID_5 || d->per_set >= 3);
    FUZZ_CHECK(p->dram.dirty_limit_bytes <= p->dram.bytes);
    FUZZ_CHECK(!p->flash.on || (p->flash.devices > 0 && p->flash.bytes > 0 && p->dram.bytes > 0));
    FUZZ_CHECK(!p->log.on || p->log.devices > 0);
    FUZZ_CHECK(p->presents <= SIM_PRESENT_MAX && p->rigs.n <= SIM_RIGS_MAX);
    for (unsigned i = 0; i < p->presents; i++) {
        FUZZ_CHECK(p->present[i].path[0] != '/' && p->present[i].path[0] != '\0');
        FUZZ_CHECK(p->present[i].first <= p->present[i].last);
    }
}

static void check_faults(const struct sim_profile *p)
{
    const struct sim_faults *f = &p->faults;

    FUZZ_CHECK(f->stalls <= SIM_FAULTS_MAX && f->errors <= SIM_FAULTS_MAX);
    for (unsigned i = 0; i < f->errors; i++)
        FUZZ_CHECK(f->error[i].code < 0 && f->error[i].number > 0);
    for (unsigned i = 0; i < f->slow_disks; i++)
        FUZZ_CHECK(f->slow_disk[i].disk < p->disks.count && f->slow_disk[i].by > 0);
    for (unsigned i = 0; i < f->slow_clients; i++)
        FUZZ_CHECK(f->slow_client[i].client < p->client.count && f->slow_client[i].by > 0);
    for (unsigned i = 0; i < f->drops; i++)
        FUZZ_CHECK(f->drop[i].client < p->client.count);
}

static void check_accepted(struct sim_profile *p, struct sim_profile *again)
{
    struct rng rng;
    struct err err = {0};

    rng_seed(&rng, p->seed);
    FUZZ_CHECK(p->protocols >= 1 && p->protocols <= SIM_PROTOCOLS_MAX);
    FUZZ_CHECK(p->protocol < p->protocols && p->cpus >= 1);
    FUZZ_CHECK(p->client.count >= 1 && p->client.count <= SIM_CLIENTS_MAX);
    FUZZ_CHECK((p->client.links == 0) == (p->ports.count == 0) && p->ports.count <= SIM_PORTS_MAX);
    for (unsigned i = 0; i < p->protocols; i++)
        check_protocol(p, &p->protocol_of[i]);
    for (unsigned op = 0; op < OP_KINDS; op++)
        check_time(&p->client.think[op], &rng);
    check_time(&p->dram.hit, &rng);
    check_time(&p->flash.read, &rng);
    check_time(&p->log.write, &rng);
    check_time(&p->disks.seek, &rng);
    check_cost(&p->client.cpu);
    check_store(p);
    check_faults(p);
    memcpy(again, p, sizeof *again);
    FUZZ_CHECK(sim_profile_check(again, &err) == 0);
    FUZZ_CHECK(memcmp(again, p, sizeof *again) == 0);
}

/* Where the changes of an address begin; the end when there are none. */
static const char *last_line(const char *text, size_t size)
{
    const char *eol = memrchr(text, '\n', size);

    return eol != NULL && eol + 1 < text + size && eol[1] == '?' ? eol + 1 : text + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *params = size > 0 ? last_line(text, size) : text;
    struct sim_profile *p = malloc(2 * sizeof *p);
    char *address = strndup(params, size - (size_t)(params - text));
    struct err err = {0};
    size_t len;

    if (p != NULL && address != NULL) {
        int rc = sim_profile_read("fuzz", text, (size_t)(params - text), p, &err);
        if (rc == 0)
            rc = sim_rigs_check(p, &err);
        if (rc == 0)
            rc = target_params(address, &len, take, p, &err);
        if (rc == 0)
            rc = sim_profile_check(p, &err);
        check_words(rc, &err);
        if (rc == 0)
            check_accepted(p, p + 1);
    }
    free(address);
    free(p);
    return 0;
}
