/* nfs_priv.h: the URL of an NFS target becomes its parts, or a refusal in words that name what is wrong. */
#include "target/nfs_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct nfs_address parsed(const char *address)
{
    struct nfs_address a;
    struct err err = {0};

    memset(&a, 0xee, sizeof a);
    if (nfs_address_parse(address, &a, &err) != 0)
        fail_msg("%s: %s", address, err.text);
    return a;
}

static void server_port_and_path(void **state)
{
    static const struct {
        const char *address;
        const char *host;
        const char *path;
        unsigned port;
    } cases[] = {
        {"//filer/export", "filer", "/export", 0},
        {"//filer:2049/export/dir", "filer", "/export/dir", 2049},
        {"//filer", "filer", "/", 0},
        {"//filer/", "filer", "/", 0},
        {"//filer:1", "filer", "/", 1},
        {"//filer?uid=7", "filer", "/", 0},
        {"//10.1.2.3:65535/a", "10.1.2.3", "/a", 65535},
        {"//a-b.c_d.example/x", "a-b.c_d.example", "/x", 0},
        {"//[::1]/x", "::1", "/x", 0},
        {"//[2001:db8::1]:2050/x", "2001:db8::1", "/x", 2050},
        {"//[fe80::1%eth0]/x", "fe80::1%eth0", "/x", 0},
        {"//[fe80::1%25eth0]:9/x", "fe80::1%eth0", "/x", 9},
        {"//h//a///b//", "h", "/a/b", 0},
        {"//h/./a/./b/.", "h", "/a/b", 0},
        {"//h/...", "h", "/...", 0},
        {"//h/..a/.b", "h", "/..a/.b", 0},
        {"//h/a%20b%25%3F%c3%A4", "h", "/a b%?\xc3\xa4", 0},
        {"//h/a%2fb", "h", "/a/b", 0},
        {"//h/a?b/c?uid=1", "h", "/a?b/c", 0},
        {"//h/a:b@c", "h", "/a:b@c", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct nfs_address a = parsed(cases[i].address);

        assert_string_equal(a.host, cases[i].host);
        assert_string_equal(a.path, cases[i].path);
        assert_int_equal(a.port, cases[i].port);
    }
}

static void what_is_not_said_is_usual(void **state)
{
    struct nfs_address a = parsed("//h/x");

    (void)state;
    assert_int_equal(a.mount_port, 0);
    assert_int_equal(a.connections, 1);
    assert_int_equal(a.rsize, 0);
    assert_int_equal(a.wsize, 0);
    assert_int_equal(a.sync, NFS_SYNC_AUTO);
    assert_int_equal(a.timeo_ns, 60000000000ull);
    assert_int_equal(a.retrans, 2);
    assert_false(a.has_uid || a.has_gid);
}

static void all_parameters(void **state)
{
    struct nfs_address a = parsed("//h/x?mountport=20048&connections=1024&rsize=64k&wsize=1m&uid=0&"
                                  "gid=4294967294&timeo=1&retrans=0&sync=data");

    (void)state;
    assert_int_equal(a.mount_port, 20048);
    assert_int_equal(a.connections, 1024);
    assert_int_equal(a.rsize, 65536);
    assert_int_equal(a.wsize, 1 << 20);
    assert_true(a.has_uid && a.has_gid);
    assert_int_equal(a.uid, 0);
    assert_int_equal(a.gid, 4294967294u);
    assert_int_equal(a.timeo_ns, 100000000u);
    assert_int_equal(a.retrans, 0);
    assert_int_equal(a.sync, NFS_SYNC_DATA);
    assert_int_equal(parsed("//h/x?sync=auto").sync, NFS_SYNC_AUTO);
    assert_int_equal(parsed("//h/x?sync=unstable").sync, NFS_SYNC_UNSTABLE);
    assert_int_equal(parsed("//h/x?sync=file").sync, NFS_SYNC_FILE);
}

static const struct {
    const char *address;
    const char *words;
} refused[] = {
    {"", "nfs://HOST[:PORT]/EXPORT/PATH"},
    {"/", "nfs://HOST[:PORT]/EXPORT/PATH"},
    {"filer:/export", "nfs://HOST[:PORT]/EXPORT/PATH; do you mean nfs://filer/export?"},
    {"/filer/export/a", "do you mean nfs://filer/export/a?"},
    {"filer/export?uid=1", "do you mean nfs://filer/export?"},
    {"//", "names no server"},
    {"///export", "names no server"},
    {"//:2049/export", "names no server"},
    {"//me@filer/x", "?uid=N&gid=N"},
    {"//fi ler/x", "\"fi ler\" cannot be the name of a server"},
    {"//fil\ner/x", "cannot be the name of a server"},
    {"//a%41/x", "cannot be the name of a server"},
    {"//::1/x", "brackets: nfs://[::1]/EXPORT"},
    {"//[::1/x", "\"[\" without \"]\""},
    {"//[::1]2049/x", "behind \"]\""},
    {"//h?a/x?uid=1", "\"h?a\" cannot be the name of a server"},
    {"//[::1]?a/x?uid=1", "behind \"]\""},
    {"//h:/x", "the port \"\""},
    {"//h:0/x", "the port \"0\""},
    {"//h:65536/x", "the port \"65536\""},
    {"//h:nfs/x", "the port \"nfs\""},
    {"//h:4294969345/x", "the port \"4294969345\""},
    {"//h/a/../b", "\"..\""},
    {"//h/..", "\"..\""},
    {"//h/%2e%2E", "\"..\""},
    {"//h/a%", "%25"},
    {"//h/a%4", "%25"},
    {"//h/a%4g", "%25"},
    {"//h/a%00b", "%25"},
    {"//h/x?connections=0", "connections=0 is not a number from 1 to 1024"},
    {"//h/x?connections=1025", "connections=1025"},
    {"//h/x?rsize=1023", "rsize: 1023 is not from 1 KiB to 16 MiB"},
    {"//h/x?wsize=99999999999999999999", "nfs: wsize: "},
    {"//h/x?wsize=17m", "wsize: 17m is not"},
    {"//h/x?wsize=lots", "wsize: \"lots\""},
    {"//h/x?sync=always", "sync=always is none of auto, unstable, data, file"},
    {"//h/x?timeo=0", "timeo=0"},
    {"//h/x?timeo=36001", "timeo=36001"},
    {"//h/x?retrans=-1", "retrans=-1"},
    {"//h/x?retrans=1001", "retrans=1001"},
    {"//h/x?uid=root", "uid=root"},
    {"//h/x?uid=4294967295", "uid=4294967295"},
    {"//h/x?gid=99999999999999999999", "gid=99999999999999999999"},
    {"//h/x?mountport=0", "mountport \"0\""},
    {"//h/x?mount=1", "\"mount\""},
    {"//h/x?connection=2", "did you mean connections?"},
    {"//h/x?nconnect=2", "accepted are connections=N"},
    {"//h/x?uid", "not name=value"},
};

static void refusals_name_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct nfs_address a = {.port = 77};
        struct err err = {0};

        if (nfs_address_parse(refused[i].address, &a, &err) != -EINVAL)
            fail_msg("%s was taken", refused[i].address);
        assert_int_equal(err.code, -EINVAL);
        if (strstr(err.text, refused[i].words) == NULL)
            fail_msg("%s: \"%s\" does not say \"%s\"", refused[i].address, err.text,
                     refused[i].words);
        assert_int_equal(a.port, 77);
    }
}

