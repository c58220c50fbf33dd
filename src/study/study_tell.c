#include "study/device_look_priv.h"
#include "study/study_priv.h"

#include "base/text.h"
#include "clk/clk.h"
#include "verdict/caveats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void study_warn(struct study *s, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (s->sink->warn)
        s->sink->warn(s->sink->ctx, text);
}

static void note_fact(void *ctx, const char *key, const char *value, const char *unit)
{
    struct fact_pen *pen = ctx;
    if (pen->rc == 0)
        pen->rc = result_fact_put(pen->facts, key, value, unit);
}

int study_describe(const struct study *s, struct result_facts *out)
{
    struct fact_pen pen = {.facts = out};
    const struct target_sink sink = {.put = note_fact, .ctx = &pen};
    if (s->caps.one_file)
        study_device_describe(s, &sink);
    else
        site_describe(s->site, &sink);
    return pen.rc;
}

/* For want of memory less is warned of; the results say it again. */
void study_tell_caveats(struct study *s, bool writes, bool overwrites, bool synced)
{
    struct caveat warning[CAVEATS_MAX];
    struct result *facts = result_new();
    if (!facts)
        return;
    bool known = study_describe(s, &facts->target_facts) == 0 &&
                 machine_facts(&s->machine, &facts->machine) == 0;
    const struct caveat_facts of = {
        .target = &facts->target_facts,
        .machine = &facts->machine,
        .writes = writes,
        .overwrites = overwrites,
        .direct = s->instrument.cache == PLAN_CACHE_DIRECT,
        .synced = synced,
    };
    unsigned n = known ? caveats_of(&of, warning) : 0;
    bool several = s->common->more_targets > 0;
    for (unsigned i = 0; i < n; i++)
        study_warn(s, "%s%s%s: %s", several ? s->common->target : "", several ? ": " : "",
                   warning[i].label, warning[i].words);
    result_free(facts);
}

void study_mark(struct study *s, enum study_end end, bool over, const char *fmt, ...)
{
    va_list ap;
    /* What ended the study is the reason, even if a run was marked before. */
    if (s->reason[0] == '\0' || (over && !s->over)) {
        va_start(ap, fmt);
        vsnprintf(s->reason, sizeof s->reason, fmt, ap);
        va_end(ap);
        s->end = end;
    }
    s->over |= over;
}

bool study_stop_asked(const struct study *s, int times)
{
    const atomic_int *stop = s->common->stop;
    return stop && atomic_load_explicit(stop, memory_order_relaxed) >= times;
}

bool study_check_stop(struct study *s)
{
    if (!s->over && study_stop_asked(s, 1))
        study_mark(s, STUDY_INCOMPLETE, true, "stopped");
    return s->over;
}

/* Of this machine's time, from now on; 0 unknown. A target's own passes as much faster or slower than this
 * machine's as it did since the run's beginning. */
static uint64_t left_now_ns(const struct study_gauge *g, uint64_t in_step)
{
    if (!g->own_clock)
        return g->left_ns > in_step ? g->left_ns - in_step : 1;
    if (g->last_ns == 0)
        return 0;
    double own_ns = g->left_ns > g->last_ns ? (double)(g->left_ns - g->last_ns) : 0;
    return 1 + (uint64_t)(own_ns * (double)in_step / (double)g->last_ns);
}

static void show(struct study *s, double ops_per_s, double bytes_per_s)
{
    struct study_gauge *g = &s->gauge;
    uint64_t now = clk_monotonic_ns();
    uint64_t in_step = now - g->step_ns;
    struct study_progress p = {
        .what = g->what,
        .done_frac = -1,
        .elapsed_ns = now - g->begun_ns,
        .ops_per_s = ops_per_s,
        .bytes_per_s = bytes_per_s,
    };
    if (g->left_ns > 0)
        p.left_ns = left_now_ns(g, in_step);
    if (p.left_ns > 0) {
        p.done_frac = (double)p.elapsed_ns / (double)(p.elapsed_ns + p.left_ns);
    }
    if (s->sink->progress)
        s->sink->progress(s->sink->ctx, &p);
}

