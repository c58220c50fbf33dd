/* responder.h: every call gets the reply that the protocol has for it, out of nothing. */
#include "nfs/mount3.h"
#include "nfs/responder.h"
#include "nfs/rpc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A call, and what came of it. */
struct talk {
    struct responder r;
    struct xdr_out args;
    unsigned char call[2048];
    unsigned char reply[RESPONDER_REPLY_MAX];
    uint32_t zeros;
    struct rpc_reply head;
    struct xdr_in results;
};

static struct talk *ask(uint32_t program, uint32_t version, uint32_t procedure)
{
    static struct talk t;
    static const struct rpc_cred none = {.flavor = RPC_AUTH_NONE};

    t.r = responder_plain(2049);
    t.args = xdr_out(t.call, sizeof t.call);
    rpc_put_call(&t.args, 77, program, version, procedure, &none);
    return &t;
}

static struct talk *nfs(enum nfs3_proc proc)
{
    return ask(NFS3_PROGRAM, NFS3_VERSION, proc);
}

static int answer_of(struct talk *t, size_t have, size_t len)
{
    struct xdr_out out = xdr_out(t->reply, sizeof t->reply);
    int rc = responder_answer(&t->r, t->call, have, len, &out, &t->zeros);

    assert_false(out.bad);
    t->results = xdr_in(t->reply, (size_t)(out.at - t->reply));
    if (rc == 0)
        assert_int_equal(rpc_get_reply(&t->results, &t->head), 0);
    return rc;
}

/* Answered, whatever the answer. */
static struct rpc_reply *answered(struct talk *t)
{
    size_t len = (size_t)(t->args.at - t->call);

    assert_false(t->args.bad);
    assert_int_equal(answer_of(t, len, len), 0);
    assert_int_equal(t->head.xid, 77);
    return &t->head;
}

static struct xdr_in *results(struct talk *t)
{
    assert_int_equal(answered(t)->verdict, RPC_SUCCESS);
    return &t->results;
}

static struct nfs3_found found(struct talk *t, enum nfs3_proc proc)
{
    struct nfs3_found f;

    assert_int_equal(nfs3_get_found(results(t), proc, &f), 0);
    if (f.status == NFS3_OK)
        assert_int_equal(xdr_left(&t->results), 0);
    return f;
}

static struct nfs3_fh root(void)
{
    struct talk *t = ask(MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_MNT);
    struct mount3_root r;

    mount3_put_path(&t->args, "/export/of/any/name");
    assert_int_equal(mount3_get_root(results(t), &r), 0);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.flavors, 1);
    assert_int_equal(r.flavor[0], RPC_AUTH_SYS);
    return r.fh;
}

static struct nfs3_found look_up(const struct nfs3_fh *dir, const char *name)
{
    struct talk *t = nfs(NFS3_LOOKUP);

    nfs3_put_name(&t->args, dir, name);
    return found(t, NFS3_LOOKUP);
}

/* A file, or a directory. */
static struct nfs3_fh thing(const char *name)
{
    struct nfs3_fh dir = root();
    struct nfs3_found f = look_up(&dir, name);

    assert_int_equal(f.status, NFS3_OK);
    return f.fh;
}

static void every_name_exists_as_what_it_says(void **state)
{
    static const struct {
        const char *name;
        uint32_t type;
    } cases[] = {
        {"f0", NFS3_REG},          {"f123", NFS3_REG},      {"f", NFS3_REG},
        {"00000001", NFS3_REG},    {".loadline", NFS3_REG}, {"a.b", NFS3_REG},
        {"d0", NFS3_DIR},          {"t00", NFS3_DIR},       {"loadline-x", NFS3_DIR},
        {"4096-r1-k00", NFS3_DIR}, {"fx", NFS3_DIR},        {"..", NFS3_DIR},
        {".", NFS3_DIR},           {"link-a", NFS3_LNK},
    };
    struct nfs3_fh dir = root();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct nfs3_found f = look_up(&dir, cases[i].name);

        assert_int_equal(f.status, NFS3_OK);
        assert_true(f.attr.known);
        if (f.attr.type != cases[i].type)
            fail_msg("\"%s\" is of type %u", cases[i].name, f.attr.type);
        assert_true(f.fh.len > 0);
    }
}

