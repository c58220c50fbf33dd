/* Why a run ends before its time, when its workload says so or cannot go on. */
#include "engine/engine_priv.h"

#include <stdio.h>

bool ending_claim(struct run *run, enum engine_end end, const char *words)
{
    struct early_end *ending = &run->sync->ending;
    if (atomic_exchange(&ending->claimed, true))
        return false;
    ending->end = end;
    snprintf(ending->words, sizeof ending->words, "%s", words);
    /* Not over an order to drop everything. */
    uint32_t none = HALT_NONE;
    atomic_compare_exchange_strong(&run->halt, &none, HALT_END);
    run_wake(run);
    return true;
}

static void ran_out(struct worker *w, const struct plan_step *out)
{
    const struct plan *plan = w->run->plan;
    char set[ENGINE_PATH_MAX] = "";
    char words[sizeof w->run->out->notes.ended_by];
    const char *line = out->line == PLAN_NO_LINE ? "a flowop" : plan->line[out->line].name;
    const char *type = out->line == PLAN_NO_LINE ? "" : plan->line[out->line].type;
    if (out->set < plan->sets)
        fileset_path(&w->run->map, fileset_root_node(&w->run->map.set[out->set], 0), NULL, set,
                     sizeof set);
    snprintf(words, sizeof words, "%s%s%s finds nothing more in fileset %.120s", type,
             type[0] ? " " : "", line, set);
    ending_claim(w->run, ENGINE_RAN_OUT, words);
}

void ending_of_stream(struct worker *w, struct stream *s, const struct plan_step *out)
{
    if (w->phase != PHASE_BODY)
        return;
    /* Its arrival was for a flowop that will not be. */
    if (s->due_set && s->due_ns >= run_open(w->run))
        w->arrivals.taken--;
    s->due_set = false;
    if (s->left.what == LEFT_NOTHING)
        s->left.what = LEFT_DONE;
    switch (w->run->plan->quit) {
    case PLAN_QUIT_FIRSTDONE:
        ending_claim(w->run, ENGINE_DONE, "");
        break;
    case PLAN_QUIT_TIMEOUT:
        if (out && out->kind == PLAN_OUT)
            ran_out(w, out);
        break;
    case PLAN_QUIT_ALLDONE:
        break;
    }
}

void ending_failed(struct worker *w, const char *words)
{
    ending_claim(w->run, ENGINE_FAILED, words);
}

static void tell_stalled(struct run *run)
{
    struct engine_stuck *stuck = &run->out->stuck;
    char waiting[sizeof stuck->what - 64];
    uint64_t since_ns;
    park_words(run, waiting, sizeof waiting, &since_ns);
    stuck->found = true;
    stuck->waiting = true;
    snprintf(stuck->what, sizeof stuck->what, "nobody is left to end the wait of %s", waiting);
}

void ending_tell(struct run *run)
{
    const struct early_end *ending = &run->sync->ending;
    struct engine_outcome *out = run->out;
    if (!atomic_load(&ending->claimed) || out->end != ENGINE_DONE)
        return;
    out->end = ending->end;
    if (ending->end == ENGINE_STALLED)
        tell_stalled(run);
    else
        snprintf(out->notes.ended_by, sizeof out->notes.ended_by, "%s", ending->words);
}
