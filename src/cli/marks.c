#include "cli/marks.h"

#include "cli/console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void marks_take(struct store *store, struct result *r, struct marks *out)
{
    struct err err = {0};
    uint64_t gate_ns = (uint64_t)result_fact_number(&r->own, "gate_wall_ns", 0);
    out->n = 0;
    if (gate_ns == 0)
        return;
    int n = store_list_marks(store, r->study_id, gate_ns + r->elapsed_ns, out->mark,
                             RESULT_MARKS_MAX, &err);
    if (n < 0)
        console_warn("marks of run %s.%u: %s", r->study_id, r->run, err.text);
    if (n <= 0)
        return;
    r->mark = calloc((unsigned)n, sizeof *r->mark);
    if (!r->mark)
        return;
    for (int i = 0; i < n; i++) {
        r->mark[i].at_ns = (int64_t)(out->mark[i].at_wall_ns - gate_ns);
        snprintf(r->mark[i].text, sizeof r->mark[i].text, "%s", out->mark[i].text);
    }
    r->marks = out->n = (unsigned)n;
}

void marks_drop(struct store *store, const struct marks *marks)
{
    struct err err = {0};
    int rc = 0;
    for (unsigned i = 0; rc >= 0 && i < marks->n; i++)
        rc = store_drop_mark(store, &marks->mark[i], &err);
    if (rc < 0)
        console_warn("a mark will be in the next run as well: %s", err.text);
}

void marks_left(struct store *store, const char *id)
{
    struct marks left;
    struct err err = {0};
    int n = store_list_marks(store, id, INT64_MAX, left.mark, RESULT_MARKS_MAX, &err);
    if (n > 0)
        console_warn("%d mark%s came after the last run and %s in no result: \"%s\"%s", n,
                     n == 1 ? "" : "s", n == 1 ? "is" : "are", left.mark[0].text,
                     n > 1 ? " …" : "");
}
