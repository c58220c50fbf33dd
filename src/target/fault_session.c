/* One session of a fault target: an op is copied, the copy goes to the inner target, and when it
 * comes back it is kept in a heap until it is due. Over a blocking target all of that happens inside
 * submit, which sleeps until then; detached ops aside, which are as those of an asynchronous target. */
#include "target/fault_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64

/* No op is free in virtual time, or a closed loop would never get anywhere. */
#define VIRTUAL_OP_MIN_NS 1000u

static struct fault_session *fault_session_of(struct session *s)
{
    return (struct fault_session *)s;
}

void fault_session_close(struct session *base)
{
    struct fault_session *s = fault_session_of(base);

    if (s == NULL)
        return;
    if (s->inner != NULL)
        s->target->inner_table->session_close(s->inner);
    atomic_store(&s->target->busy, false);
    free(s->op);
    free(s->heap);
    free(s);
}

static int allocate_ops(struct fault_session *s, unsigned ops_max)
{
    s->ops_max = ops_max > 0 ? ops_max : 1;
    s->op = calloc(s->ops_max, sizeof *s->op);
    s->heap = calloc(s->ops_max, sizeof(struct fault_op *));
    if (s->op == NULL || s->heap == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < s->ops_max; i++)
        s->op[i].next = i + 1 < s->ops_max ? &s->op[i + 1] : NULL;
    s->free = s->op;
    s->queue_end = &s->queue;
    return 0;
}

int fault_session_open(struct target *base, const struct session_spec *spec, struct session **out,
                       struct err *err)
{
    struct fault_target *t = (struct fault_target *)base;
    struct fault_session *s;
    int rc;

    if (atomic_exchange(&t->busy, true) && t->script.clock_virtual)
        return err_set(err, -EBUSY, "a target with a virtual clock has one session at a time");
    s = calloc(1, sizeof *s);
    if (s == NULL) {
        atomic_store(&t->busy, false);
        return err_set(err, -ENOMEM, "no memory for a session of fault:");
    }
    s->target = t;
    wake_init(&s->wake);
    s->detached_max = spec->detached_max;
    rc = allocate_ops(s, t->inner_caps.blocking ? 1 + spec->detached_max : spec->ops_max);
    if (rc < 0)
        err_set(err, rc, "no memory for %u ops at fault:", spec->ops_max);
    else
        rc = t->inner_table->session_open(t->inner, spec, &s->inner, err);
    if (rc < 0)
        fault_session_close((struct session *)s);
    else
        *out = (struct session *)s;
    return rc;
}

void fault_wake(struct session *base)
{
    struct fault_session *s = fault_session_of(base);

    /* This order: whoever the inner wake frees finds ours. */
    wake_set(&s->wake);
    s->target->inner_table->wake(s->inner);
}

int fault_lock(struct session *base, uint64_t handle)
{
    struct fault_session *s = fault_session_of(base);
    const struct target_table *table = s->target->inner_table;

    return table->lock != NULL ? table->lock(s->inner, handle) : -ENOTSUP;
}

void fault_buffers(struct session *base, void *memory, uint64_t bytes)
{
    struct fault_session *s = fault_session_of(base);

    if (s->target->inner_table->buffers != NULL)
        s->target->inner_table->buffers(s->inner, memory, bytes);
}

void fault_calls_window(struct session *base, uint64_t open_ns, uint64_t close_ns)
{
    struct fault_session *s = fault_session_of(base);

    if (s->target->inner_table->calls_window != NULL)
        s->target->inner_table->calls_window(s->inner, open_ns, close_ns);
}

const struct hist *fault_calls(struct session *base, unsigned i, const char **name)
{
    struct fault_session *s = fault_session_of(base);
    const struct target_table *table = s->target->inner_table;

    return table->calls != NULL ? table->calls(s->inner, i, name) : NULL;
}

/* ---- the life of an op ---- */

static void fired(struct fault_target *t)
{
    atomic_fetch_add_explicit(&t->fired, 1, memory_order_relaxed);
}

