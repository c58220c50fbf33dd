#include "cli/shipped.h"

#include <stdio.h>
#include <string.h>

const struct shipped_workload *shipped_find(const char *name)
{
    for (unsigned i = 0; i < shipped_workloads; i++)
        if (strcmp(shipped_workload[i].name, name) == 0)
            return &shipped_workload[i];
    return NULL;
}

/* "# varmail: mail server" and "# varmail — mail server" are both "mail server". */
const char *shipped_brief(const struct shipped_workload *w, char *buf, size_t room)
{
    const char *at = (const char *)w->text;
    size_t name = strlen(w->name);

    at += strspn(at, "# \t\r\n");
    if (strncmp(at, w->name, name) == 0) {
        at += name;
        at += strspn(at, ": \t");
        at += strncmp(at, "—", strlen("—")) == 0 ? strlen("—") : 0;
        at += strspn(at, "- \t");
    }
    snprintf(buf, room, "%.*s", (int)strcspn(at, "\r\n"), at);
    return buf;
}
