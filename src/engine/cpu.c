/* CPU that was used for the workers by threads that are none of them: a session's helpers, and those that
 * the kernel makes for a ring. Nobody can ask for theirs, so it is what the process used beyond what is
 * known: the collector's, the workers', that of their CPU hogs, and what the caller says is none of theirs. */
#include "engine/collect_priv.h"
#include "engine/engine_priv.h"

#include <sys/resource.h>

static uint64_t used_ns(int who)
{
    struct rusage used;
    getrusage(who, &used);
    return timeval_ns(used.ru_utime) + timeval_ns(used.ru_stime);
}

uint64_t cpu_others_ns(const struct run *run)
{
    const struct engine_job *job = run->job;
    uint64_t aside_ns = job->aside_ns ? job->aside_ns(job->ctx) : 0;
    return used_ns(RUSAGE_SELF) - used_ns(RUSAGE_THREAD) - aside_ns;
}

/* A thread for each stream that waits for its own calls has nobody who works for it. */
void cpu_tell(struct run *run, uint64_t others_ns)
{
    struct engine_outcome *out = run->out;
    uint64_t known_ns = out->cpu_user_ns + out->cpu_sys_ns;
    bool helped = !run->caps.blocking;
    for (unsigned i = 0; i < run->plan->groups; i++)
        helped = helped || run->plan->group[i].detached > 0;
    if (helped && others_ns > known_ns)
        out->cpu_sys_ns += others_ns - known_ns;
}
