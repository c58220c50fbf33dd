#include "study/overhead_priv.h"

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

#define FILE_BYTES  65536u
#define HIST_VALUES 1000000u
#define OWN_PREFIX  "loadline.selftest."
#define FILE_NAME   "f0" /* as the engine names the only file of a flat set */
#define OWN_MAX     256

static const struct fileset_spec one_file = {
    .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = FILE_BYTES};

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
    for (unsigned i = 0; i < OVERHEAD_ROUNDS; i++) {
        with = overhead_smaller(with, hist_round(h, &rng));
        without = overhead_smaller(without, draw_round(&rng, &sum));
    }
    /* The sum is used, so that the drawing cannot be left out. */
    *out_ns = with > without && sum > 0 ? with - without : 0;
    free(h);
    return 0;
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
    uint64_t begin = thread_cpu_ns(), end = clk_monotonic_ns() + OVERHEAD_ROUND_NS;
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
    *best_ns = overhead_smaller(*best_ns, bare->cpu_ns);
    return 0;
}

/* ---- all of it ---- */

/* One file of ours, which the engine finds by number and the bare loop by name. */
static int make_file(const char *directory, struct overhead_cost *cost, struct bare *bare,
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
static int read_costs(const char *scheme, const char *directory, struct overhead_pair *out,
                      struct err *err)
{
    char address[OWN_MAX + 16];
    struct bare bare = {.path = ""};
    struct overhead_cost cost = {.address = address, .spec = one_file, .streams = 1, .block = 1};
    int rc = make_file(directory, &cost, &bare, err);

    snprintf(address, sizeof address, "%s%s", scheme, directory);
    *out = (struct overhead_pair){.op_ns = INFINITY, .bare_ns = INFINITY};
    for (unsigned i = 0; rc == 0 && overhead_goes_on(i, out->op_ns); i++) {
        rc = overhead_round(&cost, &out->op_ns, err);
        if (rc == 0)
            rc = bare_round(&bare, &out->bare_ns, err);
    }
    if (bare.path[0])
        unlink(bare.path);
    return rc == 0 ? overhead_need_rounds(out->op_ns, err) : rc;
}

static int null_cost(struct overhead *out, struct err *err)
{
    const struct overhead_cost cost = {
        .address = "null:", .spec = one_file, .streams = 1, .block = 1};
    int rc = 0;
    out->null_op_ns = INFINITY;
    for (unsigned i = 0; rc == 0 && overhead_goes_on(i, out->null_op_ns); i++)
        rc = overhead_round(&cost, &out->null_op_ns, err);
    if (rc == 0)
        rc = overhead_need_rounds(out->null_op_ns, err);
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

/* A directory of its own: another loadline may be at work beside it. */
static int make_own(const char *directory, char own[OWN_MAX], struct err *err)
{
    remove_all_left(directory);
    if (snprintf(own, OWN_MAX, "%s/" OWN_PREFIX "%ld.XXXXXX", directory, (long)getpid()) >= OWN_MAX)
        return err_set(err, -ENAMETOOLONG, "%s: too long a name", directory);
    if (!mkdtemp(own))
        return err_sys(err, -errno, "no directory for measuring the overhead in %s", directory);
    return 0;
}

int study_overhead(const char *directory, struct overhead *out, struct err *err)
{
    struct overhead o = {0};
    struct overhead_pair posix = {0};
    char own[OWN_MAX];
    int rc = make_own(directory, own, err);
    if (rc < 0)
        return rc;
    machine_line(o.machine, sizeof o.machine);
    rc = clock_cost(&o.clock_read_ns, err);
    if (rc == 0)
        rc = hist_cost(&o.hist_record_ns, err);
    if (rc == 0)
        rc = null_cost(&o, err);
    if (rc == 0)
        rc = read_costs("", own, &posix, err);
    rmdir(own);
    o.posix_op_ns = posix.op_ns;
    o.posix_bare_ns = posix.bare_ns;
    if (rc == 0)
        *out = o;
    return rc;
}

int study_overhead_uring(const char *directory, struct overhead_pair *out, struct err *err)
{
    char own[OWN_MAX];
    int rc = make_own(directory, own, err);
    if (rc < 0)
        return rc;
    rc = read_costs("uring:", own, out, err);
    rmdir(own);
    return rc;
}
