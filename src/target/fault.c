/* A target in front of a target that makes things go wrong on purpose: stalls, errors, slow, short,
 * hanging and lost ops, at places written down beforehand and so repeatable. */
#include "target/catalog.h"
#include "target/catalog_priv.h"
#include "target/fault_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Virtual time starts above 0, which is nobody's time. */
#define VIRTUAL_START_NS 1000000000u

static struct fault_target *fault_target_of(struct target *t)
{
    return (struct fault_target *)t;
}

static int check_clock(const struct target_caps *inner, const char *address, struct err *err)
{
    if (inner->blocking)
        return err_set(err, -EINVAL,
                       "clock=virtual needs an asynchronous target such as null:, and %s is driven "
                       "by blocking calls, which take real time",
                       address);
    if (inner->own_clock)
        return err_set(err, -EINVAL, "clock=virtual: %s has a clock of its own", address);
    return 0;
}

/* Everything that can be known from the address; *inner is allocated. */
static int read_address(const char *address, struct fault_script *script, char **inner,
                        struct target_caps *inner_caps, struct err *err)
{
    size_t inner_len;
    char *copy;
    int rc = fault_script_parse(address, script, &inner_len, err);

    if (rc < 0)
        return rc;
    copy = strndup(address, inner_len);
    if (copy == NULL)
        return err_set(err, -ENOMEM, "no memory for a target's address");
    rc = target_caps_of(copy, inner_caps, err);
    if (rc == 0 && script->clock_virtual)
        rc = check_clock(inner_caps, copy, err);
    if (rc < 0)
        free(copy);
    else
        *inner = copy;
    return rc;
}

static int fault_caps(const char *address, struct target_caps *caps, struct err *err)
{
    struct fault_script script;
    char *inner = NULL;
    int rc = read_address(address, &script, &inner, caps, err);

    if (rc == 0 && script.clock_virtual)
        caps->own_clock = true;
    free(inner);
    return rc;
}

static void fault_close(struct target *base)
{
    struct fault_target *t = fault_target_of(base);

    if (t == NULL)
        return;
    if (t->inner != NULL)
        t->inner_table->close(t->inner);
    free(t->address);
    free(t->params);
    free(t);
}

static int fault_open(const char *address, struct target **out, struct err *err)
{
    struct fault_target *t = calloc(1, sizeof *t);
    const char *rest;
    int rc;

    if (t == NULL)
        return err_set(err, -ENOMEM, "no memory for a target");
    atomic_init(&t->now_ns, VIRTUAL_START_NS);
    rc = read_address(address, &t->script, &t->address, &t->inner_caps, err);
    if (rc == 0) {
        const char *params = address + strlen(t->address);

        t->params = strdup(params + (*params == '?'));
        rc = t->params == NULL ? err_set(err, -ENOMEM, "no memory for a target") : 0;
    }
    if (rc == 0)
        rc = target_find(t->address, &t->inner_table, &rest, err);
    if (rc == 0)
        rc = t->inner_table->open(rest, &t->inner, err);
    if (rc < 0)
        fault_close((struct target *)t);
    else
        *out = (struct target *)t;
    return rc;
}

static void fault_describe(struct target *base, const struct target_sink *sink)
{
    struct fault_target *t = fault_target_of(base);

    sink->put(sink->ctx, "fault", t->params, "");
    t->inner_table->describe(t->inner, sink);
}

static void fault_counters(struct target *base, const struct target_sink *sink)
{
    struct fault_target *t = fault_target_of(base);
    const struct fault_script *f = &t->script;
    char fired[24];

    snprintf(fired, sizeof fired, "%llu",
             (unsigned long long)atomic_load_explicit(&t->fired, memory_order_relaxed));
    if (f->stalls + f->errors + f->shorts + f->hangs > 0 || f->dead_number > 0)
        sink->put(sink->ctx, "faults_fired", fired, "");
    if (t->inner_table->counters != NULL)
        t->inner_table->counters(t->inner, sink);
}

static void fault_metrics(struct target *base, const struct target_sink *sink)
{
    struct fault_target *t = fault_target_of(base);

    if (t->inner_table->metrics != NULL)
        t->inner_table->metrics(t->inner, sink);
}

static void fault_truth(struct target *base, const struct target_sink *sink)
{
    struct fault_target *t = fault_target_of(base);

    if (t->inner_table->truth != NULL)
        t->inner_table->truth(t->inner, sink);
}

static int fault_space(struct target *base, struct target_space *out)
{
    struct fault_target *t = fault_target_of(base);
    int rc = t->inner_table->space != NULL ? t->inner_table->space(t->inner, out) : -ENOTSUP;

    if (rc == 0 && t->script.has_quota)
        out->quota_bytes = (struct target_quota){.of = "fault", .left = t->script.quota_bytes};
    return rc;
}

uint64_t fault_now(void *base)
{
    struct fault_target *t = base;
    struct timespec ts;

    if (t->script.clock_virtual)
        return atomic_load_explicit(&t->now_ns, memory_order_relaxed);
    if (t->inner_caps.own_clock)
        return t->inner_table->now(t->inner);
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

const struct target_table fault_target = {
    .scheme = "fault",
    .help =
        "makes another target fail, stall, lag or hang at will: fault:TARGET?stall=1s@5s; a study "
        "opens it anew for every run, so counts (op:N) and times begin again with each",
    .params = FAULT_PARAMS,
    .caps = fault_caps,
    .open = fault_open,
    .close = fault_close,
    .describe = fault_describe,
    .session_open = fault_session_open,
    .session_close = fault_session_close,
    .submit = fault_submit,
    .reap = fault_reap,
    .wake = fault_wake,
    .now = fault_now,
    .counters = fault_counters,
    .metrics = fault_metrics,
    .truth = fault_truth,
    .space = fault_space,
    .lock = fault_lock,
    .buffers = fault_buffers,
    .calls_window = fault_calls_window,
    .calls = fault_calls,
};
