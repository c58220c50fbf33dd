#include "cli/sides.h"

#include "cli/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Results of one target stand together, in the order of the study. */
static void add_target(struct sides *sides, const struct selection *all, unsigned target,
                       unsigned *used)
{
    struct result **first = sides->by_target + *used;
    unsigned n = 0;
    for (unsigned i = 0; i < all->n; i++)
        if (select_side(all->result[i]) == target)
            first[n++] = all->result[i];
    *used += n;
    if (n > 0)
        sides->side[sides->n++] =
            (struct compare_side){.name = first[0]->target, .results = first, .n = n};
}

static int split_targets(struct sides *sides, const char *word, struct err *err)
{
    const struct selection *all = &sides->selection[0];
    unsigned targets = select_targets(all), used = 0;
    if (all->kind == SELECT_RUN || targets < 2)
        return err_set(err, -EINVAL,
                       "'%s' is one side: name a second result, or one study of several targets",
                       word);
    sides->by_target = calloc(all->n, sizeof(struct result *));
    sides->side = calloc(targets, sizeof(*sides->side));
    if (!sides->by_target || !sides->side)
        return err_set(err, -ENOMEM, "no memory for %u results", all->n);
    for (unsigned t = 1; t <= targets; t++)
        add_target(sides, all, t, &used);
    if (sides->n < 2)
        return err_set(err, -ENOENT, "'%s' ended before its second target had a run", word);
    return 0;
}

static int take_whole(struct sides *sides, const char *const *word, struct err *err)
{
    sides->side = calloc(sides->selections, sizeof(*sides->side));
    if (!sides->side)
        return err_set(err, -ENOMEM, "no memory for %u sides", sides->selections);
    for (unsigned i = 0; i < sides->selections; i++) {
        if (select_targets(&sides->selection[i]) > 1)
            console_warn(
                "%s: runs of several targets are one side here; `loadline compare %s` holds "
                "them against each other, and %s:A is one of them",
                word[i], word[i], word[i]);
        sides->side[sides->n++] = (struct compare_side){
            .name = word[i], .results = sides->selection[i].result, .n = sides->selection[i].n};
    }
    return 0;
}

int sides_find(struct sides *out, const char *db, const char *const *word, unsigned n,
               struct err *err)
{
    struct selector selector;
    int rc = 0;
    *out = (struct sides){.selection = calloc(n, sizeof(*out->selection))};
    if (!out->selection)
        return err_set(err, -ENOMEM, "no memory for %u names", n);
    select_open(&selector, db);
    for (unsigned i = 0; rc == 0 && i < n; i++) {
        rc = select_find(&selector, word[i], SELECT_SEVERAL, 0, &out->selection[i], err);
        out->selections += rc == 0;
        if (rc == 0)
            rc = select_load(&selector, &out->selection[i], err);
    }
    select_close(&selector);
    if (rc == 0)
        rc = n == 1 ? split_targets(out, word[0], err) : take_whole(out, word, err);
    return rc;
}

void sides_fini(struct sides *sides)
{
    for (unsigned i = 0; i < sides->selections; i++)
        selection_fini(&sides->selection[i]);
    free(sides->selection);
    free(sides->by_target);
    free(sides->side);
    *sides = (struct sides){.n = 0};
}

static bool has_metric(const struct compare_metrics *list, enum rows_metric metric)
{
    for (unsigned i = 0; i < list->n; i++)
        if (list->metric[i] == metric)
            return true;
    return false;
}

int compare_metrics_parse(const char *text, void *metrics, struct err *err)
{
    struct compare_metrics list = {.n = 0};
    for (const char *item = text;; item++) {
        size_t len = strcspn(item, ",");
        enum rows_metric metric = ROWS_OPS;
        int rc = rows_metric_find(item, len, &metric, err);
        if (rc < 0)
            return rc;
        if (has_metric(&list, metric))
            return err_set(err, -EINVAL, "%s stands there twice", rows_metric_name(metric));
        list.metric[list.n++] = metric;
        item += len;
        if (!*item)
            break;
    }
    *(struct compare_metrics *)metrics = list;
    return 0;
}
