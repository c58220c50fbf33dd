/* What a server may send, whole records and results alone, and what a client may: nothing is read beyond
 * the end, and what is believed keeps the promises of nfs3.h, mount3.h and responder.h.
 * The first byte says as what the rest is read: 0 a call; 1 … 4 of MOUNT and the portmapper; 32 + procedure
 * of NFS; and 128 more when an RPC header stands in front. */
#include "fuzz/fuzz.h"
#include "nfs/mount3.h"
#include "nfs/nfs3.h"
#include "nfs/responder.h"
#include "nfs/rpc.h"

#include <errno.h>

enum { AS_CALL, AS_ROOT, AS_EXPORTS, AS_PORT, AS_ADDRESS, AS_NFS = 32, AS_RECORD = 128 };

#define READ_MAX 4096

static void check_inside(const struct xdr_in *x, const uint8_t *data, size_t size)
{
    FUZZ_CHECK(x->at >= data && x->at <= data + size && x->end == data + size);
}

static void check_rc(int rc, const struct xdr_in *x)
{
    FUZZ_CHECK(rc == -EBADMSG || (rc == 0 && !x->bad));
}

/* Reads all of it: the sanitizers see what lies outside. */
static void check_bytes(const unsigned char *bytes, uint32_t len)
{
    unsigned sum = 0;

    for (uint32_t i = 0; i < len; i++)
        sum += bytes[i];
    FUZZ_CHECK(sum <= 255u * len);
}

static void as_call(const uint8_t *data, size_t size)
{
    struct responder r = responder_plain(2049);
    unsigned char buf[RESPONDER_REPLY_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);
    uint32_t zeros = 0;
    int rc = responder_answer(&r, data, size, size, &out, &zeros);

    FUZZ_CHECK(rc == 0 || rc == -EBADMSG);
    if (rc != 0)
        return;

    struct xdr_in in = xdr_in(buf, (size_t)(out.at - buf));
    struct xdr_in asked = xdr_in(data, size);
    struct rpc_reply head;

    FUZZ_CHECK(!out.bad && rpc_get_reply(&in, &head) == 0 && head.xid == xdr_get_u32(&asked));
    FUZZ_CHECK(zeros <= r.io_max && zeros % 4 == 0);
}

static void as_root(struct xdr_in *x)
{
    struct mount3_root root;
    int rc = mount3_get_root(x, &root);

    check_rc(rc, x);
    if (rc == 0) {
        FUZZ_CHECK(root.flavors <= MOUNT3_FLAVORS_MAX);
        FUZZ_CHECK(root.status != 0 || (root.fh.len > 0 && root.fh.len <= NFS3_FH_MAX));
    }
}

static void as_exports(struct xdr_in *x)
{
    char path[MOUNT3_PATH_MAX + 1];
    bool everyone;
    int rc;

    while ((rc = mount3_get_export(x, path, &everyone)) == 1)
        FUZZ_CHECK(strnlen(path, sizeof path) < sizeof path);
    check_rc(rc, x);
}

static void as_port(struct xdr_in *x)
{
    uint16_t port;

    check_rc(portmap_get_port(x, &port), x);
}

static void as_address(struct xdr_in *x)
{
    uint16_t port;

    check_rc(rpcbind_get_port(x, &port), x);
}

static void as_read(struct xdr_in *x)
{
    struct nfs3_read r;
    int rc = nfs3_get_read(x, READ_MAX, &r);

    check_rc(rc, x);
    FUZZ_CHECK(rc != 0 || r.len <= READ_MAX);
}

static void as_written(struct xdr_in *x, enum nfs3_proc proc)
{
    struct nfs3_written w;
    int rc = nfs3_get_written(x, proc, &w);

    check_rc(rc, x);
    FUZZ_CHECK(rc != 0 || w.stable <= NFS3_FILE_SYNC);
}

