#include "cli/measure.h"

#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/recorder.h"
#include "cli/results_db.h"
#include "cli/stopping.h"
#include "cli/watchdog.h"

#include "base/shown.h"
#include "base/words.h"
#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As it can be pasted into a shell again. */
static char *typed_command(const struct measure *m)
{
    struct text text;
    text_init(&text);
    text_addf(&text, "loadline %s", m->command->name);
    for (int i = 0; i < m->argc; i++) {
        text_add(&text, " ");
        text_add_shell_word(&text, m->argv[i]);
    }
    return text_take(&text);
}

static char *typed_words(const struct measure *m)
{
    struct text text;
    text_init(&text);
    words_print(&text, m->command->name, m->argv, (unsigned)m->argc);
    return text_take(&text);
}

/* What can be told from the command line and a look around, before anything is made. */
static int check_wish(const struct measure *m, struct recorder *rec, struct err *err)
{
    struct target_caps caps;
    int rc = 0;
    for (unsigned i = 0; rc >= 0 && i < m->targets; i++)
        rc = target_caps_of(m->target[i], &caps, err);
    if (rc >= 0)
        rc = output_file_check(m->output->file, m->output->force, m->output->db, &rec->file_format,
                               err);
    return rc;
}

static int prepare_keeping(const struct measure *m, struct recorder *rec, struct err *err)
{
    rec->command = typed_command(m);
    rec->argv = typed_words(m);
    rec->label = strdup(m->study->label ? m->study->label : "");
    if (!rec->command || !rec->argv || !rec->label)
        return err_set(err, -ENOMEM, "out of memory");
    int rc = results_db_none(m->output->db) || m->dry_run
                 ? 0
                 : results_db_open_for_study(m->output->db, m->past, &rec->store, err);
    /* Before anything is done on the target: nobody else goes on with it then. */
    return rc == 0 && m->past ? recorder_reopen(rec, m->past, err) : rc;
}

static struct study_common common_of(const struct measure *m, const struct result_facts *own)
{
    return (struct study_common){.target = m->target[0],
                                 .more_target = m->target + 1,
                                 .more_targets = m->targets - 1,
                                 .past = m->past,
                                 .label = m->study->label ? m->study->label : "",
                                 .system = m->study->system ? m->study->system : "",
                                 .software = m->study->software ? m->study->software : "",
                                 .tool_version = LOADLINE_VERSION,
                                 .seed = m->study->seed,
                                 .stall_ns = m->study->stall_ns,
                                 .max_memory_bytes = m->study->max_memory_bytes,
                                 .workers = (unsigned)m->study->workers,
                                 .resolve = (enum study_resolve)m->study->resolve,
                                 .keep = m->keep,
                                 .stop = stopping_flag(),
                                 .own = own};
}

int measure_run(const struct measure *m)
{
    struct err err = {0};
    struct result *facts = result_new();
    struct recorder rec = {
        .output = m->output,
        .style = {.format = (enum report_format)m->output->format,
                  .wide = m->output->wide,
                  .classic = m->classic,
                  .filebench = m->filebench,
                  .published = m->published,
                  .told = m->filebench || m->dry_run},
        .table = m->table && (m->output->format == REPORT_TEXT || m->output->format == REPORT_MD)};
    struct site_watch watch = {.what = NULL};
    struct watchdog dog = {0};
    int status = CLI_COULD_NOT_RUN;
    if (!facts) {
        console_error("out of memory");
        goto out;
    }
    rec.own = &facts->own;
    console_open(m->output->quiet);
    int rc = check_wish(m, &rec, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        status = cli_status(rc, false);
        goto out;
    }
    if (prepare_keeping(m, &rec, &err) < 0) {
        bool said = m->past || strstr(err.text, "--db none");
        console_error("%s%s", err.text, said ? "" : "; --db none measures without keeping");
        goto out;
    }
    stopping_begin();
    struct study_common common = common_of(m, &facts->own);
    common.watch = &watch;
    rc = watchdog_begin(&dog, &watch, m->target, m->targets, m->study->stall_ns);
    if (rc < 0) {
        console_error("no thread to watch over what does not return: %s", err_name(rc));
        goto out;
    }
    struct study_sink sink = recorder_sink(&rec);
    rc = m->run(&common, m->options, &sink, &err);
    watchdog_end(&dog);
    rec.asked = watchdog_saw_ops(&watch);
    status = recorder_finish(&rec, rc, &err);
out:
    recorder_fini(&rec);
    store_close(rec.store);
    free(rec.command);
    free(rec.argv);
    free(rec.label);
    result_free(facts);
    return status;
}
