/* engine.h, posix: the calls that the kernel sees are those that the result reports, no more and no
 * fewer. This program runs itself under strace, and counts what strace wrote down, thread by thread. */
#include "truth/trees.h"

#include <ctype.h>
#include <glob.h>
#include <sys/wait.h>

#define FILE_BYTES (2 * TREE_PIECE + 1000)
#define FDS_MAX    4096
#define TEXT_MAX   4096

/* ---- the traced program ---- */

static void report_line(FILE *to, const struct measured *m, const char *name)
{
    const struct samples_line *line = engine_outcome_line(&m->out, m->plan, name);
    fprintf(to, "%" PRIu64 " %" PRIu64 "\n", line ? line->ops : 0, line ? line->bytes : 0);
}

static const char *const reported[] = {"mkdir", "lookup", "create", "open",
                                       "write", "read",   "close",  "readdir"};
enum { MKDIR, LOOKUP, CREATE, OPEN, WRITE, READ, CLOSE, READDIR, REPORTED };

/* traced what DIR REPORT */
static int traced(char **argv)
{
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    struct measured m;
    FILE *to = fopen(argv[3], "w");
    if (!to)
        return 2;
    truth_run(&m,
              strcmp(argv[1], "write") == 0  ? tree_write(&spec)
              : strcmp(argv[1], "walk") == 0 ? tree_walk(&spec, 32768)
                                             : tree_read(&spec, true),
              argv[2]);
    for (unsigned i = 0; i < REPORTED; i++)
        report_line(to, &m, reported[i]);
    int bad = m.out.end != ENGINE_DONE || m.out.errors > 0;
    truth_fini(&m);
    return fclose(to) != 0 || bad;
}

/* ---- what strace saw ---- */

struct calls {
    uint64_t mkdir;
    uint64_t open_dir;
    uint64_t create;
    uint64_t open;
    uint64_t write;
    uint64_t write_bytes;
    uint64_t read;
    uint64_t read_bytes;
    uint64_t close;
    uint64_t open_list; /* of a directory, to list it */
    uint64_t list;
    long list_fd;   /* of this thread; -1: none */
    uint64_t other; /* on a file, or in a directory, of the tree */
    char other_line[200];
};

static bool is_call(const char *line, const char *name)
{
    size_t len = strlen(name);
    return strncmp(line, name, len) == 0 && line[len] == '(';
}

static long number_behind(const char *line, const char *mark)
{
    const char *at = strstr(line, mark);
    return at ? strtol(at + strlen(mark), NULL, 10) : -1;
}

static long result_of(const char *line)
{
    const char *last = NULL;
    for (const char *at = line; (at = strstr(at, " = ")) != NULL; at++)
        last = at;
    return last ? strtol(last + 3, NULL, 10) : -1;
}

/* A relative name: within a directory that is open. */
static bool names_in_dir(const char *line)
{
    const char *comma = strchr(line, ',');
    return isdigit((unsigned char)strchr(line, '(')[1]) && comma && comma[2] == '"' &&
           comma[3] != '/' && comma[3] != '.' && comma[3] != '"';
}

static void note_other(struct calls *c, const char *line)
{
    if (c->other++ == 0)
        snprintf(c->other_line, sizeof c->other_line, "%.199s", line);
}

static void note_named(struct calls *c, bool *ours, const char *line)
{
    long fd = result_of(line);
    if (is_call(line, "mkdirat")) {
        c->mkdir++;
    } else if (strstr(line, "O_PATH")) {
        c->open_dir++;
    } else if (is_call(line, "openat") && fd >= 0 && fd < FDS_MAX) {
        ours[fd] = true;
        c->create += strstr(line, "O_CREAT|O_EXCL") != NULL;
        c->open += strstr(line, "O_CREAT") == NULL;
    } else {
        note_other(c, line);
    }
}

/* A listing begins with an open and a seek to its start, which are part of its first READDIR; other
 * directories, as in /proc, are no business of ours. */
static bool note_listing(struct calls *c, const char *line, long fd)
{
    if (is_call(line, "openat") && strstr(line, ", \".\", O_RDONLY")) {
        c->open_list++;
        c->list_fd = result_of(line);
    } else if (c->list_fd < 0 || fd != c->list_fd) {
        return false;
    } else if (is_call(line, "getdents64")) {
        c->list++;
    } else if (is_call(line, "close")) {
        c->list_fd = -1;
    } else if (!is_call(line, "lseek")) {
        note_other(c, line);
    }
    return true;
}

static void note_line(struct calls *c, bool *ours, const char *line)
{
    if (!strchr(line, '('))
        return;
    long fd = number_behind(line, "(");
    if (note_listing(c, line, fd))
        return;
    if (names_in_dir(line)) {
        note_named(c, ours, line);
    } else if (fd < 0 || fd >= FDS_MAX || !isdigit((unsigned char)strchr(line, '(')[1]) ||
               !ours[fd]) {
        return;
    } else if (is_call(line, "pwrite64")) {
        c->write++;
        c->write_bytes += (uint64_t)result_of(line);
    } else if (is_call(line, "pread64")) {
        c->read++;
        c->read_bytes += (uint64_t)result_of(line);
    } else if (is_call(line, "close")) {
        c->close++;
        ours[fd] = false;
    } else {
        note_other(c, line);
    }
}

