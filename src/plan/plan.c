#include "plan/plan.h"

#include <stdlib.h>

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (unsigned i = 0; i < plan->texts; i++)
        free(plan->text[i]);
    free(plan->text);
    free(plan->semaphore);
    free(plan->draw);
    free(plan->set);
    free(plan->line);
    free(plan->schedule);
    free(plan->group);
    free(plan->step);
    free(plan);
}

const char *plan_cache_name(enum plan_cache cache)
{
    switch (cache) {
    case PLAN_CACHE_KEEP:
        return "keep";
    case PLAN_CACHE_DROP:
        return "drop";
    case PLAN_CACHE_DIRECT:
        return "direct";
    case PLAN_CACHE_RAM:
        return "ram";
    case PLAN_CACHE_UNVERIFIED:
        return "unverified";
    case PLAN_CACHE_UNCACHED:
        return "uncached";
    case PLAN_CACHE_NONE:
        break;
    }
    return "none";
}
