/* unit/toy_server.h — an NFS server for ops_rig.h that keeps a few small files, twice: as it has them, and as
 * they would be after a crash.
 * Shape    toy_reset; `toy` says how it behaves; toy_restart loses what was not committed.
 * Limits   TOY_THINGS files and directories of TOY_BYTES bytes. A handle is a place in the table and how
 *          often the place was used.
 * Threads  one. */
#ifndef LOADLINE_UNIT_TOY_SERVER_H
#define LOADLINE_UNIT_TOY_SERVER_H

#include "ops_rig.h"

#define TOY_THINGS 64
#define TOY_BYTES  256

struct toy_thing {
    uint32_t type; /* 0: none */
    uint32_t used;
    uint32_t parent;
    char name[32];
    unsigned char now[TOY_BYTES], kept[TOY_BYTES];
    uint32_t now_len, kept_len;
};

static struct toy {
    struct toy_thing thing[TOY_THINGS];
    unsigned char verf[NFS3_VERF_BYTES];
    bool no_attributes, no_handles; /* in what LOOKUP and CREATE say; in what CREATE says */
    bool no_plus;
    bool untyped;                  /* READDIRPLUS without attributes */
    bool halves;                   /* does half of what it is asked to */
    bool all_stable, never_stable; /* nothing is ever unstable; and the other way round */
    bool data_only, fickle;        /* makes FILE_SYNC DATA_SYNC; another verifier in each reply */
    uint64_t same_cookie;          /* of all entries; 0: each has its own */
    unsigned jukebox, bad;         /* so many calls to come; so many replies that are none */
    unsigned restart_after; /* so many WRITEs and COMMITs to come: before the last one; 0: not */
    uint32_t commit_status;
    int fail; /* calls fail with this */
} toy;

static inline void toy_restart(void)
{
    toy.verf[0]++;
    for (unsigned i = 0; i < TOY_THINGS; i++) {
        struct toy_thing *t = &toy.thing[i];

        memcpy(t->now, t->kept, sizeof t->now);
        t->now_len = t->kept_len;
    }
}

static inline void toy_reset(void)
{
    memset(&toy, 0, sizeof toy);
    toy.thing[0].type = NFS3_DIR;
}

static inline struct toy_thing *toy_named(uint32_t parent, const char *name)
{
    for (unsigned i = 1; i < TOY_THINGS; i++) {
        struct toy_thing *t = &toy.thing[i];

        if (t->type != 0 && t->parent == parent && strcmp(t->name, name) == 0)
            return t;
    }
    return NULL;
}

static inline struct toy_thing *toy_make(uint32_t parent, const char *name, uint32_t type)
{
    for (unsigned i = 1; i < TOY_THINGS; i++) {
        struct toy_thing *t = &toy.thing[i];

        if (t->type != 0)
            continue;
        *t = (struct toy_thing){.type = type, .used = t->used + 1, .parent = parent};
        snprintf(t->name, sizeof t->name, "%s", name);
        return t;
    }
    fail_msg("the toy server is full");
    abort();
}

static inline uint32_t toy_place(const struct toy_thing *t)
{
    return (uint32_t)(t - toy.thing);
}

static inline struct toy_thing *toy_handle(struct xdr_in *args)
{
    uint32_t len;
    const unsigned char *bytes = xdr_get_opaque(args, NFS3_FH_MAX, &len);

    assert_int_equal(len, 4);
    return toy.thing[bytes[0]].type != 0 && toy.thing[bytes[0]].used == bytes[1]
               ? &toy.thing[bytes[0]]
               : NULL;
}

static inline const char *toy_name(struct xdr_in *args)
{
    static char name[2][32];
    static unsigned turn;
    uint32_t len;
    const unsigned char *bytes = xdr_get_opaque(args, 31, &len);

    turn = !turn;
    memcpy(name[turn], bytes, len);
    name[turn][len] = '\0';
    return name[turn];
}

static inline void toy_put_handle(struct xdr_out *x, const struct toy_thing *t)
{
    const unsigned char bytes[4] = {(unsigned char)toy_place(t), (unsigned char)t->used};

    xdr_put_opaque(x, bytes, sizeof bytes);
}

static inline void toy_put_fattr(struct xdr_out *x, const struct toy_thing *t)
{
    xdr_put_u32(x, t->type);
    for (int i = 0; i < 4; i++)
        xdr_put_u32(x, 1);
    xdr_put_u64(x, t->now_len);
    xdr_put_u64(x, 512);
    for (int i = 0; i < 2 + 2; i++)
        xdr_put_u32(x, 0);
    xdr_put_u64(x, toy_place(t) + 1);
    for (int i = 0; i < 6; i++)
        xdr_put_u32(x, 0);
}

