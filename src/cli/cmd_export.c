#include "cli/cli.h"
#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/results_db.h"
#include "cli/select.h"
#include "cli/study_values.h"

#include "base/shown.h"
#include "result/study_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct export_values {
    const char *place; /* -o; NULL: here */
    bool force;
};

static const struct option export_options[] = {
    {.letter = 'o',
     .arg = "FILE|DIR",
     .kind = OPTION_TEXT,
     .at = offsetof(struct export_values, place),
     .min = 1,
     .max = 4000,
     .otherwise = "loadline-ID.json.gz here",
     .help = "where to; a FILE, of one study, ends in .json.gz, or in .json and is not packed"},
    {.name = "force",
     .kind = OPTION_FLAG,
     .at = offsetof(struct export_values, force),
     .help = "files may be replaced"},
};
static const struct option_table export_table = OPTION_TABLE("File", export_options);

static const struct option_table *const tables[] = {&export_table, &output_db_table, NULL};

static int write_runs(struct study_writer *w, struct result *const *run, unsigned n,
                      struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; i < n && rc == 0; i++)
        rc = study_writer_add(w, run[i]->seal, run[i]->document, err);
    return rc;
}

static int write_study(int fd, bool packed, const struct store_study *study,
                       struct result *const *run, unsigned n, struct err *err)
{
    struct study_writer *w = NULL;
    struct study_head head = results_db_head(study);
    int rc = study_writer_open(fd, packed, &head, &w, err);
    if (rc == 0)
        rc = write_runs(w, run, n, err);
    if (rc == 0)
        rc = study_writer_end(w, store_state_name(study->state), study->ended_wall_ns, err);
    study_writer_free(w);
    return rc;
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), ending = strlen(suffix);
    return len > ending && strcmp(path + len - ending, suffix) == 0;
}

