/* verdict/findings_priv.h — what rules look at, and the rules themselves.
 * Shape    a rule is a function that looks at one run and either says nothing or fills in a finding; findings.c runs
 *          the tables. Thresholds stand beside each rule, with the number of the check of measuring.
 * Limits   A rule says nothing where it lacks a fact, and where what it sees may have another cause.
 * Threads  values.
 * Source   tests/unit/test_findings*.c. */
#ifndef LOADLINE_VERDICT_FINDINGS_PRIV_H
#define LOADLINE_VERDICT_FINDINGS_PRIV_H

#include "verdict/findings.h"

#include <math.h>

/* A capacity that is exceeded by more was none: virtual ports say any line rate. */
#define SCENE_OVER_FRAC 1.05

/* One run, as rules see it. */
struct scene {
    const struct result *r;
    /* The same row at half the rate or less: what is as full there is full whatever is asked. NULL: none. */
    const struct result *quiet;
    const struct result_line *line; /* that counts */
    const char *claim;              /* "cache" "disk" "flash" "log" "names", "" */
    bool modelled;
    bool local; /* what is measured is in this machine */
    bool writes;
    bool moves; /* data goes at all */
    bool flat;  /* the ramp ended since more streams gave no more */
    double seconds;
    double streams;
    double ops;   /* /s, of the line */
    double bytes; /* /s */
};

struct rule {
    const char *name;
    enum finding_weight weight;
    bool (*applies)(const struct scene *s, struct finding *f);
};

/* Behind the last stands one without a name. */
extern const struct rule findings_client_rules[];
extern const struct rule findings_disk_rules[];
extern const struct rule findings_server_rules[];
extern const struct rule findings_run_rules[];
extern const struct rule findings_data_rules[];

/* findings_of, with the runs of the same row at other loads to learn from. */
unsigned findings_among(const struct result *r, const struct result *quiet,
                        struct finding out[FINDINGS_MAX]);

/* ---- scene.c: for rules ---- */

void scene_of(const struct result *r, const struct result *quiet, struct scene *out);
double scene_option(const struct scene *s, const char *key); /* NAN: not there, or no number */
double scene_counter(const struct scene *s, const char *key);
bool scene_option_is(const struct scene *s, const char *key, const char *value);
/* "" where it is not known. */
const char *scene_target(const struct scene *s, const char *key);
/* This machine is not what the row is about: what stops at it says little of what is. */
bool scene_is_lower_bound(const struct scene *s);

/* Tracks of one kind and end whose use is known; of those whose names end so, where `ending` is not NULL. */
struct group {
    unsigned n;
    unsigned full;
    double use;                  /* mean */
    double others_use;           /* mean without the busiest; NAN: it is alone */
    const struct track *busiest; /* NULL: n is 0 */
};
struct group scene_group(const struct scene *s, enum track_end end, enum track_kind kind,
                         const char *ending);
/* Is it as full with little load? Then it is not what stops this. */
bool scene_is_always_full(const struct scene *s, const struct track *one);
/* A core that is full of interrupts, while not all of them are: fills in the finding. */
bool scene_is_interrupted(const struct scene *s, enum track_end end, struct finding *f);
double scene_sum(const struct scene *s, enum track_end end, enum track_kind kind);

/* "1.16 GiB/s" "404000/s" "97.2 %", by the kind's unit. Returns buf. */
#define SCENE_NUMBER_MAX 40
char *scene_number(char buf[SCENE_NUMBER_MAX], enum track_kind kind, double value);
/* "1.16 GiB/s of 1.16 GiB/s (99.8 %), mean of 60 s" of a track with a capacity. */
void scene_tell_use(const struct scene *s, const struct track *one, struct finding *f);

#endif