static inline void toy_put_attr(struct xdr_out *x, const struct toy_thing *t)
{
    xdr_put_u32(x, !toy.no_attributes);
    if (!toy.no_attributes)
        toy_put_fattr(x, t);
}

static inline void toy_put_wcc(struct xdr_out *x)
{
    xdr_put_u64(x, 0); /* neither before nor after */
}

/* ---- procedures: the status, and what stands behind it where it is NFS3_OK ---- */

static uint32_t toy_lookup(struct toy_thing *dir, struct xdr_in *args, struct xdr_out *body)
{
    const struct toy_thing *t = toy_named(toy_place(dir), toy_name(args));

    if (t == NULL)
        return NFS3ERR_NOENT;
    toy_put_handle(body, t);
    toy_put_attr(body, t);
    xdr_put_u32(body, 0);
    return NFS3_OK;
}

static uint32_t toy_make_one(struct toy_thing *dir, struct xdr_in *args, struct xdr_out *body,
                             uint32_t type)
{
    const char *name = toy_name(args);
    struct toy_thing *t = toy_named(toy_place(dir), name);
    bool guarded = type == NFS3_DIR || xdr_get_u32(args) == NFS3_GUARDED;

    if (t != NULL && guarded)
        return NFS3ERR_EXIST;
    if (t == NULL)
        t = toy_make(toy_place(dir), name, type);
    xdr_put_u32(body, !toy.no_handles);
    if (!toy.no_handles)
        toy_put_handle(body, t);
    toy_put_attr(body, t);
    toy_put_wcc(body);
    return NFS3_OK;
}

static uint32_t toy_remove(struct toy_thing *dir, struct xdr_in *args, struct xdr_out *body)
{
    struct toy_thing *t = toy_named(toy_place(dir), toy_name(args));

    if (t == NULL)
        return NFS3ERR_NOENT;
    t->type = 0;
    toy_put_wcc(body);
    return NFS3_OK;
}

static uint32_t toy_rename(struct toy_thing *dir, struct xdr_in *args, struct xdr_out *body)
{
    struct toy_thing *t = toy_named(toy_place(dir), toy_name(args));

    toy_handle(args);
    if (t == NULL)
        return NFS3ERR_NOENT;
    snprintf(t->name, sizeof t->name, "%s", toy_name(args));
    toy_put_wcc(body);
    toy_put_wcc(body);
    return NFS3_OK;
}

static void toy_keep(struct toy_thing *t)
{
    memcpy(t->kept, t->now, sizeof t->kept);
    t->kept_len = t->now_len;
}

static uint32_t toy_truncate(struct toy_thing *t, struct xdr_in *args, struct xdr_out *body)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(xdr_get_u32(args), 0);
    assert_int_equal(xdr_get_u32(args), 1);
    t->now_len = (uint32_t)xdr_get_u64(args);
    memset(t->now + t->now_len, 0, TOY_BYTES - t->now_len);
    toy_keep(t);
    toy_put_wcc(body);
    return NFS3_OK;
}

static uint32_t toy_read(struct toy_thing *t, const struct nfs_call *call, struct nfs_reply *reply)
{
    uint32_t left = call->off < t->now_len ? t->now_len - (uint32_t)call->off : 0;
    uint32_t want = toy.halves && call->len > 1 ? call->len / 2 : call->len;

    reply->read_done = true;
    reply->read = (struct nfs3_read){.len = want < left ? want : left, .eof = want >= left};
    reply->landed = reply->read.len;
    if (reply->landed > 0)
        memcpy(call->data, t->now + call->off, reply->landed);
    return NFS3_OK;
}

static inline void toy_count_down(void)
{
    toy.verf[1] += toy.fickle;
    if (toy.restart_after > 0 && --toy.restart_after == 0)
        toy_restart();
}

static uint32_t toy_write(struct toy_thing *t, const struct nfs_call *call, struct xdr_in *args,
                          struct xdr_out *body)
{
    uint32_t want = toy.halves && call->len > 1 ? call->len / 2 : call->len;
    uint32_t stable;

    toy_count_down();
    assert_int_equal(xdr_get_u64(args), call->off);
    assert_int_equal(xdr_get_u32(args), call->len);
    stable = xdr_get_u32(args);
    assert_true(call->off + want <= TOY_BYTES);
    memcpy(t->now + call->off, call->data, want);
    if (call->off + want > t->now_len)
        t->now_len = (uint32_t)call->off + want;
    if (toy.all_stable)
        stable = NFS3_FILE_SYNC;
    stable -= toy.data_only && stable == NFS3_FILE_SYNC;
    if (toy.never_stable)
        stable = NFS3_UNSTABLE;
    if (stable != NFS3_UNSTABLE)
        toy_keep(t);
    toy_put_wcc(body);
    xdr_put_u32(body, want);
    xdr_put_u32(body, stable);
    xdr_put_fixed(body, toy.verf, sizeof toy.verf);
    return NFS3_OK;
}

