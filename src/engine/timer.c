#include "engine/worker_priv.h"

/* The streams that wait for a time. */
void timer_push(struct worker *w, struct stream *s)
{
    unsigned i = w->timer_n++;
    while (i > 0 && w->timer[(i - 1) / 2]->wait.until_ns > s->wait.until_ns) {
        w->timer[i] = w->timer[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->timer[i] = s;
}

struct stream *timer_pop(struct worker *w)
{
    struct stream *first = w->timer[0];
    struct stream *s = w->timer[--w->timer_n];
    unsigned i = 0;
    for (unsigned child; (child = 2 * i + 1) < w->timer_n; i = child) {
        if (child + 1 < w->timer_n &&
            w->timer[child + 1]->wait.until_ns < w->timer[child]->wait.until_ns)
            child++;
        if (w->timer[child]->wait.until_ns >= s->wait.until_ns)
            break;
        w->timer[i] = w->timer[child];
    }
    w->timer[i] = s;
    return first;
}

/* Those at the hog pool come back by themselves, soon. */
void timer_end_waiting(struct worker *w)
{
    w->timer_n = 0;
    for (unsigned i = 0; i < w->streams; i++) {
        struct stream *s = &w->stream[i];
        if ((s->state != STREAM_TIMED && s->state != STREAM_PARKED) || s->wait.outside)
            continue;
        if (s->due_set)
            s->left = stream_left_now(w->run, s, false);
        s->state = STREAM_ENDED;
        w->live--;
    }
}
