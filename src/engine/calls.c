#include "engine/calls_priv.h"

#include "engine/worker_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void calls_begin(struct worker *w)
{
    const struct target_table *table = w->run->table;
    w->calls = (struct worker_calls){.tells = table->calls_window && table->calls &&
                                              !w->run->job->preparing};
    calls_turn(w);
}

void calls_turn(struct worker *w)
{
    struct worker_calls *calls = &w->calls;
    uint64_t open_ns = run_open(w->run);
    uint64_t close_ns = run_close(w->run);
    if (!calls->tells || (open_ns == calls->open_ns && close_ns == calls->close_ns))
        return;
    w->run->table->calls_window(w->session, open_ns, close_ns);
    calls->open_ns = open_ns;
    calls->close_ns = close_ns;
}

/* A run that ended before its window closed has counted until now: what follows is no part of it. */
void calls_end(struct worker *w)
{
    const struct target_table *table = w->run->table;
    struct worker_calls *calls = &w->calls;
    if (!calls->tells || w->dropped)
        return;
    table->calls_window(w->session, 0, 0);
    calls->tells = false;
    while (calls->n < ENGINE_CALLS_MAX) {
        struct worker_call *call = &calls->call[calls->n];
        call->time = table->calls(w->session, calls->n, &call->name);
        if (!call->time)
            break;
        calls->n++;
    }
}

static struct engine_call *named(struct engine_outcome *out, const char *name)
{
    for (unsigned i = 0; i < out->calls.n; i++)
        if (strncmp(out->calls.kind[i].name, name, ENGINE_CALL_NAME_MAX - 1) == 0)
            return &out->calls.kind[i];
    return NULL;
}

int calls_add(struct engine_outcome *out, const char *name, const struct hist *time)
{
    if (hist_count(time) == 0)
        return 0;
    struct engine_call *call = named(out, name);
    if (!call) {
        struct engine_call *more = realloc(out->calls.kind, (out->calls.n + 1) * sizeof *more);
        if (!more)
            return -ENOMEM;
        out->calls.kind = more;
        call = &more[out->calls.n++];
        memset(call, 0, sizeof *call);
        snprintf(call->name, sizeof call->name, "%s", name);
    }
    hist_merge(&call->time, time);
    return 0;
}