static void as_listing(struct xdr_in *x, bool plus)
{
    struct nfs3_listed l;
    struct nfs3_entry e = {.cookie = 0};
    bool eof;
    int rc = nfs3_get_listed(x, &l);

    check_rc(rc, x);
    if (rc != 0 || l.status != NFS3_OK)
        return;
    while ((rc = nfs3_get_entry(x, plus, &e, &eof)) == 1) {
        FUZZ_CHECK(e.name_len >= 1 && e.name_len <= NFS3_NAME_MAX);
        FUZZ_CHECK(memchr(e.name, '/', e.name_len) == NULL);
        FUZZ_CHECK(memchr(e.name, '\0', e.name_len) == NULL);
        FUZZ_CHECK(e.name_len > 2 || memcmp(e.name, "..", e.name_len) != 0);
        check_bytes(e.name, e.name_len);
    }
    check_rc(rc, x);
}

static void as_file_system(struct xdr_in *x, enum nfs3_proc proc)
{
    struct nfs3_space space;
    struct nfs3_info info;
    struct nfs3_pathconf conf;

    if (proc == NFS3_FSSTAT)
        check_rc(nfs3_get_space(x, &space), x);
    else if (proc == NFS3_FSINFO)
        check_rc(nfs3_get_info(x, &info), x);
    else
        check_rc(nfs3_get_pathconf(x, &conf), x);
}

static void as_found(struct xdr_in *x, enum nfs3_proc proc)
{
    struct nfs3_found f;
    int rc = nfs3_get_found(x, proc, &f);

    check_rc(rc, x);
    if (rc != 0)
        return;
    FUZZ_CHECK(f.fh.len <= NFS3_FH_MAX);
    FUZZ_CHECK(proc != NFS3_LOOKUP || f.status != NFS3_OK || f.fh.len > 0);
    FUZZ_CHECK(!f.attr.known || (f.attr.type >= NFS3_REG && f.attr.type <= NFS3_FIFO));
    FUZZ_CHECK(f.status == NFS3_OK || (!f.attr.known && f.fh.len == 0));
    FUZZ_CHECK(nfs3_errno(f.status) <= 0 && nfs3_status_name(f.status) != NULL);
}

static void as_nfs(struct xdr_in *x, enum nfs3_proc proc)
{
    switch (proc) {
    case NFS3_READ:
        as_read(x);
        break;
    case NFS3_WRITE:
    case NFS3_COMMIT:
        as_written(x, proc);
        break;
    case NFS3_READDIR:
    case NFS3_READDIRPLUS:
        as_listing(x, proc == NFS3_READDIRPLUS);
        break;
    case NFS3_FSSTAT:
    case NFS3_FSINFO:
    case NFS3_PATHCONF:
        as_file_system(x, proc);
        break;
    default:
        as_found(x, proc);
    }
}

static void as_results(struct xdr_in *x, unsigned as)
{
    switch (as) {
    case AS_ROOT:
        as_root(x);
        break;
    case AS_EXPORTS:
        as_exports(x);
        break;
    case AS_ADDRESS:
        as_address(x);
        break;
    case AS_PORT:
        as_port(x);
        break;
    default:
        as_nfs(x, (enum nfs3_proc)(as % NFS3_PROCS));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;

    unsigned as = data[0];
    struct xdr_in x = xdr_in(++data, --size);
    struct rpc_reply head;

    if ((as & ~AS_RECORD) == AS_CALL) {
        as_call(data, size);
        return 0;
    }
    if ((as & AS_RECORD) != 0) {
        int rc = rpc_get_reply(&x, &head);

        check_rc(rc, &x);
        if (rc != 0 || head.verdict != RPC_SUCCESS)
            return 0;
    }
    as &= ~(unsigned)AS_RECORD;
    as_results(&x, as >= AS_NFS ? as - AS_NFS + NFS3_PROCS : as);
    check_inside(&x, data, size);
    return 0;
}
