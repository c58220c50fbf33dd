#include "study/overhead_priv.h"

#include <errno.h>
#include <math.h>

static int plan_reads(const struct overhead_cost *cost, const struct target_caps *caps,
                      struct plan **out, struct err *err)
{
    const struct plan_window window = {.measure_ns = OVERHEAD_ROUND_NS,
                                       .interval_ns = OVERHEAD_ROUND_NS};
    struct plan_step pick = study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0);
    struct plan_step open = study_step_op(OP_OPEN, PLAN_NO_LINE, 0);
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, 0);
    struct plan_step loop = study_step_loop(0, 0, 0);
    struct plan_builder *b = plan_new(1);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");

    struct plan_step read = study_step_op(OP_READ, plan_add_line(b, "read", OP_READ, false), 0);
    read.io_bytes = cost->block;
    read.at.where = PLAN_AT_UNIFORM;
    open.op_flags = OP_FLAG_READ;
    plan_window(b, &window);
    plan_add_set(b, &cost->spec);
    plan_begin_group(b, "overhead", cost->streams, 1);
    plan_add_step(b, &pick);
    plan_step_to(b, 0, plan_add_step(b, &open) + 1);
    plan_end_section(b);
    plan_add_step(b, &read);
    plan_add_step(b, &loop);
    plan_end_section(b);
    plan_add_step(b, &close);
    plan_end_section(b);
    return plan_freeze(b, caps, out, err);
}

int overhead_need_rounds(double best_ns, struct err *err)
{
    if (!isinf(best_ns))
        return 0;
    return err_set(err, -ETIME, "fewer than %u operations in each of %u rounds of %u ms",
                   OVERHEAD_OPS_MIN, OVERHEAD_ROUNDS_MAX, OVERHEAD_ROUND_NS / 1000000);
}

static int run_plan(const struct overhead_cost *cost, const struct plan *plan, double *best_ns,
                    struct err *err)
{
    struct engine_outcome out = {0};
    const struct engine_job job = {.plan = plan,
                                   .address = cost->address,
                                   .place = "",
                                   .workers = 1,
                                   .aside_ns = cost->aside_ns,
                                   .ctx = cost->ctx};
    int rc = engine_run(&job, &out, err);
    if (rc == 0 && out.errors > 0)
        rc = err_set(err, out.error[0].code, "%s: %s", out.error[0].first_path,
                     err_name(out.error[0].code));
    if (rc == 0 && out.total->line[0].ops >= OVERHEAD_OPS_MIN)
        *best_ns = overhead_smaller(*best_ns, (double)(out.cpu_user_ns + out.cpu_sys_ns) /
                                                  (double)out.total->line[0].ops);
    engine_outcome_fini(&out);
    return rc;
}

int overhead_round(const struct overhead_cost *cost, double *best_ns, struct err *err)
{
    struct target_caps caps;
    struct plan *plan = NULL;
    int rc = target_caps_of(cost->address, &caps, err);
    if (rc == 0)
        rc = plan_reads(cost, &caps, &plan, err);
    if (rc == 0)
        rc = run_plan(cost, plan, best_ns, err);
    plan_free(plan);
    return rc;
}
