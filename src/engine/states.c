/* Which files of each set there are: what the caller knows of it, or of a run's own, where all are. */
#include "engine/engine_priv.h"
#include "fileset/grown.h"

#include <errno.h>
#include <stdlib.h>

static bool is_taken_from(const struct plan *plan, unsigned set)
{
    for (unsigned i = 0; i < plan->steps; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->kind == PLAN_PICK && step->set == set && step->use > FILESET_USE_INITIAL)
            return true;
    }
    return false;
}

static bool is_changed(const struct plan *plan, unsigned set)
{
    for (unsigned i = 0; i < plan->steps; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->kind == PLAN_PICK && step->set == set &&
            (step->use == FILESET_USE_CREATE || step->use == FILESET_USE_DELETE))
            return true;
    }
    return false;
}

/* The root of each tree is one of a set's directories. */
static uint64_t dirs_of(const struct fileset_spec *spec)
{
    return fileset_spec_dirs(spec) + (spec->shape == FILESET_TREE ? spec->trees : 1);
}

static uint64_t leafs_of(const struct fileset_spec *spec)
{
    return spec->shape == FILESET_GROWN ? grown_leafs(spec->grown) : 0;
}

uint64_t states_memory(const struct plan *plan)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < plan->sets; i++)
        if (is_taken_from(plan, i))
            bytes += fileset_state_need(fileset_spec_files(&plan->set[i]), leafs_of(&plan->set[i]));
    return bytes;
}

static bool is_given(const struct run *run, unsigned set)
{
    return run->job->state && run->job->state[set];
}

int states_new(struct run *run, struct err *err)
{
    const struct plan *plan = run->plan;
    run->state = calloc(plan->sets + 1, sizeof(struct fileset_state *));
    if (!run->state)
        return err_set(err, -ENOMEM, "no memory for the state of %u filesets", plan->sets);
    for (unsigned i = 0; i < plan->sets; i++) {
        const struct fileset_spec *spec = &plan->set[i];
        int rc = 0;
        if (is_given(run, i))
            run->state[i] = run->job->state[i];
        else if (is_taken_from(plan, i))
            rc = fileset_state_new(fileset_spec_files(spec), dirs_of(spec), leafs_of(spec), 100,
                                   plan->seed, &run->state[i], err);
        if (rc < 0)
            return rc;
        if (run->state[i])
            fileset_state_settle(run->state[i], !is_changed(plan, i));
    }
    return 0;
}

void states_free(struct run *run)
{
    for (unsigned i = 0; run->state && i < run->plan->sets; i++)
        if (!is_given(run, i))
            fileset_state_free(run->state[i]);
    free(run->state);
}