static void note_thread(struct calls *c, const char *path)
{
    static char line[TEXT_MAX];
    bool ours[FDS_MAX] = {false};
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    c->list_fd = -1;
    while (fgets(line, sizeof line, from))
        note_line(c, ours, line);
    fclose(from);
}

static int run_strace(const char *what, const char *tree, const char *report, const char *prefix)
{
    char self[256];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(len > 0);
    self[len] = '\0';
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* it would need to trace, too */
        execlp("strace", "strace", "-ff", "-qq", "-e", "trace=%file,%desc", "-e", "signal=none",
               "-s", "0", "-o", prefix, self, what, tree, report, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        fail_msg("strace cannot be run");
    return status;
}

static void read_report(const char *path, uint64_t ops[REPORTED], uint64_t bytes[REPORTED])
{
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    for (unsigned i = 0; i < REPORTED; i++)
        assert_int_equal(fscanf(from, "%" SCNu64 " %" SCNu64, &ops[i], &bytes[i]), 2);
    fclose(from);
}

struct traced {
    struct calls calls;
    uint64_t ops[REPORTED];
    uint64_t bytes[REPORTED];
};

static void trace(struct traced *t, const struct truth_dir *dir, const char *what)
{
    char tree[96], report[96], prefix[96], pattern[100];
    glob_t found;
    memset(t, 0, sizeof *t);
    snprintf(tree, sizeof tree, "%s/tree", dir->path);
    snprintf(report, sizeof report, "%s/%s.report", dir->path, what);
    snprintf(prefix, sizeof prefix, "%s/%s.trace", dir->path, what);
    snprintf(pattern, sizeof pattern, "%s.*", prefix);
    assert_int_equal(run_strace(what, tree, report, prefix), 0);
    read_report(report, t->ops, t->bytes);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        note_thread(&t->calls, found.gl_pathv[i]);
    globfree(&found);
    if (t->calls.other)
        fail_msg("%" PRIu64 " calls that no op stands for, first %s", t->calls.other,
                 t->calls.other_line);
}

static void the_kernel_sees_the_calls_that_are_reported(void **state)
{
    (void)state;
    struct truth_dir dir;
    struct traced t;
    char tree[96];
    truth_dir_make(&dir);
    snprintf(tree, sizeof tree, "%s/tree", dir.path);
    assert_int_equal(mkdir(tree, 0755), 0);

    trace(&t, &dir, "write");
    assert_int_equal(t.ops[MKDIR], 24);
    assert_int_equal(t.calls.mkdir, t.ops[MKDIR] + 2); /* the roots, made in setup */
    assert_int_equal(t.calls.open_dir, t.ops[LOOKUP] + 2);
    assert_int_equal(t.ops[CREATE], 48);
    assert_int_equal(t.calls.create, t.ops[CREATE]);
    assert_int_equal(t.calls.open, 0);
    assert_int_equal(t.ops[WRITE], 48 * 3);
    assert_int_equal(t.calls.write, t.ops[WRITE]);
    assert_int_equal(t.calls.write_bytes, t.bytes[WRITE]);
    assert_int_equal(t.calls.close, t.ops[CLOSE]);
    assert_int_equal(t.calls.close, 48);
    assert_int_equal(t.calls.read, 0);

    trace(&t, &dir, "read");
    assert_int_equal(t.calls.mkdir, 0);
    assert_int_equal(t.calls.open_dir, t.ops[LOOKUP] + 2);
    assert_int_equal(t.calls.create, 0);
    assert_int_equal(t.ops[OPEN], 48);
    assert_int_equal(t.calls.open, t.ops[OPEN]);
    assert_int_equal(t.ops[READ], 48 * 3);
    assert_int_equal(t.calls.read, t.ops[READ]);
    assert_int_equal(t.calls.read_bytes, t.bytes[READ]);
    assert_int_equal(t.calls.close, t.ops[CLOSE]);
    assert_int_equal(t.calls.write, 0);
    assert_int_equal(t.calls.list, 0);

    trace(&t, &dir, "walk");
    assert_int_equal(t.ops[LOOKUP], 24 + 2);
    assert_int_equal(t.calls.open_dir, t.ops[LOOKUP]);
    assert_int_equal(t.calls.open_list, 24 + 2);
    assert_int_equal(t.ops[READDIR], 2 * (24 + 2));
    assert_int_equal(t.calls.list, t.ops[READDIR]);
    assert_int_equal(t.calls.open, 48);
    assert_int_equal(t.calls.read, t.ops[READ]);
    assert_int_equal(t.calls.close, 48);
    truth_dir_remove(&dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_sees_the_calls_that_are_reported),
    };
    if (argc == 4)
        return traced(argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
