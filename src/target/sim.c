/* A modelled storage system, in virtual time: what a storage system of a text profile would answer, and when. */
#include "target/catalog_priv.h"
#include "target/sim_session_priv.h"

#include <errno.h>
#include <stdlib.h>

uint32_t sim_op_kinds(const struct sim_profile *p)
{
    uint32_t all = (1u << OP_KINDS) - 1;

    return all & ~SIM_LACKS & ~(sim_is_local(p) ? 0u : 1u << OP_EVICT);
}

static int sim_caps(const char *address, struct target_caps *caps, struct err *err)
{
    struct sim_profile *profile = malloc(sizeof *profile);
    int rc = profile != NULL ? sim_address_parse(address, profile, err)
                             : err_set(err, -ENOMEM, "no memory for the model sim:%.64s", address);

    if (rc == 0)
        *caps = (struct target_caps){.op_kinds = sim_op_kinds(profile),
                                     .own_clock = true,
                                     .keeps_no_data = true,
                                     .uncached = true};
    free(profile);
    return rc;
}

static int sim_open(const char *address, struct target **out, struct err *err)
{
    struct sim_system *s;
    int rc = sim_system_get(address, &s, err);

    if (rc == 0)
        *out = (struct target *)s;
    return rc;
}

static void sim_close(struct target *t)
{
    sim_system_put((struct sim_system *)t);
}

static uint64_t sim_now(void *target)
{
    return sim_net_now(((struct sim_system *)target)->net) + SIM_EPOCH_NS;
}

static int sim_space(struct target *t, struct target_space *out)
{
    const struct sim_system *s = (const struct sim_system *)t;
    uint64_t total_bytes = s->profile.disks.capacity_bytes;
    uint64_t used_bytes = sim_names_bytes(s->names);

    *out =
        (struct target_space){.total_bytes = total_bytes,
                              .free_bytes = used_bytes < total_bytes ? total_bytes - used_bytes : 0,
                              .free_files = UINT64_MAX};
    return 0;
}

const struct target_table sim_target = {
    .scheme = "sim",
    .help = "a modelled storage system in virtual time, to rehearse on: sim:NAME or "
            "sim:FILE.profile; `loadline targets sim` lists those that are shipped",
    .params = SIM_PARAMS,
    .caps = sim_caps,
    .open = sim_open,
    .close = sim_close,
    .describe = sim_describe,
    .session_open = sim_session_open,
    .session_close = sim_session_close,
    .submit = sim_submit,
    .reap = sim_reap,
    .wake = sim_session_wake,
    .calls_window = sim_calls_window,
    .calls = sim_calls,
    .now = sim_now,
    .counters = sim_counters,
    .metrics = sim_metrics,
    .truth = sim_truth,
    .space = sim_space,
    .lock = sim_lock,
};
