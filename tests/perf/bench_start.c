/* bench_start DIRECTORY FIRST PROGRAM ARGUMENT… — starts the program, which shall make its own
 * directory in the empty DIRECTORY, and prints the ms until FIRST, a path in it that only an op
 * makes, was there. It looks every 100 us, and so is late by that much and never early. */
#include "perf.h"

#include "clk/clk.h"

#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS    100000
#define GIVE_UP_NS 30000000000u
#define OWN_PREFIX "loadline-"
#define OWN_PATH   4096

extern char **environ;

/* The directory that the program made for itself. */
static bool find_own(const char *directory, const char *first, char own[OWN_PATH])
{
    bool found = false;
    DIR *d = opendir(directory);
    if (!d)
        perf_fail_errno(directory);
    for (struct dirent *e; !found && (e = readdir(d));) {
        found = strncmp(e->d_name, OWN_PREFIX, strlen(OWN_PREFIX)) == 0;
        if (found)
            snprintf(own, OWN_PATH, "%s/%s/%s", directory, e->d_name, first);
    }
    closedir(d);
    return found;
}

static bool first_op_done(const char *directory, const char *first, char own[OWN_PATH])
{
    if (own[0] == '\0' && !find_own(directory, first, own))
        return false;
    return access(own, F_OK) == 0;
}

int main(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    char own[OWN_PATH] = "";
    pid_t child;
    int status;

    if (argc < 4)
        perf_fail(argv[0], "DIRECTORY FIRST PROGRAM ARGUMENT…");
    uint64_t begin = clk_monotonic_ns();
    if (posix_spawn(&child, argv[3], NULL, NULL, argv + 3, environ) != 0)
        perf_fail(argv[3], "cannot be started");
    while (!first_op_done(argv[1], argv[2], own)) {
        if (clk_monotonic_ns() - begin > GIVE_UP_NS) {
            kill(child, SIGTERM);
            perf_fail(argv[3], "no first op in 30 s");
        }
        nanosleep(&pause, NULL);
    }
    uint64_t took = clk_monotonic_ns() - begin;
    if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        perf_fail(argv[3], "failed");
    printf("%.3f\n", (double)took / 1e6);
    return 0;
}
