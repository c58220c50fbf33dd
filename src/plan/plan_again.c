/* A frozen plan as another instrument, or for another time. */
#include "base/err.h"
#include "plan/build.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>

static int check_direct(const struct plan *plan, struct err *err)
{
    for (unsigned i = 0; i < plan->steps; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->kind != PLAN_OP || !plan_moves_data(step->op))
            continue;
        if (step->io_bytes % PLAN_DIRECT_ALIGN != 0)
            return err_set(err, -EINVAL, "direct %s of %llu bytes: a multiple of %u is needed",
                           op_kind_name((enum op_kind)step->op), (unsigned long long)step->io_bytes,
                           PLAN_DIRECT_ALIGN);
    }
    return 0;
}

/* Hashes as they belong to the plan as it is now, or the plan as it was. */
static int rehash(struct plan *plan, const struct plan *was, struct err *err)
{
    int rc = plan_hash(plan, err);
    if (rc < 0)
        *plan = *was;
    return rc;
}

int plan_reinstrument(struct plan *plan, const struct plan_instrument *instrument, struct err *err)
{
    const struct plan was = *plan;
    int rc = instrument->direct ? check_direct(plan, err) : 0;
    if (rc < 0)
        return rc;
    plan->instrument = *instrument;
    return rehash(plan, &was, err);
}

int plan_rewindow(struct plan *plan, const struct plan_window *window, struct err *err)
{
    const struct plan was = *plan;
    int rc = plan_check_window(plan, window, err);
    if (rc < 0)
        return rc;
    plan->window = *window;
    plan_fit_window(&plan->window);
    return rehash(plan, &was, err);
}
