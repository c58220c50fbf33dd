#include "base/digest.h"
#include "plan/build.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>
#include <string.h>

static void text_set(struct text *out, unsigned i, const struct fileset_spec *set)
{
    if (set->shape == FILESET_TREE)
        text_addf(out, "set %u tree trees=%u levels=%u branches=%u files=%u", i, set->trees,
                  set->levels, set->branches, set->files);
    else
        text_addf(out, "set %u flat files=%u", i, set->files);
    text_addf(out, " size_bytes=%llu", (unsigned long long)set->size_bytes);
    if (set->compress_centi)
        text_addf(out, " compress_centi=%u", set->compress_centi);
    text_add(out, "\n");
}

/* O_DIRECT reads whole sectors, past the end of a file too. That is a matter of the instrument: of
 * the workload no more is asked than the files hold. */
static uint64_t asked_bytes(const struct plan *plan, const struct plan_step *step,
                            bool with_instrument)
{
    uint64_t largest = 0;

    for (unsigned i = 0; i < plan->sets; i++)
        largest = plan->set[i].size_bytes > largest ? plan->set[i].size_bytes : largest;
    if (with_instrument || !step->whole || largest == 0 || step->io_bytes < largest)
        return step->io_bytes;
    return largest;
}

static void text_place(struct text *out, const struct plan_place *at)
{
    switch (at->where) {
    case PLAN_AT_NEXT:
        text_add(out, " at=next");
        break;
    case PLAN_AT_UNIFORM:
        text_add(out, " at=uniform");
        break;
    case PLAN_AT_ZIPF:
        text_addf(out, " at=zipf:%.17g", at->skew);
        break;
    case PLAN_AT_HOT:
        text_addf(out, " at=hot:%u/%u", at->hot_ops, at->hot_blocks);
        break;
    case PLAN_AT_POSITION:
        text_add(out, " at=position");
        break;
    }
}

static void text_op(struct text *out, const struct plan *plan, const struct plan_step *step,
                    bool with_instrument)
{
    text_addf(out, "%s slot=%u", op_kind_name((enum op_kind)step->op), step->slot);
    if (step->op == OP_READ || step->op == OP_WRITE || step->op == OP_APPEND ||
        step->op == OP_READDIR)
        text_addf(out, " io_bytes=%llu",
                  (unsigned long long)asked_bytes(plan, step, with_instrument));
    if (step->whole)
        text_add(out, " whole");
    else if (step->op == OP_READ || step->op == OP_WRITE)
        text_place(out, &step->at);
    if (step->verify)
        text_add(out, " verify");
    if (step->absent_ok)
        text_add(out, " absent-ok");
    if (with_instrument && step->op_flags & OP_FLAG_DIRECT)
        text_add(out, " direct");
    if (step->op_flags & OP_FLAG_DSYNC)
        text_add(out, " dsync");
    if (step->op_flags & OP_FLAG_SYNC)
        text_add(out, " sync");
    if (step->op_flags & OP_FLAG_READ)
        text_add(out, " read-only");
    if (step->line != PLAN_NO_LINE)
        text_addf(out, " line=%s", plan->line[step->line].name);
}

static void text_step(struct text *out, const struct plan *plan, const struct plan_step *step,
                      uint32_t start, bool with_instrument)
{
    static const char *const unit[] = {"file", "dir", "root", "leaf", "all"};
    static const char *const order[] = {"own", "stride", "listed"};
    switch (step->kind) {
    case PLAN_PICK:
        text_addf(out, "pick %s slot=%u set=%u order=%s else=%u", unit[step->unit], step->slot,
                  step->set, order[step->order], step->to - start);
        break;
    case PLAN_OP:
        text_op(out, plan, step, with_instrument);
        break;
    case PLAN_ARRIVE:
        text_addf(out, "arrive schedule=%u", step->schedule);
        break;
    case PLAN_BRANCH:
        text_addf(out, "branch chance=%u/2^32 to=%u", step->chance, step->to - start);
        break;
    case PLAN_LOOP:
        text_addf(out, "loop to=%u", step->to - start);
        if (step->count)
            text_addf(out, " count=%u counter=%u", step->count, step->loop);
        break;
    case PLAN_END:
        text_add(out, "end");
        break;
    default:
        if (plan_step_is_between(step))
            plan_text_between(plan, step, out);
    }
}

static void text_section(struct text *out, const struct plan *plan, const char *name,
                         uint32_t start, uint32_t stop, bool with_instrument)
{
    text_addf(out, "  %s\n", name);
    for (uint32_t i = start; i < stop; i++) {
        text_addf(out, "    %u ", i - start);
        text_step(out, plan, &plan->step[i], start, with_instrument);
        text_add(out, "\n");
    }
}

void plan_text(const struct plan *plan, bool with_instrument, struct text *out)
{
    text_addf(out, "seed %llu\n", (unsigned long long)plan->seed);
    if (with_instrument)
        text_addf(out, "instrument scheme=%s direct=%s cache=%s\n", plan->instrument.scheme,
                  plan->instrument.direct ? "yes" : "no", plan_cache_name(plan->instrument.cache));
    text_addf(out, "window warmup_ns=%llu measure_ns=%llu\n",
              (unsigned long long)plan->window.warmup_ns,
              (unsigned long long)plan->window.measure_ns);
    for (unsigned i = 0; i < plan->sets; i++)
        text_set(out, i, &plan->set[i]);
    for (unsigned i = 0; i < plan->schedules; i++)
        text_addf(out, "schedule %u %s rate_per_s=%.17g\n", i,
                  plan->schedule[i].arrival == PLAN_ARRIVAL_CONSTANT ? "constant" : "poisson",
                  plan->schedule[i].rate_per_s);
    for (unsigned i = 0; i < plan->groups; i++) {
        const struct plan_group *group = &plan->group[i];
        uint32_t stop = i + 1 < plan->groups ? plan->group[i + 1].setup : plan->steps;
        text_addf(out, "group %s streams=%u clients=%u\n", group->name, group->streams,
                  group->clients);
        text_section(out, plan, "setup", group->setup, group->body, with_instrument);
        text_section(out, plan, "body", group->body, group->teardown, with_instrument);
        text_section(out, plan, "teardown", group->teardown, stop, with_instrument);
    }
    if (plan->sync_at_end)
        text_addf(out, "sync line=%s\n", plan->line[plan->sync_line].name);
}

static int hash_form(const struct plan *plan, bool with_instrument, char hex[DIGEST_HEX_MAX])
{
    struct text text;
    text_init(&text);
    plan_text(plan, with_instrument, &text);
    int rc = text.failed ? -ENOMEM : 0;
    if (rc == 0)
        digest_sha256(text.s, text.len, hex);
    text_fini(&text);
    return rc;
}

int plan_hash(struct plan *plan, struct err *err)
{
    int rc = hash_form(plan, false, plan->workload_hash);
    if (rc == 0)
        rc = hash_form(plan, true, plan->plan_hash);
    return rc < 0 ? err_set(err, rc, "no memory to write the plan down") : 0;
}
