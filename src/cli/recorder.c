#include "cli/recorder.h"

#include "base/shown.h"
#include "base/units.h"
#include "cli/announce.h"
#include "cli/cli.h"
#include "cli/console.h"
#include "cli/keep.h"
#include "cli/output_file.h"
#include "cli/overhead_note.h"
#include "cli/stopping.h"
#include "clk/clk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int know_overhead(const struct recorder *rec, struct overhead *o, struct err *err)
{
    if (rec->store && overhead_note_load(rec->store, o, err) >= 0)
        return 0;
    console_note("  first%s: what loadline itself costs",
                 rec->store ? ", once a month on this machine" : "");
    int rc = overhead_measure(o, err);
    return rc >= 0 && rec->store ? overhead_note_save(rec->store, o, err) : rc;
}

/* A failure is no reason not to measure the target: then the results do not quote it. */
static void provide_overhead(struct recorder *rec)
{
    struct overhead o;
    struct err err = {0};
    int rc = know_overhead(rec, &o, &err);
    if (rc >= 0)
        rc = overhead_note_facts(&o, rec->own);
    if (rc < 0)
        console_warn("the tool's own overhead is not known: %s", err.text);
}

static int store_begin(struct recorder *rec, const struct study_intent *intent, struct err *err)
{
    struct store_study study = {.state = STORE_RUNNING,
                                .begun_wall_ns = clk_wall_ns(),
                                .pid = (uint64_t)getpid(),
                                .label = rec->label,
                                .command = rec->command,
                                .argv = rec->argv};
    snprintf(study.id, sizeof(study.id), "%s", intent->id);
    snprintf(study.kind, sizeof(study.kind), "%s", intent->kind);
    study.target = announce_targets(intent);
    int rc = study.target ? store_begin_study(rec->store, &study, err)
                          : err_set(err, -ENOMEM, "out of memory");
    free(study.target);
    return rc == 0 ? store_get_study(rec->store, study.id, &rec->row, err) : rc;
}

static int make_room(struct recorder *rec, struct err *err)
{
    if (rec->n < rec->room)
        return 0;
    unsigned room = rec->room ? rec->room * 2 : 16;
    struct result **result = realloc(rec->result, room * sizeof(*result));
    if (result)
        rec->result = result;
    bool *shown = realloc(rec->shown, room * sizeof(*shown));
    if (shown)
        rec->shown = shown;
    if (!result || !shown)
        return err_set(err, -ENOMEM, "out of memory for %u results", room);
    rec->room = room;
    return 0;
}

static bool is_past(const struct recorder *rec, const struct result *r)
{
    return rec->past && r->run <= rec->past->last_run;
}

int recorder_reopen(struct recorder *rec, const struct study_past *past, struct err *err)
{
    int rc = store_reopen_study(rec->store, past->id, past->last_run, (uint64_t)getpid(), err);
    if (rc < 0)
        return rc;
    rec->past = past;
    snprintf(rec->id, sizeof(rec->id), "%s", past->id);
    return store_get_study(rec->store, past->id, &rec->row, err);
}

static int take_past(struct recorder *rec, struct err *err)
{
    console_note("  goes on: %u of its runs are done", rec->past->n);
    for (unsigned i = 0; i < rec->past->n; i++) {
        int rc = make_room(rec, err);
        if (rc < 0)
            return rc;
        rec->shown[rec->n] = false;
        rec->result[rec->n++] = rec->past->result[i];
    }
    return 0;
}

static int on_begun(void *ctx, const struct study_intent *intent, struct err *err)
{
    struct recorder *rec = ctx;
    announce_study(intent, rec->store != NULL);
    snprintf(rec->id, sizeof(rec->id), "%s", intent->id);
    int rc = 0;
    if (rec->past)
        rc = take_past(rec, err);
    else if (rec->store)
        rc = store_begin(rec, intent, err);
    if (rc < 0)
        return rc;
    if (!intent->own_clock) /* nothing of it is in time that is not this machine's */
        provide_overhead(rec);
    rec->begun = true;
    return 0;
}

static int on_run_done(void *ctx, struct result *r, struct err *err)
{
    struct recorder *rec = ctx;
    int rc = make_room(rec, err);
    if (rc >= 0)
        rc = keep_run(rec, r, err);
    if (rc < 0) {
        result_free(rec->unstored);
        rec->unstored = r;
        return err_prefix(err, "run %s.%u is not kept", r->study_id, r->run);
    }
    rec->shown[rec->n] = false;
    rec->result[rec->n++] = r;
    return 0;
}

void recorder_print(struct recorder *rec, struct text *text)
{
    int rc = console_out(text);
    if (rc < 0 && rec->out_failed == 0) {
        rec->out_failed = rc;
        if (rec->store || rec->output->file)
            console_error("the study goes on, its results are kept");
        else
            stopping_ask();
    }
    text_fini(text);
}

static void mark_shown(struct recorder *rec, const struct result *r)
{
    for (unsigned i = 0; i < rec->n; i++)
        if (rec->result[i] == r)
            rec->shown[i] = true;
}

/* Of the runs that count, as `show` has them: one that was measured again may have been the first. */
static void add_head(const struct recorder *rec, struct text *text)
{
    bool *counts = calloc(rec->n + 1, sizeof *counts);
    struct result **current = calloc(rec->n + 1, sizeof *current);
    unsigned n = 0;
    text->failed |= !counts || !current || result_current(rec->result, rec->n, counts) < 0;
    for (unsigned i = 0; !text->failed && i < rec->n; i++)
        if (counts[i])
            current[n++] = rec->result[i];
    if (n > 0)
        report_tree_head(text, current, n, &rec->style);
    free(current);
    free(counts);
}

