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

static void on_signal(int number)
{
    static const char said[] = "\nloadline: stopping; again to stop at once\n";
    (void)number;
    if (atomic_fetch_add(&signals, 1) > 0)
        _exit(CLI_NOT_VALID);
    stopping_ask();
    ssize_t ignored = write(STDERR_FILENO, said, sizeof(said) - 1);
    (void)ignored;
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
