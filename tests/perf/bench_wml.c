/* bench_wml DIRECTORY FILE varmail|fileserver|webserver|stat THREADS FILES ROUNDS MS — a personality,
 * compiled from its workload file: the engine on the posix target against the bare loop of the same
 * calls (wml_bare.h), each on files of its own with the same names and sizes. */
#include "perf.h"
#include "wml_bare.h"

#include "engine/engine.h"
#include "fileset/fileset.h"
#include "fileset/state.h"
#include "lang/lang.h"
#include "script/script.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATH_ROOM 8192

struct wml {
    char ours[4096];
    char bare[4096];
    unsigned line; /* of the plan: its samples are the loops */
    struct script *script;
    const struct plan *plan;
    struct fileset_map map;
    struct fileset_state *state[WML_SETS_MAX];
    uint64_t existing[WML_SETS_MAX]; /* files at the start */
    struct wml_bare loop;
};

/* ---- the files: alike on both sides ---- */

static void make_path(char path[PATH_ROOM], const char *root, const struct fileset_map *map,
                      uint64_t node, const char *leaf)
{
    char rest[3000];
    fileset_path(map, node, leaf, rest, sizeof rest);
    snprintf(path, PATH_ROOM, "%s/%s", root, rest);
}

static void make_file(const char *path, uint64_t bytes)
{
    static char chunk[WML_CHUNK_BYTES];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        perf_fail_errno(path);
    while (bytes > 0) {
        size_t n = bytes < sizeof chunk ? bytes : sizeof chunk;
        if (write(fd, chunk, n) != (ssize_t)n)
            perf_fail_errno(path);
        bytes -= n;
    }
    close(fd);
}

static void make_dirs(const char *root, const struct fileset_map *map, const struct fileset *set)
{
    char path[PATH_ROOM];
    make_path(path, root, map, fileset_root_node(set, 0), NULL);
    if (mkdir(path, 0755) < 0)
        perf_fail_errno(path);
    for (uint64_t d = 0; d < set->dirs_per_tree; d++) {
        make_path(path, root, map, fileset_dir_node(set, 0, d), NULL);
        if (mkdir(path, 0755) < 0)
            perf_fail_errno(path);
    }
}

static void make_files(const char *root, const struct fileset_map *map, const struct fileset *set,
                       const struct fileset_state *state)
{
    char path[PATH_ROOM], leaf[FILESET_LEAF_MAX];
    for (uint64_t f = 0; f < set->files_per_tree; f++) {
        uint64_t node = fileset_file(set, 0, f, leaf);
        make_path(path, root, map, node, leaf);
        if (fileset_state_file_exists(state, f))
            make_file(path, fileset_file_bytes(set, 0, f));
    }
}

/* One descriptor a directory, for all threads: a loop that opened them anew would not be bare. */
static void know_files(struct wml_set *bare, const char *root, const struct fileset_map *map,
                       const struct fileset *set, const struct fileset_state *state)
{
    uint64_t last_node = UINT64_MAX;
    int dir = -1;
    bare->files = set->files_per_tree;
    bare->file = calloc(bare->files, sizeof *bare->file);
    if (!bare->file)
        perf_fail_errno("names");
    for (uint64_t f = 0; f < bare->files; f++) {
        char path[PATH_ROOM], leaf[FILESET_LEAF_MAX];
        uint64_t node = fileset_file(set, 0, f, leaf);
        if (node != last_node) {
            make_path(path, root, map, node, NULL);
            dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
            if (dir < 0)
                perf_fail_errno(path);
            last_node = node;
        }
        bare->file[f].dir = dir;
        bare->file[f].bytes = fileset_file_bytes(set, 0, f);
        bare->file[f].state = fileset_state_file_exists(state, f) ? WML_EXISTS : WML_ABSENT;
        memcpy(bare->file[f].leaf, leaf, sizeof leaf);
    }
}

static void make_sets(struct wml *w)
{
    struct fileset_map *map = &w->map;
    struct err err = {0};
    if (w->plan->sets > WML_SETS_MAX ||
        fileset_map_init(map, "", w->plan->set, w->plan->sets, &err) < 0)
        perf_fail("filesets", err.text);
    for (unsigned i = 0; i < w->plan->sets; i++) {
        const struct fileset *set = &map->set[i];
        if (fileset_state_new(set->files_per_tree, set->dirs_per_tree + 1, 0,
                              w->script->set[i].exists_percent, PERF_SEED, &w->state[i], &err) < 0)
            perf_fail("a state", err.text);
        w->existing[i] = fileset_state_existing(w->state[i]);
        make_dirs(w->ours, map, set);
        make_dirs(w->bare, map, set);
        make_files(w->ours, map, set, w->state[i]);
        make_files(w->bare, map, set, w->state[i]);
        know_files(&w->loop.set[i], w->bare, map, set, w->state[i]);
    }
}

