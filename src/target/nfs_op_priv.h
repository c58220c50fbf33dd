/* target/nfs_op_priv.h — what an op is made of: jobs, open files, known directories, writes not yet committed.
 * Shape    nfs_session.c is submit, reap and the list of what is done. An accepted op has a job, which goes
 *          through stages: nfs_job.c begins it, walks to its directory, tries it again (JUKEBOX, stale
 *          directories); nfs_data.c moves bytes, nfs_names.c does what names something, nfs_list.c lists,
 *          nfs_commit.c sees to it that nothing is lost.
 *          A stage is begun by nfs_job_step, as often as need be: when no call was free, when a timer is
 *          due. Each of its calls carries the stage in `part`.
 * Units    bytes, ns.
 * Limits   a session holds as many jobs as its spec says ops. Per idle op everything here and in
 *          nfs_call_priv.h together is at most 512 bytes. A path is NFS_DEPTH_MAX directories deep.
 *          JUKEBOX is waited out for timeo · (retrans + 1).
 * Errors   op->res.                               Threads  the session's.
 * Source   RFC 1813; tests/conform, tests/unit/test_nfs_ops.c, test_nfs_stable.c, tests/cli/test_nfs.py. */
#ifndef LOADLINE_TARGET_NFS_OP_PRIV_H
#define LOADLINE_TARGET_NFS_OP_PRIV_H

#include "target/nfs_call_priv.h"
#include "target/nfs_kept_priv.h"

/* ---- jobs ---- */

#define NFS_DEPTH_MAX 64

enum nfs_stage {
    NFS_STAGE_WALK,   /* LOOKUPs from a known directory to walk.base */
    NFS_STAGE_MAIN,   /* the one call of ops of names, READDIR, TRUNCATE; `proc` */
    NFS_STAGE_MORE,   /* what its reply left out: LOOKUP, GETATTR */
    NFS_STAGE_TYPES,  /* LOOKUPs of entries that were listed without their type */
    NFS_STAGE_SIZE,   /* GETATTR of an APPEND */
    NFS_STAGE_MOVE,   /* READs, WRITEs */
    NFS_STAGE_COMMIT, /* COMMIT of job->file */
    NFS_STAGE_AGAIN,  /* WRITEs of what the server forgot; then COMMIT */
};

struct nfs_walk {
    uint64_t base; /* the directory that is wanted */
    uint64_t at;   /* the one that `dir` is the handle of, once it has one */
    uint64_t look; /* the one below `at` that is looked up */
    struct nfs3_fh dir;
    unsigned char verf[NFS3_VERF_BYTES]; /* READDIR */
    uint32_t list_bytes;
    uint32_t listed;     /* bytes in op->buf */
    uint32_t types_from; /* of them, those whose types were asked for */
};

/* Places are counted from op->off. */
struct nfs_move {
    uint64_t file_off; /* of op->off; APPEND: the size of the file */
    uint64_t at;       /* asked for so far */
    uint64_t end;
    uint64_t gap_from; /* answered short, or not at all: asked for once more; from ≥ to: nothing */
    uint64_t gap_to;
    uint64_t eof;  /* READ */
    bool said_eof; /* the server did */
    uint8_t stable;
    bool must_commit;  /* the server did not make stable what it was asked to */
    bool first_commit; /* to make room: the data comes behind it */
};

struct nfs_again {
    struct nfs3_fh fh;
    uint64_t handle;
    struct nfs_records records; /* no longer of the file */
    uint32_t record;            /* that is written again … */
    uint32_t rounds;            /* how often the verifier was another one */
    uint64_t at;                /* … so far */
    unsigned char *buf;
};

struct nfs_job {
    struct op *op;
    struct nfs_job *next; /* waiting for a call, or free */
    uint64_t due_ns;      /* of its timer; 0: none. This and the next are nfs_call.c's */
    uint32_t timer;       /* the place in the heap of timers */
    uint32_t file;        /* place, or NFS_NONE */
    int64_t res;          /* first error of the calls under way */
    uint64_t later_ns;    /* since when it is put off by JUKEBOX; 0: it is not */
    uint16_t calls;       /* under way */
    uint16_t tries;       /* put off so often */
    uint8_t stage;
    uint8_t proc;      /* of MAIN and MORE */
    bool waits;        /* in a list, for a call or a buffer */
    bool resent;       /* a call of its MAIN stage went out more than once */
    bool put_off;      /* a call of this stage met JUKEBOX */
    bool stale_before; /* its directory was forgotten and looked up again already */
    bool commits;      /* `again` says what; else nothing is in it */
    /* All of the above is cleared for each op. The rest is as long again several times, and nearly all ops
     * have no use for the most of it. */
    union {
        struct nfs_walk walk;
        struct nfs_move move; /* OP_READ, OP_WRITE, OP_APPEND */
    };
    struct nfs_again again;
};

