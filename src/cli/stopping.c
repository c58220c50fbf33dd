#include "cli/stopping.h"

#include "cli/cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static atomic_int flag;
static atomic_int signals;

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

static void on_signal(int number)
{
    (void)number;
    if (atomic_fetch_add(&signals, 1) > 0) {
        say("\nloadline: stopped at once; `loadline clean TARGET` removes what is left there\n");
        _exit(CLI_NOT_VALID);
    }
    stopping_ask();
    say("\nloadline: stopping; again to stop at once\n");
}

void stopping_begin(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void stopping_not_by_pipe(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

const atomic_int *stopping_flag(void)
{
    return &flag;
}