static void a_name_in_a_directory_is_always_the_same_file(void **state)
{
    struct nfs3_fh dir = root();
    struct nfs3_found a = look_up(&dir, "f1");
    struct nfs3_found again = look_up(&dir, "f1");
    struct nfs3_found other = look_up(&dir, "f2");
    struct nfs3_fh sub = thing("d1");
    struct nfs3_found below = look_up(&sub, "f1");

    (void)state;
    assert_memory_equal(a.fh.data, again.fh.data, a.fh.len);
    assert_int_equal(a.attr.fileid, again.attr.fileid);
    assert_memory_not_equal(a.fh.data, other.fh.data, a.fh.len);
    assert_memory_not_equal(a.fh.data, below.fh.data, a.fh.len);
}

static void what_is_made_is_what_was_asked_for(void **state)
{
    struct nfs3_fh dir = root();
    struct talk *t = nfs(NFS3_CREATE);

    (void)state;
    nfs3_put_create(&t->args, &dir, "d1", NFS3_GUARDED, 0644);

    struct nfs3_found f = found(t, NFS3_CREATE);

    assert_int_equal(f.status, NFS3_OK);
    assert_int_equal(f.attr.type, NFS3_REG);
    assert_true(f.fh.len > 0);
    t = nfs(NFS3_MKDIR);
    nfs3_put_mkdir(&t->args, &dir, "f1", 0755);
    f = found(t, NFS3_MKDIR);
    assert_int_equal(f.status, NFS3_OK);
    assert_int_equal(f.attr.type, NFS3_DIR);
    assert_true(f.fh.len > 0);
}

static struct nfs3_read read_at(const struct responder *r, uint64_t off, uint32_t len)
{
    struct nfs3_fh fh = thing("f1");
    struct talk *t = nfs(NFS3_READ);
    struct nfs3_read got;

    t->r = *r;
    nfs3_put_read(&t->args, &fh, off, len);
    assert_int_equal(nfs3_get_read(results(t), len, &got), 0);
    assert_int_equal(xdr_left(&t->results), 0);
    assert_int_equal(t->zeros, (got.len + 3) & ~3u);
    return got;
}

static void reads_give_zeros_up_to_the_end_of_the_file(void **state)
{
    struct responder r = responder_plain(1);
    struct nfs3_read got = read_at(&r, 12345, 4097);

    (void)state;
    assert_int_equal(got.len, 4097);
    assert_false(got.eof);
    r.file_bytes = 100;
    got = read_at(&r, 90, 4096);
    assert_int_equal(got.len, 10);
    assert_true(got.eof);
    got = read_at(&r, 100, 4096);
    assert_int_equal(got.len, 0);
    assert_true(got.eof);
    assert_int_equal(read_at(&r, UINT64_MAX, 4096).len, 0);
}

static void io_is_cut_as_asked(void **state)
{
    struct responder r = responder_plain(1);

    (void)state;
    r.io_max = 4096;
    assert_int_equal(read_at(&r, 0, 10000).len, 4096);
    r = responder_plain(1);
    r.halves = true;
    assert_int_equal(read_at(&r, 0, 4096).len, 2048);
    assert_int_equal(read_at(&r, 0, 1).len, 1); /* or it would never end */
}

