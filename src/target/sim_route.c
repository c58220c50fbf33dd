/* An op's way: client, request, processors, store, bus, reply. Each place is visited when it is reached, and the next
 * one when this one is left; a place that the system has not costs no event. */
#include "target/sim_priv.h"
#include "target/sim_session_priv.h"

static uint64_t now_of(const struct sim_op *o)
{
    return sim_net_now(o->system->net);
}

static void go_at(struct sim_op *o, uint64_t at_ns, void (*then)(struct sim_op *o))
{
    o->then = then;
    sim_net_at(o->system->net, &o->waiter.event, at_ns);
}

static inline void pass(struct sim_op *o, uint64_t at_ns, void (*then)(struct sim_op *o))
{
    if (at_ns == now_of(o))
        then(o);
    else
        go_at(o, at_ns, then);
}

/* The event is the first thing in its op. */
static void fire(struct sim_event *e, uint64_t now_ns)
{
    struct sim_op *o = (struct sim_op *)e;

    (void)now_ns;
    o->waits = false;
    o->then(o);
}

static bool writes_data(enum op_kind kind)
{
    return kind == OP_WRITE || kind == OP_APPEND;
}

static bool moves_data(enum op_kind kind)
{
    return kind == OP_READ || writes_data(kind);
}

/* Of the reply of a READ, of the request of a WRITE. */
static uint64_t bytes_of(const struct sim_op *o)
{
    return o->res > 0 ? (uint64_t)o->res : 0;
}

static uint64_t on_wire(const struct sim_protocol *p, uint64_t bytes)
{
    uint64_t in_packet = p->mtu_bytes > p->header_bytes ? p->mtu_bytes - p->header_bytes : 1;

    return p->header_bytes == 0 ? bytes
                                : bytes + (bytes + in_packet - 1) / in_packet * p->header_bytes;
}

static uint64_t latency_of(const struct sim_op *o)
{
    return o->system->latency_ns * o->machine->slow_by;
}

/* ---- back to the client ---- */

static void end(struct sim_op *o)
{
    uint64_t least_ns = o->begun_ns + SIM_OP_MIN_NS;

    if (now_of(o) < least_ns)
        go_at(o, least_ns, end);
    else
        sim_op_done(o);
}

static void receive(struct sim_op *o)
{
    uint64_t at_ns = now_of(o);

    if (o->machine->in != SIM_NOWHERE)
        at_ns = sim_net_visit(
            o->system->net, o->machine->in,
            sim_pace_ns(o->system->pace.link, on_wire(o->system->protocol, bytes_of(o))));
    pass(o, at_ns + latency_of(o), end);
}

static void count_served(const struct sim_op *o)
{
    uint64_t now_ns = now_of(o);

    if (moves_data(o->op->kind) && o->res <= 0)
        return;
    if (sim_in_window(o->session, now_ns))
        hist_record(&o->session->served[o->served], now_ns - o->reached_ns);
}

static void reply(struct sim_op *o)
{
    struct sim_system *s = o->system;
    uint64_t wire_bytes;

    count_served(o);
    if (o->op->kind != OP_READ || o->res <= 0) {
        pass(o, now_of(o) + latency_of(o), end);
        return;
    }
    if (sim_is_local(&s->profile)) {
        receive(o);
        return;
    }
    wire_bytes = on_wire(s->protocol, bytes_of(o));
    o->port->out_bytes += wire_bytes;
    pass(o, sim_net_visit(s->net, o->port->out, sim_pace_ns(s->pace.port, wire_bytes)), receive);
}

/* ---- at the server ---- */

static void pass_bus(struct sim_op *o, uint64_t pace, void (*then)(struct sim_op *o))
{
    struct sim_system *s = o->system;
    uint64_t at_ns = now_of(o);

    if (s->bus != SIM_NOWHERE)
        at_ns =
            sim_net_visit(s->net, s->bus, s->profile.bus.op_ns + sim_pace_ns(pace, bytes_of(o)));
    pass(o, at_ns, then);
}

static void read_bus(struct sim_op *o)
{
    pass_bus(o, o->system->pace.bus_read, reply);
}

static void read_path(struct sim_op *o)
{
    pass(o, sim_store_path(o->system->store, &o->found), read_bus);
}

static void read_store(struct sim_op *o)
{
    struct sim_system *s = o->system;
    const struct sim_found *found = &o->found;
    uint64_t at_ns = now_of(o);
    uint64_t disks_ns;

    if (found->slowest == SIM_TIER_DRAM) {
        pass(o, at_ns + sim_time_draw(&s->profile.dram.hit, sim_net_rng(s->net)), read_bus);
        return;
    }
    if (found->bytes[SIM_TIER_FLASH] > 0)
        at_ns = sim_store_flash(s->store, found);
    if (found->bytes[SIM_TIER_DISK] == 0) {
        pass(o, at_ns, read_bus);
        return;
    }
    disks_ns = sim_store_disks(s->store, found);
    pass(o, disks_ns > at_ns ? disks_ns : at_ns, read_path);
}

/* Goes on when the store has done it, at once or later. */
static void when(struct sim_op *o, bool (*done)(struct sim_store *s, struct sim_waiter *w),
                 void (*then)(struct sim_op *o))
{
    o->waits = true;
    o->then = then;
    if (!done(o->system->store, &o->waiter))
        return;
    o->waits = false;
    then(o);
}

static void sync_place(struct sim_op *o)
{
    const struct sim_waiter *w = &o->waiter;

    pass(o, sim_store_sync(o->system->store, w->file, w->off, w->len), reply);
}

