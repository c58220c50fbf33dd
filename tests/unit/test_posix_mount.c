/* target/posix_mount.c, posix_mountstats.c, posix_smb.c: what the kernel's clients of NFS and SMB servers
 * tell of a mounted directory, in the forms that several kernels have had. */
#include "target/posix_mount_priv.h"
#include "unit/fake_tree.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

static struct tree proc;
static struct posix_mount found;

/* "key=value unit;" of everything that was put. */
static char heard[8192];

static void hear(void *ctx, const char *key, const char *value, const char *unit)
{
    size_t used = strlen(heard);

    (void)ctx;
    assert_true(strlen(key) < 48);
    snprintf(heard + used, sizeof heard - used, "%s=%s%s%s;", key, value,
             unit[0] != '\0' ? " " : "", unit);
}

static const struct target_sink ear = {.put = hear};

#define assert_heard(words)                                                                        \
    do {                                                                                           \
        if (strstr(heard, words) == NULL)                                                          \
            fail_msg("'%s' has no '%s'", heard, words);                                            \
    } while (0)
#define assert_not_heard(words)                                                                    \
    do {                                                                                           \
        if (strstr(heard, words) != NULL)                                                          \
            fail_msg("'%s' has '%s'", heard, words);                                               \
    } while (0)

static int setup(void **state)
{
    (void)state;
    tree_open(&proc);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tree_close(&proc);
    return 0;
}

static void mounted(const char *mountinfo, const char *mountstats)
{
    tree_file(&proc, "self/mountinfo", mountinfo);
    tree_file(&proc, "self/mountstats", mountstats);
}

static void facts_of(uint64_t id)
{
    heard[0] = '\0';
    assert_true(posix_mount_numbered(proc.path, id, &found));
    posix_remote_facts(proc.path, &found, &ear);
}

static void counters_of(uint64_t id)
{
    heard[0] = '\0';
    assert_true(posix_mount_numbered(proc.path, id, &found));
    posix_remote_counters(proc.path, &found, &ear);
}

/* ---- one line of mountinfo ---- */

static bool parse(const char *text, struct mount_line *m)
{
    static char line[512];

    snprintf(line, sizeof line, "%s", text);
    return mount_line_parse(line, m);
}

static void a_line_is_taken_apart(void **state)
{
    struct mount_line m;

    (void)state;
    assert_true(
        parse("36 35 98:5 /mnt1 /mnt\\0402 rw,noatime master:1 shared:7 - ext3 /dev/a\\134b "
              "rw,errors=continue\n",
              &m));
    assert_int_equal(m.id, 36);
    assert_int_equal(m.device, makedev(98, 5));
    assert_string_equal(m.point, "/mnt 2");
    assert_string_equal(m.options, "rw,noatime");
    assert_string_equal(m.type, "ext3");
    assert_string_equal(m.source, "/dev/a\\b");
    assert_string_equal(m.super_options, "rw,errors=continue");
    assert_true(parse("1 0 0:1 / / rw - rootfs none", &m));
    assert_string_equal(m.super_options, "");
}

static void what_is_no_line_is_none(void **state)
{
    static const char *const none[] = {
        "",
        "\n",
        " - ",
        "1 2 8:0 / /x rw ext4 /dev/x rw",
        "1 2 8:0 / /x - ext4 /dev/x rw",
        "1 2 8 / /x rw - ext4 /dev/x rw",
        "a 2 8:0 / /x rw - ext4 /dev/x rw",
        "1 2 8:0 / /x rw - ext4",
    };
    struct mount_line m;

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(parse(none[i], &m));
}

static void escapes_are_bytes(void **state)
{
    char text[] = "a\\040b\\011c\\012d\\134e\\04\\9";

    (void)state;
    mount_line_unescape(text);
    assert_string_equal(text, "a b\tc\nd\\e\\04\\9");
}

/* ---- NFS ---- */

#define INFO                                                                                       \
    "22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"                                     \
    "61 22 0:55 / /mnt/a rw,relatime shared:9 - nfs 10.0.0.9:/vol/a "                              \
    "rw,vers=3,rsize=65536,wsize=32768,namlen=255,hard,proto=tcp,nconnect=4,timeo=600,retrans=2,"  \
    "sec=sys,mountaddr=10.0.0.9,mountvers=3,local_lock=none,addr=10.0.0.9\n"                       \
    "62 22 0:56 / /mnt/b\\040c ro - nfs4 filer:/b "                                                \
    "rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,acregmin=0,acregmax=0,hard,proto=rdma,"    \
    "port=20049,timeo=600,retrans=2,sec=krb5i,clientaddr=10.0.0.1,lookupcache=none,"               \
    "local_lock=none,addr=10.0.0.8\n"

