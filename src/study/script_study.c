/* Workload files, one after the other, each from its first step to its last. */
#include "study/script_study_priv.h"

#include <errno.h>
#include <stdlib.h>

static void forget_sets(struct script_study *x)
{
    for (unsigned i = 0; x->live && i < x->script->sets; i++) {
        fileset_state_free(x->live[i].state);
        grown_free(x->live[i].listed);
    }
    free(x->live);
    x->live = NULL;
}

/* A worker that was left behind may still look at them. */
static void let_go(struct script_study *x)
{
    if (!x->s.hangs.worker)
        forget_sets(x);
    free(x->row);
    x->live = NULL;
    x->row = NULL;
}

int script_take(struct script_study *x, unsigned number, struct err *err)
{
    if (x->script)
        let_go(x);
    x->script = x->wish->script[number];
    x->number = number + 1;
    x->repeat = 0;
    x->failed = false;
    x->live = calloc(x->script->sets + 1, sizeof *x->live);
    x->row = calloc(x->script->runs + 1, sizeof *x->row);
    if (!x->live || !x->row)
        return err_set(err, -ENOMEM, "no memory for the filesets of %s", x->script->name);
    /* What a run before has kept is all there. */
    for (unsigned i = 0; x->s.adopted && i < x->script->sets; i++)
        x->live[i].there = x->script->set[i].grown != NULL;
    return 0;
}

static int do_step(struct script_study *x, const struct script_step *step, struct err *err)
{
    switch (step->kind) {
    case SCRIPT_MAKE:
        return script_make(x, step->first, step->n, err);
    case SCRIPT_REMOVE:
        return script_remove(x, step->first, step->n, err);
    case SCRIPT_RUN:
        return script_run(x, step, err);
    case SCRIPT_SHELL:
        return script_shell(x, step->text, err);
    case SCRIPT_SLEEP:
        script_sleep(x, step->ns);
        return 0;
    case SCRIPT_ECHO:
        script_tell(x, "%s", step->text);
        return 0;
    case SCRIPT_FLUSH:
        return script_flush(x, err);
    }
    return 0;
}

static int do_steps(struct script_study *x, struct err *err)
{
    int rc = 0;
    x->run = 0;
    for (unsigned i = 0; rc == 0 && i < x->script->steps; i++) {
        if (study_check_stop(&x->s) || x->failed)
            break;
        rc = do_step(x, &x->script->step[i], err);
    }
    return rc;
}

static void rows_done(struct script_study *x)
{
    for (unsigned i = 0; i < x->script->runs; i++)
        study_row_done(&x->s, &x->row[i]);
}

static int do_script(struct script_study *x, struct err *err)
{
    int rc = 0;
    while (rc == 0 && x->repeat < x->wish->repeats[x->number - 1] && !study_check_stop(&x->s) &&
           !x->failed) {
        if (x->repeat++ > 0)
            rc = script_clear(x, err);
        if (rc == 0)
            rc = do_steps(x, err);
    }
    rows_done(x);
    return rc;
}

static int do_scripts(struct script_study *x, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < x->wish->scripts && !study_check_stop(&x->s); i++) {
        bool last = i + 1 == x->wish->scripts;
        rc = script_take(x, i, err);
        if (rc == 0)
            rc = script_look_for_trees(x, err);
        if (rc == 0)
            rc = do_script(x, err);
        if (rc == 0 && !last && !study_check_stop(&x->s))
            rc = script_remove(x, 0, x->script->sets, err);
    }
    return rc;
}

static int check_wish(const struct study_common *common, const struct script_wish *wish,
                      struct err *err)
{
    unsigned runs = 0;
    if (wish->scripts == 0)
        return err_set(err, -EINVAL, "there is no workload to run");
    /* The files of each go before those of the next are made. */
    if (common->keep && wish->scripts > 1)
        return err_set(err, -EINVAL, "files can be kept of one workload, not of %u", wish->scripts);
    for (unsigned i = 0; i < wish->scripts; i++)
        if (wish->repeats[i] == 0)
            return err_set(err, -EINVAL, "%s is to be run no times", wish->script[i]->name);
    for (unsigned i = 0; i < wish->scripts; i++)
        runs += wish->script[i]->runs;
    if (runs == 0)
        return err_set(err, -ENODATA, "%s runs nothing", wish->script[0]->name);
    return 0;
}

int study_script(const struct study_common *common, const struct script_wish *wish,
                 const struct study_sink *sink, struct err *err)
{
    struct script_study x = {.wish = wish};
    int rc = check_wish(common, wish, err);
    if (rc < 0)
        return rc;
    rc = study_open(&x.s, wish->kind, common, sink, err);
    if (rc == 0)
        rc = study_watch_begin(&x.s, err);
    if (rc == 0)
        rc = script_begin(&x, err);
    if (rc == 0)
        rc = do_scripts(&x, err);
    rc = study_forgive(&x.s, rc, err);
    study_tidy(&x.s, "", 1);
    if (x.script)
        let_go(&x);
    if (rc == 0)
        study_ended(&x.s);
    study_close(&x.s);
    return rc;
}