/* Only the head of the record is there: the data of a WRITE is nobody's business here. */
static void writes_are_taken_without_their_data(void **state)
{
    struct nfs3_fh fh = thing("f1");
    struct talk *t = nfs(NFS3_WRITE);
    struct nfs3_written w;

    (void)state;
    memcpy(t->r.verf, "verifier", 8);
    nfs3_put_write(&t->args, &fh, 5, 4095, NFS3_UNSTABLE);

    size_t have = (size_t)(t->args.at - t->call);

    assert_int_equal(answer_of(t, have, have + 4096), 0);
    assert_int_equal(t->head.verdict, RPC_SUCCESS);
    assert_int_equal(nfs3_get_written(&t->results, NFS3_WRITE, &w), 0);
    assert_int_equal(w.status, NFS3_OK);
    assert_int_equal(w.len, 4095);
    assert_int_equal(w.stable, NFS3_UNSTABLE);
    assert_memory_equal(w.verf, "verifier", 8);
    assert_int_equal(answer_of(t, have, have + 4095), 0); /* the record ends in its padding */
    assert_int_equal(t->head.verdict, RPC_GARBAGE_ARGS);
    assert_int_equal(answer_of(t, have, have), 0);
    assert_int_equal(t->head.verdict, RPC_GARBAGE_ARGS);
}

static void commits_have_the_verifier_of_writes(void **state)
{
    struct nfs3_fh fh = thing("f1");
    struct talk *t = nfs(NFS3_COMMIT);
    struct nfs3_written w;

    (void)state;
    memcpy(t->r.verf, "verifier", 8);
    nfs3_put_commit(&t->args, &fh, 0, 0);
    assert_int_equal(nfs3_get_written(results(t), NFS3_COMMIT, &w), 0);
    assert_int_equal(w.status, NFS3_OK);
    assert_memory_equal(w.verf, "verifier", 8);
    assert_int_equal(xdr_left(&t->results), 0);
}

static void a_directory_holds_dots_only(void **state)
{
    static const unsigned char verf[NFS3_VERF_BYTES];
    struct nfs3_fh dir = root();
    struct nfs3_listed l;
    struct nfs3_entry e = {.cookie = 0};
    bool eof = false;

    (void)state;
    for (int plus = 0; plus < 2; plus++) {
        struct talk *t = nfs(plus ? NFS3_READDIRPLUS : NFS3_READDIR);

        if (plus)
            nfs3_put_readdirplus(&t->args, &dir, 0, verf, 4096, 8192);
        else
            nfs3_put_readdir(&t->args, &dir, 0, verf, 4096);
        assert_int_equal(nfs3_get_listed(results(t), &l), 0);
        assert_int_equal(l.status, NFS3_OK);
        assert_int_equal(nfs3_get_entry(&t->results, plus, &e, &eof), 0);
        assert_int_equal(e.cookie, 2);
        assert_true(eof);
        assert_int_equal(xdr_left(&t->results), 0);
    }
}

