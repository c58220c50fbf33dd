/* What a study tells while it goes on: progress, warnings, steps of a workload file, sums so far. */
#include "cli/recorder.h"

#include "base/shown.h"
#include "base/units.h"
#include "cli/console.h"
#include "cli/shell.h"
#include "clk/clk.h"

#define LEFT_SHOWN_NS 1000000 /* less is what counting left over */

static void add_number(struct text *out, double value, const char *unit)
{
    text_addf(out, "%s%.0f %s", out->len ? ", " : "", value, unit);
}

static void on_progress(void *ctx, const struct study_progress *p)
{
    char left[UNITS_PRINT_MAX];
    (void)ctx;
    if (!console_line_due())
        return;
    struct text what, numbers;
    text_init(&what);
    text_init(&numbers);
    text_add(&what, p->what);
    if (p->bytes_per_s > 0)
        text_addf(&what, ", %.1f MiB/s", p->bytes_per_s / 1048576);
    if (p->ops_per_s > 0)
        add_number(&numbers, p->ops_per_s, "ops/s");
    if (p->done_frac >= 0)
        add_number(&numbers, p->done_frac * 100, "%");
    if (p->left_ns >= LEFT_SHOWN_NS)
        text_addf(&numbers, "%s%s left", numbers.len ? ", " : "", units_print_ns(left, p->left_ns));
    console_line(what.s, numbers.s);
    text_fini(&numbers);
    text_fini(&what);
}

/* Beside the answer; but who wants filebench's lines wants these among them. */
static void on_tell(void *ctx, const char *text)
{
    struct recorder *rec = ctx;
    if (!rec->style.told) {
        console_note("  %s", text);
        return;
    }
    struct text line;
    text_init(&line);
    if (rec->style.filebench)
        text_addf(&line, "%.3f: ", (double)(clk_monotonic_ns() - rec->told_from_ns) / 1e9);
    text_add_shown(&line, text);
    text_add(&line, "\n");
    recorder_print(rec, &line);
}

static void on_period(void *ctx, const struct result *so_far)
{
    struct recorder *rec = ctx;
    if (rec->style.format != REPORT_TEXT && rec->style.format != REPORT_MD)
        return;
    struct text text;
    text_init(&text);
    report_period(&text, so_far, &rec->style);
    recorder_print(rec, &text);
}

static void on_warn(void *ctx, const char *text)
{
    (void)ctx;
    console_warn("%s", text);
}

static int on_ask(void *ctx, const char *question)
{
    (void)ctx;
    return console_ask(question);
}

static void on_hook(void *ctx, const char *command)
{
    struct err err = {0};
    if (shell_run(ctx, command, &err) < 0)
        console_warn("%s", err.text);
}

void recorder_tells(struct study_sink *sink)
{
    sink->progress = on_progress;
    sink->warn = on_warn;
    sink->tell = on_tell;
    sink->shell = shell_run;
    sink->ask = on_ask;
    sink->hook = on_hook;
    sink->period = on_period;
}
