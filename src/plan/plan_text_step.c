/* One step as it is written down: its name, and what is not as it is by default. */
#include "plan/plan_priv.h"
#include "target/target.h"

/* What the steps of plan_between.c are called, they say themselves. */
static const char *name_of(const struct plan_step *step)
{
    static const char *const name[] = {
        [PLAN_PICK] = "pick",   [PLAN_ARRIVE] = "arrive",   [PLAN_BRANCH] = "branch",
        [PLAN_LOOP] = "loop",   [PLAN_END] = "end",         [PLAN_TURN] = "turn",
        [PLAN_EACH] = "each",   [PLAN_IF_OPEN] = "if-open", [PLAN_IF_FILE] = "if-file",
        [PLAN_COUNT] = "count", [PLAN_JOIN] = "join",
    };
    return step->kind == PLAN_OP ? op_kind_name((enum op_kind)step->op) : name[step->kind];
}

/* O_DIRECT reads whole sectors, past the end of a file too. That is a matter of the instrument: of
 * the workload no more is asked than the files hold. */
static uint64_t asked_bytes(const struct plan *plan, const struct plan_step *step,
                            enum plan_form form)
{
    uint64_t largest = 0;

    for (unsigned i = 0; i < plan->sets; i++)
        largest = plan->set[i].size_bytes > largest ? plan->set[i].size_bytes : largest;
    if (form == PLAN_FORM_WHOLE || !step->whole || largest == 0 || step->io_bytes < largest)
        return step->io_bytes;
    return largest;
}

static void text_slot(struct text *out, const char *name, uint16_t slot)
{
    if (slot == PLAN_SLOT_TURN)
        text_addf(out, " %s=turn", name);
    else if (slot == PLAN_SLOT_EACH)
        text_addf(out, " %s=each", name);
    else
        text_addf(out, " %s=%u", name, slot);
}

static void text_set_number(struct text *out, uint16_t set)
{
    if (set != PLAN_ANY_SET)
        text_addf(out, " set=%u", set);
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
    if (at->limit_bytes > 0)
        text_addf(out, " limit_bytes=%llu", (unsigned long long)at->limit_bytes);
}

static void text_size(struct text *out, const struct plan *plan, const struct plan_step *step,
                      enum plan_form form)
{
    switch (step->size) {
    case PLAN_SIZE_FIXED:
        text_addf(out, " io_bytes=%llu", (unsigned long long)asked_bytes(plan, step, form));
        break;
    case PLAN_SIZE_DRAWN:
        text_addf(out, " io_bytes=draw:%u", step->draw - 1u);
        break;
    case PLAN_SIZE_BELOW:
        text_addf(out, " io_bytes=below:%llu", (unsigned long long)step->io_bytes);
        break;
    case PLAN_SIZE_FILE:
        text_add(out, " io_bytes=file");
        break;
    }
}

static void text_whole(struct text *out, const struct plan_step *step)
{
    text_add(out, " whole");
    if (step->on)
        text_add(out, " on");
    if (step->from_slot)
        text_slot(out, "size-of", step->from);
}

static void text_flags(struct text *out, const struct plan_step *step, enum plan_form form)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } flags[] = {
        {OP_FLAG_DSYNC, " dsync"},         {OP_FLAG_SYNC, " sync"},
        {OP_FLAG_READ, " read-only"},      {OP_FLAG_WRITE, " write-only"},
        {OP_FLAG_MAY_EXIST, " may-exist"}, {OP_FLAG_RANDOM, " no-read-ahead"},
        {OP_FLAG_HANDLE, " handle"},
    };
    if (form != PLAN_FORM_WORKLOAD && step->op_flags & OP_FLAG_DIRECT)
        text_add(out, " direct");
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (step->op_flags & flags[i].flag)
            text_add(out, flags[i].word);
}