static void the_rest_is_taken_and_told(void **state)
{
    struct nfs3_fh dir = root();
    struct nfs3_fh file = thing("f1");
    struct talk *t = nfs(NFS3_GETATTR);
    struct nfs3_space space;
    struct nfs3_info info;
    struct nfs3_pathconf conf;

    (void)state;
    nfs3_put_fh(&t->args, &file);
    assert_int_equal(found(t, NFS3_GETATTR).attr.size, (uint64_t)1 << 40);
    t = nfs(NFS3_SETATTR);
    nfs3_put_truncate(&t->args, &file, 5);
    assert_int_equal(found(t, NFS3_SETATTR).status, NFS3_OK);
    t = nfs(NFS3_ACCESS);
    nfs3_put_access(&t->args, &dir, 0x1f);
    assert_int_equal(found(t, NFS3_ACCESS).access, 0x1f);
    t = nfs(NFS3_REMOVE);
    nfs3_put_name(&t->args, &dir, "f1");
    assert_int_equal(found(t, NFS3_REMOVE).status, NFS3_OK);
    t = nfs(NFS3_RMDIR);
    nfs3_put_name(&t->args, &dir, "d1");
    assert_int_equal(found(t, NFS3_RMDIR).status, NFS3_OK);
    t = nfs(NFS3_RENAME);
    nfs3_put_rename(&t->args, &dir, "f1", &dir, "f2");
    assert_int_equal(found(t, NFS3_RENAME).status, NFS3_OK);
    t = nfs(NFS3_FSSTAT);
    nfs3_put_fh(&t->args, &dir);
    assert_int_equal(nfs3_get_space(results(t), &space), 0);
    assert_true(space.avail_bytes >= (uint64_t)1 << 40 && space.avail_files > 0);
    assert_int_equal(xdr_left(&t->results), 0);
    t = nfs(NFS3_FSINFO);
    nfs3_put_fh(&t->args, &dir);
    assert_int_equal(nfs3_get_info(results(t), &info), 0);
    assert_int_equal(info.rtmax, 1 << 20);
    assert_int_equal(info.wtmax, 1 << 20);
    assert_true(info.maxfilesize > (uint64_t)1 << 40);
    assert_int_equal(xdr_left(&t->results), 0);
    t = nfs(NFS3_PATHCONF);
    nfs3_put_fh(&t->args, &dir);
    assert_int_equal(nfs3_get_pathconf(results(t), &conf), 0);
    assert_int_equal(conf.name_max, NFS3_NAME_MAX);
    assert_int_equal(xdr_left(&t->results), 0);
}

static uint32_t status_of(struct talk *t)
{
    return xdr_get_u32(results(t));
}

static void what_cannot_be_done_has_its_status(void **state)
{
    static const struct nfs3_fh foreign = {.len = 4, .data = {0, 0, 0, NFS3_REG}};
    struct nfs3_fh dir = root();
    struct nfs3_fh file = thing("f1");
    struct talk *t = nfs(NFS3_GETATTR);

    (void)state;
    nfs3_put_fh(&t->args, &foreign);
    assert_int_equal(status_of(t), 10001); /* BADHANDLE */
    t = nfs(NFS3_LOOKUP);
    nfs3_put_name(&t->args, &file, "f2");
    assert_int_equal(status_of(t), 20); /* NOTDIR */
    t = nfs(NFS3_READ);
    nfs3_put_read(&t->args, &dir, 0, 1);
    assert_int_equal(status_of(t), 21); /* ISDIR */
    t = nfs(NFS3_LOOKUP);
    nfs3_put_name(&t->args, &dir, "");
    assert_int_equal(status_of(t), 22); /* INVAL */
}

static void a_name_can_ask_for_a_status(void **state)
{
    static const struct {
        const char *name;
        uint32_t status;
    } cases[] = {{"status-28", 28}, {"status-10008", 10008}, {"status-x", 0},        {"status-", 0},
                 {"status-0", 0},   {"status-100000", 0},    {"status-99999", 99999}};
    struct nfs3_fh dir = root();
    struct talk *t;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(look_up(&dir, cases[i].name).status, cases[i].status);
    t = nfs(NFS3_RENAME);
    nfs3_put_rename(&t->args, &dir, "f1", &dir, "status-17");
    assert_int_equal(status_of(t), 17);
    t = ask(MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_MNT);
    mount3_put_path(&t->args, "/a/status-13");
    assert_int_equal(status_of(t), 13);
}

