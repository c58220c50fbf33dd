/* store/store.h — results kept on this machine: SQLite, one row per study and per run.
 * Shape    store_open → store_begin_study, store_put_run …, store_end_study; store_list,
 *          store_load. What store_put_run has returned from is on stable storage and survives a
 *          kill -9.
 * Units    wall-clock ns since 1970.
 * Limits   a run's JSON up to RESULT_JSON_MAX bytes. WAL on local disks, rollback journal on
 *          network file systems (NFS, SMB …) and FUSE; both synchronous. The directory is made
 *          (0700) when missing.
 * Errors   -errno and words (path, and what to do: --db FILE or --db none); -ENOENT nothing of that
 *          name; -EEXIST more than one (all are named in err), or stored already; -EBUSY after 30 s
 *          of another's lock; -EBADMSG not a database, or not one of ours; -EPROTO made by a newer
 *          loadline.
 * Threads  single owner.
 * Source   tests/unit/test_store.c kills writers at random moments. */
#ifndef LOADLINE_STORE_STORE_H
#define LOADLINE_STORE_STORE_H

#include "base/err.h"
#include "result/result.h"

enum store_state {
    STORE_RUNNING,
    STORE_DONE,
    STORE_INCOMPLETE,
    STORE_INVALID, /* it came to its end, and its results are void */
};

const char *store_state_name(enum store_state state);
/* STORE_INCOMPLETE of any other word. */
enum store_state store_state_of(const char *name);

struct store_study {
    char id[RESULT_ID_MAX];
    char kind[16];
    enum store_state state; /* RUNNING of a process that is gone is listed as INCOMPLETE */
    uint64_t begun_wall_ns;
    uint64_t ended_wall_ns; /* 0 while running */
    unsigned runs;
    unsigned last_run; /* its number, above `runs` where an import had gaps; 0 none */
    uint64_t pid;      /* who runs it */
    char *target;
    char *label;
    char *command; /* what was typed, for a shell */
    char *argv;    /* the same as a JSON array of words, without the program's name; "[]" unknown */
};

/* What store_list leaves out; zero bytes: nothing. */
struct store_filter {
    const char *label; /* globs: * ? [a-z] [^a-z], of the whole text, case counts; NULL any */
    const char *target;
    const char *kind;
    uint64_t since_wall_ns; /* begun then or later */
    unsigned last;          /* the newest so many of those that fit; 0 all */
};

struct store_baseline {
    char *name;
    char *selector; /* as it was given */
    uint64_t made_wall_ns;
    unsigned n;
    char (*id)[RESULT_ID_MAX]; /* [n] studies, in the order given */
};

struct store;

/* Where results are kept when nobody says otherwise: $XDG_DATA_HOME/loadline/results.db, or
 * HOME/.local/share/… when xdg is NULL, empty or not absolute. The caller reads the environment.
 * -EINVAL neither is known, -ENAMETOOLONG. */
__attribute__((warn_unused_result)) int store_default_path(const char *xdg, const char *home,
                                                           char *buf, size_t room, struct err *err);
__attribute__((warn_unused_result)) int store_open(const char *path, struct store **out,
                                                   struct err *err);
/* For a study, which must not fail for want of a store: a database that is damaged is renamed, with
 * its log, to PATH.corrupt-DATE, and another begun; *aside is that name, the caller's to free, else
 * untouched. Only what bears our mark, or is no database at all at the usual path: everything else is
 * -EBADMSG and left alone, and with aside NULL everything. Looks at all pages up to 256 MiB. */
__attribute__((warn_unused_result)) int
store_open_or_anew(const char *path, bool usual, struct store **out, char **aside, struct err *err);
/* For reading: makes neither directory nor database, and reads from media that take no writes.
 * -ENOENT no database there. */
__attribute__((warn_unused_result)) int store_open_to_read(const char *path, struct store **out,
                                                           struct err *err);
void store_close(struct store *s);
const char *store_path(const struct store *s);

__attribute__((warn_unused_result)) int
store_begin_study(struct store *s, const struct store_study *study, struct err *err);
/* json: the document that result_seal(r) gave. One transaction. */
__attribute__((warn_unused_result)) int store_put_run(struct store *s, const struct result *r,
                                                      const char *json, struct err *err);
__attribute__((warn_unused_result)) int store_end_study(struct store *s, const char *id,
                                                        enum store_state state, struct err *err);

/* Makes a study that did not come to its end a running one of process `pid`; its runs, whose last
 * the caller has seen, stay. -EBUSY another process runs it, or may do so on another machine;
 * -ESTALE its last run is another one by now; -EALREADY it is complete; -EBADMSG it is not valid. */
