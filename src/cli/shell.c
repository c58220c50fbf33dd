#include "cli/shell.h"

#include "cli/console.h"
#include "cli/stopping.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS        5000000
#define EXIT_NO_SHELL 127

static void become_shell(const char *command)
{
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(EXIT_NO_SHELL);
}

static int wait_for(pid_t pid)
{
    const struct timespec nap = {0, NAP_NS};
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (atomic_load(stopping_flag()) > 0)
            kill(-pid, SIGTERM);
        nanosleep(&nap, NULL);
    }
    return status;
}

int shell_run(void *ctx, const char *command, struct err *err)
{
    (void)ctx;
    console_line_clear();
    pid_t pid = fork();
    if (pid < 0)
        return err_sys(err, -errno, "no shell for \"%s\"", command);
    if (pid == 0)
        become_shell(command);
    setpgid(pid, pid);
    int status = wait_for(pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        console_warn("\"%s\" ended with status %d", command, WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        console_warn("\"%s\" ended by signal %d", command, WTERMSIG(status));
    return 0;
}
