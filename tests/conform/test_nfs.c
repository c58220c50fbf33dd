/* The suites of every target hold for the NFS client: on nfs-ganesha over ext4, over a tmpfs and in memory,
 * and, of submit and reap, on a server that keeps nothing. */
#include "contract.h"
#include "namespace.h"
#include "server/fixture.h"

#include <fcntl.h>

/* A case is the name of a server, behind "fault:" where that target stands in front. */
static const char *server_of(const char *address, const char **in_front)
{
    *in_front = strncmp(address, "fault:", 6) == 0 ? "fault:" : "";
    return address + strlen(*in_front);
}

/* nfs://HOST/EXPORT?PARAMS → nfs://HOST/EXPORT/NAME?PARAMS */
static void address_below(const char *address, const char *in_front, const char *name,
                          char full[512])
{
    const char *params = strchr(address, '?');
    size_t len = params != NULL ? (size_t)(params - address) : strlen(address);

    /* fault: takes what stands behind the last '?' for its own. */
    snprintf(full, 512, "%s%.*s/%s%s%s", in_front, (int)len, address, name,
             params != NULL ? params : "", in_front[0] != '\0' ? "?seed=1" : "");
}

static char made_name[32];

static int made_parent(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    (void)ctx;
    if (node != 1)
        return -EINVAL;
    *parent = TARGET_NODE_ROOT;
    snprintf(leaf, TARGET_LEAF_MAX, "%s", made_name);
    return 0;
}

/* Where this machine sees nothing of the server's files, the directory is made by the client itself. */
static void make_directory(const char *address)
{
    static unsigned made;
    struct session_spec spec = {.names = {.parent = made_parent}, .ops_max = 1};
    struct op op = {.kind = OP_MKDIR, .node = 1};
    struct err err = {0};
    struct rig r = {0};

    snprintf(made_name, sizeof made_name, "conform-%d-%u", (int)getpid(), made++);
    rig_open_target(&r, address);
    if (r.table->session_open(r.target, &spec, &r.session, &err) < 0)
        fail_msg("session: %s", err.text);
    assert_int_equal(rig_do(&r, &op), 0);
    rig_close(&r);
}

static int open_case(void **state)
{
    const struct rig_case *c = *state;
    const char *in_front;
    const char *name = server_of(c->address, &in_front);
    struct server_target server = server_target(name);
    struct rig *r = calloc(1, sizeof *r);
    char address[512];

    assert_non_null(r);
    if (strcmp(server.directory, "-") != 0) {
        snprintf(r->dir, sizeof r->dir, "%s/conform-XXXXXX", server.directory);
        assert_non_null(mkdtemp(r->dir));
        address_below(server.address, in_front, strrchr(r->dir, '/') + 1, address);
    } else if (strcmp(name, "null") == 0) {
        snprintf(address, sizeof address, "%s%s", in_front, server.address);
    } else {
        make_directory(server.address);
        address_below(server.address, in_front, made_name, address);
    }
    rig_open_target(r, address);
    r->session = rig_session(r, RIG_OPS_MAX);
    *state = r;
    return 0;
}

static int run(const char *group, const struct CMUnitTest *tests, size_t n_tests,
               struct rig_case *cases, size_t n_cases)
{
    return rig_run_with(group, tests, n_tests, cases, n_cases, open_case, rig_teardown);
}

/* ---- what is large ---- */

/* Places beyond what 32 bits hold are where they should be, and nowhere else. */
static void files_are_longer_than_4_gib(void **state)
{
    static const uint64_t far = (5ull << 30) + 4095;
    struct rig *r = *state;
    char path[512], bytes[6] = "there", got[6] = "";
    uint64_t h = rig_file(r, OP_CREATE, 0, 0, "f");
    struct stat st;
    int fd;

    assert_int_equal(rig_move(r, OP_WRITE, h, bytes, far, 6), 6);
    assert_int_equal(rig_move(r, OP_READ, h, got, far, 6), 6);
    assert_memory_equal(got, "there", 6);
    assert_int_equal(rig_move(r, OP_READ, h, got, far - (4ull << 30), 6), 6);
    assert_memory_equal(got, "\0\0\0\0\0", 6);
    assert_int_equal(stat_of(r, 0, "f").size_bytes, far + 6);
    assert_int_equal(rig_move(r, OP_APPEND, h, bytes, 0, 6), 6);
    assert_int_equal(rig_shut(r, h), 0);
    path_in(r, "f", path);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_size, far + 12);
    assert_int_equal(pread(fd, got, 6, (off_t)far + 6), 6);
    assert_memory_equal(got, "there", 6);
    close(fd);
}

#define MANY_ENTRIES 100000

static void many_entries_are_each_listed_once(void **state)
{
    static unsigned char seen[MANY_ENTRIES];
    static char buf[32768];
    struct rig *r = *state;
    struct op op = {.kind = OP_READDIR, .buf = buf, .len = sizeof buf};
    char path[512];

    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < MANY_ENTRIES; i++) {
        char name[32];

        snprintf(name, sizeof name, "entry-%u", i);
        path_in(r, name, path);
        assert_int_equal(mknod(path, S_IFREG | 0644, 0), 0);
    }
    while (rig_do(r, &op) > 0) {
        for (int64_t at = 0; at < op.res;) {
            struct target_dirent head;
            unsigned long n;

            memcpy(&head, buf + at, offsetof(struct target_dirent, name));
            n = strtoul(buf + at + offsetof(struct target_dirent, name) + 6, NULL, 10);
            assert_in_range(n, 0, MANY_ENTRIES - 1);
            assert_int_equal(head.type, TARGET_TYPE_FILE);
            assert_int_equal(seen[n], 0);
            seen[n] = 1;
            op.off = head.cookie;
            at += head.record_bytes;
        }
    }
    assert_int_equal(op.res, 0);
    assert_null(memchr(seen, 0, sizeof seen));
}

int main(void)
{
    static const struct CMUnitTest large[] = {
        cmocka_unit_test(files_are_longer_than_4_gib),
        cmocka_unit_test(many_entries_are_each_listed_once),
    };
    static struct rig_case answering[] = {{"null"}, {"mem"}, {"ext4"}, {"fault:tmpfs"}};
    static struct rig_case keeping[] = {{"mem"}, {"tmpfs"}, {"ext4"}, {"fault:ext4"}};
    static struct rig_case seen[] = {{"tmpfs"}, {"ext4"}};
    static struct rig_case roomy[] = {{"ext4"}};

    return run("contract", contract_tests, RIG_COUNT(contract_tests), answering,
               RIG_COUNT(answering)) +
           run("namespace", namespace_tests, RIG_COUNT(namespace_tests), keeping,
               RIG_COUNT(keeping)) +
           run("behind", namespace_behind_tests, RIG_COUNT(namespace_behind_tests), seen,
               RIG_COUNT(seen)) +
           run("large", large, RIG_COUNT(large), roomy, RIG_COUNT(roomy));
}
