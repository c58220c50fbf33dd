#include "cli/select.h"

#include "cli/console.h"
#include "cli/options.h"
#include "cli/published.h"
#include "cli/result_file.h"
#include "cli/results_db.h"
#include "cli/unknown_name.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void select_open(struct selector *s, const char *db)
{
    *s = (struct selector){.db = db};
}

void select_close(struct selector *s)
{
    store_close(s->store);
    s->store = NULL;
}

void selection_fini(struct selection *selection)
{
    store_results_free(selection->result, selection->n);
    free(selection->id);
    *selection = (struct selection){.n = 0};
}

unsigned select_side(const struct result *r)
{
    double side = result_fact_number(&r->options, "side", 0);
    return side >= 1 && side <= OPTION_ARGS_MAX ? (unsigned)side : 0;
}

unsigned select_targets(const struct selection *selection)
{
    unsigned least = OPTION_ARGS_MAX, most = 0;
    for (unsigned i = 0; i < selection->n; i++) {
        unsigned side = select_side(selection->result[i]);
        least = side < least ? side : least;
        most = side > most ? side : most;
    }
    return least < most ? most : most > 0;
}

/* The studies of the store while a word is looked for in them. */
struct studies {
    struct store_study *study;
    unsigned n;
};

static int need_store(struct selector *s, struct err *err)
{
    if (s->store)
        return 0;
    if (results_db_none(s->db))
        return err_set(err, -EINVAL, "--db none: there is nothing to look in");
    return results_db_open_to_read(s->db, &s->store, err);
}

int select_studies(struct selector *s, const struct store_filter *filter, struct store_study **out,
                   unsigned *n, struct err *err)
{
    int rc = need_store(s, err);
    return rc < 0 ? rc : store_list(s->store, filter, out, n, err);
}

static bool labelled(const struct store_study *study, const char *word)
{
    return study->label && strcmp(study->label, word) == 0;
}

static unsigned count_labelled(const struct studies *all, const char *word)
{
    unsigned n = 0;
    for (unsigned i = 0; i < all->n; i++)
        n += labelled(&all->study[i], word);
    return n;
}

static bool begins_an_id(const struct studies *all, const char *word)
{
    for (unsigned i = 0; i < all->n; i++)
        if (strncmp(all->study[i].id, word, strlen(word)) == 0)
            return true;
    return false;
}

/* Takes the ids of `all` (newest first) that `word` labels, or with NULL all that have a run. */
static int take_ids(struct selection *out, const struct studies *all, const char *word,
                    struct err *err)
{
    out->id = calloc(all->n ? all->n : 1, sizeof *out->id);
    if (!out->id)
        return err_set(err, -ENOMEM, "no memory for %u studies", all->n);
    for (unsigned i = all->n; i-- > 0;) {
        const struct store_study *study = &all->study[i];
        if (study->runs > 0 && (!word || labelled(study, word)))
            memcpy(out->id[out->studies++], study->id, sizeof *out->id);
    }
    return 0;
}

static int find_baseline(struct selector *s, const char *word, const struct studies *all,
                         struct selection *out, struct err *err)
{
    struct store_baseline *baseline = NULL;
    int rc = store_get_baseline(s->store, word, &baseline, err);
    if (rc < 0)
        return rc;
    if (count_labelled(all, word) > 0) {
        rc = err_set(err, -EEXIST,
                     "'%s' is a baseline and the label of a study: name the study by its id, or "
                     "give the baseline another name",
                     word);
    } else {
        *out = (struct selection){.kind = SELECT_BASELINE, .studies = baseline->n};
        out->id = calloc(baseline->n ? baseline->n : 1, sizeof *out->id);
        rc = out->id ? 0 : err_set(err, -ENOMEM, "no memory for %u studies", baseline->n);
    }
    if (rc == 0)
        memcpy(out->id, baseline->id, baseline->n * sizeof *out->id);
    store_baselines_free(baseline, 1);
    return rc;
}

