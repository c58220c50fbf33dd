/* bench_trees DIRECTORY write|read THREADS TREES ROUNDS — 4 KiB files in the trees of dirtest: the
 * engine on the posix target against a loop of the same calls in the same order and nothing else:
 * neither content that differs, nor clock, nor choice. */
#include "perf.h"

#include "fileset/fileset.h"
#include "plan/build.h"

#include <fcntl.h>
#include <ftw.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEVELS     3
#define BRANCHES   4
#define FILES      4
#define FILE_BYTES 4096

/* One directory of a tree, and how deep it lies; its files are f0 … */
struct bare_dir {
    unsigned level; /* 1: in the root */
    char leaf[TARGET_LEAF_MAX];
};

struct trees {
    const char *directory;
    bool write;
    unsigned threads;
    unsigned line; /* of the plan: one op of it is one file */
    struct fileset_spec spec;
    struct plan *plan;
    unsigned dirs;
    struct bare_dir *dir; /* one tree in the engine's order: all have the same names */
};

/* ---- ours ---- */

static uint32_t add_op(struct plan_builder *b, enum op_kind op, uint16_t slot)
{
    struct plan_step step = {.kind = PLAN_OP,
                             .op = (uint16_t)op,
                             .slot = slot,
                             .line = plan_add_line(b, op_kind_name(op), (uint16_t)op, false),
                             .op_flags = op == OP_OPEN ? OP_FLAG_READ : 0,
                             .whole = op == OP_READ || op == OP_WRITE,
                             .io_bytes = op == OP_READ || op == OP_WRITE ? FILE_BYTES : 0};
    return plan_add_step(b, &step);
}

static uint32_t add_pick(struct plan_builder *b, enum plan_unit unit, uint16_t slot)
{
    const struct plan_step step = {.kind = PLAN_PICK, .unit = unit, .slot = slot};
    return plan_add_step(b, &step);
}

/* The roots are made before the gate. */
static void add_setup(struct plan_builder *b, bool write)
{
    if (write) {
        uint32_t pick = add_pick(b, PLAN_UNIT_ROOT, 2);
        struct plan_step make = {.kind = PLAN_OP, .op = OP_MKDIR, .slot = 2, .line = PLAN_NO_LINE};
        plan_add_step(b, &make);
        uint32_t last =
            plan_add_step(b, &(struct plan_step){.kind = PLAN_LOOP, .to = pick, .loop = 2});
        plan_step_to(b, pick, last + 1);
    }
    plan_end_section(b);
}

static void add_body(struct plan_builder *b, bool write)
{
    uint32_t pick_dir = add_pick(b, PLAN_UNIT_DIR, 0);
    if (write)
        add_op(b, OP_MKDIR, 0);
    add_op(b, OP_LOOKUP, 0);
    uint32_t pick_file = add_pick(b, PLAN_UNIT_FILE, 1);
    add_op(b, write ? OP_CREATE : OP_OPEN, 1);
    add_op(b, write ? OP_WRITE : OP_READ, 1);
    add_op(b, OP_CLOSE, 1);
    plan_add_step(b, &(struct plan_step){.kind = PLAN_LOOP, .to = pick_file, .count = FILES});
    uint32_t last =
        plan_add_step(b, &(struct plan_step){.kind = PLAN_LOOP, .to = pick_dir, .loop = 1});
    plan_step_to(b, pick_dir, last + 1);
    plan_step_to(b, pick_file, last + 1);
    plan_end_section(b);
}

static struct plan *plan_trees(struct trees *t, bool write)
{
    const struct plan_window window = {.interval_ns = 250000000};
    struct plan_builder *b = plan_new(PERF_SEED);
    struct target_caps caps;
    struct plan *plan;
    struct err err = {0};

    if (!b || target_caps_of(t->directory, &caps, &err) < 0)
        perf_fail("a plan", err.text);
    plan_window(b, &window);
    plan_add_set(b, &t->spec);
    plan_begin_group(b, "trees", t->threads, 1);
    add_setup(b, write);
    add_body(b, write);
    plan_end_section(b);
    t->line = plan_add_line(b, "close", OP_CLOSE, false);
    if (plan_freeze(b, &caps, &plan, &err) < 0)
        perf_fail("a plan", err.text);
    return plan;
}

/* ---- bare ---- */

/* The names and the depths of the directories of one tree, as the fileset has them. */
static void list_dirs(struct trees *t)
{
    struct fileset_map map;
    struct err err = {0};
    if (fileset_map_init(&map, "", &t->spec, 1, &err) < 0)
        perf_fail("a tree", err.text);
    struct target_names names = fileset_map_names(&map);
    uint64_t root = fileset_root_node(&map.set[0], 0);
    t->dirs = (unsigned)map.set[0].dirs_per_tree;
    t->dir = calloc(t->dirs, sizeof *t->dir);
    if (!t->dir)
        perf_fail_errno("names");
    for (unsigned d = 0; d < t->dirs; d++) {
        char leaf[TARGET_LEAF_MAX];
        uint64_t node = fileset_dir_node(&map.set[0], 0, d);
        for (unsigned level = 0; node != root; level++) {
            if (names.parent(names.ctx, node, &node, leaf) < 0)
                perf_fail("a tree", "a node without a parent");
            if (level == 0)
                memcpy(t->dir[d].leaf, leaf, sizeof leaf);
            t->dir[d].level = level + 1;
        }
    }
    fileset_map_fini(&map);
}

