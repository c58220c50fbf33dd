#include "script/script.h"

#include "plan/build.h"

#include <inttypes.h>

static const char *dialect_name(enum script_dialect dialect)
{
    switch (dialect) {
    case SCRIPT_DIALECT_SUN:
        return "sun";
    case SCRIPT_DIALECT_14:
        return "1.4";
    case SCRIPT_DIALECT_15:
    case SCRIPT_DIALECT_AUTO:
        break;
    }
    return "1.5";
}

static void set_text(const struct script_set *set, unsigned i, struct text *out)
{
    text_addf(out, "set %u %s %s", i, set->single ? "file" : "fileset", set->name);
    if (set->grown) {
        const char *under = grown_spec(set->grown)->under;
        text_add(out, ": ");
        grown_text(set->grown, out);
        if (*under)
            text_addf(out, " under=%s", under);
    } else {
        text_addf(out, ": device size=%" PRIu64, set->spec.size_bytes);
    }
    text_addf(out, " exists=%u%% makers=%u", set->exists_percent, set->makers);
    text_add(out, set->trust ? " trust" : set->reuse ? " reuse" : "");
    text_add(out, set->read_only ? " read-only" : set->write_only ? " write-only" : "");
    text_add(out, set->written ? " written\n" : "\n");
}

/* Of several lines: so that each of them is still one of the form. */
static void quoted(const char *s, struct text *out)
{
    text_add(out, "\"");
    for (; *s; s++) {
        if (*s == '\n')
            text_add(out, "\\n");
        else if (*s == '"' || *s == '\\')
            text_addf(out, "\\%c", *s);
        else
            text_add_bytes(out, s, 1);
    }
    text_add(out, "\"");
}

static void sets_text(const struct script_step *step, struct text *out)
{
    if (step->n > 1)
        text_addf(out, " sets %u..%u", step->first, step->first + step->n - 1);
    else
        text_addf(out, " set %u", step->first);
}

static void step_text(const struct script_step *step, unsigned i, struct text *out)
{
    static const char *const names[] = {
        [SCRIPT_MAKE] = "make",   [SCRIPT_REMOVE] = "remove", [SCRIPT_RUN] = "run",
        [SCRIPT_SHELL] = "shell", [SCRIPT_SLEEP] = "sleep",   [SCRIPT_ECHO] = "echo",
        [SCRIPT_FLUSH] = "flush",
    };
    text_addf(out, "step %u line %u %s", i + 1, step->line, names[step->kind]);
    if (step->kind == SCRIPT_MAKE || step->kind == SCRIPT_REMOVE)
        sets_text(step, out);
    if (step->kind == SCRIPT_SLEEP)
        text_addf(out, " %" PRIu64 " ns", step->ns);
    if (step->text) {
        text_add(out, " ");
        quoted(step->text, out);
    }
    if (step->plan && step->plan->window.period_ns > 0)
        text_addf(out, " period_ns=%" PRIu64, step->plan->window.period_ns);
    text_add(out, step->period_reset ? " reset-each-period\n" : "\n");
    if (step->plan)
        plan_text(step->plan, PLAN_FORM_SHOWN, out);
}

void script_text(const struct script *script, struct text *out)
{
    text_addf(out, "script %s\ndialect %s\n", script->name, dialect_name(script->dialect));
    if (script->latency_histogram)
        text_add(out, "latency-histogram\n");
    text_addf(out, "files %" PRIu64 " bytes %" PRIu64 "\n", script->files, script->bytes);
    for (unsigned i = 0; i < script->variables; i++) {
        text_addf(out, "variable %s ", script->variable[i].name);
        quoted(script->variable[i].value, out);
        text_add(out, "\n");
    }
    for (unsigned i = 0; i < script->sets; i++)
        set_text(&script->set[i], i, out);
    for (unsigned i = 0; i < script->steps; i++)
        step_text(&script->step[i], i, out);
}
