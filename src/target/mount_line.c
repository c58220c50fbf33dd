#include "target/mount_line_priv.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

void mount_line_unescape(char *text)
{
    char *out = text;

    for (const char *in = text; *in != '\0'; in++) {
        if (in[0] == '\\' && strspn(in + 1, "01234567") >= 3) {
            *out++ = (char)((in[1] - '0') << 6 | (in[2] - '0') << 3 | (in[3] - '0'));
            in += 3;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
}

/* "36 35 98:0 /root /point opts [optional…] - type source superopts" */
bool mount_line_parse(char *line, struct mount_line *m)
{
    char *field[6] = {NULL};
    char *rest = strstr(line, " - ");
    char *save = NULL;
    unsigned major_number;
    unsigned minor_number;
    char *source;

    if (rest == NULL)
        return false;
    *rest = '\0';
    for (unsigned i = 0; i < 6; i++)
        field[i] = strtok_r(i == 0 ? line : NULL, " ", &save);
    if (field[5] == NULL || sscanf(field[0], "%u", &m->id) != 1 ||
        sscanf(field[2], "%u:%u", &major_number, &minor_number) != 2)
        return false;
    m->type = strtok_r(rest + 3, " \n", &save);
    source = m->type != NULL ? strtok_r(NULL, " \n", &save) : NULL;
    if (source == NULL)
        return false;
    m->super_options = strtok_r(NULL, " \n", &save);
    if (m->super_options == NULL)
        m->super_options = "";
    mount_line_unescape(field[4]);
    mount_line_unescape(source);
    m->device = makedev(major_number, minor_number);
    m->point = field[4];
    m->options = field[5];
    m->source = source;
    return true;
}
