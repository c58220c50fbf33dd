/* target/caller.h — in whose name a server of files is asked: the person's who started the program.
 * Shape    target_caller_set by whoever knows better than the kernel (sudo says so in the environment),
 *          before targets are opened; target_caller asks.
 * Limits   without it the effective user and group of the process and its further groups; with it the
 *          groups that the user data base has for that user.
 * Errors   none: a user whom the data base does not know has no further groups.
 * Threads  setting from one thread, before targets are opened.
 * Source   tests/unit/test_caller.c. */
#ifndef LOADLINE_TARGET_CALLER_H
#define LOADLINE_TARGET_CALLER_H

#include <sys/types.h>

#define TARGET_CALLER_GROUPS 16 /* as many as AUTH_SYS has room for */

struct target_caller {
    uid_t uid;
    gid_t gid;
    gid_t group[TARGET_CALLER_GROUPS];
    unsigned groups;
};

void target_caller_set(uid_t uid, gid_t gid);
void target_caller(struct target_caller *out);

#endif