/* As Linux 5.10 has it: an error count at the end of each line. */
#define STATS_A                                                                                    \
    "device 10.0.0.9:/vol/a mounted on /mnt/a with fstype nfs statvers=1.1\n"                      \
    "\topts:\trw,vers=3,rsize=65536\n"                                                             \
    "\tage:\t120\n"                                                                                \
    "\tcaps:\tcaps=0x3fef,wtmult=4096,dtsize=32768,bsize=0,namlen=255\n"                           \
    "\tsec:\tflavor=1,pseudoflavor=1\n"                                                            \
    "\tevents:\t1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27\n"         \
    "\tbytes:\t1000 2000 300 400 5000 6000 2 3\n"                                                  \
    "\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n"                                            \
    "\txprt:\ttcp 910 1 2 0 7 90 88 1 100 0 2 10 20\n"                                             \
    "\txprt:\ttcp 911 1 1 0 7 50 50 0 100 0 2 10 20\n"                                             \
    "\tper-op statistics\n"                                                                        \
    "\t        NULL: 1 1 0 44 24 5 0 6 0\n"                                                        \
    "\t     GETATTR: 20 21 0 2640 2240 0 7 9 0\n"                                                  \
    "\t        READ: 10 12 1 1400 41960 1 30 40 2\n"                                               \
    "\t       WRITE: 3 3 0 12700 480 0 15 16 0\n"                                                  \
    "\t      COMMIT: 0 0 0 0 0 0 0 0 0\n\n"

/* As Linux 2.6.32 had it, over the other server: no counts of errors, no counts of slots. */
#define STATS_B                                                                                    \
    "device filer:/b mounted on /mnt/b\\040c with fstype nfs4 statvers=1.1\n"                      \
    "\topts:\tro,vers=4.2\n"                                                                       \
    "\timpl_id:\tname='NetApp Release 9.14.1P3',domain='netapp.com',date='1700000000,0'\n"         \
    "\tcaps:\tcaps=0x3fffbf,wtmult=512,dtsize=1048576,bsize=0,namlen=255\n"                        \
    "\tnfsv4:\tbm0=0xfdffbfff,acl=0x3,sessions,pnfs=not configured\n"                              \
    "\tbytes:\t0 0 0 0 7 8 0 0\n"                                                                  \
    "\txprt:\trdma 0 1 1 0 3 6 6 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"                            \
    "\tper-op statistics\n"                                                                        \
    "\t        READ: 5 5 0 700 20980 0 2 3\n"                                                      \
    "\tOPEN_CONFIRM: 2 2 0 100 100 0 1 1\n"

static void an_nfs_mount_is_described(void **state)
{
    (void)state;
    mounted(INFO, "device /dev/vda mounted on / with fstype ext4\n" STATS_A STATS_B);
    facts_of(61);
    assert_heard("client=kernel NFS client;");
    assert_heard("nfs_version=3;");
    assert_heard("transport=tcp;");
    assert_heard("server=10.0.0.9;");
    assert_heard("rsize=65536 bytes;");
    assert_heard("wsize=32768 bytes;");
    assert_heard("sec=sys;");
    assert_heard("nconnect=4;");
    assert_heard("connections=2;"); /* those there are */
    assert_heard("wtmult=4096 bytes;");
    assert_heard("client_caching=as usual: pages, attributes, names;");
    assert_not_heard("server_software");
}

static void rdma_and_caching_are_told(void **state)
{
    (void)state;
    mounted(INFO, STATS_A STATS_B);
    facts_of(62);
    assert_heard("nfs_version=4.2;");
    assert_heard("transport=rdma;");
    assert_heard("sec=krb5i;");
    assert_heard("nconnect=1;");
    assert_heard("connections=1;");
    assert_heard("client_caching=acregmin=0,acregmax=0,lookupcache=none;");
    assert_heard("server_software=NetApp Release 9.14.1P3;");
}

static void an_older_kernel_is_understood(void **state)
{
    (void)state;
    mounted("7 1 0:9 / /n rw - nfs4 s:/ rw,vers=4,minorversion=1,rsize=4096,sec=sys\n", "");
    facts_of(7);
    assert_heard("nfs_version=4.1;");
    assert_heard("rsize=4096 bytes;");
    assert_heard("client_caching=as usual: pages, attributes, names;");
    assert_not_heard("connections");
    counters_of(7);
    assert_string_equal(heard, ""); /* nothing is known, so nothing is said */
}