static int open_dir(int parent, const char *leaf)
{
    const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    long fd = syscall(SYS_openat2, parent, leaf, &how, sizeof how);
    if (fd < 0)
        perf_fail_errno(leaf);
    return (int)fd;
}

static void bare_file(bool write, int dir, const char *leaf, char *buf)
{
    const int flags = O_CLOEXEC | O_NOFOLLOW;
    int fd = write ? openat(dir, leaf, flags | O_RDWR | O_CREAT | O_EXCL, 0644)
                   : openat(dir, leaf, flags | O_RDONLY);
    if (fd < 0)
        perf_fail_errno(leaf);
    ssize_t n = write ? pwrite(fd, buf, FILE_BYTES, 0) : pread(fd, buf, FILE_BYTES, 0);
    if (n != FILE_BYTES || close(fd) < 0)
        perf_fail_errno(leaf);
}

/* Each directory is opened once and closed once; the way down to it stays open. */
static void bare_tree(const struct trees *t, int root, char *buf)
{
    static const char leaf[FILES][4] = {"f0", "f1", "f2", "f3"};
    int fd[LEVELS + 1] = {root, -1, -1, -1};

    for (unsigned d = 0; d < t->dirs; d++) {
        const struct bare_dir *dir = &t->dir[d];
        if (t->write && mkdirat(fd[dir->level - 1], dir->leaf, 0755) < 0)
            perf_fail_errno(dir->leaf);
        if (fd[dir->level] >= 0)
            close(fd[dir->level]);
        fd[dir->level] = open_dir(fd[dir->level - 1], dir->leaf);
        for (unsigned f = 0; f < FILES; f++)
            bare_file(t->write, fd[dir->level], leaf[f], buf);
    }
    for (unsigned level = 0; level <= LEVELS; level++)
        close(fd[level]);
}

static void root_name(unsigned tree, char name[FILESET_LEAF_MAX])
{
    snprintf(name, FILESET_LEAF_MAX, "t%02u", tree);
}

static void bare_body(struct perf_gate *gate, unsigned thread, void *ctx)
{
    const struct trees *t = ctx;
    char *buf = aligned_alloc(FILE_BYTES, FILE_BYTES);
    int directory = open(t->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (!buf || directory < 0)
        perf_fail_errno(t->directory);
    memset(buf, 'x', FILE_BYTES);
    perf_gate_enter(gate);
    for (unsigned tree = thread; tree < t->spec.trees; tree += t->threads) {
        char name[FILESET_LEAF_MAX];
        root_name(tree, name);
        bare_tree(t, open_dir(directory, name), buf);
    }
    perf_gate_leave(gate);
    close(directory);
    free(buf);
}

/* ---- both ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    return at->level > 0 ? remove(path) : 0;
}

static void remove_trees(const struct trees *t)
{
    if (nftw(t->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        perf_fail_errno(t->directory);
}

static void make_roots(const struct trees *t)
{
    for (unsigned tree = 0; tree < t->spec.trees; tree++) {
        char name[FILESET_LEAF_MAX];
        char path[4096];
        root_name(tree, name);
        snprintf(path, sizeof path, "%s/%s", t->directory, name);
        if (mkdir(path, 0755) < 0)
            perf_fail_errno(path);
    }
}

static struct perf_cost ours(void *ctx)
{
    const struct trees *t = ctx;
    struct perf_cost cost = perf_run_plan(t->plan, t->directory, t->line, NULL);
    if (t->write)
        remove_trees(t);
    return cost;
}

static struct perf_cost peer(void *ctx, uint64_t ops)
{
    struct trees *t = ctx;
    if (t->write)
        make_roots(t);
    struct perf_cost cost = {.cpu_ns = perf_run_bare(t->threads, bare_body, t), .ops = ops};
    if (t->write)
        remove_trees(t);
    return cost;
}

/* What reading needs: the trees, written by the engine. */
static void write_trees(struct trees *t)
{
    struct plan *plan = plan_trees(t, true);
    (void)perf_run_plan(plan, t->directory, t->line, NULL);
    plan_free(plan);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        perf_fail(argv[0], "DIRECTORY write|read THREADS TREES ROUNDS");
    struct trees t = {.directory = argv[1],
                      .write = strcmp(argv[2], "write") == 0,
                      .threads = (unsigned)strtoul(argv[3], NULL, 10),
                      .spec = {.shape = FILESET_TREE,
                               .trees = (uint32_t)strtoul(argv[4], NULL, 10),
                               .levels = LEVELS,
                               .branches = BRANCHES,
                               .files = FILES,
                               .size_bytes = FILE_BYTES}};
    list_dirs(&t);
    if (!t.write)
        write_trees(&t);
    t.plan = plan_trees(&t, t.write);
    perf_rounds(&(struct perf_pair){.ours = ours, .peer = peer, .ctx = &t},
                (unsigned)strtoul(argv[5], NULL, 10));
    remove_trees(&t);
    plan_free(t.plan);
    free(t.dir);
    return 0;
}