static void sync_file(struct sim_op *o)
{
    uint64_t dirty_bytes = sim_store_dirty(o->system->store, o->waiter.file);
    uint64_t at_ns = now_of(o);

    if (dirty_bytes > 0)
        at_ns = sim_store_sync(o->system->store, o->waiter.file, 0, dirty_bytes);
    pass(o, at_ns, reply);
}

static void commit(struct sim_op *o)
{
    o->waiter.off = 0;
    o->waiter.len = sim_names_size(o->system->names, o->waiter.file);
    when(o, sim_store_land, sync_file);
}

static void written(struct sim_op *o)
{
    uint64_t commit_bytes = o->system->protocol->commit_bytes;

    if (o->served == SIM_SERVED_SYNC)
        when(o, sim_store_land, sync_place);
    else if (commit_bytes > 0 && sim_store_dirty(o->system->store, o->waiter.file) >= commit_bytes)
        commit(o);
    else
        reply(o);
}

static void write_store(struct sim_op *o)
{
    when(o, sim_store_write, written);
}

static void write_bus(struct sim_op *o)
{
    pass_bus(o, o->system->pace.bus_write, write_store);
}

static bool changes_names(enum op_kind kind)
{
    return kind == OP_CREATE || kind == OP_UNLINK || kind == OP_RENAME || kind == OP_MKDIR ||
           kind == OP_RMDIR || kind == OP_TRUNCATE || kind == OP_FALLOCATE;
}

/* Its processors are done with it. */
static void go_on(struct sim_op *o)
{
    struct sim_system *s = o->system;
    enum op_kind kind = o->op->kind;

    if (o->res < 0 || (moves_data(kind) && o->res == 0))
        reply(o);
    else if (kind == OP_READ)
        read_store(o);
    else if (moves_data(kind))
        write_bus(o);
    else if (kind == OP_FSYNC)
        commit(o);
    else if (kind == OP_SYNCFS)
        when(o, sim_store_settle, reply);
    else if (s->profile.log.metadata && changes_names(kind))
        pass(o, sim_store_log(s->store, SIM_METADATA_BYTES), reply);
    else
        reply(o);
}

static uint64_t server_ns(const struct sim_op *o)
{
    enum op_kind kind = o->op->kind;
    bool moves = moves_data(kind);
    uint64_t bytes = moves ? bytes_of(o) : 0;
    uint64_t disk_bytes = writes_data(kind)     ? bytes
                          : moves && o->res > 0 ? o->found.bytes[SIM_TIER_DISK]
                                                : 0;

    return sim_cost_ns(&o->system->protocol->cpu, kind, writes_data(kind), bytes, disk_bytes);
}

static void reach(struct sim_op *o)
{
    struct sim_system *s = o->system;

    o->reached_ns = now_of(o);
    s->calls[o->op->kind]++;
    if (o->res == 0)
        sim_serve(o);
    pass(o, sim_net_visit(s->net, s->cpu, server_ns(o)), go_on);
}

/* ---- to the server ---- */

static void reach_port(struct sim_op *o)
{
    struct sim_system *s = o->system;
    uint64_t wire_bytes = on_wire(s->protocol, o->op->len);

    if (sim_is_local(&s->profile)) {
        reach(o);
        return;
    }
    o->port->in_bytes += wire_bytes;
    pass(o, sim_net_visit(s->net, o->port->in, sim_pace_ns(s->pace.port, wire_bytes)), reach);
}

static void send(struct sim_op *o)
{
    struct sim_system *s = o->system;
    bool writes = writes_data(o->op->kind);
    uint64_t at_ns = now_of(o);

    if (writes && o->machine->out != SIM_NOWHERE)
        at_ns = sim_net_visit(s->net, o->machine->out,
                              sim_pace_ns(s->pace.link, on_wire(s->protocol, o->op->len)));
    pass(o, at_ns + latency_of(o), writes ? reach_port : reach);
}

static void leave(struct sim_op *o)
{
    struct sim_system *s = o->system;
    enum op_kind kind = o->op->kind;
    uint64_t cost_ns = sim_cost_ns(&s->profile.client.cpu, kind, writes_data(kind),
                                   moves_data(kind) ? o->op->len : 0, 0);

    if (o->machine->cpu != SIM_NOWHERE)
        pass(o, sim_net_visit(s->net, o->machine->cpu, cost_ns), send);
    else
        pass(o, now_of(o) + cost_ns * o->machine->slow_by, send);
}

void sim_route(struct sim_op *o)
{
    struct sim_system *s = o->system;
    const struct sim_time *think = &s->profile.client.think[o->op->kind];
    uint64_t think_ns = sim_time_draw(think, sim_net_rng(s->net)) * o->machine->slow_by;

    o->waiter.event.fire = fire;
    o->begun_ns = now_of(o);
    if (o->op->kind == OP_READ && o->file != NULL)
        sim_store_foresee(s->store, o->file->thing, o->op->off);
    pass(o, o->begun_ns + think_ns, leave);
}

void sim_route_fails(struct sim_op *o, int code, uint64_t after_ns)
{
    o->waiter.event.fire = fire;
    o->begun_ns = now_of(o);
    o->res = code;
    go_at(o, o->begun_ns + after_ns, end);
}

void sim_route_stop(struct sim_op *o)
{
    if (o->waits)
        sim_store_forget(o->system->store, &o->waiter);
    else
        sim_net_forget(o->system->net, &o->waiter.event);
    sim_pool_give(o);
}
