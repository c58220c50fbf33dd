#include "script/compile_priv.h"

#include <errno.h>
#include <sys/param.h>

#define RUN_DEFAULT_S     60u
#define PERIOD_DEFAULT_S  10u
#define INTERVAL_LEAST_NS 100000000u
#define INTERVAL_MOST_NS  1000000000u
#define INTERVALS_WANTED  20

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Fine enough for the shortest run, and such that reports and the end come at edges of intervals. */
static uint64_t interval_ns(uint64_t measure_ns, uint64_t period_ns)
{
    uint64_t want = MAX(measure_ns / INTERVALS_WANTED, INTERVAL_LEAST_NS);
    want = MIN(want, INTERVAL_MOST_NS);
    if (period_ns == 0)
        return want;
    uint64_t whole = common_divisor(period_ns, measure_ns);
    if (whole < INTERVAL_LEAST_NS)
        whole = period_ns;
    uint64_t parts = MAX((whole + want - 1) / want, 1);
    for (uint64_t n = parts; n <= 2 * parts; n++)
        if (whole % n == 0)
            return whole / n;
    return whole / parts;
}

static struct plan_window window_of(const struct compilation *k, uint64_t warmup_ns,
                                    uint64_t measure_ns, uint64_t period_ns)
{
    const struct script_options *o = k->c.o;
    struct plan_window window = {
        .warmup_ns = o->warmup_ns > 0 ? o->warmup_ns : warmup_ns,
        .measure_ns = o->time_ns > 0 ? o->time_ns : measure_ns,
        .steady_frac = o->steady_frac,
        .steady_max_ns = o->steady_max_ns,
        .period_ns = period_ns,
    };
    window.interval_ns = interval_ns(window.measure_ns, period_ns);
    return window;
}

/* The rate that holds now; none when it is 0. */
static int read_rate(struct compilation *k)
{
    uint64_t rate = 0;
    if (k->eventgen) {
        int rc = attr_count(k->c.globals, &k->eventgen->attrs, "rate", 0, k->c.remarks, &rate);
        if (rc < 0)
            return rc;
    }
    k->c.event_rate = (double)rate;
    scope_rate(k->c.globals, k->c.event_rate);
    return 0;
}

static int add_run(struct compilation *k, struct lang_pos at, const struct plan_window *window,
                   bool period_reset)
{
    struct script_step step = {.kind = SCRIPT_RUN, .period_reset = period_reset};
    k->ran = true;
    k->late.line = 0;
    if (k->refused)
        return -EINVAL;
    int rc = read_rate(k);
    if (rc == 0)
        rc = sets_ready(k, at);
    if (rc == 0)
        rc = compile_run(&k->c, at, window, &step.plan);
    else if (rc == -EINVAL && check_processes(&k->c, at) == -ENOMEM)
        rc = -ENOMEM;
    k->refused = rc < 0;
    if (rc < 0)
        return rc;
    k->files.used = true;
    k->warmup_ns = 0;
    return script_add(k, at, &step);
}

static uint64_t default_ns(const struct compilation *k)
{
    return k->c.quit == PLAN_QUIT_TIMEOUT ? (uint64_t)RUN_DEFAULT_S * SECOND_NS : 0;
}

bool has_own_runs(const struct lang_command *command, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct lang_command *c = &command[i];
        if (c->at.file == 0 && (c->kind == LANG_RUN || c->kind == LANG_PSRUN ||
                                (c->kind == LANG_CREATE && begins(c->word, "process"))))
            return true;
        if (has_own_runs(c->command, c->commands))
            return true;
    }
    return false;
}

static bool has_process(const struct compilation *k)
{
    for (unsigned i = 0; i < k->c.defined; i++)
        if (k->c.definition[i].command->kind == LANG_DEFINE_PROCESS)
            return true;
    return false;
}

