#include "study/machine_cpu_priv.h"

#include "study/disturb_priv.h"

static void keep(struct machine_cpu *cpu, struct machine_cpu_sample at)
{
    if (cpu->n == MACHINE_CPU_SAMPLES) {
        for (unsigned i = 0; i < MACHINE_CPU_SAMPLES / 2; i++)
            cpu->sample[i] = cpu->sample[2 * i];
        cpu->n = MACHINE_CPU_SAMPLES / 2;
        cpu->step_ns = cpu->sample[1].at_ns - cpu->sample[0].at_ns;
    }
    if (cpu->n == 0 || at.at_ns - cpu->sample[cpu->n - 1].at_ns >= cpu->step_ns)
        cpu->sample[cpu->n++] = at;
    cpu->last = at;
}

void machine_cpu_begin(const struct study_view *view, struct machine_cpu *cpu)
{
    struct clk_moment now;
    view->clocks(view->ctx, &now);
    *cpu = (struct machine_cpu){.begun_ns = now.monotonic_ns};
    machine_cpu_sample(view, cpu);
}

void machine_cpu_sample(const struct study_view *view, struct machine_cpu *cpu)
{
    struct machine_cpu_sample at;
    struct clk_moment now;
    view->clocks(view->ctx, &now);
    at.at_ns = now.monotonic_ns - cpu->begun_ns;
    if (disturb_busy(view, &at.busy_ns))
        keep(cpu, at);
    else
        cpu->lost = true;
}

static double between(const struct machine_cpu_sample *a, const struct machine_cpu_sample *b,
                      uint64_t at_ns)
{
    double span = (double)(b->at_ns - a->at_ns);
    double frac = span > 0 ? (double)(at_ns - a->at_ns) / span : 0;
    return (double)a->busy_ns + frac * ((double)b->busy_ns - (double)a->busy_ns);
}

/* Before the first sample and behind the last nothing ran that belongs to the run. */
static double busy_at(const struct machine_cpu *cpu, uint64_t at_ns)
{
    if (at_ns >= cpu->last.at_ns)
        return (double)cpu->last.busy_ns;
    if (at_ns <= cpu->sample[0].at_ns)
        return (double)cpu->sample[0].busy_ns;
    for (unsigned i = 1; i < cpu->n; i++)
        if (at_ns < cpu->sample[i].at_ns)
            return between(&cpu->sample[i - 1], &cpu->sample[i], at_ns);
    return between(&cpu->sample[cpu->n - 1], &cpu->last, at_ns);
}

bool machine_cpu_between(const struct machine_cpu *cpu, uint64_t from_ns, uint64_t to_ns,
                         uint64_t *busy_ns)
{
    /* Where /proc is made up, nothing was ever busy. */
    if (cpu->n == 0 || cpu->lost || cpu->last.at_ns == 0 || cpu->last.busy_ns == 0 ||
        to_ns < from_ns)
        return false;
    double busy = busy_at(cpu, to_ns) - busy_at(cpu, from_ns);
    *busy_ns = busy > 0 ? (uint64_t)busy : 0;
    return true;
}
