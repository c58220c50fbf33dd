#include "cli/shipped.h"

#include <stdio.h>
#include <string.h>

static const struct shipped_workload *find(const struct shipped_workload *table, unsigned n,
                                           const char *name)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const struct shipped_workload *shipped_find(const char *name)
{
    return find(shipped_workload, shipped_workloads, name);
}

const struct shipped_workload *shipped_suite_find(const char *name)
{
    return find(shipped_suite, shipped_suites, name);
}

const struct shipped_workload *shipped_any(unsigned i)
{
    if (i < shipped_workloads)
        return &shipped_workload[i];
    i -= shipped_workloads;
    return i < shipped_suites ? &shipped_suite[i] : NULL;
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