static int find_one(struct selector *s, const char *word, struct selection *out, struct err *err)
{
    char id[RESULT_ID_MAX];
    unsigned run = 0;
    int rc = store_find(s->store, word, id, &run, err);
    if (rc < 0)
        return rc;
    out->id = calloc(1, sizeof *out->id);
    if (!out->id)
        return err_set(err, -ENOMEM, "no memory for a name");
    memcpy(out->id[0], id, sizeof id);
    out->studies = 1;
    out->run = run;
    out->kind = run ? SELECT_RUN : SELECT_STUDY;
    return 0;
}

static int find_glob(struct selector *s, const char *word, struct selection *out, struct err *err)
{
    struct studies fit = {.n = 0};
    const struct store_filter filter = {.label = word};
    int rc = store_list(s->store, &filter, &fit.study, &fit.n, err);
    if (rc >= 0)
        rc = take_ids(out, &fit, NULL, err);
    out->kind = SELECT_GLOB;
    if (rc >= 0 && out->studies == 0)
        rc = err_set(err, -ENOENT, "no study with a run has a label like '%s' in %s", word,
                     store_path(s->store));
    store_studies_free(fit.study, fit.n);
    return rc;
}

/* Of "ID:B" 2; 0: the word names no target of its own. */
static unsigned side_suffix(const char *word)
{
    const char *colon = strrchr(word, ':');
    bool letter = colon && colon > word && colon[1] >= 'A' && colon[1] <= 'Z' && !colon[2];
    return letter ? (unsigned)(colon[1] - 'A' + 1) : 0;
}

static int find_among(struct selector *s, const char *word, const struct studies *all,
                      struct selection *out, struct err *err);

static int find_side(struct selector *s, const char *word, const struct studies *all,
                     struct selection *out, struct err *err)
{
    char *study = strndup(word, (size_t)(strrchr(word, ':') - word));
    int rc = study ? find_among(s, study, all, out, err) : err_set(err, -ENOMEM, "no memory");
    free(study);
    if (rc == -ENOENT || (rc >= 0 && out->side > 0)) {
        selection_fini(out);
        return unknown_name(s, word, all->study, all->n, err);
    }
    out->side = side_suffix(word);
    return rc;
}

/* The whole word first: a label may end in ":A" itself. */
static int find_among(struct selector *s, const char *word, const struct studies *all,
                      struct selection *out, struct err *err)
{
    int rc = find_baseline(s, word, all, out, err);
    if (rc != -ENOENT)
        return rc;
    if (count_labelled(all, word) > 1 && !begins_an_id(all, word)) {
        out->kind = SELECT_LABEL;
        return take_ids(out, all, word, err);
    }
    rc = find_one(s, word, out, err);
    if (rc != -ENOENT)
        return rc;
    if (side_suffix(word))
        return find_side(s, word, all, out, err);
    return strpbrk(word, "*?[") ? find_glob(s, word, out, err)
                                : unknown_name(s, word, all->study, all->n, err);
}

static int refuse_several(const char *word, const struct selection *found, struct err *err)
{
    struct text names;
    text_init(&names);
    for (unsigned i = 0; i < found->studies; i++)
        text_addf(&names, "%s%s", i > 0 ? ", " : "", found->id[i]);
    err_set(err, -EEXIST, "\"%s\" names %u studies, and this takes one: %s", word, found->studies,
            names.s);
    text_fini(&names);
    return -EEXIST;
}

static void keep_last(struct selection *found, unsigned last)
{
    if (last == 0 || found->studies <= last)
        return;
    memmove(found->id, found->id + (found->studies - last), last * sizeof *found->id);
    found->studies = last;
}

static int find_stored(struct selector *s, const char *word, enum select_reach reach, unsigned last,
                       struct selection *out, struct err *err)
{
    struct studies all = {.n = 0};
    int rc = select_studies(s, NULL, &all.study, &all.n, err);
    if (rc >= 0)
        rc = find_among(s, word, &all, out, err);
    store_studies_free(all.study, all.n);
    if (rc >= 0 && out->studies == 0)
        rc = err_set(err, -ENOENT, "no study called '%s' has a run", word);
    if (rc >= 0 && reach == SELECT_ONE && out->studies > 1)
        rc = refuse_several(word, out, err);
    if (rc >= 0)
        keep_last(out, last);
    return rc < 0 ? rc : 0;
}

