/* What is seen of both ends beside a run: tracks, and the bytes that went to devices. */
#include "study/study_priv.h"

#include "clk/clk.h"
#include "probe/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define LOOKS_LATE   2.0 /* from that many windows on it would tell of another part of the run */
#define SECTOR_BYTES 512 /* of diskstats, whatever the device's own are */

int study_watch_begin(struct study *s, struct err *err)
{
    const struct study_view *view = machine_view(s->common->view);
    const struct probe_options options = {.proc = view->proc,
                                          .sys = view->sys,
                                          .server_metrics = s->common->server_metrics,
                                          .server_csv = s->common->server_csv};
    if (s->caps.own_clock || s->watch.probe)
        return 0;
    return probe_start(&options, &s->watch.probe, err);
}

void study_watch_share(struct study *s, const struct study *with)
{
    s->watch.probe = with->watch.probe;
    s->watch.shared = true;
}

void study_watch_end(struct study *s)
{
    if (!s->watch.shared)
        probe_stop(s->watch.probe);
    s->watch.probe = NULL;
}

uint64_t study_watch_cpu_ns(void *study)
{
    const struct study *s = study;
    return probe_cpu_ns(s->watch.probe);
}

/* ---- at the edges ---- */

/* Which of its lines is of our device is known when the target has told of it. */
static char *read_disks(const char *proc)
{
    char path[512];
    char *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/diskstats", proc);
    FILE *f = fopen(path, "re");
    if (!f)
        return NULL;
    if (getdelim(&text, &room, '\0', f) < 0) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

static void look_at_bytes(const struct study *s, struct watch_bytes *out)
{
    const char *proc = machine_view(s->common->view)->proc;
    char path[512], line[128];
    unsigned known = 0;
    free(out->disks);
    out->disks = read_disks(proc);
    snprintf(path, sizeof path, "%s/self/io", proc);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        known += sscanf(line, "read_bytes: %" SCNu64, &out->read) == 1 ||
                 sscanf(line, "write_bytes: %" SCNu64, &out->written) == 1;
    if (f)
        fclose(f);
    out->known = known == 2;
    out->at_ns = clk_monotonic_ns();
}

static void tell_hook(const struct study *s, const char *command)
{
    if (command && s->sink->hook)
        s->sink->hook(s->sink->ctx, command);
}

static void look_at_edge(struct study *s, bool open)
{
    struct run_watch *w = &s->measured->watch;
    if (open)
        w->open_ns = clk_monotonic_ns();
    else
        look_at_bytes(s, &w->close);
    probe_look(s->watch.probe);
    if (open)
        look_at_bytes(s, &w->open);
    else
        w->close_ns = clk_monotonic_ns();
}

/* Bytes lie inside of the probe's looks. A command that takes its time is behind both at either edge: the load
 * goes on beside the first one, and what was seen of it counts; beside the last one there is none. */
void study_watch_edge(struct study *s, bool open)
{
    if (s->watch.probe)
        look_at_edge(s, open);
    tell_hook(s, open ? s->common->hook_start : s->common->hook_end);
}

/* ---- behind the run ---- */

static unsigned metrics_of(const struct engine_facts *facts, struct probe_metric *out)
{
    for (unsigned i = 0; i < facts->n; i++)
        out[i] = (struct probe_metric){facts->fact[i].key, strtod(facts->fact[i].value, NULL)};
    return facts->n;
}

/* What a modelled server tells goes the way that a real one's metrics go. */
static int watch_model(struct run_watch *w, const struct engine_outcome *out)
{
    const struct engine_facts *open = &out->metrics_open, *close = &out->metrics_close;
    struct probe_metric *metric = calloc(open->n + close->n + 1, sizeof *metric);
    if (!metric)
        return -ENOMEM;
    unsigned n = metrics_of(open, metric);
    unsigned m = metrics_of(close, metric + n);
    int rc = probe_metrics_between(metric, n, metric + n, m, out->elapsed_ns, &w->tracks);
    free(metric);
    return rc;
}

static int watch_real(const struct study *s, struct run_watch *w)
{
    if (w->open_ns == 0 || w->close_ns == 0) /* the window never opened */
        return 0;
    return probe_between(s->watch.probe, w->open_ns, w->close_ns, w->gate_ns, &w->tracks);
}

int study_watch_done(struct study *s, struct study_run *run, const struct plan *plan,
                     const struct engine_outcome *out, struct err *err)
{
    struct run_watch *w = &run->watch;
    int rc = 0;
    tracks_fini(&w->tracks);
    if (s->watch.probe)
        rc = watch_real(s, w);
    else if (s->caps.own_clock && s->common->model_metrics && out->metrics_close.n > 0 &&
             out->elapsed_ns > 0)
        rc = watch_model(w, out);
    if (rc < 0)
        return err_set(err, rc, "no memory for what was seen beside the run");
    /* What lies in the cache yet is on its way to the device. */
    if (s->watch.probe && run->writes && !plan->instrument.direct && s->site && !s->over) {
        rc = site_sync(s->site, err);
        free(w->close.disks);
        w->close.disks = read_disks(machine_view(s->common->view)->proc);
        w->synced = true;
    }
    return rc;
}

/* ---- as facts ---- */

static bool disk_bytes(const char *disks, const char *name, uint64_t bytes[2])
{
    char word[64];
    uint64_t field[7];
    for (const char *line = disks; line && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line,
                   "%*u %*u %63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                   " %" SCNu64 " %" SCNu64,
                   word, &field[0], &field[1], &field[2], &field[3], &field[4], &field[5],
                   &field[6]) != 8 ||
            strcmp(word, name) != 0)
            continue;
        bytes[0] = field[2] * SECTOR_BYTES;
        bytes[1] = field[6] * SECTOR_BYTES;
        return true;
    }
    return false;
}

