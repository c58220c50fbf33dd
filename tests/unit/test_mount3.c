/* mount3.h: the portmapper and MOUNT as RFC 1833 and appendix I of RFC 1813 have them. */
#include "nfs/mount3.h"
#include "nfs/rpc.h"
#include "wire.h"

#include <errno.h>

static void getport_asks_for_tcp(void **state)
{
    unsigned char buf[64];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    portmap_put_getport(&out, NFS3_PROGRAM, NFS3_VERSION);
    WIRE_IS(buf, &out, 100003, 3, 6, 0);
}

static int port_of(uint32_t word, size_t bytes, uint16_t *port)
{
    struct wire w = {.len = 0};

    WIRE_ADD(&w, word);

    struct xdr_in x = xdr_in(w.bytes, bytes);

    return portmap_get_port(&x, port);
}

static void a_port_is_16_bits(void **state)
{
    uint16_t port = 7;

    (void)state;
    assert_int_equal(port_of(2049, 4, &port), 0);
    assert_int_equal(port, 2049);
    assert_int_equal(port_of(0, 4, &port), 0); /* not registered */
    assert_int_equal(port, 0);
    assert_int_equal(port_of(65536, 4, &port), -EBADMSG);
    assert_int_equal(port_of(2049, 3, &port), -EBADMSG);
}

static void getaddr_asks_for_a_transport(void **state)
{
    unsigned char buf[64];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    rpcbind_put_getaddr(&out, NFS3_PROGRAM, NFS3_VERSION, "tcp6");
    WIRE_IS(buf, &out, 100003, 3, 4, 0x74637036, 0, 0);
}

static int port_in(const char *address, uint16_t *port)
{
    unsigned char buf[512];
    struct xdr_out out = xdr_out(buf, sizeof buf);
    struct xdr_in x;

    xdr_put_string(&out, address);
    x = xdr_in(buf, (size_t)(out.at - buf));
    return rpcbind_get_port(&x, port);
}