__attribute__((warn_unused_result)) int store_reopen_study(struct store *s, const char *id,
                                                           unsigned last_run, uint64_t pid,
                                                           struct err *err);

/* An import gathers runs aside, however many, and takes them in at its end, in one transaction: a kill
 * leaves all of it or nothing, and nobody waits for the reading of a file. */
__attribute__((warn_unused_result)) int store_import_begin(struct store *s, struct err *err);
__attribute__((warn_unused_result)) int store_import_run(struct store *s, const struct result *r,
                                                         const char *json, struct err *err);

struct store_import {
    bool made;              /* the study was not here */
    unsigned added;         /* runs */
    unsigned had;           /* those of the study that were here before */
    enum store_state state; /* of the study here, now */
};
/* state and ended_wall_ns of the study count; its pid does not. A study that is here without some of
 * the runs gets them, and is ended as given. -EEXIST a study of that id with another content, both
 * told; -EBUSY it is running. */
__attribute__((warn_unused_result)) int store_import_end(struct store *s,
                                                         const struct store_study *study,
                                                         struct store_import *out, struct err *err);

/* Newest first; filter NULL: all. Freed with store_studies_free. */
__attribute__((warn_unused_result)) int store_list(struct store *s,
                                                   const struct store_filter *filter,
                                                   struct store_study **out, unsigned *n,
                                                   struct err *err);
/* By its whole id; *out is one study, freed with store_studies_free(out, 1). -ENOENT. */
__attribute__((warn_unused_result)) int store_get_study(struct store *s, const char *id,
                                                        struct store_study **out, struct err *err);
void store_studies_free(struct store_study *list, unsigned n);

/* Names a study by id, by a prefix that only one has, or by its label; with ".n" behind it one
 * run (*run is 0 without). A name that fits several, also one by prefix and one by label, is
 * -EEXIST; a whole id is never ambiguous. */
__attribute__((warn_unused_result)) int store_find(struct store *s, const char *name,
                                                   char id[RESULT_ID_MAX], unsigned *run,
                                                   struct err *err);
/* run 0: all of the study that count (result_current), in order. The caller frees each and the array (store_results_free). */
__attribute__((warn_unused_result)) int store_load(struct store *s, const char *id, unsigned run,
                                                   struct result ***out, unsigned *n,
                                                   struct err *err);
/* Frees and takes out, of all results of a study, those that do not count. -ENOMEM. */
__attribute__((warn_unused_result)) int store_results_current(struct result **list, unsigned *n);
void store_results_free(struct result **list, unsigned n);

/* A baseline of that name is replaced. made_wall_ns 0: now. */
__attribute__((warn_unused_result)) int
store_put_baseline(struct store *s, const struct store_baseline *baseline, struct err *err);
/* *out is one baseline, freed with store_baselines_free(out, 1). -ENOENT. */
__attribute__((warn_unused_result)) int
store_get_baseline(struct store *s, const char *name, struct store_baseline **out, struct err *err);
/* By name. */
__attribute__((warn_unused_result)) int
store_list_baselines(struct store *s, struct store_baseline **out, unsigned *n, struct err *err);
/* The name only: its results stay. -ENOENT. */
__attribute__((warn_unused_result)) int store_drop_baseline(struct store *s, const char *name,
                                                            struct err *err);
void store_baselines_free(struct store_baseline *list, unsigned n);

/* A mark that somebody makes while a study runs, from another process. */
struct store_mark {
    int64_t number; /* by which it is dropped */
    uint64_t at_wall_ns;
    char text[120]; /* as result.h has it; what is longer is refused */
};
/* -ENOENT no such study; -ESTALE it does not run; -EINVAL it says nothing; -E2BIG it is too long. */
__attribute__((warn_unused_result)) int store_put_mark(struct store *s, const char *id,
                                                       uint64_t at_wall_ns, const char *text,
                                                       struct err *err);
/* The first `room` of those of a study up to a time, by time. The number of them. */
__attribute__((warn_unused_result)) int store_list_marks(struct store *s, const char *id,
                                                         uint64_t until_wall_ns,
                                                         struct store_mark *out, unsigned room,
                                                         struct err *err);
__attribute__((warn_unused_result)) int
store_drop_mark(struct store *s, const struct store_mark *mark, struct err *err);

/* A small fact about this machine and build, kept between runs (the tool's own overhead). -ENOENT.
 */
__attribute__((warn_unused_result)) int store_put_note(struct store *s, const char *key,
                                                       const char *value, struct err *err);
__attribute__((warn_unused_result)) int store_get_note(struct store *s, const char *key,
                                                       char **value, struct err *err);

#endif
