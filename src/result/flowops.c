#include "result/flowops.h"

#include "base/flowop.h"

#include <string.h>

uint64_t result_flowop_count(const struct result_line *line)
{
    return strcmp(line->op, "wakeup") == 0 ? line->sum.ops : line->sum.samples;
}

static double latency_of(const struct result_line *line)
{
    return hist_mean(&line->sum.service) * (double)hist_count(&line->sum.service);
}

static void add_line(struct result_flowops *f, const struct result_line *line)
{
    enum flowop_class counts_as = flowop_class(line->op);
    bool reads = flowop_reads(line->op), writes = flowop_writes(line->op);
    uint64_t n = result_flowop_count(line);

    if (counts_as != FLOWOP_IO && counts_as != FLOWOP_AIO)
        return;
    f->ops += n;
    f->reads += reads ? n : 0;
    f->writes += writes ? n : 0;
    f->bytes += line->sum.bytes;
    f->listed_bytes += strcmp(line->op, "listdir") == 0 ? line->sum.extra : 0;
    f->latency_ns += latency_of(line);
    f->open_loop |= line->open_loop;
    if (counts_as == FLOWOP_AIO)
        return;
    f->sync_latency_ns += latency_of(line);
    f->sync_moves += reads || writes ? n : 0;
}

/* Unknown is unknown, whatever else is added. */
static double known_sum(double a, double b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

void result_flowops_of(const struct result *r, struct result_flowops *out)
{
    *out = (struct result_flowops){
        .window_ns = r->window_close_ns > r->window_open_ns ? r->window_close_ns - r->window_open_ns
                                                            : r->elapsed_ns,
        .machine_cpu_ns = result_fact_number(&r->counters, "machine_cpu_ns", -1),
        .tool_cpu_ns = known_sum(result_fact_number(&r->own, "cpu_user_ns", -1),
                                 result_fact_number(&r->own, "cpu_sys_ns", -1)),
    };
    for (unsigned i = 0; i < r->lines; i++)
        add_line(out, &r->line[i]);
}

void result_flowops_add(struct result_flowops *into, const struct result_flowops *from)
{
    into->window_ns += from->window_ns;
    into->ops += from->ops;
    into->reads += from->reads;
    into->writes += from->writes;
    into->bytes += from->bytes;
    into->listed_bytes += from->listed_bytes;
    into->latency_ns += from->latency_ns;
    into->sync_latency_ns += from->sync_latency_ns;
    into->sync_moves += from->sync_moves;
    into->machine_cpu_ns = known_sum(into->machine_cpu_ns, from->machine_cpu_ns);
    into->tool_cpu_ns = known_sum(into->tool_cpu_ns, from->tool_cpu_ns);
    into->open_loop |= from->open_loop;
}

double result_flowops_mean_ns(const struct result_flowops *f)
{
    return f->ops == 0 ? 0 : f->latency_ns / (double)f->ops;
}

double result_flowops_fb2008_ns(const struct result_flowops *f)
{
    return f->sync_moves == 0 ? 0 : f->sync_latency_ns / (double)f->sync_moves;
}

double result_flowops_per_s(const struct result_flowops *f, double what)
{
    return f->window_ns == 0 ? 0 : what * 1e9 / (double)f->window_ns;
}
