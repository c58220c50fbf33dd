/* engine/collect_priv.h — the side of a run that is not its workers': it sums, watches and tells.
 * Shape    while workers run: collect_until_left, or collect_poll by the worker that has its own clock;
 *          then collect_rest, outcome_fill.
 * Units    ns on the run's clock.
 * Threads  the one that called engine_run; run_halt from any. */
#ifndef LOADLINE_ENGINE_COLLECT_PRIV_H
#define LOADLINE_ENGINE_COLLECT_PRIV_H

#include <stdbool.h>
#include <stdint.h>

struct run;
struct samples_block;
struct worker;

enum halt {
    HALT_NONE,
    HALT_END,  /* no new op; what is held is waited for */
    HALT_DROP, /* nothing is waited for: an op does not return */
};

/* collect.c */
void collect_poll(struct run *run);
void collect_rest(struct run *run);
/* The counters that the window starts from. */
void collect_open_window(struct run *run);
/* Makes every worker look whether something is to be done. */
void run_wake(struct run *run);
/* Tells every worker to end, also those that wait for an arrival. */
void run_halt(struct run *run, enum halt halt);
/* Waits until every worker has left, the run is halted for good, or workers are given up. */
void collect_until_left(struct run *run);

/* steady.c */
#define STEADY_PARTS 5
#define STEADY_RING  16 /* parts that late blocks may still belong to */
struct steady {
    uint64_t part_intervals;
    uint64_t parts; /* at the next look there are so many */
    uint64_t newest;
    uint64_t ops[STEADY_RING];
};
bool steady_rule(const uint64_t ops[STEADY_PARTS], double frac);
void steady_begin(struct run *run);
void steady_add(struct run *run, const struct samples_block *block);
/* Opens the window when the rule is met, at an interval edge to come. */
void steady_poll(struct run *run, uint64_t now);
void period_poll(struct run *run, uint64_t now);

/* precise.c */
#define PRECISE_PARTS 20
#define PRECISE_BINS  (16 * PRECISE_PARTS)
struct precise {
    bool found;
    uint64_t next; /* intervals of the window at the next look */
    uint64_t bin_intervals;
    uint64_t ops[PRECISE_BINS];
};
/* Half of the 95 % interval of the mean, in that mean; tied: the parts are not independent of each other. */
double precise_half(const uint64_t ops[PRECISE_PARTS], bool *tied);
void precise_add(struct run *run, const struct samples_block *block);
/* Closes the window when its rate is precise enough, at an interval edge to come. */
void precise_poll(struct run *run, uint64_t now);
/* When it is closed: how precise it was, where that was never enough. */
void precise_end(struct run *run);

/* touched.c: tells the outcome how many distinct blocks there were, where the plan asks. */
void touched_fill(struct run *run);

/* watch.c */
/* Looks for an op older than the limit; fills out->stuck and halts the run. */
bool watch_stalled(struct run *run);
/* Part of it, for its test: notes that somebody looked at `now`. */
void watch_look(struct run *run, uint64_t now);
/* Whether any op is at the target. */
bool watch_holds(const struct run *run);
/* How many workers have an op older than the limit. */
unsigned watch_stuck(const struct run *run);

/* left.c: adds to the outcome what was not done by close_ns. */
void left_fill(struct run *run, uint64_t open_ns, uint64_t close_ns);
bool left_is_held(const struct worker *w);

/* outcome.c */
void outcome_fill(struct run *run);
void outcome_add_errors(struct run *run, const struct worker *w);

/* cpu.c */
/* CPU of all threads of the process but this one and those of the caller's. */
uint64_t cpu_others_ns(const struct run *run);
/* When the workers' own is in the outcome: adds what the others used besides, while the gate was open. */
void cpu_tell(struct run *run, uint64_t others_ns);

#endif