/* Lengths as RFC 1813 has the failures: everything optional is left out. */
static void a_status_can_be_asked_of_all(void **state)
{
    static const struct {
        enum nfs3_proc proc;
        unsigned words;
    } cases[] = {{NFS3_GETATTR, 0}, {NFS3_READ, 1},   {NFS3_WRITE, 2}, {NFS3_COMMIT, 2},
                 {NFS3_FSINFO, 1},  {NFS3_REMOVE, 2}, {NFS3_ACCESS, 1}};
    struct nfs3_fh dir = root();
    struct nfs3_fh file = thing("f1");

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct talk *t = nfs(cases[i].proc);

        t->r.status = NFS3ERR_JUKEBOX;
        if (cases[i].proc == NFS3_REMOVE)
            nfs3_put_name(&t->args, &dir, "f1");
        else if (cases[i].proc == NFS3_ACCESS)
            nfs3_put_access(&t->args, &dir, 1);
        else if (cases[i].proc == NFS3_WRITE)
            nfs3_put_write(&t->args, &file, 0, 0, NFS3_UNSTABLE);
        else if (cases[i].proc == NFS3_READ || cases[i].proc == NFS3_COMMIT)
            nfs3_put_read(&t->args, &file, 0, 4096);
        else
            nfs3_put_fh(&t->args, &file);
        assert_int_equal(status_of(t), NFS3ERR_JUKEBOX);
        assert_int_equal(xdr_left(&t->results), 4 * cases[i].words);
        assert_int_equal(t->zeros, 0);
    }

    struct talk *t = nfs(NFS3_NULL);

    t->r.status = NFS3ERR_JUKEBOX;
    assert_int_equal(xdr_left(results(t)), 0);
}

/* Arguments of any procedure that is served. */
static bool put_any(struct talk *t, enum nfs3_proc proc, const struct nfs3_fh *dir,
                    const struct nfs3_fh *file)
{
    static const unsigned char verf[NFS3_VERF_BYTES];

    switch (proc) {
    case NFS3_GETATTR:
    case NFS3_FSSTAT:
    case NFS3_FSINFO:
    case NFS3_PATHCONF:
        nfs3_put_fh(&t->args, file);
        break;
    case NFS3_SETATTR:
        nfs3_put_truncate(&t->args, file, 1);
        break;
    case NFS3_LOOKUP:
    case NFS3_REMOVE:
    case NFS3_RMDIR:
        nfs3_put_name(&t->args, dir, "f1");
        break;
    case NFS3_ACCESS:
        nfs3_put_access(&t->args, file, 1);
        break;
    case NFS3_READ:
    case NFS3_COMMIT:
        nfs3_put_read(&t->args, file, 0, 1);
        break;
    case NFS3_WRITE:
        nfs3_put_write(&t->args, file, 0, 4, NFS3_UNSTABLE);
        xdr_put_u32(&t->args, 0);
        break;
    case NFS3_CREATE:
        nfs3_put_create(&t->args, dir, "f1", NFS3_GUARDED, 0644);
        break;
    case NFS3_MKDIR:
        nfs3_put_mkdir(&t->args, dir, "f1", 0755);
        break;
    case NFS3_RENAME:
        nfs3_put_rename(&t->args, dir, "f1", dir, "f2");
        break;
    case NFS3_READDIR:
        nfs3_put_readdir(&t->args, dir, 0, verf, 100);
        break;
    case NFS3_READDIRPLUS:
        nfs3_put_readdirplus(&t->args, dir, 0, verf, 100, 200);
        break;
    default:
        return false;
    }
    return true;
}

/* Whatever is cut off the arguments of any procedure, it is not done. */
static void cut_arguments_are_garbage(void **state)
{
    struct nfs3_fh dir = root();
    struct nfs3_fh file = thing("f1");

    (void)state;
    for (unsigned proc = NFS3_GETATTR; proc < NFS3_PROCS; proc++) {
        struct talk *t = nfs((enum nfs3_proc)proc);
        size_t start = (size_t)(t->args.at - t->call);

        if (!put_any(t, (enum nfs3_proc)proc, &dir, &file)) {
            assert_int_equal(answered(t)->verdict, RPC_PROC_UNAVAIL);
            continue;
        }
        assert_int_equal(answered(t)->verdict, RPC_SUCCESS);
        for (size_t len = start; len < (size_t)(t->args.at - t->call); len++) {
            assert_int_equal(answer_of(t, len, len), 0);
            if (t->head.verdict != RPC_GARBAGE_ARGS)
                fail_msg("%s of %zu bytes: %s", nfs3_proc_name((enum nfs3_proc)proc), len,
                         rpc_verdict_name(t->head.verdict));
        }
    }
}

