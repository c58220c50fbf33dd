/* target/posix*.c: what belongs to this target alone — errors of opening, descriptor tables, facts. */
#include "conform/rig.h"
#include "unit/own_mounts.h"

#include "target/posix_priv.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int open_words(const char *address, struct err *err)
{
    const struct target_table *table;
    const char *rest;
    struct target *t = NULL;
    int rc;

    assert_int_equal(target_find(address, &table, &rest, NULL), 0);
    rc = table->open(rest, &t, err);
    if (rc == 0)
        table->close(t);
    else
        assert_null(t);
    return rc;
}

/* Runs `child` in a process of its own, whose limits and user may be changed; it returns 0 when all
 * is well, else the number of the step that was not. */
static void in_child(int (*child)(const struct rig *r), const struct rig *r)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(child(r));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void opening_says_what_is_wrong(void **state)
{
    struct rig *r = *state;
    struct err err = {0};
    char path[400];

    snprintf(path, sizeof path, "%s/missing", r->dir);
    assert_int_equal(open_words(path, &err), -ENOENT);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "does not exist"));
    snprintf(path, sizeof path, "%s/file", r->dir);
    assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
    assert_int_equal(open_words(path, &err), -ENOTDIR);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "not a directory"));
}

static int open_as_nobody(const struct rig *r)
{
    struct err err = {0};

    if (geteuid() == 0 && seteuid(65534) < 0)
        return 1;
    if (open_words(r->dir, &err) != -EACCES)
        return 2;
    return strstr(err.text, "permission") != NULL && strstr(err.text, r->dir) != NULL ? 0 : 3;
}

static void opening_without_permission_says_so(void **state)
{
    struct rig *r = *state;

    assert_int_equal(chmod(r->dir, 0), 0);
    in_child(open_as_nobody, r);
    assert_int_equal(chmod(r->dir, 0700), 0);
}

static void symlinked_target_is_followed_once(void **state)
{
    struct rig *r = *state;
    char link[400];

    snprintf(link, sizeof link, "%s/link", r->dir);
    assert_int_equal(symlink(r->dir, link), 0);
    assert_int_equal(open_words(link, NULL), 0);
}

static void session_refuses_another_directory_of_that_name(void **state)
{
    struct rig *r = *state;
    struct session_spec spec = rig_spec(1);
    struct session *s = NULL;
    struct err err = {0};

    assert_int_equal(rmdir(r->dir), 0);
    assert_int_equal(r->table->session_open(r->target, &spec, &s, &err), -ENOENT);
    assert_int_equal(mkdir(r->dir, 0700), 0);
    assert_int_equal(r->table->session_open(r->target, &spec, &s, &err), -ESTALE);
    assert_non_null(strstr(err.text, r->dir));
    assert_null(s);
}

/* ---- descriptors ---- */

static int want_files(const struct rig *r, unsigned handles, struct err *err)
{
    struct session_spec spec = rig_spec(1);
    struct session *s = NULL;
    int rc;

    spec.handles_max = handles;
    rc = r->table->session_open(r->target, &spec, &s, err);
    if (rc == 0)
        r->table->session_close(s);
    return rc;
}

static int with_a_hard_limit(const struct rig *r)
{
    const struct rlimit limit = {.rlim_cur = 64, .rlim_max = 256};
    struct rlimit after;
    struct err err = {0};

    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 1;
    if (want_files(r, 1000, &err) != -EMFILE || strstr(err.text, "ulimit -n") == NULL ||
        strstr(err.text, "256") == NULL)
        return 2;
    if (want_files(r, 100, &err) != 0) /* above the soft limit, which is ours to raise */
        return 3;
    if (getrlimit(RLIMIT_NOFILE, &after) < 0 || after.rlim_cur <= 100 || after.rlim_max != 256)
        return 4;
    return 0;
}

static void limit_of_open_files_is_raised_or_named(void **state)
{
    in_child(with_a_hard_limit, *state);
}

#define FILES 700

/* Slots in the calling thread's descriptor table. */
static unsigned table_size(void)
{
    FILE *status = fopen("/proc/thread-self/status", "re");
    char line[256];
    unsigned size = 0;

    assert_non_null(status);
    while (fgets(line, sizeof line, status) != NULL)
        (void)sscanf(line, "FDSize: %u", &size);
    fclose(status);
    assert_true(size > 0);
    return size;
}

struct private_table {
    struct rig r;
    unsigned size_before;
    unsigned size_after;
    uint64_t handle;
    pthread_barrier_t opened;
    pthread_barrier_t looked;
};