static void wire_operations_are_counted(void **state)
{
    (void)state;
    mounted(INFO, STATS_B STATS_A);
    counters_of(61);
    assert_heard("wire_read_ops=10 ops;");
    assert_heard("wire_read_sent_bytes=1400 bytes;");
    assert_heard("wire_read_received_bytes=41960 bytes;");
    assert_heard("wire_read_rtt_ms=30 ms;");
    assert_heard("wire_write_ops=3 ops;");
    assert_heard("wire_getattr_ops=20 ops;");
    assert_not_heard("wire_commit"); /* there was none */
    assert_heard("wire_ops=34 ops;");
    assert_heard("wire_sent_bytes=16784 bytes;");
    assert_heard("wire_received_bytes=44704 bytes;");
    assert_heard("wire_retransmits=3 ops;");
    assert_heard("wire_timeouts=1 ops;");
    assert_heard("wire_errors=2 ops;");
    assert_heard("wire_connects=3 ops;");
    assert_heard("wire_bad_xids=1 ops;");
    assert_heard("wire_read_data_bytes=5000 bytes;");
    assert_heard("wire_write_data_bytes=6000 bytes;");
}

static void columns_that_are_not_there_are_no_trouble(void **state)
{
    (void)state;
    mounted(INFO, STATS_A STATS_B);
    counters_of(62);
    assert_heard("wire_read_ops=5 ops;");
    assert_heard("wire_open_confirm_ops=2 ops;");
    assert_heard("wire_ops=7 ops;");
    assert_heard("wire_errors=0 ops;");
    assert_heard("wire_connects=1 ops;");
}

/* A mount over another one hides it: what is counted is the one that is seen. */
static void the_upper_mount_counts(void **state)
{
    (void)state;
    mounted("61 22 0:55 / /mnt/a rw - nfs s:/a rw,vers=3\n"
            "70 61 0:57 / /mnt/a rw - nfs s:/z rw,vers=3\n",
            STATS_A "device s:/z mounted on /mnt/a with fstype nfs statvers=1.1\n"
                    "\tper-op statistics\n\tREAD: 77 77 0 0 0 0 0 0 0\n");
    counters_of(70);
    assert_heard("wire_read_ops=77 ops;");
}

static void udp_has_no_connections(void **state)
{
    (void)state;
    mounted("61 22 0:55 / /mnt/a rw - nfs s:/a rw,vers=3,proto=udp\n",
            "device s:/a mounted on /mnt/a with fstype nfs statvers=1.0\n"
            "\txprt:\tudp 800 1 20 20 3 30 0\n"
            "\tper-op statistics\n\tREAD: 7 7 0 0 0 0 0 0\n");
    counters_of(61);
    assert_heard("wire_bad_xids=3 ops;");
    assert_heard("wire_connects=0 ops;");
}

static void lines_of_another_kind_are_passed_over(void **state)
{
    (void)state;
    mounted(INFO, "device mounted on with fstype nfs\n"
                  "device 10.0.0.9:/vol/a mounted on /mnt/a with fstype nfs statvers=1.1\n"
                  "\tbytes:\t1 2\n\txprt:\n\txprt:\ttcp\n\tcaps:\n\timpl_id:\n"
                  "\tper-op statistics\n\tREAD\n\tREAD:\n\tREAD: 1 2 3\n"
                  "\t  ODD-ONE: 4 4 0 1 1 0 0 0\n");
    facts_of(61);
    counters_of(61);
    assert_heard("wire_ops=4 ops;");
    assert_heard("wire_odd_one_ops=4 ops;");
}

/* ---- SMB ---- */

#define SMB_INFO                                                                                   \
    "80 22 0:60 / /mnt/s rw,relatime - cifs //filer/share/below "                                  \
    "rw,vers=3.1.1,sec=ntlmsspi,cache=strict,username=u,uid=0,noforceuid,addr=10.0.0.7,"           \
    "file_mode=0755,seal,multichannel,max_channels=4,rsize=4194304,wsize=4194304,bsize=1048576,"   \
    "echo_interval=60,actimeo=1\n"                                                                 \
    "81 22 0:61 / /mnt/r rw - smb3 //10.0.0.7/Other rw,vers=3.0,rdma,sec=krb5,cache=none,"         \
    "rsize=1048576,wsize=1048576\n"

static void an_smb_mount_is_described(void **state)
{
    (void)state;
    mounted(SMB_INFO, "");
    facts_of(80);
    assert_heard("client=kernel SMB client;");
    assert_heard("smb_dialect=3.1.1;");
    assert_heard("transport=tcp;");
    assert_heard("server=10.0.0.7;");
    assert_heard("rsize=4194304 bytes;");
    assert_heard("channels=4;");
    assert_heard("signing=yes;");
    assert_heard("encryption=yes;");
    assert_heard("client_caching=cache=strict,actimeo=1;");
    facts_of(81);
    assert_heard("smb_dialect=3.0;");
    assert_heard("transport=rdma;");
    assert_heard("channels=1;");
    assert_heard("signing=as the server asks;");
    assert_heard("encryption=as the server asks;");
}

