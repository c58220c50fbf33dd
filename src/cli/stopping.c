#include "cli/stopping.h"

#include "cli/cli.h"
#include "clk/clk.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SAME_WISH_NS 300000000ull

static atomic_int flag;
static _Atomic uint64_t asked_ns; /* 0: not yet */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNALS (sizeof signals / sizeof signals[0])
static struct sigaction before[SIGNALS];
static bool begun;

void stopping_ask(void)
{
    atomic_store(&flag, 1);
}

/* Only what may be called from a signal handler. */
static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

/* timeout(1) and some shells signal the process and then its whole group: that is one wish, which
 * comes twice within moments. A person takes longer. */
static void on_signal(int number)
{
    (void)number;
    uint64_t now_ns = clk_monotonic_ns();
    uint64_t first_ns = 0;
    if (atomic_compare_exchange_strong(&asked_ns, &first_ns, now_ns)) {
        stopping_ask();
        say("\nloadline: stopping; again to stop at once\n");
    } else if (now_ns - first_ns > SAME_WISH_NS) {
        say("\nloadline: stopped at once; `loadline clean TARGET` removes what is left there\n");
        _exit(CLI_NOT_VALID);
    }
}

void stopping_begin(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (unsigned i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        /* Under nohup(1) a terminal that goes away is no wish to stop. */
        if (signals[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    begun = true;
}

void stopping_end(void)
{
    for (unsigned i = 0; begun && i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    begun = false;
    atomic_store(&flag, 0);
    atomic_store(&asked_ns, 0);
}

void stopping_not_by_writing(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

const atomic_int *stopping_flag(void)
{
    return &flag;
}
