/* Ops that are done but not yet due: a binary heap in the session's own array. */
#include "target/fault_priv.h"

static bool before(const struct fault_op *a, const struct fault_op *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

void fault_heap_push(struct fault_session *s, struct fault_op *op)
{
    unsigned i = s->heap_used++;

    for (; i > 0 && before(op, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = op;
}

struct fault_op *fault_heap_pop(struct fault_session *s)
{
    struct fault_op *top = s->heap[0];
    struct fault_op *last = s->heap[--s->heap_used];
    unsigned i = 0;

    for (unsigned child = 1; child < s->heap_used; child = 2 * i + 1) {
        if (child + 1 < s->heap_used && before(s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s->heap[child], last))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}