/* As Linux 6.1 has it. */
static const char smb_stats[] = "Resources in use\n"
                                "CIFS Session: 2\n"
                                "Share (unique mount targets): 4\n"
                                "Operations (MIDs): 0\n\n"
                                "0 session 0 share reconnects\n"
                                "Total vfs operations: 94 maximum at one time: 2\n\n"
                                "Max requests in flight: 11\n"
                                "1) \\\\filer\\IPC$\n"
                                "SMBs: 3\n"
                                "Bytes read: 0  Bytes written: 0\n"
                                "Reads: 0 total 0 failed\n"
                                "2) \\\\filer\\share\n"
                                "SMBs: 214\n"
                                "Bytes read: 502092  Bytes written: 31457286\n"
                                "Open files: 0 total (local), 0 open on server\n"
                                "TreeConnects: 1 total 0 failed\n"
                                "Creates: 52 total 3 failed\n"
                                "Closes: 49 total 0 failed\n"
                                "Flushes: 4 total 0 failed\n"
                                "Reads: 17 total 1 failed\n"
                                "Writes: 31 total 0 failed\n"
                                "QueryInfos: 44 total 0 failed\n"
                                "3) \\\\filer\\share2\n"
                                "SMBs: 1000\n"
                                "Reads: 1000 total 0 failed\n"
                                "4) \\\\10.0.0.7\\other\tDISCONNECTED \n"
                                "SMBs: 5\n"
                                "Reads: 2 sent 0 failed\n";

static void smb_operations_are_counted(void **state)
{
    (void)state;
    mounted(SMB_INFO, "");
    tree_file(&proc, "fs/cifs/Stats", smb_stats);
    counters_of(80);
    assert_heard("wire_ops=214 ops;");
    assert_heard("wire_read_ops=17 ops;");
    assert_heard("wire_write_ops=31 ops;");
    assert_heard("wire_create_ops=52 ops;");
    assert_heard("wire_query_info_ops=44 ops;");
    assert_not_heard("wire_lock_ops");
    assert_heard("wire_read_data_bytes=502092 bytes;");
    assert_heard("wire_write_data_bytes=31457286 bytes;");
    assert_heard("wire_errors=4 ops;");
    counters_of(81);
    assert_heard("wire_ops=5 ops;");
    assert_heard("wire_read_ops=2 ops;");
}

static void without_counts_nothing_is_said(void **state)
{
    (void)state;
    mounted(SMB_INFO, "");
    counters_of(80);
    assert_string_equal(heard, "");
    tree_file(&proc, "fs/cifs/Stats", "1) \\\\elsewhere\\share\nSMBs: 4\n");
    counters_of(80);
    assert_string_equal(heard, "");
}

/* ---- others ---- */

static void a_local_file_system_tells_nothing(void **state)
{
    (void)state;
    mounted(INFO, STATS_A);
    facts_of(22);
    assert_string_equal(heard, "");
    counters_of(22);
    assert_string_equal(heard, "");
    assert_string_equal(found.is.type, "ext4");
    assert_string_equal(found.options, "rw,relatime,rw");
    assert_false(posix_mount_numbered(proc.path, 5, &found));
}

/* Mounts that are numbered or not: this machine's own root is found. */
static void the_real_one_is_found(void **state)
{
    int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(posix_mount_find("/proc", fd, st.st_dev, &found));
    assert_string_equal(found.is.point, "/");
    assert_int_equal(found.is.device, st.st_dev);
    assert_false(posix_is_remote(fd));
    assert_false(posix_is_remote(-1));
    close(fd);
}

#define mount_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_taken_apart),
        cmocka_unit_test(what_is_no_line_is_none),
        cmocka_unit_test(escapes_are_bytes),
        mount_test(an_nfs_mount_is_described),
        mount_test(rdma_and_caching_are_told),
        mount_test(an_older_kernel_is_understood),
        mount_test(wire_operations_are_counted),
        mount_test(columns_that_are_not_there_are_no_trouble),
        mount_test(the_upper_mount_counts),
        mount_test(udp_has_no_connections),
        mount_test(lines_of_another_kind_are_passed_over),
        mount_test(an_smb_mount_is_described),
        mount_test(smb_operations_are_counted),
        mount_test(without_counts_nothing_is_said),
        mount_test(a_local_file_system_tells_nothing),
        cmocka_unit_test(the_real_one_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