static void a_port_is_the_end_of_an_address(void **state)
{
    static const char *const bad[] = {"8.1",   ".1",      "1",         "::.8.",   "::.8.256",
                                      "::8.1", "::.x8.1", "::.256.1",  "::.8.1 ", "::.0008.1",
                                      "::..1", "::.8.-1", "::.99999.1"};
    char longest[300];
    uint16_t port = 7;

    (void)state;
    assert_int_equal(port_in("::.8.1", &port), 0);
    assert_int_equal(port, 2049);
    assert_int_equal(port_in("fe80::1%eth0.255.255", &port), 0);
    assert_int_equal(port, 65535);
    assert_int_equal(port_in("0.0.0.0.0.111", &port), 0);
    assert_int_equal(port, 111);
    assert_int_equal(port_in("", &port), 0); /* not registered */
    assert_int_equal(port, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(port_in(bad[i], &port), -EBADMSG);
    memset(longest, ':', sizeof longest);
    memcpy(longest + 252, ".8.1", 5);
    assert_int_equal(port_in(longest, &port), -EBADMSG);
    assert_int_equal(port_in(longest + 1, &port), 0);
}

static void a_path_is_a_string(void **state)
{
    unsigned char buf[64];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    mount3_put_path(&out, "/srv");
    WIRE_IS(buf, &out, 4, 0x2f737276);
}

static int root_of(const struct wire *w, struct mount3_root *root)
{
    struct xdr_in x = wire_in(w);

    memset(root, 0xee, sizeof *root);
    return mount3_get_root(&x, root);
}

static void a_root_has_a_handle_and_flavors(void **state)
{
    struct wire w = {.len = 0};
    struct mount3_root root;

    (void)state;
    WIRE_ADD(&w, 0, 5, 0x01020304, 0x05000000, 2, 390003, 1);
    assert_int_equal(root_of(&w, &root), 0);
    assert_int_equal(root.status, 0);
    assert_int_equal(root.fh.len, 5);
    assert_memory_equal(root.fh.data, "\1\2\3\4\5", 5);
    assert_int_equal(root.flavors, 2);
    assert_int_equal(root.flavor[0], 390003);
    assert_int_equal(root.flavor[1], RPC_AUTH_SYS);
}

static void a_refusal_has_a_status_only(void **state)
{
    struct wire w = {.len = 0};
    struct mount3_root root;

    (void)state;
    WIRE_ADD(&w, 13);
    assert_int_equal(root_of(&w, &root), 0);
    assert_int_equal(root.status, 13);
    assert_int_equal(root.fh.len, 0);
    assert_int_equal(root.flavors, 0);
}

static void no_more_than_sixteen_flavors_are_kept(void **state)
{
    struct wire w = {.len = 0};
    struct mount3_root root;

    (void)state;
    WIRE_ADD(&w, 0, 4, 1, 20);
    for (uint32_t i = 0; i < 20; i++)
        WIRE_ADD(&w, i);
    assert_int_equal(root_of(&w, &root), 0);
    assert_int_equal(root.flavors, MOUNT3_FLAVORS_MAX);
    assert_int_equal(root.flavor[15], 15);
}

/* Each is a root up to where it is broken. */
static void what_is_no_root_is_refused(void **state)
{
    struct mount3_root root;
    struct wire w = {.len = 0};

    (void)state;
    WIRE_ADD(&w, 0, 0, 1, 1); /* an empty handle */
    assert_int_equal(root_of(&w, &root), -EBADMSG);
    w.len = 0;
    WIRE_ADD(&w, 0, 65); /* a longer one than there are */
    for (int i = 0; i < 20; i++)
        WIRE_ADD(&w, 0);
    assert_int_equal(root_of(&w, &root), -EBADMSG);
    w.len = 0;
    WIRE_ADD(&w, 0, 4, 1, 3, 1, 1); /* fewer flavors than were announced */
    assert_int_equal(root_of(&w, &root), -EBADMSG);
    w.len = 0;
    assert_int_equal(root_of(&w, &root), -EBADMSG);
}

static void exports_come_one_by_one(void **state)
{
    struct wire w = {.len = 0};
    char path[MOUNT3_PATH_MAX + 1];
    bool everyone = false;

    (void)state;
    WIRE_ADD(&w, 1, 2, 0x2f610000, 0);                                     /* /a to everyone */
    WIRE_ADD(&w, 1, 2, 0x2f620000, 1, 1, 0x78000000, 1, 1, 0x79000000, 0); /* /b to x and y */
    WIRE_ADD(&w, 0);

    struct xdr_in x = wire_in(&w);

    assert_int_equal(mount3_get_export(&x, path, &everyone), 1);
    assert_string_equal(path, "/a");
    assert_true(everyone);
    assert_int_equal(mount3_get_export(&x, path, &everyone), 1);
    assert_string_equal(path, "/b");
    assert_false(everyone);
    assert_int_equal(mount3_get_export(&x, path, &everyone), 0);
    assert_int_equal(xdr_left(&x), 0);
}

static int export_of(const struct wire *w, char path[MOUNT3_PATH_MAX + 1])
{
    struct xdr_in x = wire_in(w);
    bool everyone;

    return mount3_get_export(&x, path, &everyone);
}

static void export_paths_are_bounded_and_have_no_nul(void **state)
{
    struct wire w = {.len = 0};
    char path[MOUNT3_PATH_MAX + 1];

    (void)state;
    WIRE_ADD(&w, 1, 3, 0x2f006100, 0, 0); /* "/\0a" */
    assert_int_equal(export_of(&w, path), -EBADMSG);
    w.len = 0;
    WIRE_ADD(&w, 1, 2, 0x2f610000, 1, 1); /* cut in the groups */
    assert_int_equal(export_of(&w, path), -EBADMSG);
    w.len = 0;
    assert_int_equal(export_of(&w, path), -EBADMSG); /* cut before the end of the list */
    w.len = 0;
    WIRE_ADD(&w, 1, MOUNT3_PATH_MAX + 1);
    w.len = sizeof w.bytes;
    assert_int_equal(export_of(&w, path), -EBADMSG);

    static unsigned char longest[4 + 4 + MOUNT3_PATH_MAX + 4];
    struct xdr_out out = xdr_out(longest, sizeof longest);
    bool everyone;

    xdr_put_u32(&out, 1);
    xdr_put_u32(&out, MOUNT3_PATH_MAX);
    memset(out.at, 'p', MOUNT3_PATH_MAX);

    struct xdr_in x = xdr_in(longest, sizeof longest);

    assert_int_equal(mount3_get_export(&x, path, &everyone), 1);
    assert_int_equal(strlen(path), MOUNT3_PATH_MAX);
}

static void statuses_have_names_and_codes(void **state)
{
    static const struct {
        uint32_t status;
        const char *name;
        int code;
    } cases[] = {
        {0, "MNT3_OK", 0},
        {1, "MNT3ERR_PERM", -EPERM},
        {2, "MNT3ERR_NOENT", -ENOENT},
        {5, "MNT3ERR_IO", -EIO},
        {13, "MNT3ERR_ACCES", -EACCES},
        {20, "MNT3ERR_NOTDIR", -ENOTDIR},
        {22, "MNT3ERR_INVAL", -EINVAL},
        {63, "MNT3ERR_NAMETOOLONG", -ENAMETOOLONG},
        {10004, "MNT3ERR_NOTSUPP", -EOPNOTSUPP},
        {10006, "MNT3ERR_SERVERFAULT", -EREMOTEIO},
        {4, "MNT3ERR_?", -EREMOTEIO},
        {UINT32_MAX, "MNT3ERR_?", -EREMOTEIO},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(mount3_status_name(cases[i].status), cases[i].name);
        assert_int_equal(mount3_errno(cases[i].status), cases[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(getport_asks_for_tcp),
        cmocka_unit_test(a_port_is_16_bits),
        cmocka_unit_test(getaddr_asks_for_a_transport),
        cmocka_unit_test(a_port_is_the_end_of_an_address),
        cmocka_unit_test(a_path_is_a_string),
        cmocka_unit_test(a_root_has_a_handle_and_flavors),
        cmocka_unit_test(a_refusal_has_a_status_only),
        cmocka_unit_test(no_more_than_sixteen_flavors_are_kept),
        cmocka_unit_test(what_is_no_root_is_refused),
        cmocka_unit_test(exports_come_one_by_one),
        cmocka_unit_test(export_paths_are_bounded_and_have_no_nul),
        cmocka_unit_test(statuses_have_names_and_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
