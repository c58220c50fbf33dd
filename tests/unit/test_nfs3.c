/* nfs3.h: arguments are written and results read as RFC 1813 has them, and of whatever else comes nothing
 * is believed. */
#include "nfs/nfs3.h"
#include "wire.h"

#include <errno.h>

static const struct nfs3_fh fh5 = {.len = 5, .data = {1, 2, 3, 4, 5}};
#define FH5 5, 0x01020304, 0x05000000 /* the same on the wire */

static void arguments_of_one_handle(void **state)
{
    const struct nfs3_fh fh = fh5;
    unsigned char buf[NFS3_ARGS_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    nfs3_put_fh(&out, &fh);
    WIRE_IS(buf, &out, FH5);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_name(&out, &fh, "ab");
    WIRE_IS(buf, &out, FH5, 2, 0x61620000);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_access(&out, &fh, 0x3f);
    WIRE_IS(buf, &out, FH5, 0x3f);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_read(&out, &fh, 0x100000002, 3);
    WIRE_IS(buf, &out, FH5, 1, 2, 3);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_commit(&out, &fh, 0x100000002, 3);
    WIRE_IS(buf, &out, FH5, 1, 2, 3);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_write(&out, &fh, 0x100000002, 3, NFS3_FILE_SYNC);
    WIRE_IS(buf, &out, FH5, 1, 2, 3, 2, 3); /* the data is the caller's */
}

/* Only the size is set, and nothing guards it. */
static void truncate_sets_the_size_only(void **state)
{
    unsigned char buf[NFS3_ARGS_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    nfs3_put_truncate(&out, &fh5, 0x100000002);
    WIRE_IS(buf, &out, FH5, 0, 0, 0, 1, 1, 2, 0, 0, 0);
}

/* Only the mode is set: a file that is there keeps its size. */
static void making_sets_the_mode_only(void **state)
{
    unsigned char buf[NFS3_ARGS_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    nfs3_put_create(&out, &fh5, "f", NFS3_GUARDED, 0644);
    WIRE_IS(buf, &out, FH5, 1, 0x66000000, 1, 1, 0644, 0, 0, 0, 0, 0);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_create(&out, &fh5, "f", NFS3_UNCHECKED, 0644);
    WIRE_IS(buf, &out, FH5, 1, 0x66000000, 0, 1, 0644, 0, 0, 0, 0, 0);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_mkdir(&out, &fh5, "d", 0755);
    WIRE_IS(buf, &out, FH5, 1, 0x64000000, 1, 0755, 0, 0, 0, 0, 0);
}

static void renaming_and_listing(void **state)
{
    static const struct nfs3_fh other = {.len = 4, .data = {9, 9, 9, 9}};
    static const unsigned char verf[NFS3_VERF_BYTES] = {0, 0, 0, 7, 0, 0, 0, 8};
    unsigned char buf[NFS3_ARGS_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    nfs3_put_rename(&out, &fh5, "a", &other, "bc");
    WIRE_IS(buf, &out, FH5, 1, 0x61000000, 4, 0x09090909, 2, 0x62630000);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_readdir(&out, &fh5, 0x100000002, verf, 4096);
    WIRE_IS(buf, &out, FH5, 1, 2, 7, 8, 4096);
    out = xdr_out(buf, sizeof buf);
    nfs3_put_readdirplus(&out, &fh5, 0x100000002, verf, 4096, 8192);
    WIRE_IS(buf, &out, FH5, 1, 2, 7, 8, 4096, 8192);
}

/* The longest there is: two handles and two names. */
static void no_arguments_are_longer_than_promised(void **state)
{
    static struct nfs3_fh fh = {.len = NFS3_FH_MAX};
    unsigned char buf[NFS3_ARGS_MAX];
    char name[NFS3_NAME_MAX + 1];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    memset(name, 'n', NFS3_NAME_MAX);
    name[NFS3_NAME_MAX] = '\0';
    nfs3_put_rename(&out, &fh, name, &fh, name);
    assert_false(out.bad);
}

/* ---- results ---- */

static int found_of(const struct wire *w, enum nfs3_proc proc, struct nfs3_found *f)
{
    struct xdr_in x = wire_in(w);

    memset(f, 0xee, sizeof *f);
    return nfs3_get_found(&x, proc, f);
}

static void add_post_attr(struct wire *w, uint32_t type, uint32_t size)
{
    WIRE_ADD(w, 1);
    wire_add_attr(w, type, size);
}

static void add_wcc(struct wire *w)
{
    WIRE_ADD(w, 1, 0, 1, 2, 3, 4, 5);
    add_post_attr(w, NFS3_DIR, 4096);
}

static void attributes_are_all_read(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_found f;

    (void)state;
    WIRE_ADD(&w, NFS3_OK, NFS3_REG, 0640, 1, 1000, 100, 1, 5, 2, 8192, 0, 0, 3, 7, 4, 42, 11, 12,
             13, 14, 15, 16);
    assert_int_equal(found_of(&w, NFS3_GETATTR, &f), 0);
    assert_int_equal(f.status, NFS3_OK);
    assert_true(f.attr.known);
    assert_int_equal(f.attr.type, NFS3_REG);
    assert_int_equal(f.attr.mode, 0640);
    assert_int_equal(f.attr.size, 0x100000005);
    assert_int_equal(f.attr.used, 0x200002000);
    assert_int_equal(f.attr.fsid, 0x300000007);
    assert_int_equal(f.attr.fileid, 0x40000002a);
    assert_int_equal(f.attr.mtime_ns, 13000000014);
    assert_int_equal(f.fh.len, 0);
    assert_int_equal(f.access, 0);
}

static void types_that_do_not_exist_are_refused(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_found f;

    (void)state;
    for (uint32_t type = 0; type < 10; type++) {
        w.len = 0;
        WIRE_ADD(&w, NFS3_OK);
        wire_add_attr(&w, type, 1);
        assert_int_equal(found_of(&w, NFS3_GETATTR, &f), type >= 1 && type <= 7 ? 0 : -EBADMSG);
    }
}

static void lookup_gives_handle_and_attributes(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_found f;

    (void)state;
    WIRE_ADD(&w, NFS3_OK, FH5);
    add_post_attr(&w, NFS3_REG, 99);
    add_post_attr(&w, NFS3_DIR, 4096);
    assert_int_equal(found_of(&w, NFS3_LOOKUP, &f), 0);
    assert_int_equal(f.fh.len, 5);
    assert_memory_equal(f.fh.data, fh5.data, 5);
    assert_true(f.attr.known);
    assert_int_equal(f.attr.size, 99);

    w.len = 0;
    WIRE_ADD(&w, NFS3_OK, FH5, 0, 0); /* the server leaves them out */
    assert_int_equal(found_of(&w, NFS3_LOOKUP, &f), 0);
    assert_false(f.attr.known);
}

static void a_looked_up_handle_has_1_to_64_bytes(void **state)
{
    struct nfs3_found f;

    (void)state;
    for (uint32_t len = 0; len <= 66; len++) {
        struct wire w = {.len = 0};

        WIRE_ADD(&w, NFS3_OK, len);
        w.len += (len + 3) & ~3u;
        WIRE_ADD(&w, 0, 0);
        assert_int_equal(found_of(&w, NFS3_LOOKUP, &f), len >= 1 && len <= 64 ? 0 : -EBADMSG);
    }
}

static void made_things_may_have_a_handle(void **state)
{
    static const enum nfs3_proc procs[] = {NFS3_CREATE, NFS3_MKDIR};
    struct nfs3_found f;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct wire w = {.len = 0};

        WIRE_ADD(&w, NFS3_OK, 1, FH5);
        add_post_attr(&w, NFS3_REG, 0);
        add_wcc(&w);
        assert_int_equal(found_of(&w, procs[i], &f), 0);
        assert_int_equal(f.fh.len, 5);
        assert_true(f.attr.known);
        assert_int_equal(f.attr.type, NFS3_REG);

        w.len = 0;
        WIRE_ADD(&w, NFS3_OK, 0, 0, 0, 0);
        assert_int_equal(found_of(&w, procs[i], &f), 0);
        assert_int_equal(f.fh.len, 0);
        assert_false(f.attr.known);
    }
}

static void access_setattr_and_the_directory_procedures(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_found f;

    (void)state;
    WIRE_ADD(&w, NFS3_OK);
    add_post_attr(&w, NFS3_DIR, 1);
    WIRE_ADD(&w, 0x1f);
    assert_int_equal(found_of(&w, NFS3_ACCESS, &f), 0);
    assert_int_equal(f.access, 0x1f);

    w.len = 0;
    WIRE_ADD(&w, NFS3_OK, 0);
    add_post_attr(&w, NFS3_REG, 123);
    assert_int_equal(found_of(&w, NFS3_SETATTR, &f), 0);
    assert_int_equal(f.attr.size, 123);

    w.len = 0;
    WIRE_ADD(&w, NFS3_OK);
    add_wcc(&w);
    assert_int_equal(found_of(&w, NFS3_REMOVE, &f), 0);
    assert_false(f.attr.known); /* the directory's are nobody's business here */
    assert_int_equal(found_of(&w, NFS3_RMDIR, &f), 0);
    assert_int_equal(found_of(&w, NFS3_RENAME, &f), -EBADMSG); /* that has two */
    add_wcc(&w);
    assert_int_equal(found_of(&w, NFS3_RENAME, &f), 0);
}

/* Every procedure, cut anywhere: refused, and never as a success. */
static void no_cut_result_is_one(void **state)
{
    static const enum nfs3_proc procs[] = {NFS3_GETATTR, NFS3_SETATTR, NFS3_LOOKUP,
                                           NFS3_ACCESS,  NFS3_CREATE,  NFS3_MKDIR,
                                           NFS3_REMOVE,  NFS3_RMDIR,   NFS3_RENAME};
    struct nfs3_found f;

    (void)state;
    for (size_t i = 0; i < sizeof procs / sizeof procs[0]; i++) {
        struct wire w = {.len = 0};
        bool whole = false;

        WIRE_ADD(&w, NFS3_OK);
        if (procs[i] == NFS3_GETATTR)
            wire_add_attr(&w, NFS3_REG, 1);
        if (procs[i] == NFS3_CREATE || procs[i] == NFS3_MKDIR)
            WIRE_ADD(&w, 1);
        if (procs[i] == NFS3_LOOKUP || procs[i] == NFS3_CREATE || procs[i] == NFS3_MKDIR)
            WIRE_ADD(&w, FH5);
        for (int n = 0; n < 40; n++)
            WIRE_ADD(&w, 0);
        for (size_t len = 0; len <= w.len; len++) {
            struct xdr_in x = xdr_in(w.bytes, len);
            int rc = nfs3_get_found(&x, procs[i], &f);

            assert_true(rc == 0 || rc == -EBADMSG);
            assert_true(rc == 0 || !whole); /* more never makes it worse */
            whole = whole || rc == 0;
            assert_true(len >= 8 || rc < 0);
        }
        assert_true(whole);
    }
}

/* Servers differ in what stands behind a failure; nobody reads it. */
static void a_failure_is_its_status(void **state)
{
    struct wire w = {.len = 0};
    struct xdr_in x;
    struct nfs3_found f;
    struct nfs3_read r;
    struct nfs3_written wr;
    struct nfs3_listed l;
    struct nfs3_space sp;
    struct nfs3_info in;
    struct nfs3_pathconf pc;

    (void)state;
    WIRE_ADD(&w, NFS3ERR_STALE);
    for (unsigned proc = NFS3_GETATTR; proc < NFS3_PROCS; proc++) {
        assert_int_equal(found_of(&w, (enum nfs3_proc)proc, &f), 0);
        assert_int_equal(f.status, NFS3ERR_STALE);
        assert_int_equal(f.fh.len, 0);
        assert_false(f.attr.known);
    }
    x = wire_in(&w);
    assert_int_equal(nfs3_get_read(&x, 10, &r), 0);
    assert_int_equal(r.status, NFS3ERR_STALE);
    assert_int_equal(r.len, 0);
    x = wire_in(&w);
    assert_int_equal(nfs3_get_written(&x, NFS3_WRITE, &wr), 0);
    assert_int_equal(wr.status, NFS3ERR_STALE);
    x = wire_in(&w);
    assert_int_equal(nfs3_get_listed(&x, &l), 0);
    assert_int_equal(l.status, NFS3ERR_STALE);
    x = wire_in(&w);
    assert_int_equal(nfs3_get_space(&x, &sp), 0);
    assert_int_equal(sp.status, NFS3ERR_STALE);
    x = wire_in(&w);
    assert_int_equal(nfs3_get_info(&x, &in), 0);
    assert_int_equal(in.status, NFS3ERR_STALE);
    x = wire_in(&w);
    assert_int_equal(nfs3_get_pathconf(&x, &pc), 0);
    assert_int_equal(pc.status, NFS3ERR_STALE);
}

static int read_of(uint32_t count, uint32_t eof, uint32_t len, uint32_t max, struct nfs3_read *r)
{
    struct wire w = {.len = 0};

    WIRE_ADD(&w, NFS3_OK);
    add_post_attr(&w, NFS3_REG, 1);
    WIRE_ADD(&w, count, eof, len, 0xdada0000);

    struct xdr_in x = wire_in(&w);
    int rc = nfs3_get_read(&x, max, r);

    if (rc == 0)
        assert_int_equal(xdr_left(&x), 4); /* at the data, which need not be there */
    return rc;
}

static void a_read_ends_at_its_data(void **state)
{
    struct nfs3_read r;

    (void)state;
    assert_int_equal(read_of(4096, 0, 4096, 4096, &r), 0);
    assert_int_equal(r.status, NFS3_OK);
    assert_int_equal(r.len, 4096);
    assert_false(r.eof);
    assert_int_equal(read_of(2, 1, 2, 4096, &r), 0);
    assert_true(r.eof);
    assert_int_equal(read_of(0, 1, 0, 0, &r), 0);
}

static void a_read_gives_no_more_than_was_asked(void **state)
{
    struct nfs3_read r;

    (void)state;
    assert_int_equal(read_of(4097, 0, 4097, 4096, &r), -EBADMSG);
    assert_int_equal(read_of(0xffffffff, 0, 0xffffffff, 4096, &r), -EBADMSG);
    assert_int_equal(read_of(4, 0, 3, 4096, &r), -EBADMSG); /* count is not the length */
    assert_int_equal(read_of(4, 2, 4, 4096, &r), -EBADMSG); /* neither eof nor not */
}

static int written_of(const struct wire *w, enum nfs3_proc proc, struct nfs3_written *out)
{
    struct xdr_in x = wire_in(w);

    return nfs3_get_written(&x, proc, out);
}

static void writes_and_commits_have_a_verifier(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_written out;

    (void)state;
    WIRE_ADD(&w, NFS3_OK);
    add_wcc(&w);
    WIRE_ADD(&w, 4096, 1, 0x01020304, 0x05060708);
    assert_int_equal(written_of(&w, NFS3_WRITE, &out), 0);
    assert_int_equal(out.len, 4096);
    assert_int_equal(out.stable, NFS3_DATA_SYNC);
    assert_memory_equal(out.verf, "\1\2\3\4\5\6\7\10", 8);

    w.len = 0;
    WIRE_ADD(&w, NFS3_OK);
    add_wcc(&w);
    WIRE_ADD(&w, 0x01020304, 0x05060708);
    assert_int_equal(written_of(&w, NFS3_COMMIT, &out), 0);
    assert_int_equal(out.len, 0);
    assert_int_equal(out.stable, NFS3_UNSTABLE);
    assert_memory_equal(out.verf, "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(written_of(&w, NFS3_WRITE, &out), -EBADMSG); /* that has more */

    w.len = 0;
    WIRE_ADD(&w, NFS3_OK, 0, 0, 4096, 3, 1, 2); /* no such stability */
    assert_int_equal(written_of(&w, NFS3_WRITE, &out), -EBADMSG);
}

/* ---- listings ---- */

static void add_entry(struct wire *w, uint32_t id, const char *name, uint32_t len, uint32_t cookie)
{
    struct xdr_out out = xdr_out(w->bytes + w->len, sizeof w->bytes - w->len);

    xdr_put_u32(&out, 1);
    xdr_put_u64(&out, id);
    xdr_put_opaque(&out, name, len);
    xdr_put_u64(&out, cookie);
    assert_false(out.bad);
    w->len = (size_t)(out.at - w->bytes);
}

static void listings_leave_dots_out(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_listed l;
    struct nfs3_entry e = {.cookie = 0};
    bool eof = false;

    (void)state;
    WIRE_ADD(&w, NFS3_OK);
    add_post_attr(&w, NFS3_DIR, 4096);
    WIRE_ADD(&w, 0x01020304, 0x05060708);
    add_entry(&w, 1, ".", 1, 1);
    add_entry(&w, 2, "...", 3, 2);
    add_entry(&w, 1, "..", 2, 3);
    add_entry(&w, 7, "f", 1, 4);
    WIRE_ADD(&w, 0, 1);

    struct xdr_in x = wire_in(&w);

    assert_int_equal(nfs3_get_listed(&x, &l), 0);
    assert_memory_equal(l.verf, "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(nfs3_get_entry(&x, false, &e, &eof), 1);
    assert_int_equal(e.name_len, 3);
    assert_memory_equal(e.name, "...", 3);
    assert_int_equal(e.fileid, 2);
    assert_int_equal(e.cookie, 2);
    assert_false(e.attr.known);
    assert_int_equal(nfs3_get_entry(&x, false, &e, &eof), 1);
    assert_memory_equal(e.name, "f", 1);
    assert_false(eof);
    assert_int_equal(nfs3_get_entry(&x, false, &e, &eof), 0);
    assert_true(eof);
    assert_int_equal(xdr_left(&x), 0);
}

/* A page of nothing but dots is not the end: the next one is asked for behind them. */
static void the_last_cookie_counts_what_was_left_out(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_entry e = {.cookie = 77};
    bool eof = true;

    (void)state;
    WIRE_ADD(&w, 0, 0);

    struct xdr_in x = wire_in(&w);

    assert_int_equal(nfs3_get_entry(&x, false, &e, &eof), 0);
    assert_false(eof);
    assert_int_equal(e.cookie, 77); /* there was no entry at all */

    w.len = 0;
    add_entry(&w, 1, ".", 1, 1);
    add_entry(&w, 1, "..", 2, 2);
    WIRE_ADD(&w, 0, 0);
    x = wire_in(&w);
    assert_int_equal(nfs3_get_entry(&x, false, &e, &eof), 0);
    assert_int_equal(e.cookie, 2);
}

static void readdirplus_has_attributes_and_handles(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_entry e;
    bool eof;

    (void)state;
    add_entry(&w, 7, "f", 1, 4);
    add_post_attr(&w, NFS3_REG, 55);
    WIRE_ADD(&w, 1, FH5);
    add_entry(&w, 8, "g", 1, 5);
    WIRE_ADD(&w, 0, 0);
    WIRE_ADD(&w, 0, 1);

    struct xdr_in x = wire_in(&w);

    assert_int_equal(nfs3_get_entry(&x, true, &e, &eof), 1);
    assert_true(e.attr.known);
    assert_int_equal(e.attr.size, 55);
    assert_int_equal(nfs3_get_entry(&x, true, &e, &eof), 1);
    assert_false(e.attr.known);
    assert_int_equal(e.fileid, 8);
    assert_int_equal(nfs3_get_entry(&x, true, &e, &eof), 0);
}

static void bad_names_are_refused(void **state)
{
    static const struct {
        const char *name;
        uint32_t len;
        int rc;
    } cases[] = {
        {"a", 1, 1},           {"", 0, -EBADMSG},   {"a/b", 3, -EBADMSG},  {"/", 1, -EBADMSG},
        {"a\0b", 3, -EBADMSG}, {"\0", 1, -EBADMSG}, {"../x", 4, -EBADMSG}, {"..a", 3, 1},
        {" ", 1, 1},           {"\xff\n", 2, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire w = {.len = 0};
        struct nfs3_entry e;
        bool eof;

        add_entry(&w, 7, cases[i].name, cases[i].len, 4);
        WIRE_ADD(&w, 0, 1);

        struct xdr_in x = wire_in(&w);

        assert_int_equal(nfs3_get_entry(&x, false, &e, &eof), cases[i].rc);
    }
}

static void names_have_255_bytes_at_most(void **state)
{
    char name[256];

    (void)state;
    memset(name, 'n', sizeof name);
    for (uint32_t len = 255; len <= 256; len++) {
        struct wire w = {.len = 0};
        struct nfs3_entry e;
        bool eof;

        add_entry(&w, 7, name, len, 4);
        WIRE_ADD(&w, 0, 1);

        struct xdr_in x = wire_in(&w);

        assert_int_equal(nfs3_get_entry(&x, false, &e, &eof), len == 255 ? 1 : -EBADMSG);
    }
}

static void a_cut_listing_is_no_end(void **state)
{
    struct wire w = {.len = 0};

    (void)state;
    add_entry(&w, 7, "f", 1, 4);
    WIRE_ADD(&w, 0, 1);
    for (size_t len = 0; len < w.len; len++) {
        struct xdr_in x = xdr_in(w.bytes, len);
        struct nfs3_entry e;
        bool eof = false;
        int rc = nfs3_get_entry(&x, false, &e, &eof);

        if (rc == 1)
            rc = nfs3_get_entry(&x, false, &e, &eof);
        assert_int_equal(rc, -EBADMSG);
    }
}

/* ---- the file system ---- */

static void space_is_what_this_user_may_have(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_space s;

    (void)state;
    WIRE_ADD(&w, NFS3_OK, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60, 99);

    struct xdr_in x = wire_in(&w);

    assert_int_equal(nfs3_get_space(&x, &s), 0);
    assert_int_equal(s.total_bytes, 0x10000000a);
    assert_int_equal(s.avail_bytes, 0x30000001e);
    assert_int_equal(s.total_files, 0x400000028);
    assert_int_equal(s.avail_files, 0x60000003c);
    x = xdr_in(w.bytes, w.len - 4);
    assert_int_equal(nfs3_get_space(&x, &s), -EBADMSG);
}

static void info_and_pathconf_are_all_read(void **state)
{
    struct wire w = {.len = 0};
    struct nfs3_info i;
    struct nfs3_pathconf p;

    (void)state;
    WIRE_ADD(&w, NFS3_OK);
    add_post_attr(&w, NFS3_DIR, 1);
    WIRE_ADD(&w, 11, 12, 13, 21, 22, 23, 31, 1, 2, 5, 6, 0x1b);

    struct xdr_in x = wire_in(&w);

    assert_int_equal(nfs3_get_info(&x, &i), 0);
    assert_int_equal(i.rtmax, 11);
    assert_int_equal(i.rtpref, 12);
    assert_int_equal(i.rtmult, 13);
    assert_int_equal(i.wtmax, 21);
    assert_int_equal(i.wtpref, 22);
    assert_int_equal(i.wtmult, 23);
    assert_int_equal(i.dtpref, 31);
    assert_int_equal(i.maxfilesize, 0x100000002);
    assert_int_equal(i.time_delta_ns, 5000000006);
    assert_int_equal(i.properties, 0x1b);
    x = xdr_in(w.bytes, w.len - 4);
    assert_int_equal(nfs3_get_info(&x, &i), -EBADMSG);

    w.len = 0;
    WIRE_ADD(&w, NFS3_OK, 0, 32000, 255, 1, 0, 1, 0);
    x = wire_in(&w);
    assert_int_equal(nfs3_get_pathconf(&x, &p), 0);
    assert_int_equal(p.link_max, 32000);
    assert_int_equal(p.name_max, 255);
    assert_true(p.no_trunc);
    assert_false(p.chown_restricted);
    assert_true(p.case_insensitive);
    assert_false(p.case_preserving);
    x = xdr_in(w.bytes, w.len - 4);
    assert_int_equal(nfs3_get_pathconf(&x, &p), -EBADMSG);
}

/* ---- words ---- */

/* RFC 1813, 2.6; every code of its own, so that a list of errors tells them apart. */
static void statuses_have_names_and_codes(void **state)
{
    static const struct {
        uint32_t status;
        const char *name;
        int code;
    } cases[] = {
        {0, "NFS3_OK", 0},
        {1, "NFS3ERR_PERM", -EPERM},
        {2, "NFS3ERR_NOENT", -ENOENT},
        {5, "NFS3ERR_IO", -EIO},
        {6, "NFS3ERR_NXIO", -ENXIO},
        {13, "NFS3ERR_ACCES", -EACCES},
        {17, "NFS3ERR_EXIST", -EEXIST},
        {18, "NFS3ERR_XDEV", -EXDEV},
        {19, "NFS3ERR_NODEV", -ENODEV},
        {20, "NFS3ERR_NOTDIR", -ENOTDIR},
        {21, "NFS3ERR_ISDIR", -EISDIR},
        {22, "NFS3ERR_INVAL", -EINVAL},
        {27, "NFS3ERR_FBIG", -EFBIG},
        {28, "NFS3ERR_NOSPC", -ENOSPC},
        {30, "NFS3ERR_ROFS", -EROFS},
        {31, "NFS3ERR_MLINK", -EMLINK},
        {63, "NFS3ERR_NAMETOOLONG", -ENAMETOOLONG},
        {66, "NFS3ERR_NOTEMPTY", -ENOTEMPTY},
        {69, "NFS3ERR_DQUOT", -EDQUOT},
        {70, "NFS3ERR_STALE", -ESTALE},
        {71, "NFS3ERR_REMOTE", -EREMOTE},
        {10001, "NFS3ERR_BADHANDLE", -EBADFD},
        {10002, "NFS3ERR_NOT_SYNC", -EBADE},
        {10003, "NFS3ERR_BAD_COOKIE", -EBADSLT},
        {10004, "NFS3ERR_NOTSUPP", -EOPNOTSUPP},
        {10005, "NFS3ERR_TOOSMALL", -ENOBUFS},
        {10006, "NFS3ERR_SERVERFAULT", -EREMOTEIO},
        {10007, "NFS3ERR_BADTYPE", -EMEDIUMTYPE},
        {10008, "NFS3ERR_JUKEBOX", -EAGAIN},
        {3, "NFS3ERR_?", -EREMOTEIO},
        {10009, "NFS3ERR_?", -EREMOTEIO},
        {UINT32_MAX, "NFS3ERR_?", -EREMOTEIO},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(nfs3_status_name(cases[i].status), cases[i].name);
        assert_int_equal(nfs3_errno(cases[i].status), cases[i].code);
    }
}

static void procedures_have_the_numbers_and_names_of_the_protocol(void **state)
{
    (void)state;
    assert_int_equal(NFS3_PROCS, 22);
    assert_string_equal(nfs3_proc_name((enum nfs3_proc)0), "NULL");
    assert_string_equal(nfs3_proc_name((enum nfs3_proc)3), "LOOKUP");
    assert_string_equal(nfs3_proc_name((enum nfs3_proc)6), "READ");
    assert_string_equal(nfs3_proc_name((enum nfs3_proc)7), "WRITE");
    assert_string_equal(nfs3_proc_name((enum nfs3_proc)12), "REMOVE");
    assert_string_equal(nfs3_proc_name((enum nfs3_proc)17), "READDIRPLUS");
    assert_string_equal(nfs3_proc_name((enum nfs3_proc)21), "COMMIT");
    for (unsigned proc = 0; proc < NFS3_PROCS; proc++)
        assert_non_null(nfs3_proc_name((enum nfs3_proc)proc));
    assert_string_equal(nfs3_proc_name(NFS3_PROCS), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_of_one_handle),
        cmocka_unit_test(truncate_sets_the_size_only),
        cmocka_unit_test(making_sets_the_mode_only),
        cmocka_unit_test(renaming_and_listing),
        cmocka_unit_test(no_arguments_are_longer_than_promised),
        cmocka_unit_test(attributes_are_all_read),
        cmocka_unit_test(types_that_do_not_exist_are_refused),
        cmocka_unit_test(lookup_gives_handle_and_attributes),
        cmocka_unit_test(a_looked_up_handle_has_1_to_64_bytes),
        cmocka_unit_test(made_things_may_have_a_handle),
        cmocka_unit_test(access_setattr_and_the_directory_procedures),
        cmocka_unit_test(no_cut_result_is_one),
        cmocka_unit_test(a_failure_is_its_status),
        cmocka_unit_test(a_read_ends_at_its_data),
        cmocka_unit_test(a_read_gives_no_more_than_was_asked),
        cmocka_unit_test(writes_and_commits_have_a_verifier),
        cmocka_unit_test(listings_leave_dots_out),
        cmocka_unit_test(the_last_cookie_counts_what_was_left_out),
        cmocka_unit_test(readdirplus_has_attributes_and_handles),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(names_have_255_bytes_at_most),
        cmocka_unit_test(a_cut_listing_is_no_end),
        cmocka_unit_test(space_is_what_this_user_may_have),
        cmocka_unit_test(info_and_pathconf_are_all_read),
        cmocka_unit_test(statuses_have_names_and_codes),
        cmocka_unit_test(procedures_have_the_numbers_and_names_of_the_protocol),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