/* Nothing more is to be done for it but to wait until it is due. */
static void delay(struct fault_session *s, struct fault_op *op)
{
    struct fault_target *t = s->target;
    uint64_t origin_ns = atomic_load_explicit(&t->origin_ns, memory_order_relaxed);

    uint64_t unstalled_ns = fault_now(t) + op->latency_ns;

    op->due_ns = unstalled_ns;
    if (s->dead == 0 && origin_ns > 0 && op->accepted_ns >= origin_ns)
        op->due_ns = origin_ns + fault_script_stalled(&t->script, op->accepted_ns - origin_ns,
                                                      op->due_ns - origin_ns);
    if (op->due_ns != unstalled_ns)
        fired(t);
    op->state = FAULT_DELAYED;
    fault_heap_push(s, op);
}

/* Submit waits for it. */
static bool is_own(const struct fault_session *s, const struct op *op)
{
    bool moves = op->kind == OP_READ || op->kind == OP_WRITE;

    return s->target->inner_caps.blocking &&
           !(moves && s->detached_max > 0 && (op->flags & OP_FLAG_DETACHED) != 0);
}

static void finish(struct fault_session *s, struct fault_op *op)
{
    struct op *asked = op->asked;

    asked->res = op->answer != 0 ? op->answer : op->copy.res;
    asked->extra = op->answer != 0 ? 0 : op->copy.extra;
    if (asked->kind == OP_OPEN || asked->kind == OP_CREATE)
        asked->handle = op->copy.handle;
    op->state = FAULT_FREE;
    op->next = s->free;
    s->free = op;
    s->held--;
    s->own_held -= is_own(s, asked);
}

static void queue_push(struct fault_session *s, struct fault_op *op)
{
    op->state = FAULT_QUEUED;
    op->next = NULL;
    *s->queue_end = op;
    s->queue_end = &op->next;
}

static struct fault_op *queue_pop(struct fault_session *s)
{
    struct fault_op *op = s->queue;

    s->queue = op->next;
    if (s->queue == NULL)
        s->queue_end = &s->queue;
    return op;
}

/* Offers what is queued to the inner target. */
static void feed(struct fault_session *s)
{
    int taken = 1;

    while (s->queue != NULL && taken > 0) {
        struct op *ops[BATCH];
        unsigned n = 0;

        for (struct fault_op *op = s->queue; op != NULL && n < BATCH; op = op->next)
            ops[n++] = &op->copy;
        taken = s->target->inner_table->submit(s->inner, ops, n);
        for (int i = 0; i < taken; i++) {
            queue_pop(s)->state = FAULT_INNER;
            s->at_inner++;
        }
        if (taken < 0) {
            struct fault_op *op = queue_pop(s);

            op->answer = taken;
            delay(s, op);
        }
    }
}

/* Takes what the inner target has done. */
static void collect(struct fault_session *s, unsigned min, uint64_t until_ns)
{
    struct op *done[BATCH];
    int n;

    do {
        n = s->target->inner_table->reap(s->inner, done, min, BATCH, until_ns);
        for (int i = 0; i < n; i++) {
            s->at_inner--;
            delay(s, done[i]->user);
        }
        min = 0;
    } while (n == BATCH);
}

/* The session is lost: whatever it holds fails, whatever it was waiting for. What the inner target
 * has stays until it gives it back, for it may still write to its buffer. */
static void die(struct fault_session *s, int code)
{
    s->dead = code;
    s->queue = NULL;
    s->queue_end = &s->queue;
    s->heap_used = 0;
    for (unsigned i = 0; i < s->ops_max; i++) {
        struct fault_op *op = &s->op[i];

        if (op->state == FAULT_FREE)
            continue;
        op->answer = code;
        op->latency_ns = 0;
        if (op->state != FAULT_INNER)
            delay(s, op);
    }
}

static bool moves_data(enum op_kind kind)
{
    return kind == OP_READ || kind == OP_WRITE || kind == OP_APPEND;
}

static uint64_t next_number(_Atomic uint64_t *count)
{
    return atomic_fetch_add_explicit(count, 1, memory_order_relaxed) + 1;
}

static struct fault_number number_op(struct fault_target *t, enum op_kind kind, uint64_t now_ns)
{
    struct fault_number number = {.any = next_number(&t->ops)};
    uint64_t none = 0;

    if (kind < OP_KINDS)
        number.kind = next_number(&t->kind_ops[kind]);
    if (moves_data(kind))
        number.data = next_number(&t->data_ops);
    if (moves_data(kind) || kind == OP_NOP)
        atomic_compare_exchange_strong_explicit(&t->origin_ns, &none, now_ns, memory_order_relaxed,
                                                memory_order_relaxed);
    return number;
}

