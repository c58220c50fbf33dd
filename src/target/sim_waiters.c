/* Those who wait in a modelled store, in order of their coming. */
#include "target/sim_flush_priv.h"

void sim_waiters_add(struct sim_waiters *list, struct sim_waiter *w)
{
    w->next = NULL;
    if (list->first != NULL)
        list->last->next = w;
    else
        list->first = w;
    list->last = w;
}

struct sim_waiter *sim_waiters_take(struct sim_waiters *list)
{
    struct sim_waiter *w = list->first;
    list->first = w->next;
    return w;
}

bool sim_waiters_forget(struct sim_waiters *list, const struct sim_waiter *w)
{
    struct sim_waiter *before = NULL;

    for (struct sim_waiter *i = list->first; i != NULL; before = i, i = i->next) {
        if (i != w)
            continue;
        if (before != NULL)
            before->next = i->next;
        else
            list->first = i->next;
        if (list->last == i)
            list->last = before;
        return true;
    }
    return false;
}
