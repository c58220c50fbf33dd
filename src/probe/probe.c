#include "probe/watcher_priv.h"

#include "clk/clk.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S     UINT64_C(1000000000)
#define WATCHERS_MAX 3

struct probe {
    uint64_t period_ns;
    unsigned n;
    struct watcher *watcher[WATCHERS_MAX]; /* this machine first */
    unsigned left_out;                     /* windows with more than TRACKS_MAX things in them */
};

static int add_watcher(struct probe *p, const struct probe_source *source, struct err *err)
{
    int rc = watcher_new(source, p->period_ns, &p->watcher[p->n], err);

    if (rc == 0)
        p->n++;
    return rc;
}

int probe_start(const struct probe_options *options, struct probe **out, struct err *err)
{
    struct probe *p = calloc(1, sizeof *p);
    struct probe_source source;
    int rc;

    if (!p)
        return err_set(err, -ENOMEM, "no memory for the probe");
    p->period_ns = options->period_ns ? options->period_ns : NS_PER_S;
    rc = source_local_open(options->proc, options->sys, &source, err);
    if (rc == 0)
        rc = add_watcher(p, &source, err);
    if (rc == 0 && options->server_metrics) {
        rc = source_metrics_open(options->server_metrics, &source, err);
        if (rc == 0)
            rc = add_watcher(p, &source, err);
    }
    if (rc == 0 && options->server_csv) {
        rc = source_csv_open(options->server_csv, &source, err);
        if (rc == 0)
            rc = add_watcher(p, &source, err);
    }
    if (rc == 0)
        *out = p;
    else
        probe_stop(p);
    return rc;
}

void probe_stop(struct probe *p)
{
    if (!p)
        return;
    /* All are told before any is waited for: servers that hang do so at the same time. */
    for (unsigned i = 0; i < p->n; i++)
        watcher_end(p->watcher[i]);
    for (unsigned i = 0; i < p->n; i++)
        watcher_free(p->watcher[i]);
    free(p);
}

void probe_look(struct probe *p)
{
    for (unsigned i = p->n; i > 1; i--)
        watcher_want(p->watcher[i - 1]);
    watcher_look(p->watcher[0], true);
}

/* As many values as the looks are fine, so that they fill the window evenly. */
static unsigned values_of(uint64_t window_ns, uint64_t period_ns)
{
    uint64_t values = window_ns / period_ns;

    if (values < 1)
        return 1;
    return values > TRACK_VALUES_MAX ? TRACK_VALUES_MAX : (unsigned)values;
}

int probe_between(struct probe *p, uint64_t from_ns, uint64_t to_ns, uint64_t zero_ns,
                  struct tracks *out)
{
    uint64_t give_up_ns = clk_monotonic_ns() + PROBE_ANSWER_S * NS_PER_S;
    struct look_window w = {.from_ns = from_ns, .to_ns = to_ns, .zero_ns = zero_ns};
    int rc = 0;

    if (to_ns <= from_ns)
        return -EINVAL;
    w.values = values_of(to_ns - from_ns, watcher_period_ns(p->watcher[0]));
    for (unsigned i = 0; i < p->n && rc == 0; i++) {
        rc = watcher_between(p->watcher[i], &w, give_up_ns, out);
        if (rc == -ENOSPC) {
            p->left_out++;
            rc = 0;
        }
    }
    return rc;
}

void probe_notes(const struct probe *p, char *buf, size_t room)
{
    size_t len = 0;

    buf[0] = '\0';
    for (unsigned i = 0; i < p->n && len < room; i++) {
        char note[ERR_TEXT_MAX];
        watcher_note(p->watcher[i], note, sizeof note);
        if (note[0])
            len += (size_t)snprintf(buf + len, room - len, "%s%s", len ? "; " : "", note);
    }
    if (p->left_out && len < room)
        snprintf(buf + len, room - len, "%sonly the first %u resources were kept", len ? "; " : "",
                 TRACKS_MAX);
}

uint64_t probe_cpu_ns(const struct probe *p)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < p->n; i++)
        sum += watcher_cpu_ns(p->watcher[i]);
    return sum;
}