int compile_run_command(struct compilation *k, const struct lang_command *run)
{
    /* Of old, files that were loaded had no run: whoever loads one goes on to set and to run. */
    if (k->own_runs && run->at.file != 0) {
        lang_warn(k->c.remarks, run->at,
                  "the run of a loaded file is left out: the file that loads it has its own");
        return 0;
    }
    bool periodic = run->kind == LANG_PSRUN;
    uint64_t measure = default_ns(k);
    uint64_t period = periodic ? (uint64_t)PERIOD_DEFAULT_S * SECOND_NS : 0;
    int rc = 0;
    if (periodic && run->given)
        rc = seconds(k, &run->value, "psrun", &period);
    if (rc == 0 && periodic && run->given2)
        rc = seconds(k, &run->value2, "psrun", &measure);
    if (rc == 0 && !periodic && run->given)
        rc = seconds(k, &run->value, "run", &measure);
    if (rc == 0 && (run->given || run->given2) && measure == 0 && k->c.quit == PLAN_QUIT_TIMEOUT) {
        lang_error(k->c.remarks, run->at, "a run of 0 seconds measures nothing");
        rc = -EINVAL;
    }
    int wrong = rc; /* what else is wrong with it is found all the same */
    if (rc == -ENOMEM || (wrong < 0 && !has_process(k)))
        return rc;
    rc = by_hand_stop(k, run->at);
    if (rc < 0)
        return rc;
    struct plan_window window = window_of(k, k->warmup_ns, measure, period);
    rc = add_run(k, run->at, &window, run->negative);
    return wrong < 0 && rc != -ENOMEM ? wrong : rc;
}

int compile_missing_run(struct compilation *k)
{
    const struct lang_pos at = {0, 1, 1};
    if (!has_process(k)) {
        lang_warn(k->c.remarks, at,
                  "no process is defined and nothing is run: nothing is measured");
        return 0;
    }
    if (k->quit && k->c.o->time_ns == 0) {
        lang_warn(k->c.remarks, at, "the file quits before any run: nothing is measured");
        return 0;
    }
    if (k->c.o->time_ns == 0 && k->c.quit == PLAN_QUIT_TIMEOUT)
        lang_warn(k->c.remarks, at, "no run in this file: one of %u s is made", RUN_DEFAULT_S);
    else if (k->c.o->time_ns == 0)
        lang_warn(k->c.remarks, at, "no run in this file: one is made, until it is done");
    struct plan_window window = window_of(k, k->warmup_ns, default_ns(k), 0);
    return add_run(k, at, &window, false);
}

/* ---- started, measured and stopped by hand ---- */

int by_hand_start(struct compilation *k, struct lang_pos at)
{
    int rc = by_hand_stop(k, at);
    if (rc < 0)
        return rc;
    rc = sets_ready(k, at);
    k->by_hand = (struct by_hand){.up = true};
    return rc;
}

void by_hand_sleep(struct compilation *k, struct lang_pos at, uint64_t ns)
{
    if (k->by_hand.snapped)
        lang_warn(k->c.remarks, at, "a sleep behind stats snap is not measured, and left out");
    else
        k->by_hand.measure_ns += ns;
}

void by_hand_clear(struct compilation *k)
{
    struct by_hand *h = &k->by_hand;
    h->warmup_ns += h->snapped ? 0 : h->measure_ns;
    h->measure_ns = 0;
    h->snapped = false;
    h->cleared = true;
}

static int by_hand_run(struct compilation *k, struct lang_pos at)
{
    struct by_hand *h = &k->by_hand;
    if (h->measure_ns == 0) {
        lang_warn(k->c.remarks, at,
                  "no sleep since the processes were started: nothing is measured");
        return 0;
    }
    struct plan_window window = window_of(k, k->warmup_ns + h->warmup_ns, h->measure_ns, 0);
    h->snapped = true;
    h->warmup_ns = 0;
    return add_run(k, at, &window, false);
}

int by_hand_snap(struct compilation *k, struct lang_pos at)
{
    if (!k->by_hand.snapped)
        return by_hand_run(k, at);
    lang_warn(k->c.remarks, at, "stats snap with nothing new since the last one: left out");
    return 0;
}

int by_hand_stop(struct compilation *k, struct lang_pos at)
{
    if (!k->by_hand.up)
        return 0;
    k->by_hand.up = false;
    return k->by_hand.snapped ? 0 : by_hand_run(k, at);
}
