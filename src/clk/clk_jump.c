#include "clk/clk_jump.h"

#include <time.h>

#define TRIES     8
#define CLOSE_NS  20000u
#define USABLE_NS (CLK_JUMP_NS / 4)

static uint64_t clock_ns(clockid_t id)
{
    struct timespec ts;
    if (clock_gettime(id, &ts))
        return 0;
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static struct clk_moment read_once(void)
{
    struct clk_moment m = {.monotonic_ns = clock_ns(CLOCK_MONOTONIC)};
    m.boottime_ns = clock_ns(CLOCK_BOOTTIME);
    m.wall_ns = clock_ns(CLOCK_REALTIME);
    m.gap_ns = clock_ns(CLOCK_MONOTONIC) - m.monotonic_ns;
    return m;
}

/* Again while something came between: what is taken for a jump must not be our own waiting. */
void clk_moment_read(struct clk_moment *out)
{
    *out = read_once();
    for (int i = 1; i < TRIES && out->gap_ns > CLOSE_NS; i++) {
        struct clk_moment m = read_once();
        if (m.gap_ns < out->gap_ns)
            *out = m;
    }
}

static int64_t moved(uint64_t from, uint64_t to)
{
    return (int64_t)(to - from);
}

struct clk_jump clk_jump_between(const struct clk_moment *before, const struct clk_moment *after)
{
    struct clk_jump jump = {.known = before->gap_ns < USABLE_NS && after->gap_ns < USABLE_NS};
    int64_t monotonic = moved(before->monotonic_ns, after->monotonic_ns);
    int64_t boottime = moved(before->boottime_ns, after->boottime_ns);
    int64_t wall = moved(before->wall_ns, after->wall_ns);

    if (!jump.known)
        return jump;
    if (boottime - monotonic >= CLK_JUMP_NS)
        jump.suspended_ns = (uint64_t)(boottime - monotonic);
    if (wall - boottime >= CLK_JUMP_NS || boottime - wall >= CLK_JUMP_NS)
        jump.stepped_ns = wall - boottime;
    return jump;
}
