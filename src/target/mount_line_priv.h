/* target/mount_line_priv.h — one line of /proc/PID/mountinfo.
 * Shape    mount_line_parse cuts the line in place; what it fills points into it.
 * Limits   "\040" and the like become the bytes they stand for.
 * Errors   false: no such line.                  Threads  no state.
 * Source   proc(5); tests/unit/test_posix_mount.c. */
#ifndef LOADLINE_TARGET_MOUNT_LINE_PRIV_H
#define LOADLINE_TARGET_MOUNT_LINE_PRIV_H

#include <stdbool.h>
#include <sys/types.h>

struct mount_line {
    unsigned id;
    dev_t device;
    const char *point;
    const char *options;
    const char *type;
    const char *source;
    const char *super_options; /* "" none */
};

bool mount_line_parse(char *line, struct mount_line *m);
/* As the kernel writes blanks in names. */
void mount_line_unescape(char *text);

#endif