/* Forever: not even a wake ends it, as with a call that the kernel does not return from. */
static void hang(struct fault_session *s, struct fault_op *op)
{
    op->state = FAULT_HUNG;
    while (is_own(s, op->asked))
        pause();
}

/* What the op takes beyond what the inner target takes. */
static uint64_t latency_of(const struct fault_session *s, const struct fault_number *number)
{
    const struct fault_script *script = &s->target->script;
    uint64_t ns = s->dead != 0 ? 0 : fault_script_latency_ns(script, number);

    return script->clock_virtual && ns < VIRTUAL_OP_MIN_NS ? VIRTUAL_OP_MIN_NS : ns;
}

/* Those that the inner target would take: one that is waited for, and detached ones. */
static bool has_room(const struct fault_session *s, const struct op *op)
{
    if (s->free == NULL)
        return false;
    if (is_own(s, op))
        return s->own_held == 0;
    return !s->target->inner_caps.blocking || s->held - s->own_held < s->detached_max;
}

static struct fault_op *accept_op(struct fault_session *s, struct op *asked)
{
    struct fault_target *t = s->target;
    struct fault_op *op = s->free;
    uint64_t now_ns = fault_now(t);
    struct fault_number number = number_op(t, asked->kind, now_ns);

    if (number.any == t->script.dead_number)
        die(s, -EIO);
    s->free = op->next;
    s->held++;
    s->own_held += is_own(s, asked);
    op->copy = *asked;
    op->copy.user = op;
    op->copy.len = fault_script_len(&t->script, &number, asked->len);
    op->asked = asked;
    op->order = number.any;
    op->accepted_ns = now_ns;
    op->latency_ns = latency_of(s, &number);
    op->answer = s->dead != 0 ? s->dead : fault_script_error(&t->script, asked->kind, &number);
    bool hangs = s->dead == 0 && fault_script_hangs(&t->script, asked->kind, &number);
    if (hangs || op->answer != 0 || op->copy.len != asked->len)
        fired(t);
    if (hangs)
        hang(s, op);
    else if (op->answer != 0 && asked->kind != OP_CLOSE)
        delay(s, op);
    else /* a CLOSE too that fails: the handle is gone nevertheless */
        queue_push(s, op);
    return op;
}

static void sleep_until(const struct fault_session *s, uint64_t until_ns)
{
    struct timespec ts = {.tv_sec = (time_t)(until_ns / 1000000000u),
                          .tv_nsec = (long)(until_ns % 1000000000u)};

    while (fault_now(s->target) < until_ns)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

int fault_submit(struct session *base, struct op *const ops[], unsigned n)
{
    struct fault_session *s = fault_session_of(base);
    const struct fault_op *own = NULL;
    unsigned taken = 0;

    for (; taken < n && has_room(s, ops[taken]); taken++) {
        const struct fault_op *op = accept_op(s, ops[taken]);

        if (is_own(s, ops[taken]))
            own = op;
    }
    feed(s);
    collect(s, 0, 0);
    if (own != NULL)
        sleep_until(s, own->due_ns);
    return (int)taken;
}

/* Nothing is due: passes the time, or makes it pass. */
static void await(struct fault_session *s, uint64_t until_ns)
{
    if (s->heap_used > 0 && s->heap[0]->due_ns < until_ns)
        until_ns = s->heap[0]->due_ns;
    if (!s->target->script.clock_virtual)
        collect(s, 1, until_ns);
    else if (s->at_inner > 0 || until_ns == UINT64_MAX)
        collect(s, 1, UINT64_MAX);
    else
        atomic_store_explicit(&s->target->now_ns, until_ns, memory_order_relaxed);
}

int fault_reap(struct session *base, struct op *done[], unsigned min, unsigned max,
               uint64_t until_ns)
{
    struct fault_session *s = fault_session_of(base);
    unsigned got = 0;

    if (min > max)
        min = max;
    for (;;) {
        uint64_t now_ns;

        feed(s);
        collect(s, 0, 0);
        now_ns = fault_now(s->target);
        for (; got < max && s->heap_used > 0 && s->heap[0]->due_ns <= now_ns; got++) {
            struct fault_op *op = fault_heap_pop(s);

            done[got] = op->asked;
            finish(s, op);
        }
        if (got >= min || now_ns >= until_ns || (got > 0 && s->held == 0) || wake_take(&s->wake))
            return (int)got;
        await(s, until_ns);
    }
}
