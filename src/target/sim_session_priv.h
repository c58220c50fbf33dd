/* target/sim_session_priv.h — a session of a modelled system: ops, open files, directories by node.
 * Shape    sim_session.c takes ops and hands them out; sim_files.c keeps what is open and where a node lies.
 * Units    ns of the net's clock, window edges of the target's.
 * Limits   handles: what the spec asks, 16 at least. A file that is closed while ops of its handle are under way
 *          goes when the last of them is done.
 * Threads  one for all sessions of a system, `wake` aside.
 * Source   tests/conform/test_sim.c. */
#ifndef LOADLINE_TARGET_SIM_SESSION_PRIV_H
#define LOADLINE_TARGET_SIM_SESSION_PRIV_H

#include "target/sim_priv.h"
#include "target/wake_priv.h"

/* It has no pages on this machine, and no holes. A local system's DRAM is the cache of the machine that asks. */
#define SIM_LACKS (1u << OP_RESIDENT | 1u << OP_DISCARD)
uint32_t sim_op_kinds(const struct sim_profile *p);

/* An open file, or a place for one. */
struct sim_file {
    struct sim_file *next;        /* free */
    struct sim_file *next_locked; /* of the system's */
    uint64_t read_end;            /* of its last read */
    uint32_t thing;
    uint32_t flags;  /* OP_FLAG_* of its OPEN */
    uint32_t used;   /* how often the place was given: a handle of before is not this one */
    uint32_t ops;    /* under way */
    bool is_open;    /* for the session: from the end of OPEN to the beginning of CLOSE */
    bool is_held;    /* by the namespace */
    bool is_leaving; /* when the last of its ops is done */
};

/* Where a node lay when it was last asked for. */
struct sim_dir {
    uint64_t node; /* TARGET_NODE_ROOT: nothing is known */
    uint64_t dirs_changed;
    uint32_t thing;
};

struct sim_session {
    struct sim_system *system;
    struct target_names names;
    unsigned ops_max;
    unsigned held;
    unsigned ready;
    struct op *done;
    struct op **done_last;
    struct sim_file *file; /* [files] */
    unsigned files;
    struct sim_file *free_file;
    struct sim_dir *dir; /* [dir_mask + 1] */
    uint64_t dir_mask;
    struct wake wake;
    uint64_t open_ns; /* of the window; equal: none */
    uint64_t close_ns;
    struct hist served[SIM_SERVED_KINDS];
};

int sim_session_open(struct target *t, const struct session_spec *spec, struct session **out,
                     struct err *err);
void sim_session_close(struct session *s);
int sim_submit(struct session *s, struct op *const ops[], unsigned n);
int sim_reap(struct session *s, struct op *done[], unsigned min, unsigned max, uint64_t until_ns);
void sim_session_wake(struct session *s);
void sim_calls_window(struct session *s, uint64_t open_ns, uint64_t close_ns);
const struct hist *sim_calls(struct session *s, unsigned i, const char **name);
int sim_lock(struct session *s, uint64_t handle);

/* Of target.h's clock. */
static inline bool sim_in_window(const struct sim_session *s, uint64_t net_ns)
{
    return net_ns + SIM_EPOCH_NS >= s->open_ns && net_ns + SIM_EPOCH_NS < s->close_ns;
}

/* The op is the caller's again, with o->res. */
void sim_op_tell(struct sim_op *o);
/* And its way is at an end. */
void sim_op_done(struct sim_op *o);

__attribute__((warn_unused_result)) int sim_files_init(struct sim_session *s, unsigned handles,
                                                       unsigned dirs);
void sim_files_fini(struct sim_session *s); /* closes what is open */
struct sim_file *sim_file_find(const struct sim_session *s, uint64_t handle);
uint64_t sim_file_handle(const struct sim_session *s, const struct sim_file *f);
struct sim_file *sim_file_new(struct sim_session *s, uint32_t flags); /* NULL: none is free */
/* Once for each op of it that is done. */
void sim_file_op_done(struct sim_session *s, struct sim_file *f);

/* A name stays in its directory. */
bool sim_leaf_is_name(const char *leaf);
/* -EINVAL for a node that nobody knows, and for the root. */
int sim_node_leaf(const struct sim_session *s, uint64_t node, uint64_t *parent,
                  char leaf[TARGET_LEAF_MAX]);
/* The thing where the node's names lead, or -errno. */
int64_t sim_node_thing(struct sim_session *s, uint64_t node);

#endif
