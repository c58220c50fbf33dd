#include "study/study_priv.h"

#include "clk/clk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"

#define ROUNDS      7
#define ROUND_NS    40000000u
#define FILE_BYTES  65536u
#define HIST_VALUES 1000000u
#define OWN_PREFIX  "loadline.selftest."
#define FILE_NAME   "f0" /* as the engine names the only file of a flat set */

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* ---- clock and histogram ---- */

static int clock_cost(double *out_ns, struct err *err)
{
    struct clk clk;
    int rc = clk_open(&clk, err);
    if (rc == 0)
        *out_ns = clk_cost_ns(&clk);
    return rc;
}

/* Values from 1 us to 1 ms, as storage answers; drawing them costs a multiplication. */
static double hist_round(struct hist *h, struct rng *rng)
{
    uint64_t begin = clk_monotonic_ns();
    for (unsigned i = 0; i < HIST_VALUES; i++)
        hist_record(h, 1000 + rng_below(rng, 1000000));
    return (double)(clk_monotonic_ns() - begin) / HIST_VALUES;
}

static double draw_round(struct rng *rng, uint64_t *sum)
{
    uint64_t begin = clk_monotonic_ns();
    for (unsigned i = 0; i < HIST_VALUES; i++)
        *sum += 1000 + rng_below(rng, 1000000);
    return (double)(clk_monotonic_ns() - begin) / HIST_VALUES;
}

static int hist_cost(double *out_ns, struct err *err)
{
    struct hist *h = calloc(1, sizeof *h);
    struct rng rng;
    double with = INFINITY, without = INFINITY;
    uint64_t sum = 0;

    if (!h)
        return err_set(err, -ENOMEM, "no memory for a histogram");
    rng_seed(&rng, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        with = smaller(with, hist_round(h, &rng));
        without = smaller(without, draw_round(&rng, &sum));
    }
    /* The sum is used, so that the drawing cannot be left out. */
    *out_ns = with > without && sum > 0 ? with - without : 0;
    free(h);
    return 0;
}

/* ---- through the engine ---- */

struct engine_cost {
    const char *address;
    const char *place;
    struct fileset_spec spec;
};

static int plan_reads(const struct engine_cost *cost, const struct target_caps *caps,
                      struct plan **out, struct err *err)
{
    const struct plan_window window = {.measure_ns = ROUND_NS, .interval_ns = ROUND_NS};
    struct plan_step pick = study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0);
    struct plan_step open = study_step_op(OP_OPEN, PLAN_NO_LINE, 0);
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, 0);
    struct plan_step loop = study_step_loop(0, 0, 0);
    struct plan_builder *b = plan_new(1);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");

    struct plan_step read = study_step_op(OP_READ, plan_add_line(b, "read", OP_READ, false), 0);
    read.io_bytes = 1;
    read.at.where = PLAN_AT_UNIFORM;
    open.op_flags = OP_FLAG_READ;
    plan_window(b, &window);
    plan_add_set(b, &cost->spec);
    plan_begin_group(b, "overhead", 1, 1);
    plan_add_step(b, &pick);
    plan_step_to(b, 0, plan_add_step(b, &open) + 1);
    plan_end_section(b);
    plan_add_step(b, &read);
    plan_add_step(b, &loop);
    plan_end_section(b);
    plan_add_step(b, &close);
    plan_end_section(b);
    return plan_freeze(b, caps, out, err);
}

static int need_rounds(double best_ns, struct err *err)
{
    if (!isinf(best_ns))
        return 0;
    return err_set(err, -ETIME, "not one operation in %u rounds of %u ms", ROUNDS,
                   ROUND_NS / 1000000);
}

/* CPU per op of one short run. */
static int engine_round(const struct engine_cost *cost, double *best_ns, struct err *err)
{
    struct engine_outcome out = {0};
    struct target_caps caps;
    struct plan *plan = NULL;
    int rc = target_caps_of(cost->address, &caps, err);
    if (rc == 0)
        rc = plan_reads(cost, &caps, &plan, err);
    if (rc < 0)
        return rc;
    const struct engine_job job = {
        .plan = plan, .address = cost->address, .place = cost->place, .workers = 1};
    rc = engine_run(&job, &out, err);
    if (rc == 0 && out.errors > 0)
        rc = err_set(err, out.error[0].code, "%s: %s", out.error[0].first_path,
                     err_name(out.error[0].code));
    /* On a busy machine a round may never get the processor; the others count. */
    if (rc == 0 && out.total->line[0].ops > 0)
        *best_ns = smaller(*best_ns, (double)(out.cpu_user_ns + out.cpu_sys_ns) /
                                         (double)out.total->line[0].ops);
    engine_outcome_fini(&out);
    plan_free(plan);
    return rc;
}

/* ---- the same reads in a bare loop ---- */

struct bare {
    char path[512];
    double cpu_ns; /* per read */
    int rc;
};

static uint64_t thread_cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int bare_reads(int fd, double *cpu_ns)
{
    struct rng rng;
    char byte;
    uint64_t n = 0;
    rng_seed(&rng, 1);
    uint64_t begin = thread_cpu_ns(), end = clk_monotonic_ns() + ROUND_NS;
    do {
        for (unsigned i = 0; i < 1000; i++, n++)
            if (pread(fd, &byte, 1, (off_t)rng_below(&rng, FILE_BYTES)) != 1)
                return -EIO;
    } while (clk_monotonic_ns() < end);
    *cpu_ns = (double)(thread_cpu_ns() - begin) / (double)n;
    return 0;
}

