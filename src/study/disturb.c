#include "study/disturb_priv.h"
#include "study/study_priv.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/param.h>
#include <time.h>
#include <unistd.h>

#define CPU_NAME "devices/system/cpu/cpu%u/%s"

void disturb_cpus_allowed(struct disturb_cpus *out)
{
    cpu_set_t set;
    unsigned allowed[CPU_SETSIZE], n = 0;

    *out = (struct disturb_cpus){0};
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) < 0)
        return;
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            allowed[n++] = i;
    out->n = MIN(n, DISTURB_CPUS_MAX);
    for (unsigned i = 0; i < out->n; i++)
        out->number[i] = allowed[i * n / out->n];
}

/* "cpu  user nice system idle iowait irq softirq steal …", in ticks. */
static void read_stat(const struct study_view *view, struct disturb_reading *r)
{
    char line[256];
    uint64_t t[8];
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

    machine_word(view->proc, "stat", line, sizeof line);
    r->has_cpu = sscanf(line,
                        "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                        " %" SCNu64 " %" SCNu64,
                        &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) == 8;
    if (!r->has_cpu)
        return;
    r->busy_ns = (t[0] + t[1] + t[2] + t[5] + t[6]) * tick_ns;
    r->steal_ns = t[7] * tick_ns;
}

bool disturb_busy(const struct study_view *view, uint64_t *busy_ns)
{
    struct disturb_reading r = {0};
    read_stat(view, &r);
    *busy_ns = r.busy_ns;
    return r.has_cpu;
}

static uint64_t own_cpu_ns(void)
{
    struct timespec ts = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Events of the cores looked at, and of their packages; a core with two threads tells its own twice.
 * -1: nothing tells. */
static int64_t read_throttled(const struct study_view *view, const struct disturb_cpus *cpus)
{
    static const char *const name[] = {"core", "package"};
    int64_t sum = -1;
    char path[96], file[64];

    for (unsigned i = 0; i < 2 * cpus->n; i++) {
        snprintf(file, sizeof file, "thermal_throttle/%s_throttle_count", name[i % 2]);
        snprintf(path, sizeof path, CPU_NAME, cpus->number[i / 2], file);
        long long n = machine_number(view->sys, path, -1);
        if (n >= 0)
            sum = MAX(sum, 0) + n;
    }
    return sum;
}

static void look(const struct study_view *view, const struct disturb_cpus *cpus,
                 struct disturb_reading *r)
{
    *r = (struct disturb_reading){.throttled = read_throttled(view, cpus)};
    read_stat(view, r);
    r->own_ns = own_cpu_ns();
    view->clocks(view->ctx, &r->at);
}

void disturb_begin(const struct study_view *view, const struct disturb_cpus *cpus,
                   struct disturbance *d)
{
    look(view, cpus, &d->before);
    d->next_ns = 0;
}

static void add_frequency(struct disturb_frequency *f, double khz)
{
    f->min_khz = f->samples == 0 ? khz : MIN(f->min_khz, khz);
    f->max_khz = MAX(f->max_khz, khz);
    f->sum_khz += khz;
    f->samples++;
}

static uint64_t now_ns(const struct study_view *view)
{
    struct clk_moment now;
    view->clocks(view->ctx, &now);
    return now.monotonic_ns;
}

/* Some kernels sleep 10 ms over each processor that rests. The collector has other work: such a kernel
 * is not asked on in this pass. */
void disturb_sample(const struct study_view *view, const struct disturb_cpus *cpus,
                    struct disturbance *d)
{
    uint64_t begun_ns = now_ns(view);
    double fastest = 0;
    char path[96];

    if (begun_ns < d->next_ns)
        return;
    d->next_ns = begun_ns + DISTURB_SAMPLE_NS;
    for (unsigned i = 0; i < cpus->n && d->next_ns != UINT64_MAX; i++) {
        snprintf(path, sizeof path, CPU_NAME, cpus->number[i], "cpufreq/scaling_cur_freq");
        double khz = (double)machine_number(view->sys, path, 0);
        if (now_ns(view) - begun_ns > DISTURB_ROUND_NS)
            d->next_ns = UINT64_MAX;
        if (khz <= 0)
            continue;
        add_frequency(&d->frequency, khz);
        fastest = MAX(fastest, khz);
    }
    d->frequency.fastest_sum_khz += fastest;
    d->frequency.rounds += fastest > 0;
}

/* Counters of a guest have been seen to go back. */
static uint64_t grown(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static void add_time(struct disturbance *d, const struct clk_jump *jump)
{
    if (!jump->known)
        return;
    d->clock_passes++;
    d->suspended_ns += jump->suspended_ns;
    if (llabs(jump->stepped_ns) > llabs(d->stepped_ns))
        d->stepped_ns = jump->stepped_ns;
}

void disturb_end(const struct study_view *view, const struct disturb_cpus *cpus,
                 struct disturbance *d)
{
    const struct disturb_reading *before = &d->before;
    struct disturb_reading after;

    look(view, cpus, &after);
    const struct clk_jump jump = clk_jump_between(&before->at, &after.at);
    add_time(d, &jump);
    d->passes++;
    if (before->has_cpu && after.has_cpu) {
        d->cpu_passes++;
        d->busy_ns += grown(before->busy_ns, after.busy_ns);
        d->steal_ns += grown(before->steal_ns, after.steal_ns);
        d->own_ns += grown(before->own_ns, after.own_ns);
    }
    if (before->throttled >= 0 && after.throttled >= 0) {
        d->throttle_passes++;
        d->throttled += grown((uint64_t)before->throttled, (uint64_t)after.throttled);
    }
}

static void put_cpu(const struct disturbance *d, struct fact_pen *pen)
{
    uint64_t wanted_ns = d->busy_ns + d->steal_ns;

    fact_count(pen, "machine_busy_ns", d->busy_ns, "ns");
    fact_count(pen, "machine_steal_ns", d->steal_ns, "ns");
    fact_count(pen, "own_cpu_ns", d->own_ns, "ns");
    fact_count(pen, "others_cpu_ns", grown(d->own_ns, d->busy_ns), "ns");
    if (wanted_ns > 0)
        fact_number(pen, "steal_frac", (double)d->steal_ns / (double)wanted_ns, "");
}

static void put_frequency(const struct disturb_frequency *f, struct fact_pen *pen)
{
    if (f->rounds == 0)
        return;
    fact_count(pen, "cpu_min_khz", (uint64_t)f->min_khz, "kHz");
    fact_count(pen, "cpu_mean_khz", (uint64_t)(f->sum_khz / (double)f->samples), "kHz");
    fact_count(pen, "cpu_max_khz", (uint64_t)f->max_khz, "kHz");
    fact_count(pen, "cpu_fastest_khz", (uint64_t)(f->fastest_sum_khz / (double)f->rounds), "kHz");
    fact_count(pen, "cpu_khz_rounds", f->rounds, "");
}

/* One pass that could not be asked leaves a sum unknown. */
void disturb_facts(const struct disturbance *d, struct fact_pen *pen)
{
    if (d->passes == 0)
        return;
    if (d->clock_passes == d->passes) {
        fact_count(pen, "suspended_ns", d->suspended_ns, "ns");
        if (pen->rc == 0)
            pen->rc =
                result_fact_putf(pen->facts, "clock_step_ns", "ns", "%" PRId64, d->stepped_ns);
    }
    if (d->cpu_passes == d->passes)
        put_cpu(d, pen);
    if (d->throttle_passes == d->passes)
        fact_count(pen, "throttled", d->throttled, "");
    put_frequency(&d->frequency, pen);
}
