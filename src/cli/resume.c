#include "cli/resume.h"

#include "cli/console.h"
#include "cli/results_db.h"

#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what was typed then and now ---- */

static bool same_value(const struct option *option, const void *a, const void *b, const char *typed,
                       const char *was)
{
    const char *x = (const char *)a + option->at, *y = (const char *)b + option->at;
    switch (option->kind) {
    case OPTION_FLAG:
        return *(const bool *)x == *(const bool *)y;
    case OPTION_WORD:
        return memcmp(x, y, sizeof(int)) == 0;
    case OPTION_RATE:
        return memcmp(x, y, sizeof(double)) == 0;
    case OPTION_COUNT:
    case OPTION_BYTES:
    case OPTION_TIME:
        return memcmp(x, y, sizeof(uint64_t)) == 0;
    case OPTION_TEXT:
    case OPTION_OWN_PARSER:
    case OPTION_LIST:
        break;
    }
    return was && strcmp(typed, was) == 0;
}

static int refuse_option(const struct option *option, const char *is, const char *was,
                         struct err *err)
{
    if (option->kind == OPTION_FLAG)
        return err_set(err, -EINVAL, "--%s was not given; --resume goes on with what was begun",
                       option->name);
    return err_set(err, -EINVAL,
                   "--%s was %s and is %s now; --resume goes on with what was begun: leave it out",
                   option->name,
                   was               ? was
                   : option->initial ? option->initial
                                     : "not given",
                   is);
}

static int same_options(const struct option_table *const *tables, const struct options_parsed *now,
                        const struct options_parsed *then, const void *may_differ, struct err *err)
{
    for (unsigned t = 0; tables[t]; t++)
        for (unsigned i = 0; now->values[t] != may_differ && i < tables[t]->n; i++) {
            const struct option *option = &tables[t]->option[i];
            const char *is = now->typed[t][i], *was = then->typed[t][i];
            if (is && strcmp(option->name, "resume") != 0 &&
                !same_value(option, now->values[t], then->values[t], is, was))
                return refuse_option(option, is, was, err);
        }
    return 0;
}

static int same_targets(const struct options_parsed *now, const struct options_parsed *then,
                        struct err *err)
{
    for (unsigned i = 0; i < now->n_args; i++)
        if (i >= then->n_args || strcmp(now->args[i], then->args[i]) != 0)
            return err_set(err, -EINVAL, "the target was %s and is %s now; leave it out",
                           i < then->n_args ? then->args[i] : "not given", now->args[i]);
    return now->n_args == 0 || now->n_args == then->n_args
               ? 0
               : err_set(err, -EINVAL, "there were %u targets and %u are given now; leave them out",
                         then->n_args, now->n_args);
}

static void warn_of_relative(const struct options_parsed *then)
{
    char here[4096];
    for (unsigned i = 0; i < then->n_args; i++)
        if (then->args[i][0] != '/' && !strchr(then->args[i], ':') && getcwd(here, sizeof here))
            console_warn("%s is taken to lie in %s", then->args[i], here);
}

static int read_typed(struct resume *r, const char *argv, const struct command *command,
                      const struct options_parsed *now, struct options_parsed *then,
                      const void *may_differ, struct err *err)
{
    unsigned n = 0;
    int rc = words_parse(argv, &r->word, &n);
    if (rc < 0 || n == 0)
        return err_set(err, rc < 0 ? rc : -ENODATA, "what was typed for study %s is not known",
                       r->id);
    rc = options_parse(command->tables, (int)n - 1, r->word + 1, command->args_max, then, err);
    if (rc < 0)
        return rc;
    rc = same_targets(now, then, err);
    if (rc == 0)
        rc = same_options(command->tables, now, then, may_differ, err);
    return rc;
}

/* ---- what is stored ---- */

static int load(struct resume *r, struct store *store, struct err *err)
{
    unsigned n = 0;
    int rc = store_load(store, r->id, 0, &r->result, &n, err);
    if (rc < 0)
        return rc;
    r->past.id = r->id;
    r->past.result = r->result;
    r->past.n = n;
    return 0;
}

static int refuse_kind(const struct store_study *study, const struct command *command,
                       struct err *err)
{
    return err_set(err, -EINVAL, "study %s is one of %s, not of %s", study->id, study->kind,
                   command->name);
}

static int find(struct store *store, const char *name, struct resume *r, struct store_study **list,
                unsigned *n, struct store_study **out, struct err *err)
{
    unsigned run;
    int rc = store_find(store, name, r->id, &run, err);
    if (rc == -ENOENT)
        return err_set(err, rc, "--resume %s: nothing of that name in %s", name, store_path(store));
    if (rc == 0)
        rc = store_list(store, NULL, list, n, err);
    for (unsigned i = 0; rc == 0 && i < *n; i++)
        if (strcmp((*list)[i].id, r->id) == 0)
            *out = &(*list)[i];
    return rc == 0 && !*out ? err_set(err, -ENOENT, "study %s is gone", r->id) : rc;
}

static int take(struct resume *r, struct store *store, const char *name,
                const struct command *command, const struct options_parsed *now,
                struct options_parsed *then, const void *may_differ, bool *complete,
                struct err *err)
{
    struct store_study *list = NULL, *study = NULL;
    unsigned n = 0;
    int rc = find(store, name, r, &list, &n, &study, err);
    if (rc == 0 && strcmp(study->kind, command->name) != 0)
        rc = refuse_kind(study, command, err);
    if (rc == 0)
        rc = read_typed(r, study->argv, command, now, then, may_differ, err);
    if (rc == 0) {
        *complete = study->state == STORE_DONE;
        r->past.last_run = study->last_run;
        rc = load(r, store, err);
    }
    store_studies_free(list, n);
    return rc;
}

bool resume_take(struct resume *r, const char *name, const struct command *command,
                 const struct options_parsed *now, struct options_parsed *then,
                 const struct output_values *output, int *status)
{
    struct store *store = NULL;
    struct err err = {0};
    bool complete = false;
    int rc = results_db_none(output->db)
                 ? err_set(&err, -EINVAL, "--resume: --db none keeps nothing to go on with")
                 : results_db_open_to_read(output->db, &store, &err);
    if (rc == 0)
        rc = take(r, store, name, command, now, then, output, &complete, &err);
    store_close(store);
    if (rc < 0) {
        console_error("%s", err.text);
        *status = cli_status(rc, false);
        return false;
    }
    if (complete) {
        console_note("study %s is complete, there is nothing to do: loadline show %s", r->id,
                     r->id);
        *status = CLI_DONE;
        return false;
    }
    warn_of_relative(then);
    return true;
}

void resume_fini(struct resume *r)
{
    store_results_free(r->result, r->past.n);
    words_free(r->word);
}