static void lengths_are_bounded(void **state)
{
    char address[2 * MOUNT3_PATH_MAX];
    struct nfs_address a;

    (void)state;
    memset(address, 'a', sizeof address);
    memcpy(address, "//", 2);
    memcpy(address + 2 + NFS_HOST_MAX, "/x", 3);
    assert_int_equal(strlen(parsed(address).host), NFS_HOST_MAX);
    memcpy(address + 2 + NFS_HOST_MAX, "a/x", 4);
    assert_int_equal(nfs_address_parse(address, &a, NULL), -EINVAL);

    memset(address, 'a', sizeof address);
    memcpy(address, "//h/", 4);
    address[3 + MOUNT3_PATH_MAX] = '\0';
    assert_int_equal(strlen(parsed(address).path), MOUNT3_PATH_MAX);
    memcpy(address + 3 + MOUNT3_PATH_MAX, "a", 2);
    assert_int_equal(nfs_address_parse(address, &a, NULL), -EINVAL);
    /* What is left out does not count. */
    memcpy(address + 3 + MOUNT3_PATH_MAX - 1, "////", 5);
    assert_int_equal(strlen(parsed(address).path), MOUNT3_PATH_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(server_port_and_path), cmocka_unit_test(what_is_not_said_is_usual),
        cmocka_unit_test(all_parameters),       cmocka_unit_test(refusals_name_what_is_wrong),
        cmocka_unit_test(lengths_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