/* Of what has to be made: in bytes, or where there are none in files. */
static uint64_t left_to_make_ns(const struct study_gauge *g, const struct engine_progress *p)
{
    double done = (double)(g->goal_bytes ? p->bytes : p->ops);
    double goal = (double)(g->goal_bytes ? g->goal_bytes : g->goal_ops);
    return done > 0 && done < goal ? (uint64_t)((double)p->elapsed_ns * (goal - done) / done) : 0;
}

void study_say(struct study *s, uint64_t left_ns, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->gauge.what, sizeof s->gauge.what, fmt, ap);
    va_end(ap);
    s->gauge.left_ns = left_ns;
    s->gauge.goal_bytes = s->gauge.goal_ops = 0;
    s->gauge.step_ns = clk_monotonic_ns();
    s->gauge.last_ns = 0;
    show(s, 0, 0);
}

void study_show_rates(struct study *s, const struct engine_progress *p)
{
    struct study_gauge *g = &s->gauge;
    double ops = 0, bytes = 0;
    if (p->elapsed_ns > g->last_ns) {
        double span_s = (double)(p->elapsed_ns - g->last_ns) / 1e9;
        ops = (double)(p->ops - g->last_ops) / span_s;
        bytes = (double)(p->bytes - g->last_bytes) / span_s;
    }
    if (g->goal_bytes > 0 || g->goal_ops > 0) {
        g->left_ns = left_to_make_ns(g, p);
        if (g->own_clock)
            g->left_ns += p->elapsed_ns; /* since the run's beginning, like the rest of them */
        else
            g->step_ns = clk_monotonic_ns();
    }
    g->last_ns = p->elapsed_ns;
    g->last_ops = p->ops;
    g->last_bytes = p->bytes;
    show(s, ops, bytes);
}

int study_remember(struct study_row *row, struct result *r, struct err *err)
{
    if (row->n == row->room) {
        unsigned room = row->room ? 2 * row->room : 4;
        struct result **more = realloc(row->result, room * sizeof(struct result *));
        if (!more)
            return err_set(err, -ENOMEM, "no memory for one more result");
        row->result = more;
        row->room = room;
    }
    row->result[row->n++] = r;
    return 0;
}

int study_deliver(struct study *s, struct result *r, struct study_row *row, struct err *err)
{
    int rc = study_remember(row, r, err);
    if (rc < 0) {
        result_free(r);
        return rc;
    }
    s->runs++;
    s->errors += result_error_count(r);
    if (!s->sink->run_done)
        return 0;
    rc = s->sink->run_done(s->sink->ctx, r, err);
    if (rc < 0) {
        row->n--;
        s->sink_failed = true;
    }
    return rc;
}

void study_row_done(struct study *s, struct study_row *row)
{
    if (row->n > 0 && s->sink->row_done)
        s->sink->row_done(s->sink->ctx, row->result, row->n);
    for (unsigned i = 0; !s->sink->run_done && i < row->n; i++)
        result_free(row->result[i]);
    free(row->result);
    *row = (struct study_row){0};
}

void study_ended(struct study *s)
{
    struct text words;
    text_init(&words);
    const char *plural = s->errors == 1 ? "" : "s";
    bool errors = s->errors > 0 && !s->over;
    if (errors && s->end == STUDY_INVALID)
        text_addf(&words, "%" PRIu64 " error%s, the first: ", s->errors, plural);
    text_add(&words, s->reason);
    if (errors && s->end != STUDY_INVALID) /* a run came to an end that is none of them */
        text_addf(&words, "; and %" PRIu64 " error%s", s->errors, plural);
    if (s->sink->ended)
        s->sink->ended(s->sink->ctx, s->end, words.s);
    text_fini(&words);
}

void study_hand_over(const struct study *from, struct study *to)
{
    if (from == to)
        return;
    to->runs = from->runs;
    to->gauge = from->gauge;
    to->end = from->end;
    to->over = from->over;
    to->sink_failed = from->sink_failed;
    to->errors = from->errors;
    memcpy(to->reason, from->reason, sizeof to->reason);
}

int study_forgive(struct study *s, int rc, const struct err *err)
{
    if (rc == 0 || s->runs == s->runs_before || s->sink_failed)
        return rc;
    study_mark(s, STUDY_INCOMPLETE, true, "%s", err->text);
    return 0;
}
