/* target/sim_heap_priv.h — events by time, equal times in order of asking.
 * Shape    sim_heap_add and sim_heap_first in any order. sim_heap_lift takes the first and leaves its place open:
 *          the next add fills it, else sim_heap_close does. So an event that asks for its next while it is fired
 *          costs one walk through the heap instead of two.
 * Limits   as many events as there is room for.
 * Errors   -ENOMEM, -EINVAL from room.      Threads  single owner.
 * Source   d-ary heaps by D. B. Johnson 1975. tests/unit/test_sim_heap.c. */
#ifndef LOADLINE_TARGET_SIM_HEAP_PRIV_H
#define LOADLINE_TARGET_SIM_HEAP_PRIV_H

#include "target/sim_net_priv.h"

/* No two are equal, so the shape of the heap never shows. */
struct sim_heap_entry {
    uint64_t at_ns;
    uint64_t order;
    struct sim_event *event;
};

struct sim_heap {
    struct sim_heap_entry *entry;
    unsigned used;
    unsigned room; /* promised */
    unsigned size; /* of entry */
    bool open;     /* entry[0] has been lifted */
    uint64_t order;
};

void sim_heap_fini(struct sim_heap *h);
__attribute__((warn_unused_result)) int sim_heap_room(struct sim_heap *h, unsigned events);
void sim_heap_add(struct sim_heap *h, struct sim_event *e, uint64_t at_ns);
void sim_heap_remove(struct sim_heap *h, const struct sim_event *e);
struct sim_event *sim_heap_lift(struct sim_heap *h);
void sim_heap_close(struct sim_heap *h);

#endif