/* With a descriptor table of its own, as the engine's workers have: a shared one costs more. */
static void *bare_main(void *arg)
{
    struct bare *bare = arg;
    (void)unshare(CLONE_FILES);
    int fd = open(bare->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        bare->rc = -errno;
        return NULL;
    }
    bare->rc = bare_reads(fd, &bare->cpu_ns);
    close(fd);
    return NULL;
}

static int bare_round(struct bare *bare, double *best_ns, struct err *err)
{
    pthread_t thread;
    int rc = -pthread_create(&thread, NULL, bare_main, bare);
    if (rc == 0) {
        pthread_join(thread, NULL);
        rc = bare->rc;
    }
    if (rc < 0)
        return err_sys(err, rc, "reading %s", bare->path);
    *best_ns = smaller(*best_ns, bare->cpu_ns);
    return 0;
}

/* ---- all of it ---- */

/* One file of ours, which the engine finds by number and the bare loop by name. */
static int make_file(const char *directory, struct engine_cost *cost, struct bare *bare,
                     struct err *err)
{
    struct fileset_map map;
    char leaf[FILESET_LEAF_MAX], path[128];
    char bytes[4096];
    int rc = fileset_map_init(&map, "", &cost->spec, 1, err);
    if (rc < 0)
        return rc;
    uint64_t node = fileset_file(&map.set[0], 0, 0, leaf);
    fileset_path(&map, node, leaf, path, sizeof path);
    fileset_map_fini(&map);
    snprintf(bare->path, sizeof bare->path, "%s/%s", directory, path);
    memset(bytes, 'x', sizeof bytes);
    int fd = open(bare->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, -errno, "making %s", bare->path);
    for (unsigned done = 0; rc == 0 && done < FILE_BYTES; done += sizeof bytes)
        if (write(fd, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
            rc = err_set(err, -ENOSPC, "writing %s", bare->path);
    close(fd);
    return rc;
}

/* Rounds of both take turns, so that what disturbs the machine disturbs both. */
static int posix_costs(const char *directory, struct overhead *out, struct err *err)
{
    struct bare bare = {.path = ""};
    struct engine_cost cost = {
        .address = directory,
        .place = "",
        .spec = {.shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = FILE_BYTES}};
    int rc = make_file(directory, &cost, &bare, err);

    out->posix_op_ns = out->posix_bare_ns = INFINITY;
    for (unsigned i = 0; rc == 0 && i < ROUNDS; i++) {
        rc = engine_round(&cost, &out->posix_op_ns, err);
        if (rc == 0)
            rc = bare_round(&bare, &out->posix_bare_ns, err);
    }
    if (bare.path[0])
        unlink(bare.path);
    return rc == 0 ? need_rounds(out->posix_op_ns, err) : rc;
}

static int null_cost(struct overhead *out, struct err *err)
{
    const struct engine_cost cost = {
        .address = "null:",
        .place = "",
        .spec = {.shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = FILE_BYTES}};
    int rc = 0;
    out->null_op_ns = INFINITY;
    for (unsigned i = 0; rc == 0 && i < ROUNDS; i++)
        rc = engine_round(&cost, &out->null_op_ns, err);
    if (rc == 0)
        rc = need_rounds(out->null_op_ns, err);
    return rc;
}

/* Whether the name is that of a selftest whose process is gone. */
static bool is_left(const char *name)
{
    unsigned long pid;
    char *end;
    if (strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX)) != 0)
        return false;
    pid = strtoul(name + strlen(OWN_PREFIX), &end, 10);
    return *end == '.' && pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Anyone may have put such a name there: nothing is followed, and it must be our user's. */
static void remove_left(int parent, const char *name)
{
    struct stat st;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid()) {
        unlinkat(fd, FILE_NAME, 0);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    close(fd);
}

/* What earlier ones that were killed have left. */
static void remove_all_left(const char *directory)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        if (is_left(e->d_name))
            remove_left(dirfd(dir), e->d_name);
    closedir(dir);
}

int study_overhead(const char *directory, struct overhead *out, struct err *err)
{
    struct overhead o = {0};
    char own[256];

    /* A directory of its own: another loadline may be at work beside it. */
    remove_all_left(directory);
    if (snprintf(own, sizeof own, "%s/" OWN_PREFIX "%ld.XXXXXX", directory, (long)getpid()) >=
        (int)sizeof own)
        return err_set(err, -ENAMETOOLONG, "%s: too long a name", directory);
    if (!mkdtemp(own))
        return err_sys(err, -errno, "no directory for measuring the overhead in %s", directory);
    machine_line(o.machine, sizeof o.machine);
    int rc = clock_cost(&o.clock_read_ns, err);
    if (rc == 0)
        rc = hist_cost(&o.hist_record_ns, err);
    if (rc == 0)
        rc = null_cost(&o, err);
    if (rc == 0)
        rc = posix_costs(own, &o, err);
    rmdir(own);
    if (rc == 0)
        *out = o;
    return rc;
}
