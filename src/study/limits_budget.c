/* How the time there is gets dealt out to rows, and a row's to its points. */
#include "study/limits_priv.h"

#include <math.h>
#include <sys/param.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

#define TIDY_FRAC    0.05 /* of the budget: to remove what was made, and to tell */
#define LAYOUT_FRAC  (1.0 / 3)
#define REFINES      4 /* of a ramp, and runs with one thing changed, by and large */
#define ENOUGH_TIMES 8 /* doublings to a knee that is reached far below the most there may be */

#define RUN_NS   (150 * MS) /* to prepare a run, and to keep its result */
#define LEAST_NS (60 * MS)  /* to warm up; a point is twice, a final four times as long */

/* Parts of a row's time: warm 1, steady at the most 3 and mostly after half of it, a point 2, a final 4. */
#define STEADY_PARTS 3.0
#define POINT_PARTS  2.0
#define FINAL_PARTS  4.0

static uint64_t between(double ns, uint64_t least, uint64_t most)
{
    return ns < (double)least ? least : ns > (double)most ? most : (uint64_t)ns;
}

/* What the row has for each part, when preparing its runs has taken its own. */
static double one_part(double row_ns, unsigned points, unsigned finals)
{
    double parts =
        points * (STEADY_PARTS / 2 + POINT_PARTS) + finals * (STEADY_PARTS / 2 + FINAL_PARTS);
    return (row_ns - (double)(points + finals) * RUN_NS) / parts;
}

void limits_budget_row(const struct limits_budget *b, unsigned points, bool quick,
                       struct limits_times *out)
{
    double usable = (double)b->total_ns * (1 - TIDY_FRAC) - (double)b->spent_ns;
    double row = fmax(usable, 0) / MAX(b->rows_left, 1);
    unsigned finals = quick ? 1 : LIMITS_FINALS, least = quick ? 1 : LIMITS_FINALS_LEAST;
    double one = one_part(row, points, finals);
    bool hurried = one < LEAST_NS;

    if (hurried)
        one = one_part(row, points > REFINES ? points - REFINES : points, least);
    *out = (struct limits_times){.warm_ns = between(one, LEAST_NS, 10 * S),
                                 .point_ns = between(POINT_PARTS * one, 2 * LEAST_NS, 20 * S),
                                 .final_ns = between(FINAL_PARTS * one, 4 * LEAST_NS, 60 * S),
                                 .finals = hurried ? least : finals,
                                 .hurried = hurried};
    out->steady_ns = 3 * out->warm_ns;
}

unsigned limits_budget_points(const struct limits_row *row, uint32_t from, uint32_t to)
{
    if (row->latency)
        return 0;
    if (from >= to) /* also where fewer files than that can be had */
        return 1;
    unsigned doublings = (unsigned)ceil(log2((double)MAX(to, 1) / MAX(from, 1)));
    return 1 + MIN(doublings, ENOUGH_TIMES) + REFINES;
}

uint64_t limits_budget_about(const struct limits_times *times, unsigned points)
{
    uint64_t warm_ns = times->steady_ns / 2;
    if (times->hurried && points > REFINES)
        points -= REFINES;
    return points * (RUN_NS + warm_ns + times->point_ns) +
           times->finals * (RUN_NS + warm_ns + times->final_ns);
}

uint64_t limits_budget_layout(const struct limits_budget *b, double bytes_per_s)
{
    double ns = (double)b->total_ns * LAYOUT_FRAC - (double)b->spent_ns;
    double bytes = fmax(ns, 0) / 1e9 * fmax(bytes_per_s, 0);
    return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_C(1) << 63;
}

/* An op on small data costs as much to simulate as one that takes a hundred times as long: what is short on its own
 * clock must be short. What goes to disks has to fill buffers first, those that gather writes above all. */
void limits_times_of_model(const struct limits_row *row, bool quick, struct limits_times *out)
{
    bool disks = row->place == LIMITS_DISK || row->latency;
    bool small = row->place == LIMITS_CACHE && !row->sequential;
    *out = (struct limits_times){.warm_ns = disks   ? 4 * S
                                            : small ? 50 * MS
                                                    : 500 * MS,
                                 .point_ns = disks   ? 60 * S
                                             : small ? 2 * S
                                                     : 10 * S,
                                 .finals = quick ? 1 : LIMITS_FINALS};
    out->steady_ns = 4 * out->warm_ns;
    out->final_ns = out->point_ns;
}