/* ---- ours ---- */

/* In the order of enum wml_personality. */
static const char *const personalities[] = {"varmail", "fileserver", "webserver", "stat", NULL};

static char *read_file(const char *path, size_t *len)
{
    static char text[1 << 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (n < 0)
        perf_fail_errno(path);
    close(fd);
    *len = (size_t)n;
    return text;
}

static void compile(struct wml *w, const char *path, const char *files, unsigned ms)
{
    char nfiles[32], nthreads[32];
    const char *set[] = {nfiles, nthreads};
    const struct plan_instrument instrument = {.scheme = "posix", .cache = PLAN_CACHE_RAM};
    struct target_caps caps;
    struct lang_remarks remarks = {0};
    struct lang_tree *tree;
    struct err err = {0};
    size_t len;
    const char *text = read_file(path, &len);
    const struct script_options options = {.name = path,
                                           .seed = PERF_SEED,
                                           .target = w->ours,
                                           .caps = &caps,
                                           .instrument = &instrument,
                                           .time_ns = (uint64_t)ms * 1000000,
                                           .set = set,
                                           .sets = 2};

    snprintf(nfiles, sizeof nfiles, "nfiles=%s", files);
    snprintf(nthreads, sizeof nthreads, "nthreads=%u", w->loop.threads);
    if (target_caps_of(w->ours, &caps, &err) < 0 ||
        lang_parse(path, text, len, NULL, &tree, &remarks) < 0 ||
        script_compile(tree, &options, &w->script, &remarks, &err) < 0)
        perf_fail(path, err.text);
    for (unsigned i = 0; i < w->script->steps; i++)
        if (w->script->step[i].kind == SCRIPT_RUN)
            w->plan = w->script->step[i].plan;
    if (!w->plan)
        perf_fail(path, "it runs nothing");
    w->line = w->plan->lines - 1;
    lang_free(tree);
    lang_remarks_fini(&remarks);
}

/* A thread that is stopped between creating a file and deleting one leaves one more than there were: after
 * some rounds none would be left to be created. */
static void thin_out(struct wml *w, unsigned i)
{
    const struct fileset *set = &w->map.set[i];
    char path[PATH_ROOM], leaf[FILESET_LEAF_MAX];
    uint64_t f;
    while (fileset_state_existing(w->state[i]) > w->existing[i]) {
        if (fileset_state_take(w->state[i], FILESET_USE_DELETE, FILESET_FROM_CURSOR, &f) < 0)
            perf_fail("a file to be deleted", "there is none");
        uint64_t node = fileset_file(set, 0, f, leaf);
        make_path(path, w->ours, &w->map, node, leaf);
        if (unlink(path) < 0)
            perf_fail_errno(path);
        fileset_state_done(w->state[i], FILESET_USE_DELETE, f, true);
    }
}

static struct perf_cost ours(void *ctx)
{
    struct wml *w = ctx;
    for (unsigned i = 0; i < w->plan->sets; i++) {
        fileset_state_reset(w->state[i]);
        thin_out(w, i);
    }
    return perf_run_plan(w->plan, w->ours, w->line, w->state);
}

static struct perf_cost peer(void *ctx, uint64_t loops)
{
    struct wml *w = ctx;
    w->loop.loops = loops / w->loop.threads + 1;
    uint64_t cpu_ns = wml_bare_run(&w->loop);
    return (struct perf_cost){.cpu_ns = cpu_ns, .ops = w->loop.loops * w->loop.threads};
}

static enum wml_personality personality_of(const char *name)
{
    for (unsigned i = 0; personalities[i]; i++)
        if (strcmp(personalities[i], name) == 0)
            return (enum wml_personality)i;
    perf_fail(name, "no such personality");
}

int main(int argc, char **argv)
{
    static struct wml w;
    if (argc != 8)
        perf_fail(argv[0],
                  "DIRECTORY FILE varmail|fileserver|webserver|stat THREADS FILES ROUNDS MS");
    w.loop.personality = personality_of(argv[3]);
    w.loop.threads = (unsigned)strtoul(argv[4], NULL, 10);
    snprintf(w.ours, sizeof w.ours, "%s/ours", argv[1]);
    snprintf(w.bare, sizeof w.bare, "%s/bare", argv[1]);
    if (mkdir(w.ours, 0755) < 0 || mkdir(w.bare, 0755) < 0)
        perf_fail_errno(argv[1]);
    compile(&w, argv[2], argv[5], (unsigned)strtoul(argv[7], NULL, 10));
    make_sets(&w);
    perf_rounds(&(struct perf_pair){.ours = ours, .peer = peer, .ctx = &w},
                (unsigned)strtoul(argv[6], NULL, 10));
    return 0;
}
