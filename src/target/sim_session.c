/* A session of a modelled system: what it takes, what it hands out, and how it moves the clock. */
#include "target/sim_session_priv.h"

#include <errno.h>
#include <stdlib.h>

static struct sim_session *sim_session_of(struct session *s)
{
    return (struct sim_session *)s;
}

int sim_session_open(struct target *t, const struct session_spec *spec, struct session **out,
                     struct err *err)
{
    struct sim_system *system = (struct sim_system *)t;
    struct sim_session *s = calloc(1, sizeof *s);

    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for a session of a modelled system");
    s->system = system;
    s->names = spec->names;
    s->ops_max = spec->ops_max > 0 ? spec->ops_max : 1;
    s->done_last = &s->done;
    wake_init(&s->wake);
    if (sim_files_init(s, spec->handles_max, spec->dirs_max) < 0 ||
        sim_pool_promise(system, s->ops_max) < 0) {
        sim_files_fini(s);
        free(s);
        return err_set(err, -ENOMEM, "no memory for %u ops of a modelled system", spec->ops_max);
    }
    *out = (struct session *)s;
    return 0;
}

static void stop_own(struct sim_op *o, const void *session)
{
    if (o->session == session)
        sim_route_stop(o);
}

void sim_session_close(struct session *base)
{
    struct sim_session *s = sim_session_of(base);

    if (s == NULL)
        return;
    sim_faults_end(s);
    if (s->held > s->ready)
        sim_pool_each(s->system, stop_own, s);
    s->system->pool.promised -= s->ops_max;
    sim_files_fini(s);
    free(s);
}

void sim_session_wake(struct session *s)
{
    wake_set(&sim_session_of(s)->wake);
}

void sim_calls_window(struct session *base, uint64_t open_ns, uint64_t close_ns)
{
    struct sim_session *s = sim_session_of(base);

    s->open_ns = open_ns;
    s->close_ns = close_ns;
}

const struct hist *sim_calls(struct session *base, unsigned i, const char **name)
{
    static const char *const names[SIM_SERVED_KINDS] = {
        [SIM_SERVED_DRAM] = "read from dram",    [SIM_SERVED_FLASH] = "read from flash",
        [SIM_SERVED_DISK] = "read from disk",    [SIM_SERVED_WRITE] = "write",
        [SIM_SERVED_SYNC] = "synchronous write", [SIM_SERVED_NAME] = "name operation"};

    if (i >= SIM_SERVED_KINDS)
        return NULL;
    *name = names[i];
    return &sim_session_of(base)->served[i];
}

/* ---- an op's beginning and end ---- */

static bool has_handle(const struct op *op)
{
    switch (op->kind) {
    case OP_READ:
    case OP_WRITE:
    case OP_APPEND:
    case OP_FSYNC:
    case OP_TRUNCATE:
    case OP_FALLOCATE:
    case OP_CLOSE:
    case OP_EVICT:
        return true;
    case OP_STAT:
        return (op->flags & OP_FLAG_HANDLE) != 0;
    default:
        return false;
    }
}

static bool opens(enum op_kind kind)
{
    return kind == OP_OPEN || kind == OP_CREATE;
}

static int check_handle(const struct sim_file *f, const struct op *op)
{
    bool writes = op->kind == OP_WRITE || op->kind == OP_APPEND || op->kind == OP_TRUNCATE ||
                  op->kind == OP_FALLOCATE;

    if (f == NULL || (writes && (f->flags & OP_FLAG_READ) != 0) ||
        (op->kind == OP_READ && (f->flags & OP_FLAG_WRITE) != 0))
        return -EBADF;
    return 0;
}

