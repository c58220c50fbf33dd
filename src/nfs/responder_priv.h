/* nfs/responder_priv.h — one call being answered: responder.c reads what it is of, responder_nfs.c has the
 * procedures of NFS, responder_things.c what stands in their arguments and results. */
#ifndef LOADLINE_NFS_RESPONDER_PRIV_H
#define LOADLINE_NFS_RESPONDER_PRIV_H

#include "nfs/responder.h"
#include "nfs/rpc.h"

#define NFS3ERR_NOTDIR    20u
#define NFS3ERR_ISDIR     21u
#define NFS3ERR_INVAL     22u
#define NFS3ERR_BADHANDLE 10001u

#define RESPONDER_ROOT_ID 1
#define RESPONDER_TIB     ((uint64_t)1 << 40)

struct answer {
    const struct responder *r;
    struct xdr_in in;
    size_t cut; /* of the record, behind in.end */
    struct xdr_out *out;
    uint32_t zeros;
};

/* All there is to know about a file; its handle holds it. */
struct thing {
    uint32_t type;
    uint64_t id;
};

/* N of "status-N", of five digits at the most, NFS3_OK of any other name. */
uint32_t answer_status_of(const unsigned char *name, uint32_t len);

void answer_put_thing(struct answer *a, const struct thing *t);
void answer_put_attr(struct answer *a, const struct thing *t);
void answer_put_post_attr(struct answer *a, const struct thing *t);
void answer_put_wcc(struct answer *a, const struct thing *t);
/* A failure of any procedure: everything that may be left out is. */
void answer_put_failure(struct answer *a, uint32_t procedure, uint32_t status);

uint32_t answer_get_thing(struct answer *a, struct thing *out);
/* A directory handle and a name in it. */
uint32_t answer_get_named(struct answer *a, struct thing *dir, struct thing *out);
void answer_pass_sattr(struct answer *a);

enum rpc_verdict answer_nfs(struct answer *a, uint32_t procedure);

#endif