static uint32_t toy_commit(struct toy_thing *t, struct xdr_out *body)
{
    toy_count_down();
    toy_keep(t);
    toy_put_wcc(body);
    xdr_put_fixed(body, toy.verf, sizeof toy.verf);
    return toy.commit_status;
}

static uint32_t toy_list(const struct toy_thing *dir, const struct nfs_call *call,
                         struct xdr_in *args, struct xdr_out *body)
{
    uint64_t cookie = xdr_get_u64(args);
    bool plus = call->proc == NFS3_READDIRPLUS;

    if (plus && toy.no_plus)
        return NFS3ERR_NOTSUPP;
    xdr_put_u32(body, 0);
    xdr_put_fixed(body, toy.verf, sizeof toy.verf);
    for (uint32_t i = (uint32_t)cookie + 1; i < TOY_THINGS; i++) {
        const struct toy_thing *t = &toy.thing[i];

        if (t->type == 0 || t->parent != toy_place(dir))
            continue;
        xdr_put_u32(body, 1);
        xdr_put_u64(body, i);
        xdr_put_string(body, t->name);
        xdr_put_u64(body, toy.same_cookie > 0 ? toy.same_cookie : i);
        if (plus) {
            xdr_put_u32(body, !toy.untyped);
            if (!toy.untyped)
                toy_put_fattr(body, t);
            xdr_put_u32(body, 0);
        }
    }
    xdr_put_u32(body, 0);
    xdr_put_u32(body, 1);
    return NFS3_OK;
}

static uint32_t toy_do(struct toy_thing *t, const struct nfs_call *call, struct xdr_in *args,
                       struct xdr_out *body, struct nfs_reply *reply)
{
    switch (call->proc) {
    case NFS3_GETATTR:
        toy_put_fattr(body, t);
        return NFS3_OK;
    case NFS3_SETATTR:
        return toy_truncate(t, args, body);
    case NFS3_LOOKUP:
        return toy_lookup(t, args, body);
    case NFS3_CREATE:
        return toy_make_one(t, args, body, NFS3_REG);
    case NFS3_MKDIR:
        return toy_make_one(t, args, body, NFS3_DIR);
    case NFS3_REMOVE:
    case NFS3_RMDIR:
        return toy_remove(t, args, body);
    case NFS3_RENAME:
        return toy_rename(t, args, body);
    case NFS3_READ:
        return toy_read(t, call, reply);
    case NFS3_WRITE:
        return toy_write(t, call, args, body);
    case NFS3_COMMIT:
        return toy_commit(t, body);
    default:
        return toy_list(t, call, args, body);
    }
}

/* What stands behind a status other than NFS3_OK, by the number of words. */
static unsigned toy_refusal_words(enum nfs3_proc proc)
{
    switch (proc) {
    case NFS3_GETATTR:
        return 0;
    case NFS3_LOOKUP:
    case NFS3_READDIR:
    case NFS3_READDIRPLUS:
        return 1;
    case NFS3_RENAME:
        return 4;
    default:
        return 2;
    }
}

static int toy_answer(const struct nfs_call *call, struct xdr_in *args, struct xdr_out *results,
                      struct nfs_reply *reply)
{
    static unsigned char bytes[65536];
    struct xdr_out body = xdr_out(bytes, sizeof bytes);
    struct toy_thing *t = toy_handle(args);
    uint32_t status = NFS3ERR_STALE;

    if (toy.fail != 0)
        return toy.fail;
    if (toy.bad > 0) {
        toy.bad--;
        return 0;
    }
    if (toy.jukebox > 0) {
        toy.jukebox--;
        status = NFS3ERR_JUKEBOX;
    } else if (t != NULL) {
        status = toy_do(t, call, args, &body, reply);
    }
    if (call->proc == NFS3_READ) {
        reply->read_done = true;
        reply->read.status = status;
    }
    xdr_put_u32(results, status);
    if (status == NFS3_OK)
        xdr_put_fixed(results, bytes, (uint32_t)(body.at - bytes));
    else
        for (unsigned i = toy_refusal_words(call->proc); i > 0; i--)
            xdr_put_u32(results, 0);
    return 0;
}

#endif
