#include "cli/complete_priv.h"
#include "cli/results_db.h"

#include <string.h>

static void add_studies(struct completion *c, struct store *store)
{
    struct err err = {0};
    struct store_study *list = NULL;
    unsigned n = 0;
    if (store_list(store, NULL, &list, &n, &err) < 0)
        return;
    for (unsigned i = 0; i < n; i++) {
        complete_offer(c, list[i].id, strlen(list[i].id), list[i].kind);
        if (list[i].label && *list[i].label)
            complete_offer(c, list[i].label, strlen(list[i].label), "label");
    }
    store_studies_free(list, n);
}

static void add_baselines(struct completion *c, struct store *store)
{
    struct err err = {0};
    struct store_baseline *list = NULL;
    unsigned n = 0;
    if (store_list_baselines(store, &list, &n, &err) < 0)
        return;
    for (unsigned i = 0; i < n; i++)
        complete_offer(c, list[i].name, strlen(list[i].name), "baseline");
    store_baselines_free(list, n);
}

/* Whatever is wrong with the database: who presses a key for a word has not asked for it. */
static void from_store(struct completion *c, void (*add)(struct completion *c, struct store *store))
{
    struct err err = {0};
    struct store *store = NULL;
    if (results_db_none(c->db) || results_db_open_to_read(c->db, &store, &err) < 0)
        return;
    add(c, store);
    store_close(store);
}

void complete_baselines(struct completion *c)
{
    from_store(c, add_baselines);
}

void complete_studies(struct completion *c)
{
    from_store(c, add_studies);
}