/* What is shipped keeps its name; whoever has labelled a study so is told. */
static int find_published(struct selector *s, const char *word, struct selection *out,
                          struct err *err)
{
    struct studies all = {.n = 0};
    int rc = published_load(word, &out->result, &out->n);
    out->kind = SELECT_PUBLISHED;
    if (rc < 0)
        return err_set(err, rc, "no memory for %s", word);
    if (select_studies(s, NULL, &all.study, &all.n, NULL) >= 0 && count_labelled(&all, word) > 0)
        console_warn("%s is the result that is shipped; the study of that label is named by its id",
                     word);
    store_studies_free(all.study, all.n);
    return 0;
}

/* -EINVAL is a wish that makes no sense; a file that cannot be read as results is none. */
static int find_file(const char *word, struct selection *out, struct err *err)
{
    out->kind = SELECT_FILE;
    int rc = result_file_load(word, &out->result, &out->n, err);
    if (rc == -EINVAL && err)
        err->code = -EBADMSG;
    return rc == -EINVAL ? -EBADMSG : rc;
}

/* A label may hold a slash, "feature/x": where there is no such file, that may be meant. */
static bool names_file(struct selector *s, const char *word, enum select_reach reach,
                       struct selection *out)
{
    struct err unsaid = {0};
    if (!result_file_is(word) || access(word, F_OK) == 0)
        return result_file_is(word);
    int rc = find_stored(s, word, reach, 0, out, &unsaid);
    selection_fini(out);
    return rc < 0 && rc != -EEXIST;
}

int select_find(struct selector *s, const char *word, enum select_reach reach, unsigned last,
                struct selection *out, struct err *err)
{
    struct selection found = {.n = 0};
    int rc = 0;
    if (names_file(s, word, reach, &found)) {
        rc = find_file(word, &found, err);
    } else if (published_is(word)) {
        rc = find_published(s, word, &found, err);
    } else {
        rc = find_stored(s, word, reach, last, &found, err);
    }
    if (rc < 0)
        selection_fini(&found);
    else
        *out = found;
    /* What it was not, a baseline or one study, is no failure. */
    if (rc >= 0 && err)
        *err = (struct err){0};
    return rc < 0 ? rc : 0;
}

static int add_results(struct selection *selection, struct result **more, unsigned n,
                       struct err *err)
{
    struct result **all =
        realloc(selection->result, (selection->n + n + 1) * sizeof(struct result *));
    if (!all) {
        store_results_free(more, n);
        return err_set(err, -ENOMEM, "no memory for %u results", n);
    }
    memcpy(all + selection->n, more, n * sizeof(struct result *));
    selection->result = all;
    selection->n += n;
    free(more);
    return 0;
}

static int keep_side(struct selection *selection, struct err *err)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < selection->n; i++) {
        struct result *r = selection->result[i];
        if (select_side(r) == selection->side)
            selection->result[kept++] = r;
        else
            result_free(r);
    }
    selection->n = kept;
    return kept > 0 ? 0
                    : err_set(err, -ENOENT, "study %s has no run of a target %c", selection->id[0],
                              (char)('A' + (int)selection->side - 1));
}

int select_load(struct selector *s, struct selection *selection, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < selection->studies; i++) {
        struct result **more = NULL;
        unsigned n = 0;
        rc = store_load(s->store, selection->id[i], selection->run, &more, &n, err);
        if (rc >= 0)
            rc = add_results(selection, more, n, err);
    }
    if (rc == 0 && selection->n == 0)
        rc = err_set(err, -ENOENT, "study %s ended before its first run was done",
                     selection->studies ? selection->id[0] : "");
    if (rc >= 0 && selection->side > 0)
        rc = keep_side(selection, err);
    return rc < 0 ? rc : 0;
}
