#include "clk/clk.h"
#include "clk/clk_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COST_ROUNDS 31
#define COST_READS  500

static uint64_t clock_ns(clockid_t id)
{
    struct timespec ts;
    if (clock_gettime(id, &ts))
        return 0;
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t clk_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clk_wall_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}

static struct clk_pair real_read(void *ctx)
{
    (void)ctx;
    uint64_t before = clk_ticks();
    uint64_t ns = clk_monotonic_ns();
    uint64_t gap = clk_ticks() - before;
    return (struct clk_pair){.ticks = before + gap / 2, .ns = ns, .gap = gap};
}

static void real_wait(void *ctx, uint64_t ns)
{
    (void)ctx;
    uint64_t until = clk_monotonic_ns() + ns;
    struct timespec ts = {.tv_sec = (time_t)(until / 1000000000u),
                          .tv_nsec = (long)(until % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
        ;
}

static const struct clk_machine real_machine = {.read = real_read, .wait = real_wait};

/* The head of a file as a string. One page only: every processor in /proc/cpuinfo costs the kernel
 * work, and the first one says it all. */
static bool read_head(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t used = 0;
    ssize_t got = 0;
    while (used < size - 1 && (got = read(fd, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    close(fd);
    text[used] = '\0';
    return got >= 0;
}

static bool has_word(const char *line, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t at = 0; at < length;) {
        size_t gap = strspn(line + at, " \t:");
        size_t end = strcspn(line + at + gap, " \t:\n");
        if (end == size && memcmp(line + at + gap, word, size) == 0)
            return true;
        at += gap + end + 1;
    }
    return false;
}

bool clk_vouched(const char *clocksource_path, const char *cpuinfo_path)
{
    char text[8192];
    if (!read_head(clocksource_path, text, sizeof text) || strcmp(text, "tsc\n") != 0)
        return false;
    if (!read_head(cpuinfo_path, text, sizeof text))
        return false;
    const char *flags = strstr(text, "\nflags");
    if (!flags)
        return false;
    flags++;
    size_t length = strcspn(flags, "\n");
    return has_word(flags, length, "constant_tsc") && has_word(flags, length, "nonstop_tsc");
}

struct clk_pair clk_best_pair(const struct clk_machine *machine)
{
    struct clk_pair best = machine->read(machine->ctx);
    for (int i = 1; i < CLK_PAIR_TRIES; i++) {
        struct clk_pair pair = machine->read(machine->ctx);
        if (pair.gap < best.gap)
            best = pair;
    }
    return best;
}

static double error_ppm(const struct clk_pair *a, const struct clk_pair *b)
{
    return (double)(a->gap + b->gap) / 2 / (double)(b->ticks - a->ticks) * 1e6;
}

static bool plausible(uint64_t ticks, uint64_t ns)
{
    double mhz = (double)ticks / (double)ns * 1e3;
    return mhz >= CLK_MHZ_MIN && mhz <= CLK_MHZ_MAX;
}

int clk_calibrate(struct clk *clk, const struct clk_machine *machine)
{
    struct clk_pair start = clk_best_pair(machine);
    for (int i = 0; i < CLK_STRETCHES; i++) {
        machine->wait(machine->ctx, CLK_STRETCH_NS);
        struct clk_pair end = clk_best_pair(machine);
        if (end.ticks <= start.ticks || end.ns <= start.ns)
            return -ERANGE;
        uint64_t ticks = end.ticks - start.ticks;
        uint64_t ns = end.ns - start.ns;
        if (!plausible(ticks, ns))
            return -ERANGE;
        if (error_ppm(&start, &end) > CLK_ERROR_PPM)
            continue;
        clk->base_ticks = start.ticks;
        clk->base_ns = start.ns;
        clk->mult = (uint64_t)((((unsigned __int128)ns << 32) + ticks / 2) / ticks);
        return 0;
    }
    return -ERANGE;
}

/* The first calibration of the process, and the pair it started from. */
static struct {
    pthread_mutex_t mutex;
    bool tried;
    struct clk clk;
} calibrated = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void clk_renew(struct clk *clk, const struct clk *first, const struct clk_pair *now)
{
    uint64_t ticks = now->ticks - first->base_ticks;
    uint64_t ns = now->ns - first->base_ns;
    *clk = *first;
    clk->base_ticks = now->ticks;
    clk->base_ns = now->ns;
    /* The longer the stretch, the better the rate; one that has run away is no clock. */
    if (ticks > 0 && ns >= CLK_STRETCH_NS)
        clk->mult = (uint64_t)((((unsigned __int128)ns << 32) + ticks / 2) / ticks);
    double ppm = ((double)clk->mult / (double)first->mult - 1) * 1e6;
    if (ppm > CLK_RENEW_PPM || ppm < -CLK_RENEW_PPM)
        clk->source = CLK_MONOTONIC;
}

static void calibrate_once(struct clk *clk)
{
    pthread_mutex_lock(&calibrated.mutex);
    if (!calibrated.tried) {
        calibrated.tried = true;
        if (clk_vouched("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        "/proc/cpuinfo") &&
            clk_calibrate(&calibrated.clk, &real_machine) == 0)
            calibrated.clk.source = CLK_TSC;
        else
            calibrated.clk.source = CLK_MONOTONIC;
    }
    *clk = calibrated.clk;
    pthread_mutex_unlock(&calibrated.mutex);
}

int clk_open(struct clk *clk, struct err *err)
{
    struct timespec ts;
    if (clock_gettime(CLOCK_MONOTONIC, &ts))
        return err_sys(err, -errno, "cannot read CLOCK_MONOTONIC");
    struct clk first;
    calibrate_once(&first);
    *clk = first;
    if (first.source == CLK_TSC) {
        struct clk_pair now = clk_best_pair(&real_machine);
        clk_renew(clk, &first, &now);
    }
    return 0;
}

void clk_scripted(struct clk *clk, uint64_t (*now)(void *ctx), void *ctx)
{
    *clk = (struct clk){.source = CLK_SCRIPTED, .now = now, .ctx = ctx};
}

double clk_drift_ppm(const struct clk *clk)
{
    if (clk->source != CLK_TSC)
        return 0;
    struct clk_pair pair = clk_best_pair(&real_machine);
    uint64_t ticks = pair.ticks - clk->base_ticks;
    uint64_t ours = (uint64_t)(((unsigned __int128)ticks * clk->mult) >> 32);
    uint64_t theirs = pair.ns - clk->base_ns;
    return ((double)ours - (double)theirs) / (double)theirs * 1e6;
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double clk_cost_ns(const struct clk *clk)
{
    if (clk->source == CLK_SCRIPTED)
        return 0;
    double cost[COST_ROUNDS];
    for (int round = 0; round < COST_ROUNDS; round++) {
        uint64_t start = clk_monotonic_ns();
        for (int i = 0; i < COST_READS; i++) {
            uint64_t now = clk_now(clk);
            __asm__ volatile("" : : "r"(now));
        }
        cost[round] = (double)(clk_monotonic_ns() - start) / COST_READS;
    }
    qsort(cost, COST_ROUNDS, sizeof cost[0], compare_double);
    return cost[COST_ROUNDS / 2];
}

const char *clk_source_name(enum clk_source source)
{
    switch (source) {
    case CLK_TSC:
        return "tsc";
    case CLK_MONOTONIC:
        return "monotonic";
    case CLK_SCRIPTED:
        return "scripted";
    }
    return "unknown";
}