static int write_file(const char *path, bool force, const struct store_study *study,
                      struct result *const *run, unsigned n, struct err *err)
{
    struct output_part part;
    int rc = output_part_open(&part, path, force, err);
    if (rc < 0)
        return rc;
    rc = write_study(part.fd, ends_in(path, ".gz"), study, run, n, err);
    if (rc < 0)
        err_prefix(err, "-o %s", path);
    return output_part_close(&part, rc, err);
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Where the study goes; NULL: no memory. */
static char *place_of(const char *place, const char *id)
{
    struct text path;
    text_init(&path);
    if (place && !is_directory(place))
        text_add(&path, place);
    else
        text_addf(&path, "%s%sloadline-%s.json.gz", place ? place : "",
                  place && !ends_in(place, "/") ? "/" : "", id);
    return text_take(&path);
}

static int say(const char *path)
{
    struct text line;
    text_init(&line);
    text_add_shown(&line, path);
    text_add(&line, "\n");
    int rc = console_out(&line);
    text_fini(&line);
    return rc;
}

struct export
{
    const struct export_values *values;
    const char *db;
    struct store *store;
};

/* An unfinished study would be another one tomorrow. */
static int check_ended(const struct store_study *study, struct err *err)
{
    return study->state == STORE_RUNNING
               ? err_set(err, -EBUSY, "study %s is running: export it when it has ended", study->id)
               : 0;
}

static int export_to(const struct export *e, const char *path, const struct store_study *study,
                     struct err *err)
{
    struct result **run = NULL;
    unsigned n = 0;
    int rc = check_ended(study, err);
    if (rc == 0)
        rc = output_file_check_place(path, e->values->force, e->db, err);
    if (rc == 0)
        rc = store_load(e->store, study->id, 0, &run, &n, err);
    if (rc == 0)
        rc = write_file(path, e->values->force, study, run, n, err);
    store_results_free(run, n);
    return rc == 0 ? say(path) : rc;
}

static int export_one(const struct export *e, const char *id, struct err *err)
{
    struct store_study *study = NULL;
    char *path = place_of(e->values->place, id);
    int rc =
        path ? store_get_study(e->store, id, &study, err) : err_set(err, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = export_to(e, path, study, err);
    store_studies_free(study, study ? 1 : 0);
    free(path);
    return rc;
}

/* The studies that were named, each once. */
struct chosen {
    char (*id)[RESULT_ID_MAX];
    unsigned n;
};

static bool is_chosen(const struct chosen *all, const char *id)
{
    for (unsigned i = 0; i < all->n; i++) {
        if (strcmp(all->id[i], id) == 0)
            return true;
    }
    return false;
}

static int check_kind(const char *word, const struct selection *found, struct err *err)
{
    if (found->kind == SELECT_RUN || found->side > 0)
        return err_set(err, -EINVAL, "%s: a study is exported whole, name it as %s", word,
                       found->id[0]);
    if (found->studies == 0)
        return err_set(err, -EINVAL, "%s: what is exported are studies of the store", word);
    return 0;
}

static int add_all(struct chosen *all, const struct selection *found, struct err *err)
{
    void *more = realloc(all->id, (all->n + found->studies) * sizeof *all->id);
    if (!more)
        return err_set(err, -ENOMEM, "out of memory");
    all->id = more;
    for (unsigned i = 0; i < found->studies; i++) {
        if (!is_chosen(all, found->id[i]))
            memcpy(all->id[all->n++], found->id[i], sizeof *all->id);
    }
    return 0;
}

static int choose(struct selector *s, const char *word, struct chosen *all, struct err *err)
{
    struct selection found = {.n = 0};
    int rc = select_find(s, word, SELECT_SEVERAL, 0, &found, err);
    if (rc == 0)
        rc = check_kind(word, &found, err);
    if (rc == 0)
        rc = add_all(all, &found, err);
    selection_fini(&found);
    return rc;
}

/* One that cannot be exported does not keep the others here. */
static int export_all(const struct export *e, const struct chosen *all)
{
    int status = CLI_DONE;
    for (unsigned i = 0; i < all->n; i++) {
        struct err err = {0};
        if (export_one(e, all->id[i], &err) >= 0)
            continue;
        status = CLI_COULD_NOT_RUN;
        if (err.code)
            console_error("%s", err.text);
    }
    return status;
}

static int check_place(const char *place, struct err *err)
{
    if (!place || is_directory(place) || ends_in(place, ".json") || ends_in(place, ".json.gz"))
        return 0;
    return err_set(err, -EINVAL,
                   "-o %s: no directory, and it ends neither in .json.gz nor in .json", place);
}

static int choose_all(struct selector *s, const struct options_parsed *parsed, struct chosen *all,
                      struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; i < parsed->n_args && rc == 0; i++)
        rc = choose(s, parsed->args[i], all, err);
    return rc;
}

static int export_named(struct export *e, const struct options_parsed *parsed)
{
    const char *place = e->values->place;
    struct selector selector;
    struct chosen all = {.n = 0};
    struct err err = {0};
    int status = CLI_COULD_NOT_RUN;
    select_open(&selector, e->db);
    int rc = choose_all(&selector, parsed, &all, &err);
    e->store = selector.store;
    if (rc == 0 && all.n > 1 && place && !is_directory(place))
        rc = err_set(&err, -EINVAL, "-o %s: no directory, and these are %u studies", place, all.n);
    if (rc == 0)
        status = export_all(e, &all);
    else
        console_error("%s", err.text);
    free(all.id);
    select_close(&selector);
    return rc == 0 ? status : cli_status(rc, false);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct export_values values = {.force = false};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&values, &output}};
    struct export e = {.values = &values};
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (results_db_none(output.db)) {
        console_error("--db none: there is nothing to export");
        return CLI_USAGE;
    }
    if (check_place(values.place, &err) < 0) {
        console_error("%s", err.text);
        return CLI_USAGE;
    }
    e.db = output.db;
    return export_named(&e, &parsed);
}

const struct command cmd_export = {
    .name = "export",
    .brief = "write studies to files, to be imported elsewhere",
    .summary = "Writes each study to a file of its own, compressed JSON, that `import` takes and "
               "every command reads where a result is named. A label that several studies have, or "
               "a glob of labels, names all of them.",
    .args = "ID|LABEL...",
    .lacks = "what to export is missing: a study by its id or label",
    .args_min = 1,
    .args_max = OPTION_ARGS_MAX,
    .example = {"loadline export k3m9", "loadline export 'rc*' -o results/"},
    .tables = tables,
    .run = run,
};
