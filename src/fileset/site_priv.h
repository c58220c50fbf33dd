/* fileset/site_priv.h — the parts of a site.
 * Shape    site.c opens it and knows the way down; marker.c knows the marker's text, marker_check.c
 *          what it may say; site_names.c the names; site_list.c lists a directory; site_begin.c
 *          begins and adopts; site_scan.c looks at what is there; site_probe.c tries the cache;
 *          site_check.c checks lengths; site_tree.c reads a tree of another program; clean.c
 *          removes. All of them walk by entering one directory after the other: each gets a node
 *          number of its own, never used again, so a session never mistakes one directory for
 *          another. site_mend.c alone goes by the numbers of a map, with a session of its own.
 * Limits   SITE_DEPTH_MAX directories deep: ours, place, set, GROWN_DEPTH_MAX levels, leaf
 *          directory, and slack for the way to a tree of another program.
 * Errors   negative errno.                       Threads  single owner. */
#ifndef LOADLINE_FILESET_SITE_PRIV_H
#define LOADLINE_FILESET_SITE_PRIV_H

#include "fileset/site.h"

#define SITE_ID_LEN       8
#define SITE_DEPTH_MAX    (GROWN_DEPTH_MAX + 16)
#define SITE_MARKER_BYTES (256 * 1024)
#define SITE_MARKER_NEW   ".loadline.new" /* a marker being written, renamed when it is complete */
#define SITE_PROBE        ".probe"
#define SITE_FILES        "files" /* the place of a shape without lengths */
#define SITE_LIST_BYTES   16384
#define SITE_PATH_MAX     1024

struct site_step {
    uint64_t node;
    char leaf[GROWN_NAME_MAX];
};

struct site {
    const struct target_table *table;
    struct target_caps caps;
    struct target *target;
    struct session *session;
    struct site_watch *watch; /* may be NULL */
    char *address;
    char id[SITE_ID_MAX]; /* of the directory begun or adopted; "" none */
    uint64_t held[2];     /* handles that carry our lock: the marker, and the one before it */
    unsigned holds;
    bool unfinished; /* adopted as such: there may be no marker to hold, and there are no places */
    unsigned depth;
    struct site_step at[SITE_DEPTH_MAX];
    uint64_t last_node;
};

/* ---- site.c: ops and the way down ---- */

int64_t site_do(struct site *site, struct op op);
/* The same where the op's other answers are wanted. */
int64_t site_do_op(struct site *site, struct op *op);
/* Goes down into `leaf` of the directory we are in; nothing is done on the target. Returns the
 * node. */
uint64_t site_enter(struct site *site, const char *leaf);
/* Into loadline-ID. */
uint64_t site_enter_id(struct site *site, const char *id);
void site_leave(struct site *site);
/* The directory we are in. */
uint64_t site_node(const struct site *site);
/* "ADDRESS/loadline-ID/…/leaf" for people; leaf may be NULL. Returns buf. */
const char *site_where(const struct site *site, const char *leaf, char buf[SITE_PATH_MAX]);
int site_stat(struct site *site, const char *leaf, struct target_stat *out);
/* Takes the lock of an open file; -EWOULDBLOCK another holds it. 0 also where there are no locks:
 * *locked says. */
int site_lock(struct site *site, uint64_t handle, bool *locked);
void site_let_go(struct site *site, uint64_t handle);
/* Lets go of the directory begun or adopted; what is on the target stays. */
void site_forget(struct site *site);
/* Makes the one we are in. */
int site_make_directory(struct site *site, struct err *err);
/* -EINVAL unless the shape is that of the directory begun or adopted. */
int site_need_ours(const struct site *site, const struct site_shape *shape, struct err *err);

/* ---- site_list.c: the entries of a directory, one by one ---- */

struct site_list {
    struct site *site;
    uint64_t node;
    uint64_t cookie;
    size_t len;
    size_t pos;
    char *buf; /* SITE_LIST_BYTES, the caller's */
};

void site_list_start(struct site_list *list, struct site *site, uint64_t node, char *buf);
/* 1 and an entry, valid until the next call; 0 at the end; -errno. */
int site_list_next(struct site_list *list, const struct target_dirent **out);

/* ---- site_names.c: which names a shape can generate ---- */

bool site_id_ok(const char *id);
bool site_place_ok(const struct site_shape *shape, const char *leaf, uint64_t *length_bytes);
/* Its set, when the place `files` has a directory of that name. */
const struct site_set *site_set_named(const struct site_shape *shape, const char *leaf);
/* `leaf` is a number from 1 to `most` in eight digits at least. */
bool site_serial_ok(const char *leaf, uint64_t most, uint64_t *serial);
/* `leaf` is kind and a number below limit, written as fileset.c writes it. */
bool site_name_ok(const char *leaf, char kind, unsigned digits_min, uint64_t limit);
/* "loadline-ID/PLACE" of this shape: the PLACE in it and its files' length; NULL when it is not. */
const char *site_place_leaf(const struct site_shape *shape, const char *place,
                            uint64_t *length_bytes);

/* ---- marker.c, marker_check.c ---- */

#define SITE_LENGTH_MAX ((uint64_t)1 << 50) /* so that a place's name fits FILESET_LEAF_MAX */
#define SITE_PID_MAX    ((uint64_t)1 << 32)
#define SITE_SERIAL_MAX (2 * GROWN_ENTRIES_MAX) /* files and leaf directories count on */

int site_check_range(const char *name, uint64_t value, uint64_t min, uint64_t max, struct err *err);
/* Whether a marker can begin with these bytes (also with none). */
bool site_marker_begins(const char *text, size_t len);

/* ---- site_scan.c ---- */

/* What the directory we are in is. */
struct site_look {
    enum site_marker marker;
    bool mine; /* begun or adopted by this site */
    enum site_live live;
    bool opened; /* with keep: handle is open, and carries the lock where there are locks */
    uint64_t handle;
    struct err why; /* what is wrong with a broken marker */
};
/* On SITE_OURS fills shape, which must match `id`; else only shape's id. Without keep nothing stays
 * open. */
int site_look(struct site *site, const char *id, bool keep, struct site_shape *shape,
              struct site_look *look);

#endif
