#include "probe/local_priv.h"

#include "clk/clk.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NS_PER_S 1e9

/* "time on a core, time it waited for one, how often", ns. */
static bool read_wait(struct local *l, struct local_task *t)
{
    const char *text = local_read(l, l->proc, "self/task/%d/schedstat", t->tid);
    unsigned long long wait_ns;

    if (!text || sscanf(text, "%*u %llu", &wait_ns) != 1)
        return false;
    t->wait_ns = wait_ns;
    t->at_ns = clk_monotonic_ns();
    return true;
}

/* Those read at the last look: what each waited since. Those that are gone are dropped. */
static void read_again(struct local *l)
{
    struct local_tasks *all = &l->tasks;
    double sum = 0, worst = 0, elapsed_s = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < all->n; i++) {
        struct local_task was = all->task[i], now = was;
        if (!read_wait(l, &now)) {
            all->stale = true;
            continue;
        }
        if (now.at_ns <= was.at_ns || now.wait_ns < was.wait_ns)
            continue;
        double waited = (double)(now.wait_ns - was.wait_ns) / (double)(now.at_ns - was.at_ns);
        elapsed_s = (double)(now.at_ns - was.at_ns) / NS_PER_S;
        sum += waited;
        worst = fmax(worst, waited);
        all->task[n++] = now;
    }
    all->n = n;
    if (n > 0) {
        all->mean += sum / n * elapsed_s;
        all->worst += worst * elapsed_s;
    }
}

static void list(struct local_tasks *all, const char *path)
{
    unsigned room = 0;
    DIR *d = opendir(path);

    free(all->tid);
    all->tid = NULL;
    all->listed = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] < '0' || e->d_name[0] > '9')
            continue;
        if (all->listed == room) {
            room = room ? 2 * room : LOCAL_TASKS;
            int *more = realloc(all->tid, room * sizeof *more);
            if (!more)
                break;
            all->tid = more;
        }
        all->tid[all->listed++] = (int)strtol(e->d_name, NULL, 10);
    }
    if (d)
        closedir(d);
}

/* To list a thousand threads takes longer than to read 64 of them. */
static void list_if_changed(struct local *l)
{
    struct local_tasks *all = &l->tasks;
    char path[2 * LOCAL_PATH];
    struct stat st;

    snprintf(path, sizeof path, "%s/self/task", l->proc);
    if (stat(path, &st) < 0 || (st.st_nlink == all->link && !all->stale))
        return;
    all->link = st.st_nlink;
    all->stale = false;
    list(all, path);
}

static bool is_there(const struct local_tasks *all, int tid)
{
    for (unsigned i = 0; i < all->n; i++)
        if (all->task[i].tid == tid)
            return true;
    return false;
}

/* A wait is known of a thread that was read twice. Where there are few, all are read at every look; else half of those
 * that may be read are the ones of the last look, and half are the next ones of the rotation. */
void look_tasks(struct local *l)
{
    struct local_tasks *all = &l->tasks;
    bool few;
    unsigned take;

    list_if_changed(l);
    few = all->listed <= LOCAL_TASKS;
    take = few ? all->listed : LOCAL_TASKS / 2;
    read_again(l);
    if (!few)
        all->n = 0;
    for (unsigned i = 0; i < take && all->n < LOCAL_TASKS; i++) {
        struct local_task *t = &all->task[all->n];
        t->tid = all->tid[few ? i : all->next++ % all->listed];
        if (is_there(all, t->tid))
            continue;
        if (read_wait(l, t))
            all->n++;
        else
            all->stale = true;
    }
    if (all->n == 0)
        return;
    local_put(l, TRACK_RUN_WAIT, SIGHT_COUNTED, "")->value = all->mean;
    local_put(l, TRACK_RUN_WAIT, SIGHT_COUNTED, "worst")->value = all->worst;
}
