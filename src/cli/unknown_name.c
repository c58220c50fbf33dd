#include "cli/unknown_name.h"

#include "cli/options.h"
#include "cli/published.h"

#include "base/shown.h"
#include "base/text.h"

#include <errno.h>

static void try_all(struct nearest *near, const struct store_study *study, unsigned studies,
                    const struct store_baseline *baseline, unsigned baselines)
{
    for (unsigned i = 0; published_name(i); i++)
        nearest_try(near, published_name(i));
    for (unsigned i = 0; i < baselines; i++)
        nearest_try(near, baseline[i].name);
    for (unsigned i = 0; i < studies; i++) {
        if (study[i].label)
            nearest_try(near, study[i].label);
        nearest_try(near, study[i].id);
    }
}

/* "`loadline list --db x` and `loadline baseline list --db x` show what there is". */
static void add_where(const struct selector *s, struct text *out)
{
    static const char *const list[] = {"list", "baseline list"};
    for (unsigned i = 0; i < 2; i++) {
        text_addf(out, "%s`loadline %s", i > 0 ? " and " : "", list[i]);
        if (s->db) {
            text_add(out, " --db ");
            text_add_shell_word(out, s->db);
        }
        text_add(out, "`");
    }
    text_add(out, " show what there is");
    for (unsigned i = 0; published_name(i); i++)
        text_addf(out, "%s%s", i > 0 ? " and " : "; shipped are ", published_name(i));
}

int unknown_name(const struct selector *s, const char *word, const struct store_study *study,
                 unsigned studies, struct err *err)
{
    struct nearest near = {.wish = word};
    struct store_baseline *baseline = NULL;
    unsigned baselines = 0;
    struct text where, meant;
    if (store_list_baselines(s->store, &baseline, &baselines, NULL) < 0)
        baselines = 0;
    text_init(&where);
    text_init(&meant);
    try_all(&near, study, studies, baseline, baselines);
    if (near.best) {
        text_add(&meant, " did you mean ");
        text_add_shell_word(&meant, near.best);
        text_add(&meant, "?");
    }
    add_where(s, &where);
    err_set(err, -ENOENT, "nothing called '%s' in %s;%s %s", word, store_path(s->store), meant.s,
            where.s);
    text_fini(&meant);
    text_fini(&where);
    store_baselines_free(baseline, baselines);
    return -ENOENT;
}
