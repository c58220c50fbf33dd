#include "target/sim_heap_priv.h"

#include <errno.h>
#include <stdlib.h>

#define CHILDREN 4

void sim_heap_fini(struct sim_heap *h)
{
    free(h->entry);
}

int sim_heap_room(struct sim_heap *h, unsigned events)
{
    unsigned room = h->room + events;

    if (room < h->room)
        return -EINVAL;
    if (room > h->size) {
        struct sim_heap_entry *entry = reallocarray(h->entry, room, sizeof *entry);
        if (entry == NULL)
            return -ENOMEM;
        h->entry = entry;
        h->size = room;
    }
    h->room = room;
    return 0;
}

static bool before(const struct sim_heap_entry *a, const struct sim_heap_entry *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void up(struct sim_heap_entry *entry, unsigned i, struct sim_heap_entry e)
{
    for (unsigned parent; i > 0; i = parent) {
        parent = (i - 1) / CHILDREN;
        if (!before(&e, &entry[parent]))
            break;
        entry[i] = entry[parent];
    }
    entry[i] = e;
}

static void down(struct sim_heap_entry *entry, unsigned n, unsigned i, struct sim_heap_entry e)
{
    for (unsigned child = CHILDREN * i + 1; child < n; child = CHILDREN * i + 1) {
        unsigned end = child + CHILDREN < n ? child + CHILDREN : n;
        unsigned least = child;
        while (++child < end)
            if (before(&entry[child], &entry[least]))
                least = child;
        if (!before(&entry[least], &e))
            break;
        entry[i] = entry[least];
        i = least;
    }
    entry[i] = e;
}

void sim_heap_add(struct sim_heap *h, struct sim_event *e, uint64_t at_ns)
{
    struct sim_heap_entry added = {at_ns, h->order++, e};

    if (h->open) {
        h->open = false;
        down(h->entry, h->used, 0, added);
    } else {
        up(h->entry, h->used++, added);
    }
}

/* What was lifted is before all others, so that nothing is moved to its place. */
static void take_out(struct sim_heap *h, unsigned i)
{
    struct sim_heap_entry last = h->entry[--h->used];

    if (i == h->used)
        return;
    if (i > 0 && before(&last, &h->entry[(i - 1) / CHILDREN]))
        up(h->entry, i, last);
    else
        down(h->entry, h->used, i, last);
}

void sim_heap_remove(struct sim_heap *h, const struct sim_event *e)
{
    for (unsigned i = h->open; i < h->used; i++) {
        if (h->entry[i].event == e) {
            take_out(h, i);
            return;
        }
    }
}

struct sim_event *sim_heap_lift(struct sim_heap *h)
{
    h->open = true;
    return h->entry[0].event;
}

void sim_heap_close(struct sim_heap *h)
{
    if (h->open) {
        h->open = false;
        take_out(h, 0);
    }
}