static void on_row_done(void *ctx, struct result *const *repeats, unsigned n)
{
    struct recorder *rec = ctx;
    if (!rec->table || rec->unstored || n == 0)
        return;
    struct text text;
    text_init(&text);
    if (!rec->head_shown)
        add_head(rec, &text);
    rec->head_shown = true;
    report_tree_row(&text, repeats, n, &rec->style);
    for (unsigned i = 0; i < n; i++)
        mark_shown(rec, repeats[i]);
    recorder_print(rec, &text);
}

static void on_ended(void *ctx, enum study_end end, const char *reason)
{
    struct recorder *rec = ctx;
    rec->ended = true;
    rec->end = end;
    if (end == STUDY_INCOMPLETE)
        console_error("incomplete: %s", reason);
    else if (end == STUDY_INVALID)
        console_error("not valid: %s", reason);
}

struct study_sink recorder_sink(struct recorder *rec)
{
    rec->told_from_ns = clk_monotonic_ns();
    rec->style.filebench_from_wall_ns = clk_wall_ns();
    struct study_sink sink = {.begun = on_begun,
                              .run_done = on_run_done,
                              .row_done = on_row_done,
                              .ended = on_ended,
                              .ctx = rec};
    recorder_tells(&sink);
    return sink;
}

static bool same_row(const struct result *a, const struct result *b)
{
    const char *length_a = result_fact_get(&a->options, "length_bytes");
    const char *length_b = result_fact_get(&b->options, "length_bytes");
    return strcmp(a->phase, b->phase) == 0 && length_a && length_b &&
           strcmp(length_a, length_b) == 0;
}

/* A study that was stopped leaves runs of a row that is not full: they were measured, so they are
 * printed. */
static void print_unfinished_rows(struct recorder *rec)
{
    struct result **row = calloc(rec->n + 1, sizeof(*row));
    if (!row) {
        console_error("out of memory for the rows that are not full");
        rec->out_failed = -ENOMEM;
        return;
    }
    for (unsigned i = 0; i < rec->n; i++) {
        unsigned n = 0;
        for (unsigned j = i; j < rec->n; j++)
            if (!rec->shown[j] && (j == i || (n > 0 && same_row(rec->result[i], rec->result[j]))))
                row[n++] = rec->result[j];
        on_row_done(rec, row, n);
    }
    free(row);
}

static void print_answer(struct recorder *rec)
{
    struct text text;
    struct err err = {0};
    text_init(&text);
    if (rec->table && rec->head_shown) {
        print_unfinished_rows(rec);
        report_tree_foot(&text, rec->result, rec->n, &rec->style);
    } else {
        int rc = report_study(&text, rec->result, rec->n, &rec->style, &err);
        if (rc < 0) {
            console_error("%s", err.text);
            rec->out_failed = rc;
        }
    }
    recorder_print(rec, &text);
}

static int write_file(const struct recorder *rec)
{
    struct text text;
    struct err err = {0};
    struct report_style style = rec->style;
    style.format = rec->file_format;
    text_init(&text);
    int rc = report_study(&text, rec->result, rec->n, &style, &err);
    if (rc >= 0)
        rc = output_file_write(rec->output->file, rec->output->force, &text, &err);
    text_clear(&text);
    keep_add_show_command(&text, rec);
    if (rc < 0 && rec->store)
        console_error("%s; the results are kept: %s", err.text, text.s);
    else if (rc < 0)
        console_error("%s", err.text);
    text_fini(&text);
    return rc;
}

static bool ended_complete(const struct recorder *rec)
{
    return rec->ended && rec->end == STUDY_COMPLETE;
}

/* What was measured before something failed is an incomplete result. */
static int status_of(const struct recorder *rec, int rc)
{
    return rec->n > 0 ? CLI_NOT_VALID : cli_status(rc, rec->asked || rec->begun);
}

static void first_failure(int *rc, int next)
{
    if (*rc >= 0 && next < 0)
        *rc = next;
}

/* What was measured again no longer counts. */
static int leave_current(struct recorder *rec)
{
    bool *counts = rec->past ? calloc(rec->n + 1, sizeof *counts) : NULL;
    int rc = !rec->past ? 0 : counts ? result_current(rec->result, rec->n, counts) : -ENOMEM;
    unsigned left = 0;
    for (unsigned i = 0; counts && rc == 0 && i < rec->n; i++) {
        rec->shown[left] = rec->shown[i];
        if (counts[i])
            rec->result[left++] = rec->result[i];
        else if (!is_past(rec, rec->result[i]))
            result_free(rec->result[i]);
    }
    if (counts && rc == 0)
        rec->n = left;
    free(counts);
    return rc;
}

int recorder_finish(struct recorder *rec, int rc, const struct err *err)
{
    console_line_clear();
    if (rc < 0)
        console_error("%s", err->text);
    if (leave_current(rec) < 0)
        first_failure(&rc, -ENOMEM);
    if (rec->n > 0)
        print_answer(rec);
    if (rec->n > 0 && rec->output->file)
        first_failure(&rc, write_file(rec));
    if (rec->store && (rec->begun || rec->past))
        first_failure(&rc, keep_end(rec));
    first_failure(&rc, rec->out_failed);
    if (rc < 0)
        return status_of(rec, rc);
    return ended_complete(rec) ? CLI_DONE : CLI_NOT_VALID;
}

void recorder_fini(struct recorder *rec)
{
    for (unsigned i = 0; i < rec->n; i++)
        if (!is_past(rec, rec->result[i]))
            result_free(rec->result[i]);
    result_free(rec->unstored);
    spill_fini(&rec->spill);
    store_studies_free(rec->row, rec->row ? 1 : 0);
    free(rec->result);
    free(rec->shown);
}
