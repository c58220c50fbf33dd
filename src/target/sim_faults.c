/* What goes wrong on purpose, in each run anew: counted from the first op that moves data while the run's window is
 * open. */
#include "target/sim_session_priv.h"

#include <errno.h>

static void drop_one(struct sim_op *o, const void *machine)
{
    if (o->machine != machine)
        return;
    o->res = -ENOTCONN;
    sim_op_tell(o);
    sim_route_stop(o);
}

static void happen(struct sim_event *e, uint64_t now_ns)
{
    struct sim_mishap *m = (struct sim_mishap *)e;
    struct sim_system *s = m->system;
    int rc;

    m->asked = false;
    if (m->for_ns > 0) {
        rc = sim_net_pause(s->net, s->cpu, now_ns, now_ns + m->for_ns);
        if (rc < 0)
            s->troubled_rc = rc;
        return;
    }
    s->machine[m->client].drop_ns = now_ns;
    sim_pool_each(s, drop_one, &s->machine[m->client]);
}

static void ask(struct sim_system *s, unsigned i, uint64_t after_ns, uint64_t for_ns,
                unsigned client)
{
    struct sim_mishap *m = &s->mishap[i];

    *m = (struct sim_mishap){
        .event.fire = happen, .system = s, .for_ns = for_ns, .client = client, .asked = true};
    sim_net_at(s->net, &m->event, sim_net_now(s->net) + after_ns);
}

static void begin(const struct sim_session *session)
{
    struct sim_system *s = session->system;
    const struct sim_faults *f = &s->profile.faults;

    s->troubled = session;
    s->troubled_ops = 0;
    for (unsigned i = 0; i < f->stalls; i++)
        ask(s, i, f->stall[i].at_ns, f->stall[i].for_ns, 0);
    for (unsigned i = 0; i < f->drops; i++)
        ask(s, SIM_FAULTS_MAX + i, f->drop[i].at_ns, 0, f->drop[i].client);
}

int sim_faults_op(struct sim_session *session, const struct op *op)
{
    struct sim_system *s = session->system;
    const struct sim_faults *f = &s->profile.faults;
    bool moves = op->kind == OP_READ || op->kind == OP_WRITE || op->kind == OP_APPEND;
    int rc = s->troubled_rc;

    if (s->troubled == NULL && moves && sim_in_window(session, sim_net_now(s->net)))
        begin(session);
    if (s->troubled != session)
        return 0;
    s->troubled_ops++;
    s->troubled_rc = 0;
    for (unsigned i = 0; i < f->errors && rc == 0; i++)
        if (f->error[i].number == s->troubled_ops)
            rc = f->error[i].code;
    return rc;
}

void sim_faults_end(struct sim_session *session)
{
    struct sim_system *s = session->system;

    if (s->troubled != session)
        return;
    for (unsigned i = 0; i < SIM_MISHAPS_MAX; i++) {
        if (s->mishap[i].asked)
            sim_net_forget(s->net, &s->mishap[i].event);
        s->mishap[i].asked = false;
    }
    for (unsigned i = 0; i < s->profile.client.count; i++)
        s->machine[i].drop_ns = SIM_NEVER;
    s->troubled = NULL;
    s->troubled_rc = 0;
}
