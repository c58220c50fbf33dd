/* probe/probe_priv.h — how what is looked at becomes tracks.
 * Shape    A source fills sights: the counters and levels of one moment. They are kept in looks, a ring over the
 *          time of the run, and looks_between makes tracks of them. A source that is asked has a thread of its own
 *          (a server may hang); one that remembers, a file of series, is asked for a window when the window is over.
 * Units    a counter is in units of its kind times seconds, so that its difference over time is the kind's unit:
 *          bytes for bytes/s, seconds for a share. Times: ns of CLOCK_MONOTONIC.
 * Limits   PROBE_LOOKS_MAX looks. Between two looks a counter grows evenly and a level is a line. One that went
 *          back was begun anew: nothing is known of that stretch. A stretch longer than 2.5 periods is in the
 *          mean, and in no value of the track. A stretch that lies half outside of the window is in neither.
 * Errors   -errno. Without memory sights.failed says so, and the look is a gap.
 * Threads  sights and looks: single owner; probe.c locks.
 * Source   tests/unit/test_probe_looks.c, test_probe_trees.c. */
#ifndef LOADLINE_PROBE_PROBE_PRIV_H
#define LOADLINE_PROBE_PROBE_PRIV_H

#include "probe/probe.h"

#include <stddef.h>

enum sight_form {
    SIGHT_COUNTED, /* value only grows: rate of growth */
    SIGHT_LEVEL,   /* mean over time: bytes cached; rates that somebody else has made */
    SIGHT_RATIO,   /* growth of value by growth of per: ns of all calls by calls */
};

struct sight {
    enum track_end end;
    enum track_kind kind;
    enum sight_form form;
    char name[TRACK_NAME_MAX];
    double capacity; /* in the kind's unit; 0: the kind's own, or not known */
    double value;
    double per;
    bool
        idle; /* has done nothing since it was first seen: no track yet; a machine has dozens of spare devices */
};

struct sights {
    uint64_t at_ns; /* 0: the middle between before and after the look */
    unsigned n;
    unsigned room;
    bool failed; /* no memory for one */
    bool full;   /* more than TRACKS_MAX: the rest is left out */
    struct sight *sight;
};

void sights_fini(struct sights *s);
void sights_clear(struct sights *s); /* keeps the room */
/* A new one, which is none of those there are; a longer name keeps its end. A spare one when `failed` or `full`, never NULL. */
struct sight *sights_put(struct sights *s, enum track_end end, enum track_kind kind,
                         enum sight_form form, const char *name);
/* One that may be there, to be added to: modes of a processor, connections of a mount. */
struct sight *sights_get(struct sights *s, enum track_end end, enum track_kind kind,
                         enum sight_form form, const char *name);

struct look_value {
    double value; /* NAN: not seen */
    double per;
};

struct look {
    uint64_t at_ns;
    bool edge;
    unsigned n;
    struct look_value *value; /* [n] of the keys as they were then; all others were not seen */
};

struct look_key {
    enum track_end end;
    enum track_kind kind;
    enum sight_form form;
    char name[TRACK_NAME_MAX];
    double capacity; /* as last seen */
    bool idle;       /* likewise */
};

struct looks {
    uint64_t period_ns;
    uint64_t thinned; /* how often every second one went, since there was room last */
    uint64_t told_ns; /* what lies before is forgotten first */
    bool full;        /* a look saw more things than there may be tracks */
    unsigned n;
    struct look *look; /* [PROBE_LOOKS_MAX], by time */
    unsigned keys;
    unsigned room;
    struct look_key *key;
};

void looks_init(struct looks *l, uint64_t period_ns);
void looks_fini(struct looks *l);
/* `edge`: of a window; not among those that go when it is full. -EINVAL: not later than the last one; -ENOSPC: kept,
 * but for what is more than there may be tracks. */
__attribute__((warn_unused_result)) int looks_keep(struct looks *l, const struct sights *s,
                                                   bool edge);

struct look_window {
    uint64_t from_ns;
    uint64_t to_ns;
    uint64_t zero_ns; /* times of tracks count from here */
    unsigned values;  /* of each track, ≤ TRACK_VALUES_MAX */
};

/* How far apart looks are now that are none of an edge. */
uint64_t looks_period_ns(const struct looks *l);

/* Adds to `out`, whose period becomes that of the window. -ENOSPC: as many as there is room for, or were
 * seen of more. */
__attribute__((warn_unused_result)) int
looks_between(const struct looks *l, const struct look_window *w, struct tracks *out);

/* Where sights come from. Functions that a source has not are NULL. */
struct probe_source {
    const char *name; /* static, as notes call it: "server metrics" */
    /* Now; within PROBE_ANSWER_S. On failure the look is a gap, and the words are noted. */
    int (*look)(void *ctx, struct sights *out, struct err *err);
    /* What there was from from_ns to to_ns and one look to each side, into an empty `out` whose period it sets. */
    int (*recall)(void *ctx, uint64_t from_ns, uint64_t to_ns, struct looks *out, struct err *err);
    void (*close)(void *ctx);
    void *ctx;
};

/* This machine, by its /proc and /sys. */
__attribute__((warn_unused_result)) int
source_local_open(const char *proc, const char *sys, struct probe_source *out, struct err *err);
/* -errno and words: an address that cannot be asked, a file that cannot be read. */
__attribute__((warn_unused_result)) int
source_metrics_open(const char *url, struct probe_source *out, struct err *err);
__attribute__((warn_unused_result)) int source_csv_open(const char *path, struct probe_source *out,
                                                        struct err *err);

#endif
