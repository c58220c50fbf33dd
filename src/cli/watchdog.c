#include "cli/watchdog.h"

#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/console.h"
#include "cli/stopping.h"
#include "clk/clk.h"

#include <time.h>
#include <unistd.h>

#define POLL_NS      50000000
#define STOP_WAIT_NS 10000000000u

/* Whichever target it is, all of them keep what is there. */
static void give_up(const struct watchdog *dog, const char *what, uint64_t age_ns)
{
    char age[UNITS_PRINT_MAX], word[SITE_WORD_MAX];
    struct text clean;
    text_init(&clean);
    for (unsigned i = 0; i < dog->targets; i++)
        text_addf(&clean, "%s`loadline clean %s`", i > 0 ? ", " : "",
                  site_clean_word(dog->target[i], word));
    console_error("%s: %s has not returned for %s; %s %s what is left there",
                  atomic_load(&dog->watch->where), what, units_print_ns(age, age_ns), clean.s,
                  dog->targets > 1 ? "remove" : "removes");
    text_fini(&clean);
    _exit(CLI_NOT_VALID); /* the thread that waits cannot be ended in any other way */
}

/* Whoever asked to stop does not wait for as long as --stall may be. */
static bool is_over(uint64_t stop_ns, uint64_t since_ns, uint64_t now_ns)
{
    uint64_t from_ns = stop_ns > since_ns ? stop_ns : since_ns;
    return now_ns > from_ns && now_ns - from_ns >= STOP_WAIT_NS;
}

static void *watch(void *arg)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    struct watchdog *dog = arg;
    uint64_t seen = 0;
    uint64_t since_ns = clk_monotonic_ns();
    uint64_t stop_ns = UINT64_MAX; /* when stopping was seen to be asked for */
    while (!atomic_load(&dog->over)) {
        nanosleep(&pause, NULL);
        const char *what = atomic_load(&dog->watch->what);
        uint64_t begun = atomic_load(&dog->watch->begun);
        uint64_t now_ns = clk_monotonic_ns();
        if (!what || begun != seen)
            since_ns = now_ns;
        else if (now_ns - since_ns >= dog->stall_ns || is_over(stop_ns, since_ns, now_ns))
            give_up(dog, what, now_ns - since_ns);
        seen = begun;
        if (stop_ns == UINT64_MAX && atomic_load(stopping_flag()) != 0)
            stop_ns = now_ns;
    }
    return NULL;
}

int watchdog_begin(struct watchdog *dog, const struct site_watch *watched,
                   const char *const *target, unsigned targets, uint64_t stall_ns)
{
    dog->watch = watched;
    dog->target = target;
    dog->targets = targets;
    dog->stall_ns = stall_ns;
    if (stall_ns == 0)
        return 0;
    int rc = -pthread_create(&dog->thread, NULL, watch, dog);
    dog->begun = rc == 0;
    return rc;
}

void watchdog_end(struct watchdog *dog)
{
    if (!dog->begun)
        return;
    atomic_store(&dog->over, true);
    pthread_join(dog->thread, NULL);
    dog->begun = false;
}

bool watchdog_saw_ops(const struct site_watch *watch)
{
    return atomic_load(&watch->begun) > 1; /* opening is the first */
}
