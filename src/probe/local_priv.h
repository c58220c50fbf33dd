/* probe/local_priv.h — this machine as a source of sights, by trees like /proc and /sys.
 * Shape    each look_* reads a few files and puts what it finds; a file that is not there is no sight.
 * Units    as in probe_priv.h: counters in the kind's unit times seconds.
 * Limits   what changes seldom (speed of a port, depth of a queue) is read again every LOCAL_FACT_LOOKS looks.
 *          LOCAL_TASKS threads are read at a look, LOCAL_THERMAL_CPUS processors asked whether they are too hot.
 * Errors   none but sights.failed.               Threads  single owner.
 * Source   proc(5); the kernel's Documentation: filesystems/proc, admin-guide/iostats, accounting/psi,
 *          admin-guide/cgroup-v2, ABI/stable/sysfs-class-infiniband; tests/unit/test_probe_trees.c. */
#ifndef LOADLINE_PROBE_LOCAL_PRIV_H
#define LOADLINE_PROBE_LOCAL_PRIV_H

#include "probe/probe_priv.h"

#define LOCAL_PATH         512
#define LOCAL_FACT_LOOKS   8
#define LOCAL_TASKS        64
#define LOCAL_CAPS         64
#define LOCAL_THERMAL_CPUS 16

struct local_fact {
    char name[120];
    double number;
    unsigned look; /* when it was read */
};

/* What a disk or port had done when it was first seen. */
struct local_base {
    enum track_kind kind;
    char name[TRACK_NAME_MAX];
    double done;
};

/* What control groups allow us of a device; 0: all there is. */
struct local_cap {
    unsigned major;
    unsigned minor;
    double read_bytes, write_bytes, reads, writes; /* /s */
};

struct local_task {
    int tid;
    uint64_t wait_ns;
    uint64_t at_ns;
};

struct local_tasks {
    unsigned n; /* read at the last look, and again at the next one */
    struct local_task task[LOCAL_TASKS];
    unsigned listed;
    int *tid;      /* [listed] */
    bool stale;    /* one of them is gone */
    uint64_t link; /* of the directory they are listed in: one for each */
    unsigned next; /* where the rotation goes on */
    double mean,
        worst; /* seconds waited so far, of the mean of those that were asked, and of the worst */
};

struct local {
    char proc[LOCAL_PATH];
    char sys[LOCAL_PATH];
    unsigned look;
    char *text; /* the file that was read last */
    size_t room;
    struct sights *out;
    unsigned facts;
    unsigned fact_at; /* facts are asked in the same order at each look, mostly */
    struct local_fact *fact;
    unsigned bases;
    struct local_base *base;
    unsigned caps;
    struct local_cap cap[LOCAL_CAPS];
    struct local_tasks tasks;
};

void look_processors(struct local *l);
void look_pressure(struct local *l);
void look_memory(struct local *l);
void look_ports(struct local *l);
void look_tcp(struct local *l);
void look_rdma(struct local *l);
void look_disks(struct local *l);
void look_mounts(struct local *l);
void look_tasks(struct local *l);
void look_throttled(struct local *l);
/* Fills cap: now and then. */
void look_caps(struct local *l);

/* The whole file, until the next one is read; NULL: there is none. */
char *local_read(struct local *l, const char *root, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The number a file begins with; `otherwise` when there is none. */
double local_number(struct local *l, const char *root, double otherwise, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Likewise, of what changes seldom. */
double local_fact(struct local *l, const char *root, double otherwise, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Whether this one has done nothing since it was first seen; `done` only grows. */
bool local_idle(struct local *l, enum track_kind kind, const char *name, double done);
struct sight *local_put(struct local *l, enum track_kind kind, enum sight_form form,
                        const char *name);

/* The next line, or word, cut off in place; NULL: there is none. */
char *local_line(char **at);
char *local_word(char **at);
/* Up to `most` numbers in a row; how many there were. */
unsigned local_numbers(char **at, double *out, unsigned most);

#endif
