#include "cli/keep.h"

#include "base/shown.h"
#include "cli/console.h"
#include "cli/marks.h"
#include "cli/results_db.h"
#include "clk/clk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_command(struct text *out, const struct recorder *rec, const char *verb,
                        const char *what)
{
    text_addf(out, "loadline %s ", verb);
    text_add_shell_word(out, what);
    if (rec->output->db) {
        text_add(out, " --db ");
        text_add_shell_word(out, rec->output->db);
    }
}

void keep_add_show_command(struct text *out, const struct recorder *rec)
{
    if (!rec->spill.open) {
        add_command(out, rec, "show", rec->id);
        return;
    }
    text_add(out, "loadline show ");
    text_add_shell_word(out, rec->spill.path);
}

/* The new run and, when the file is a new one, all that were before. */
static int put_into_file(struct recorder *rec, struct err *err)
{
    struct study_head head = results_db_head(rec->row);
    return spill_put(&rec->spill, store_path(rec->store), &head, rec->result, rec->n + 1, err);
}

static void warn_of_file(const struct recorder *rec, const struct err *why)
{
    struct text import;
    text_init(&import);
    add_command(&import, rec, "import", rec->spill.path);
    console_warn("%s", why->text);
    console_warn("the study goes on; all its results are kept in %s, and taken in by: %s",
                 rec->spill.path, import.s);
    text_fini(&import);
}

/* Once a file is begun all goes there: a store that is locked would be waited for at each run. */
static int spill_run(struct recorder *rec, const struct err *why, struct err *err)
{
    struct err own = {0};
    char before[PATH_MAX];
    memcpy(before, rec->spill.path, sizeof before);
    int rc = put_into_file(rec, &own);
    if (rc < 0)
        return err_set(err, rc, "%s%sno file takes it either: %s", why ? why->text : "",
                       why ? "; " : "", own.text);
    if (strcmp(before, rec->spill.path) != 0)
        warn_of_file(rec, why ? why : &(struct err){.text = "the file that took them is full"});
    return 0;
}

int keep_run(struct recorder *rec, struct result *r, struct err *err)
{
    struct err why = {0};
    struct marks marks = {.n = 0};
    char *json = NULL;
    if (rec->store)
        marks_take(rec->store, r, &marks);
    int rc = result_seal(r, &json, err);
    if (rc >= 0 && rec->store && !rec->spill.open)
        rc = store_put_run(rec->store, r, json, &why);
    if (rc >= 0 && rec->store)
        marks_drop(rec->store, &marks);
    free(json);
    if (!rec->store || (rc < 0 && why.code == 0))
        return rc;
    rec->result[rec->n] = r;
    if (rc < 0)
        return spill_run(rec, &why, err);
    return rec->spill.open ? spill_run(rec, NULL, err) : 0;
}

static enum store_state state_of(const struct recorder *rec)
{
    if (!rec->ended || rec->end == STUDY_INCOMPLETE)
        return STORE_INCOMPLETE;
    return rec->end == STUDY_COMPLETE ? STORE_DONE : STORE_INVALID;
}

/* The store lacks runs, whatever the study's end was. */
static int end_file(struct recorder *rec)
{
    struct err err = {0};
    struct text import;
    int rc = store_end_study(rec->store, rec->id, STORE_INCOMPLETE, &err);
    if (rc < 0)
        console_note("%s", err.text);
    rc = spill_end(&rec->spill, store_state_name(state_of(rec)), clk_wall_ns(), &err);
    if (rc < 0)
        console_error("%s; its runs are there", err.text);
    text_init(&import);
    add_command(&import, rec, "import", rec->spill.path);
    console_warn("kept in %s only: %s", rec->spill.path, import.s);
    text_fini(&import);
    return rc;
}

int keep_end(struct recorder *rec)
{
    struct err err = {0};
    struct text command;
    if (rec->spill.open)
        return end_file(rec);
    text_init(&command);
    keep_add_show_command(&command, rec);
    int rc = store_end_study(rec->store, rec->id, state_of(rec), &err);
    if (rc < 0)
        console_error("%s", err.text);
    else
        marks_left(rec->store, rec->id);
    if (rc >= 0 && rec->n > 0)
        console_note("kept as %s: %s", rec->id, command.s);
    text_fini(&command);
    return rc;
}