static void what_is_not_served_is_refused_as_rpc_does(void **state)
{
    struct rpc_reply *r;
    struct talk *t;

    (void)state;
    assert_int_equal(answered(ask(100004, 1, 0))->verdict, RPC_PROG_UNAVAIL);
    r = answered(ask(NFS3_PROGRAM, 4, 0));
    assert_int_equal(r->verdict, RPC_PROG_MISMATCH);
    assert_int_equal(r->low, 3);
    assert_int_equal(r->high, 3);
    assert_int_equal(answered(ask(NFS3_PROGRAM, 3, 22))->verdict, RPC_PROC_UNAVAIL);
    assert_int_equal(answered(ask(MOUNT3_PROGRAM, 3, 9))->verdict, RPC_PROC_UNAVAIL);
    t = nfs(NFS3_NULL);
    t->call[11] = 3; /* RPC version */
    r = answered(t);
    assert_int_equal(r->verdict, RPC_MISMATCH);
    assert_int_equal(r->low, 2);
}

static void what_is_no_call_has_no_reply(void **state)
{
    struct talk *t = nfs(NFS3_NULL);

    (void)state;
    for (size_t len = 0; len < 40; len++)
        assert_int_equal(answer_of(t, len, len), -EBADMSG);
    t->call[7] = 1;
    assert_int_equal(answer_of(t, 40, 40), -EBADMSG);
}

static uint16_t port_of(uint32_t program, uint32_t version)
{
    struct talk *t = ask(PORTMAP_PROGRAM, PORTMAP_VERSION, PORTMAP_GETPORT);
    uint16_t port;

    portmap_put_getport(&t->args, program, version);
    assert_int_equal(portmap_get_port(results(t), &port), 0);
    return port;
}

static void the_portmapper_knows_both_programs(void **state)
{
    (void)state;
    assert_int_equal(port_of(NFS3_PROGRAM, 3), 2049);
    assert_int_equal(port_of(MOUNT3_PROGRAM, 3), 2049);
    assert_int_equal(port_of(NFS3_PROGRAM, 4), 0);
    assert_int_equal(port_of(100024, 1), 0);
}

static void exports_and_unmounting(void **state)
{
    struct talk *t = ask(MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_EXPORT);
    char path[MOUNT3_PATH_MAX + 1];
    bool everyone;

    (void)state;
    assert_int_equal(mount3_get_export(results(t), path, &everyone), 1);
    assert_string_equal(path, "/");
    assert_true(everyone);
    assert_int_equal(mount3_get_export(&t->results, path, &everyone), 0);
    t = ask(MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_UMNT);
    mount3_put_path(&t->args, "/");
    assert_int_equal(xdr_left(results(t)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_exists_as_what_it_says),
        cmocka_unit_test(a_name_in_a_directory_is_always_the_same_file),
        cmocka_unit_test(what_is_made_is_what_was_asked_for),
        cmocka_unit_test(reads_give_zeros_up_to_the_end_of_the_file),
        cmocka_unit_test(io_is_cut_as_asked),
        cmocka_unit_test(writes_are_taken_without_their_data),
        cmocka_unit_test(commits_have_the_verifier_of_writes),
        cmocka_unit_test(a_directory_holds_dots_only),
        cmocka_unit_test(the_rest_is_taken_and_told),
        cmocka_unit_test(what_cannot_be_done_has_its_status),
        cmocka_unit_test(a_name_can_ask_for_a_status),
        cmocka_unit_test(a_status_can_be_asked_of_all),
        cmocka_unit_test(cut_arguments_are_garbage),
        cmocka_unit_test(what_is_not_served_is_refused_as_rpc_does),
        cmocka_unit_test(what_is_no_call_has_no_reply),
        cmocka_unit_test(the_portmapper_knows_both_programs),
        cmocka_unit_test(exports_and_unmounting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