/* Finds the file of an op, or a place for the one that it opens. What the client itself refuses: -errno. */
static int take_file(struct sim_session *s, struct sim_op *o)
{
    const uint32_t both = OP_FLAG_READ | OP_FLAG_WRITE;
    const struct op *op = o->op;
    struct sim_file *f = NULL;
    int rc = 0;

    if (op->kind >= OP_KINDS || (sim_op_kinds(&s->system->profile) >> op->kind & 1) == 0)
        return -EOPNOTSUPP;
    if (has_handle(op)) {
        f = sim_file_find(s, op->handle);
        rc = check_handle(f, op);
    } else if (opens(op->kind)) {
        if ((op->flags & both) == both)
            return -EINVAL;
        f = sim_file_new(s, op->flags);
        rc = f == NULL ? -EMFILE : 0;
    }
    if (rc < 0 || f == NULL)
        return rc;
    if (op->kind == OP_CLOSE) { /* gone, however it ends */
        f->is_open = false;
        f->is_leaving = true;
    }
    f->ops++;
    o->file = f;
    return 0;
}

static void begin(struct sim_session *s, struct op *op)
{
    struct sim_system *system = s->system;
    struct sim_op *o = sim_pool_take(system);
    int rc;

    o->session = s;
    o->op = op;
    o->file = NULL;
    o->waits = false;
    o->served = SIM_SERVED_NAME;
    o->machine = &system->machine[op->client % system->profile.client.count];
    o->port =
        &system->port[system->profile.ports.count > 0
                          ? op->client % system->profile.client.count % system->profile.ports.count
                          : 0];
    s->held++;
    o->res = sim_has_faults(&system->profile) ? sim_faults_op(s, op) : 0;
    rc = take_file(s, o);
    if (rc < 0)
        sim_route_fails(o, rc, 0);
    else if (sim_net_now(system->net) >= o->machine->drop_ns)
        sim_route_fails(o, -ENOTCONN, SIM_REFUSED_NS);
    else
        sim_route(o);
}

void sim_op_tell(struct sim_op *o)
{
    struct sim_session *s = o->session;
    struct op *op = o->op;

    op->res = o->res;
    op->extra = 0;
    if (o->file != NULL && opens(op->kind) && o->res >= 0) {
        op->handle = sim_file_handle(s, o->file);
        o->file->is_open = true;
        o->file->is_leaving = false;
    }
    if (o->file != NULL)
        sim_file_op_done(s, o->file);
    op->next = NULL;
    *s->done_last = op;
    s->done_last = &op->next;
    s->ready++;
}

void sim_op_done(struct sim_op *o)
{
    sim_op_tell(o);
    sim_pool_give(o);
}

/* ---- taking and handing out ---- */

int sim_submit(struct session *base, struct op *const ops[], unsigned n)
{
    struct sim_session *s = sim_session_of(base);
    unsigned taken = 0;

    for (; taken < n && s->held < s->ops_max; taken++)
        begin(s, ops[taken]);
    return (int)taken;
}

static unsigned take_done(struct sim_session *s, struct op *done[], unsigned max)
{
    unsigned taken = 0;

    for (struct op *op; taken < max && (op = s->done) != NULL; taken++) {
        done[taken] = op;
        s->done = op->next;
    }
    if (s->done == NULL)
        s->done_last = &s->done;
    s->ready -= taken;
    s->held -= taken;
    return taken;
}

/* Fires what happens, of all sessions, until `want` ops of this one are done. Only where nothing in the model will
 * bring them any more, time that is not modelled passes: until a wake. */
static void turn_for(struct sim_session *s, unsigned want, uint64_t until_ns)
{
    while (s->ready < want && !wake_take(&s->wake)) {
        bool nothing_held = s->held == 0 && until_ns == SIM_NEVER;

        if (!nothing_held && sim_net_step(s->system->net, until_ns))
            continue;
        if (until_ns == SIM_NEVER)
            wake_wait(&s->wake, UINT64_MAX);
        return;
    }
}

int sim_reap(struct session *base, struct op *done[], unsigned min, unsigned max, uint64_t until_ns)
{
    struct sim_session *s = sim_session_of(base);
    unsigned want = min < max ? min : max;

    if (s->held > 0 && want > s->held)
        want = s->held;
    if (until_ns != UINT64_MAX)
        until_ns = until_ns > SIM_EPOCH_NS ? until_ns - SIM_EPOCH_NS : 0;
    if (s->ready < want)
        turn_for(s, want, until_ns);
    return (int)take_done(s, done, max);
}
