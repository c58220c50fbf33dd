#include "engine/calls_priv.h"

#include "engine/worker_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void calls_begin(struct worker *w)
{
    const struct target_table *table = w->run->table;
    bool tells = table->calls_count && table->calls;
    w->calls = (struct worker_calls){.state = tells ? CALLS_BEFORE : CALLS_NONE};
    calls_turn(w);
}

void calls_edge(struct worker *w)
{
    struct worker_calls *calls = &w->calls;
    if (calls->state == CALLS_BEFORE && w->now >= run_open(w->run)) {
        w->run->table->calls_count(w->session, true);
        calls->state = CALLS_COUNTED;
    }
    if (calls->state == CALLS_COUNTED && w->now >= run_close(w->run)) {
        w->run->table->calls_count(w->session, false);
        calls->state = CALLS_NONE;
    }
}

/* A run that ended before its window closed has counted until now; one that ended before it opened has
 * counted nothing. */
void calls_end(struct worker *w)
{
    const struct target_table *table = w->run->table;
    struct worker_calls *calls = &w->calls;
    if (!table->calls_count || !table->calls || calls->state == CALLS_BEFORE || w->dropped)
        return;
    if (calls->state == CALLS_COUNTED)
        table->calls_count(w->session, false);
    calls->state = CALLS_NONE;
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
