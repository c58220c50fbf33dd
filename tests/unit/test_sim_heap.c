/* Events come by time, equal ones in order of asking, whatever is asked and forgotten in between. */
#include "base/rng.h"
#include "target/sim_net_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#define EVENTS 500u
#define ROUNDS 200000u

struct box {
    struct sim_net *net;
    struct rng rng;
    struct asked {
        struct sim_event event;
        struct box *box;
        bool waits;
        uint64_t at_ns;
        uint64_t order;
    } asked[EVENTS];
    uint64_t order;
    uint64_t fired;
    bool again; /* what is fired asks for more, and forgets some */
};

static void ask(struct box *b, struct asked *a, uint64_t at_ns)
{
    a->waits = true;
    a->at_ns = at_ns;
    a->order = b->order++;
    sim_net_at(b->net, &a->event, at_ns);
}

/* Many at one time, so that the order of asking decides. */
static uint64_t soon(struct box *b)
{
    return sim_net_now(b->net) + rng_below(&b->rng, 20);
}

static void fire(struct sim_event *e, uint64_t now_ns)
{
    struct asked *a = (struct asked *)e;
    struct box *b = a->box;

    assert_true(a->waits);
    assert_int_equal(a->at_ns, now_ns);
    for (unsigned i = 0; i < EVENTS; i++) {
        const struct asked *other = &b->asked[i];
        if (other->waits && other != a)
            assert_true(other->at_ns > a->at_ns ||
                        (other->at_ns == a->at_ns && other->order > a->order));
    }
    a->waits = false;
    b->fired++;
    sim_net_forget(b->net, e); /* asked for no longer: nothing */
    for (uint64_t n = b->again ? rng_below(&b->rng, 4) : 0; n > 0; n--) {
        struct asked *other = &b->asked[rng_below(&b->rng, EVENTS)];
        if (!other->waits) {
            ask(b, other, soon(b));
        } else if (rng_below(&b->rng, 3) == 0) {
            sim_net_forget(b->net, &other->event);
            other->waits = false;
        }
    }
}

static void box_init(struct box *b)
{
    *b = (struct box){.again = true};
    rng_seed(&b->rng, 5);
    assert_int_equal(sim_net_new(1, &b->net), 0);
    assert_int_equal(sim_net_room(b->net, EVENTS), 0);
    for (unsigned i = 0; i < EVENTS; i++) {
        b->asked[i].event.fire = fire;
        b->asked[i].box = b;
    }
}

static unsigned waiting(const struct box *b)
{
    unsigned n = 0;

    for (unsigned i = 0; i < EVENTS; i++)
        n += b->asked[i].waits;
    return n;
}

static void events_come_in_their_order(void **state)
{
    struct box b;

    (void)state;
    box_init(&b);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct asked *a = &b.asked[rng_below(&b.rng, EVENTS)];
        if (!a->waits)
            ask(&b, a, soon(&b));
        if (rng_below(&b.rng, 2) == 0)
            sim_net_step(b.net, SIM_NEVER);
    }
    b.again = false;
    assert_true(b.fired > ROUNDS / 3);
    b.fired = 0;
    unsigned left = waiting(&b);
    while (sim_net_step(b.net, SIM_NEVER))
        ;
    assert_int_equal(b.fired, left);
    assert_int_equal(waiting(&b), 0);
    sim_net_free(b.net);
}

static void what_is_forgotten_is_not_fired(void **state)
{
    struct box b;

    (void)state;
    box_init(&b);
    b.again = false;
    for (unsigned i = 0; i < EVENTS; i++)
        ask(&b, &b.asked[i], i * 7919 % 101);
    for (unsigned i = 0; i < EVENTS; i += 3) {
        sim_net_forget(b.net, &b.asked[i].event);
        b.asked[i].waits = false;
    }
    sim_net_forget(b.net, &b.asked[0].event); /* asked for no longer: nothing */
    unsigned left = waiting(&b);
    while (sim_net_step(b.net, SIM_NEVER))
        ;
    assert_int_equal(b.fired, left);
    sim_net_free(b.net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_their_order),
        cmocka_unit_test(what_is_forgotten_is_not_fired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
