/* tests/unit/until_killed.h — what a child does that its parent is to kill: waits, and goes as well with a
 * parent that failed before. One that stayed held the output of the tests open, and so held up whoever
 * reads it. */
#ifndef LOADLINE_TESTS_UNTIL_KILLED_H
#define LOADLINE_TESTS_UNTIL_KILLED_H

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

_Noreturn static inline void until_killed(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        _exit(1);
    while (getppid() == parent)
        pause();
    _exit(1);
}

#endif