/* First in, first out. */
struct nfs_jobs {
    struct nfs_job *first;
    struct nfs_job **last;
};

#define NFS_AGAIN_BUFFERS   8
#define NFS_AGAIN_BUF_BYTES (1u << 20)
#define NFS_AGAIN_ROUNDS                                                                           \
    64 /* a server whose verifier never stays is not written to for ever: -EIO */

struct nfs_ops {
    struct target_names names;
    struct target_remake remake;
    bool resolve_always;
    bool no_plus; /* the server has no READDIRPLUS */
    struct nfs_job *job;
    struct nfs_job *free;
    struct nfs_jobs for_call;
    struct nfs_jobs for_buffer;
    struct op *done;
    struct op **done_last;
    unsigned room;
    unsigned held;
    unsigned ready; /* of held: in the list of what is done */
    struct nfs_files files;
    struct nfs_dirs dirs;
    struct nfs_unstable unstable;
    unsigned char *again_buf[NFS_AGAIN_BUFFERS]; /* free ones */
    unsigned again_free;
    unsigned again_made;
    unsigned char last_verf[NFS3_VERF_BYTES]; /* that a change was counted for */
    bool has_last_verf;
};

static inline struct nfs_file *nfs_job_file(struct nfs_session *s, const struct nfs_job *job)
{
    return &s->ops->files.file[job->file];
}

/* ---- nfs_session.c ---- */

void nfs_job_done(struct nfs_session *s, struct nfs_job *job, int64_t res);

/* ---- nfs_job.c ---- */

void nfs_job_begin(struct nfs_session *s, struct nfs_job *job);
void nfs_job_step(struct nfs_session *s, struct nfs_job *job);
void nfs_job_enter(struct nfs_session *s, struct nfs_job *job, enum nfs_stage stage);
void nfs_jobs_push(struct nfs_jobs *list, struct nfs_job *job);
struct nfs_job *nfs_jobs_pop(struct nfs_jobs *list);

/* A call of this job in its stage, to be filled and posted; NULL: the step is made again once there is
 * one. */
struct nfs_call *nfs_job_call(struct nfs_session *s, struct nfs_job *job, enum nfs3_proc proc);
static inline void nfs_job_post(struct nfs_session *s, struct nfs_call *call)
{
    nfs_call_post(s->calls, call, call->job->op->client);
}
/* One call without data: stages that have a single one. */
void nfs_job_ask(struct nfs_session *s, struct nfs_job *job, enum nfs3_proc proc);
/* The stage is tried again a while later. */
void nfs_job_later(struct nfs_session *s, struct nfs_job *job);
/* Deals with what is no answer yet (JUKEBOX, a directory that is not there any more): true, else the
 * caller has the status to deal with. */
bool nfs_job_retried(struct nfs_session *s, struct nfs_job *job, uint32_t status);
/* A call of it failed: the end, once all of them have ended. */
void nfs_job_fail(struct nfs_session *s, struct nfs_job *job, int code);
/* A reply that is none: the error of the op. */
int nfs_job_bad(struct nfs_session *s, struct nfs_call *call);
bool nfs_leaf_is_name(const char *leaf);
/* Name of a node in its parent. */
int nfs_node_leaf(const struct nfs_session *s, uint64_t node, uint64_t *parent,
                  char leaf[TARGET_LEAF_MAX]);

/* ---- the parts: begin an op, make a step, write arguments, take an answer ---- */

void nfs_names_begin(struct nfs_session *s, struct nfs_job *job);
/* Where the walk goes; also when it has to be walked again. */
int nfs_names_base(struct nfs_session *s, struct nfs_job *job);
void nfs_names_step(struct nfs_session *s, struct nfs_job *job);
void nfs_names_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x);
void nfs_names_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply);

void nfs_list_begin(struct nfs_session *s, struct nfs_job *job);
void nfs_list_step(struct nfs_session *s, struct nfs_job *job);
void nfs_list_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x);
void nfs_list_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply);

void nfs_data_begin(struct nfs_session *s, struct nfs_job *job);
void nfs_data_step(struct nfs_session *s, struct nfs_job *job);
void nfs_data_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x);
void nfs_data_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply);
/* SYNCFS: every file, one after the other. */
void nfs_commit_all(struct nfs_session *s, struct nfs_job *job);
/* What was written to job->file; at the end goes on in nfs_data_committed, or with the next file. */
void nfs_commit_file(struct nfs_session *s, struct nfs_job *job);
void nfs_commit_step(struct nfs_session *s, struct nfs_job *job);
void nfs_commit_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x);
void nfs_commit_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply);
void nfs_commit_ended(struct nfs_session *s, struct nfs_job *job, int code);
/* Gives back what the job holds for it. */
void nfs_commit_drop(struct nfs_session *s, struct nfs_job *job);
void nfs_data_committed(struct nfs_session *s, struct nfs_job *job, int code);

#endif
