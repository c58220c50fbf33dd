#include "result/result_priv.h"

#include <errno.h>
#include <stdlib.h>

static bool is_quiet(const struct series_line *line)
{
    return line->ops == 0 && line->bytes == 0 && line->samples == 0 &&
           result_sparse_count(&line->service) == 0 && result_sparse_count(&line->response) == 0;
}

static int append_entry(json_t *list, const struct series *s, unsigned interval, unsigned line,
                        struct err *err)
{
    struct interval_entry entry = {.interval = interval, .line = line};
    entry.body = *series_at(s, interval, line); /* borrowed */
    json_t *v = NULL;
    if (entry.body.samples != result_sparse_count(&entry.body.service))
        return err_set(err, -EINVAL, "samples that its histogram does not hold");
    int rc = result_print_shape(&result_interval_shape, &entry, &v, err);
    if (rc >= 0 && json_array_append_new(list, v) < 0)
        rc = err_set(err, -ENOMEM, "no memory for intervals");
    return rc;
}

int result_print_intervals(const struct series *s, json_t **out, struct err *err)
{
    json_t *list = json_array();
    int rc = list ? 0 : err_set(err, -ENOMEM, "no memory for intervals");
    size_t n = (size_t)s->used * s->lines;
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        unsigned interval = (unsigned)(i / s->lines);
        unsigned line = (unsigned)(i % s->lines);
        if (is_quiet(series_at(s, interval, line)))
            continue;
        rc = append_entry(list, s, interval, line, err);
        if (rc < 0)
            err_prefix(err, "interval %u, line %u", interval, line);
    }
    if (rc < 0)
        json_decref(list);
    else
        *out = list;
    return rc;
}

static void entry_fini(struct interval_entry *entry)
{
    sparse_hist_fini(&entry->body.service);
    sparse_hist_fini(&entry->body.response);
}

/* Moves the entry into its place, which must lie behind that of the one before it. */
static int place_entry(struct series *s, struct interval_entry *entry, size_t *next,
                       struct err *err)
{
    size_t at = (size_t)entry->interval * s->lines + entry->line;
    if (entry->interval >= s->used || entry->line >= s->lines)
        return err_set(err, -EINVAL, "no such interval or line");
    if (at < *next)
        return err_set(err, -EINVAL, "not in rising order");
    if (is_quiet(&entry->body))
        return err_set(err, -EINVAL, "quiet, and yet listed");
    entry->body.samples = result_sparse_count(&entry->body.service);
    s->line[at] = entry->body;
    *next = at + 1;
    return 0;
}

int result_read_intervals(json_t *v, struct series *s, struct err *err)
{
    size_t n = (size_t)s->used * s->lines;
    size_t next = 0;
    int rc = 0;
    s->room = s->used;
    if (!json_is_array(v) || json_array_size(v) > n)
        return err_set(err, -EINVAL, "not a list of at most %zu entries", n);
    if (n == 0)
        return 0;
    s->line = calloc(n, sizeof *s->line);
    if (!s->line)
        return err_set(err, -ENOMEM, "no memory for %zu intervals", n);
    for (size_t i = 0; rc >= 0 && i < json_array_size(v); i++) {
        struct interval_entry entry = {0};
        rc = result_read_shape(&result_interval_shape, json_array_get(v, i), &entry, err);
        if (rc >= 0)
            rc = place_entry(s, &entry, &next, err);
        if (rc < 0) {
            entry_fini(&entry);
            err_prefix(err, "[%zu]", i);
        }
    }
    return rc;
}