static void *open_many(void *arg)
{
    struct private_table *p = arg;
    struct session_spec spec = rig_spec(1);
    static uint64_t handle[FILES];

    spec.handles_max = FILES;
    assert_int_equal(p->r.table->session_open(p->r.target, &spec, &p->r.session, NULL), 0);
    p->size_before = table_size();
    assert_int_equal(rig_shut(&p->r, rig_file(&p->r, OP_CREATE, 0, 0, "f")), 0);
    for (unsigned i = 0; i < FILES; i++)
        handle[i] = rig_file(&p->r, OP_OPEN, 0, 0, "f");
    p->size_after = table_size();
    p->handle = handle[FILES - 1];
    pthread_barrier_wait(&p->opened);
    pthread_barrier_wait(&p->looked);
    for (unsigned i = 0; i < FILES; i++)
        assert_int_equal(rig_shut(&p->r, handle[i]), 0);
    p->r.table->session_close(p->r.session);
    return NULL;
}

struct found {
    const char *key;
    char value[64];
};

static void find_fact(void *ctx, const char *key, const char *value, const char *unit)
{
    struct found *found = ctx;

    (void)unit;
    if (strcmp(key, found->key) == 0)
        snprintf(found->value, sizeof found->value, "%s", value);
}

static void expect_fact(const struct rig *r, const char *key, const char *value)
{
    struct found found = {.key = key};
    const struct target_sink sink = {.put = find_fact, .ctx = &found};

    r->table->describe(r->target, &sink);
    if (value != NULL)
        assert_string_equal(found.value, value);
    else
        assert_true(found.value[0] != '\0');
}

/* A worker's descriptors are its own, and its table is as large as it will ever be before the first
 * file is opened. */
static void worker_has_a_table_of_its_own_grown_beforehand(void **state)
{
    struct rig *r = *state;
    struct private_table p = {.r = *r};
    unsigned size = table_size();
    pthread_t thread;

    pthread_barrier_init(&p.opened, NULL, 2);
    pthread_barrier_init(&p.looked, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, open_many, &p), 0);
    pthread_barrier_wait(&p.opened);
    assert_int_equal(fcntl((int)p.handle, F_GETFD), -1);
    assert_int_equal(table_size(), size);
    expect_fact(r, "fd_table", "private");
    pthread_barrier_wait(&p.looked);
    pthread_join(thread, NULL);
    assert_true(p.size_before >= FILES);
    assert_int_equal(p.size_before, p.size_after);
    pthread_barrier_destroy(&p.opened);
    pthread_barrier_destroy(&p.looked);
}

/* The first thread's table is the one that later threads start from: it is left as it is. */
static void first_thread_shares_its_table_and_says_so(void **state)
{
    struct rig *r = *state;

    assert_int_equal(want_files(r, 8, NULL), 0);
    expect_fact(r, "fd_table", "shared");
}