static void text_op(struct text *out, const struct plan *plan, const struct plan_step *step,
                    enum plan_form form)
{
    text_slot(out, "slot", step->slot);
    if (plan_moves_data(step->op) || step->op == OP_READDIR)
        text_size(out, plan, step, form);
    if (step->whole)
        text_whole(out, step);
    else if (step->op == OP_READ || step->op == OP_WRITE)
        text_place(out, &step->at);
    if (step->to_end)
        text_add(out, " to-end");
    if (step->verify)
        text_add(out, " verify");
    if (step->absent_ok)
        text_add(out, " absent-ok");
    text_flags(out, step, form);
    if (step->detached)
        text_add(out, " detached");
    if (step->detached && step->done_line != PLAN_NO_LINE)
        text_addf(out, " done-line=%s", plan->line[step->done_line].name);
}

static void text_pick(struct text *out, const struct plan_step *step, uint32_t start)
{
    static const char *const unit[] = {"file", "dir", "root", "leaf", "all"};
    static const char *const order[] = {"own",       "stride", "listed", "round",
                                        "round-own", "drawn",  "slot"};
    static const char *const use[] = {"",       "initial", "open",  "stat", "create",
                                      "delete", "list",    "mkdir", "rmdir"};
    text_addf(out, " %s", unit[step->unit]);
    text_slot(out, "slot", step->slot);
    text_addf(out, " set=%u", step->set);
    if (step->use != FILESET_USE_ANY)
        text_addf(out, " use=%s", use[step->use]);
    text_addf(out, " order=%s", order[step->order]);
    if (step->order == PLAN_ORDER_DRAWN)
        text_addf(out, " draw=%u", step->draw - 1u);
    if (step->order == PLAN_ORDER_SLOT)
        text_slot(out, "from", step->from);
    text_addf(out, " else=%u", step->to - start);
    if (step->use == FILESET_USE_DELETE)
        text_addf(out, " skip=%u", step->skip - start);
}

static void text_loop(struct text *out, const struct plan_step *step, uint32_t start)
{
    text_addf(out, " to=%u", step->to - start);
    if (step->count == PLAN_LOOP_COUNTED)
        text_addf(out, " counted counter=%u", step->loop);
    else if (step->count)
        text_addf(out, " count=%u counter=%u", step->count, step->loop);
}

/* What steps beside picks, ops and loops are told. */
static void text_other(struct text *out, const struct plan_step *step, uint32_t start)
{
    switch (step->kind) {
    case PLAN_ARRIVE:
        text_addf(out, " schedule=%u", step->schedule);
        break;
    case PLAN_BRANCH:
        text_addf(out, " chance=%u/2^32 to=%u", step->chance, step->to - start);
        break;
    case PLAN_EACH:
        text_set_number(out, step->set);
        text_addf(out, " else=%u", step->to - start);
        break;
    case PLAN_IF_OPEN:
    case PLAN_IF_FILE:
        text_slot(out, "slot", step->slot);
        if (step->kind == PLAN_IF_OPEN)
            text_set_number(out, step->set);
        text_addf(out, " to=%u", step->to - start);
        break;
    case PLAN_COUNT:
        text_addf(out, " draw=%u counter=%u else=%u", step->draw - 1u, step->loop,
                  step->to - start);
        break;
    case PLAN_JOIN:
        text_addf(out, " percent=%llu", (unsigned long long)step->value);
        break;
    default:
        break;
    }
}

void plan_text_step(struct text *out, const struct plan *plan, const struct plan_step *step,
                    uint32_t start, enum plan_form form)
{
    if (plan_step_is_between(step)) {
        plan_text_between(plan, step, out);
        return;
    }
    text_add(out, name_of(step));
    if (step->kind == PLAN_PICK)
        text_pick(out, step, start);
    else if (step->kind == PLAN_OP)
        text_op(out, plan, step, form);
    else if (step->kind == PLAN_LOOP)
        text_loop(out, step, start);
    else
        text_other(out, step, start);
    if (step->counts)
        text_addf(out, " counts=%#llx", (unsigned long long)step->counts);
    if ((step->kind == PLAN_OP || step->kind == PLAN_JOIN) && step->line != PLAN_NO_LINE)
        text_addf(out, " line=%s", plan->line[step->line].name);
}