static const char *device_of(const struct engine_facts *facts)
{
    for (unsigned i = 0; i < facts->n; i++)
        if (strcmp(facts->fact[i].key, "device_name") == 0)
            return facts->fact[i].value;
    return "";
}

/* On a machine without a free processor the first look comes late, by a good share of a short window. The rate
 * behind it is not touched by that. */
double study_looks_scale(const struct study_run *run, uint64_t counted_ns)
{
    double window_ns = (double)(run->sum.window_close_ns - run->sum.window_open_ns);
    if (run->plan->window.measure_ns == 0 || window_ns <= 0)
        return 1;
    double scale = counted_ns > 0 ? window_ns / (double)counted_ns : 0;
    return scale < LOOKS_LATE ? scale : 0;
}

/* What of the window lies behind our own first look. */
static uint64_t looked_over_ns(const struct study_run *run)
{
    const struct run_watch *w = &run->watch;
    uint64_t look_ns = w->open.at_ns > w->gate_ns ? w->open.at_ns - w->gate_ns : 0;
    look_ns = MAX(look_ns, run->sum.window_open_ns);
    return run->sum.window_close_ns > look_ns ? run->sum.window_close_ns - look_ns : 0;
}

/* A counter that went back was begun anew, as a disk's is when it was taken out. */
static void put_moved(struct fact_pen *pen, const char *key, uint64_t before, uint64_t after,
                      double scale)
{
    if (after >= before && scale > 0)
        fact_count(pen, key, (uint64_t)((double)(after - before) * scale), "bytes");
}

void study_watch_facts(const struct study *s, const struct study_run *run, struct fact_pen *pen)
{
    const struct run_watch *w = &run->watch;
    const char *device = device_of(&run->sum.facts);
    uint64_t before[2], after[2];
    char notes[256] = "";
    double scale = study_looks_scale(run, looked_over_ns(run));
    if (w->open.known && w->close.known) {
        put_moved(pen, "own_read_bytes", w->open.read, w->close.read, scale);
        put_moved(pen, "own_write_bytes", w->open.written, w->close.written, scale);
    }
    if (disk_bytes(w->open.disks, device, before) && disk_bytes(w->close.disks, device, after)) {
        put_moved(pen, "device_read_bytes", before[0], after[0], scale);
        put_moved(pen, "device_write_bytes", before[1], after[1], w->synced ? 1 : scale);
    }
    if (run->plan->window.precise_frac > 0)
        fact_number(pen, "precise_frac", run->sum.notes.precise_frac, "");
    if (run->plan->touched_bytes > 0)
        fact_count(pen, "touched_bytes",
                   (uint64_t)(run->sum.touched_blocks * (double)run->plan->touched_bytes), "bytes");
    if (s->watch.probe)
        probe_notes(s->watch.probe, notes, sizeof notes);
    if (notes[0] != '\0')
        fact_word(pen, "probe_notes", notes);
}

void study_watch_fini(struct run_watch *w)
{
    tracks_fini(&w->tracks);
    free(w->open.disks);
    free(w->close.disks);
    *w = (struct run_watch){0};
}
