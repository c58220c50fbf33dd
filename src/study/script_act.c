/* What a script does beside the target: commands of a shell, waiting, emptying this machine's cache. */
#include "study/script_study_priv.h"

#include <errno.h>
#include <sys/param.h>
#include <time.h>

#define NAP_NS 50000000u

static void nap(uint64_t ns)
{
    const struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&t, NULL);
}

/* On a clock of the target's own it is that time which passes. */
void script_sleep(struct script_study *x, uint64_t ns)
{
    script_tell(x, "Sleeping...");
    script_say(x, "sleeping");
    if (x->s.caps.own_clock)
        site_wait(x->s.site, ns);
    for (uint64_t done = 0; done < ns && !x->s.caps.own_clock && !study_check_stop(&x->s);) {
        uint64_t next = MIN(ns - done, NAP_NS);
        nap(next);
        done += next;
    }
    script_tell(x, "Slept for %llu seconds...", (unsigned long long)(ns / 1000000000u));
}

int script_shell(struct script_study *x, const char *command, struct err *err)
{
    const struct study_sink *sink = x->s.sink;
    script_say(x, "running: %.60s", command);
    if (!sink->shell)
        return err_set(err, -ENOSYS, "nobody runs \"%s\"", command);
    return sink->shell(sink->ctx, command, err);
}

int script_flush(struct script_study *x, struct err *err)
{
    script_say(x, "writing out and emptying this machine's cache");
    if (!script_has_site(x) || x->s.caps.keeps_nothing)
        return 0;
    int rc = site_sync(x->s.site, err);
    for (unsigned i = 0; rc == 0 && i < x->script->sets && !study_check_stop(&x->s); i++)
        if (x->live[i].state && study_can(&x->s, OP_EVICT))
            rc = script_do(x, i, SCRIPT_EVICT, NULL, err);
    return rc;
}