static unsigned open_descriptors(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void closed_session_leaves_no_descriptor(void **state)
{
    struct rig *r = *state;
    unsigned before = open_descriptors();
    char buf[512];
    struct op op = {.kind = OP_READDIR, .buf = buf, .len = sizeof buf};

    r->session = rig_session(r, 1);
    for (uint64_t node = 1; node < 40; node++)
        assert_int_equal(rig_on_node(r, OP_MKDIR, node), 0);
    for (uint64_t node = 1; node < 40; node++)
        assert_int_equal(rig_on_node(r, OP_LOOKUP, node), 0);
    assert_true(rig_do(r, &op) > 0);
    assert_true(open_descriptors() > before);
    /* The root's, one listing, and no more directories than the session was opened for. */
    assert_true(open_descriptors() <= before + 1 + 1 + 8);
    r->table->session_close(r->session);
    r->session = NULL;
    assert_int_equal(open_descriptors(), before);
}

/* Moved away behind our back it can only be reached through the descriptor kept. */
static void directory_in_use_stays_open(void **state)
{
    struct rig *r = *state;
    char from[400];
    char to[400];

    r->session = rig_session(r, 1); /* keeps 8 */
    for (uint64_t node = 1; node < 40; node++)
        assert_int_equal(rig_on_node(r, OP_MKDIR, node), 0);
    assert_int_equal(rig_on_node(r, OP_LOOKUP, 9), 0);
    snprintf(from, sizeof from, "%s/d9", r->dir);
    snprintf(to, sizeof to, "%s/moved", r->dir);
    assert_int_equal(rename(from, to), 0);
    for (uint64_t node = 1; node < 7; node++) {
        assert_int_equal(rig_on_node(r, OP_LOOKUP, node), 0);
        assert_int_equal(rig_on_node(r, OP_LOOKUP, 9), 0);
    }
    for (uint64_t node = 10; node < 14; node++) {
        assert_int_equal(rig_on_node(r, OP_LOOKUP, node), 0);
        assert_int_equal(rig_on_node(r, OP_LOOKUP, 9), 0);
    }
    for (uint64_t node = 20; node < 28; node++) /* now it is the one used least recently */
        assert_int_equal(rig_on_node(r, OP_LOOKUP, node), 0);
    assert_int_equal(rig_on_node(r, OP_LOOKUP, 9), -ENOENT);
}

/* ---- what stands in the place of ours ---- */

static int only_child(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    (void)ctx, (void)node;
    *parent = TARGET_NODE_ROOT;
    snprintf(leaf, TARGET_LEAF_MAX, "child");
    return 0;
}

static int find_child(const struct rig *r, bool openat2)
{
    const struct target_names names = {.parent = only_child};
    int root = open(r->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct posix_dirs dirs;
    int rc = posix_dirs_init(&dirs, root, &names, 8);

    if (rc == 0) {
        dirs.use_openat2 &= openat2;
        rc = posix_dirs_find(&dirs, TARGET_NODE_ROOT + 1);
        posix_dirs_fini(&dirs);
    }
    close(root);
    return rc;
}

static int find_beyond_a_mount(const struct rig *r)
{
    char path[400];

    snprintf(path, sizeof path, "%s/child", r->dir);
    if (mkdir(path, 0700) < 0 || find_child(r, true) < 0 || find_child(r, false) < 0)
        return 1;
    if (!own_mounts() || mount(r->dir, path, NULL, MS_BIND, NULL) < 0)
        return 2;
    if (find_child(r, true) != -EXDEV)
        return 3;
    return find_child(r, false) == -EXDEV ? 0 : 4;
}

/* A mount point is not entered, with openat2 and without, though a bind mount has the same device.
 */
static void mount_points_are_not_entered(void **state)
{
    in_child(find_beyond_a_mount, *state);
}

/* A posix handle is a descriptor: what it was opened with can be asked of the system. */
static void files_are_opened_as_the_flags_say(void **state)
{
    static const struct {
        uint32_t flags;
        int is;
    } of[] = {{0, O_RDWR},
              {OP_FLAG_READ, O_RDONLY},
              {OP_FLAG_DSYNC, O_RDWR | O_DSYNC},
              {OP_FLAG_SYNC, O_RDWR | O_SYNC}};
    struct rig *r = *state;
    r->session = rig_session(r, 1);
    assert_int_equal(rig_shut(r, rig_file(r, OP_CREATE, 0, 0, "f")), 0);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        uint64_t h = rig_file(r, OP_OPEN, of[i].flags, 0, "f");
        assert_int_equal(fcntl((int)h, F_GETFL) & (O_ACCMODE | O_SYNC | O_DSYNC), of[i].is);
        assert_int_equal(rig_shut(r, h), 0);
    }
}

/* Opening a FIFO in a file's place waited for its other end. */
static void fifo_does_not_block(void **state)
{
    struct rig *r = *state;
    struct op op = {.kind = OP_OPEN, .flags = OP_FLAG_READ, .leaf = "fifo"};
    char path[400];

    snprintf(path, sizeof path, "%s/fifo", r->dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    r->session = rig_session(r, 1);
    assert_int_equal(rig_do(r, &op), 0);
}

/* ---- facts ---- */

static void facts_name_file_system_and_path(void **state)
{
    static const char *const keys[] = {"fs_type",        "mount_point",    "mount_source", "device",
                                       "fs_block_bytes", "fs_total_bytes", "fs_free_bytes"};
    struct rig *r = *state;

    expect_fact(r, "path", r->dir);
    for (size_t i = 0; i < RIG_COUNT(keys); i++)
        expect_fact(r, keys[i], NULL);
}

static uint64_t counter(const struct rig *r, const char *key)
{
    struct found found = {.key = key};
    const struct target_sink sink = {.put = find_fact, .ctx = &found};

    r->table->counters(r->target, &sink);
    assert_true(found.value[0] != '\0');
    return strtoull(found.value, NULL, 10);
}

static void counters_move_with_the_ops(void **state)
{
    struct rig *r = *state;
    char buf[4096] = {0};
    uint64_t written = counter(r, "wchar");
    uint64_t calls = counter(r, "syscw");
    uint64_t h;

    r->session = rig_session(r, 1);
    h = rig_file(r, OP_CREATE, 0, 0, "f");
    assert_int_equal(rig_move(r, OP_WRITE, h, buf, 0, sizeof buf), sizeof buf);
    assert_int_equal(counter(r, "wchar"), written + sizeof buf);
    assert_int_equal(counter(r, "syscw"), calls + 1);
    assert_int_equal(rig_shut(r, h), 0);
}

static int target_setup(void **state)
{
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    rig_make_dir(r);
    rig_open_target(r, "%s");
    *state = r;
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(opening_says_what_is_wrong, target_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(opening_without_permission_says_so, target_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(symlinked_target_is_followed_once, target_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(session_refuses_another_directory_of_that_name,
                                        target_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(limit_of_open_files_is_raised_or_named, target_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(worker_has_a_table_of_its_own_grown_beforehand,
                                        target_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(first_thread_shares_its_table_and_says_so, target_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(closed_session_leaves_no_descriptor, target_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(directory_in_use_stays_open, target_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(mount_points_are_not_entered, target_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(files_are_opened_as_the_flags_say, target_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(fifo_does_not_block, target_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(facts_name_file_system_and_path, target_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(counters_move_with_the_ops, target_setup, rig_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
