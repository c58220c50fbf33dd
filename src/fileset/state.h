/* fileset/state.h — which files of a set exist, which are open, and whose turn it is: what streams
 * of a workload share because the workload says so.
 * Shape    fileset_state_new says what exists at the start; then, from any worker, take → (the op) →
 *          done, and close for what was opened. Outlives runs: a script's second run goes on with it.
 *          Existing and not existing are a bit each, with levels of summary over them, and a file
 *          that is being created or deleted has neither. Whoever looks for one takes the first at or
 *          behind a cursor, which moves on: round robin over all streams. OPEN, STAT and DELETE share one
 *          cursor; CREATE, LIST, MKDIR and RMDIR have one each.
 * Units    counts. Files, directories and leaf directories by number (grown.h, fileset.h).
 * Limits   per file two bits and four bytes; at most 2^30 − 1 opens of one at once.
 * Errors   take: -ENOENT none is in that state, -EAGAIN none now, but an op is under way that may
 *          bring one: ask again; -EBUSY those found for deletion, FILESET_BUSY_MAX of them one behind the
 *          other, or the one that was asked for, are open elsewhere: they are left alone, and the
 *          caller does nothing.
 *          Beside others at work -EAGAIN may also come although one has just got into that state.
 *          new: -ENOMEM, -EINVAL.
 * Threads  take, take_file, done and close from any thread. No locks.
 * Source   specs 10; tests/unit/test_state.c, also under ThreadSanitizer; bench row wml-pick. */
#ifndef LOADLINE_FILESET_STATE_H
#define LOADLINE_FILESET_STATE_H

#include "base/err.h"
#include "fileset/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fileset_state;

#define FILESET_FROM_CURSOR UINT64_MAX
#define FILESET_BUSY_MAX    64

/* exists_percent of files and of leaf directories are there at the start, each by its own draw. */
__attribute__((warn_unused_result)) int fileset_state_new(uint64_t files, uint64_t dirs,
                                                          uint64_t leafs, uint32_t exists_percent,
                                                          uint64_t seed, struct fileset_state **out,
                                                          struct err *err);
/* What one takes, in bytes, before it is made. */
uint64_t fileset_state_need(uint64_t files, uint64_t leafs);
void fileset_state_free(struct fileset_state *s);
size_t fileset_state_memory(const struct fileset_state *s);

/* For whoever makes the files: what is to be there. */
bool fileset_state_file_exists(const struct fileset_state *s, uint64_t file);
bool fileset_state_leaf_exists(const struct fileset_state *s, uint64_t leaf);
uint64_t fileset_state_existing(const struct fileset_state *s); /* files */
/* Between runs: nothing is open any more and no op under way (a run that was cut short: what it was about
 * to create or delete is taken not to exist); cursors 0. */
void fileset_state_reset(struct fileset_state *s);
/* Also between runs: in the next one no file is created or deleted, so that nobody asks which of them are
 * open and opens need not be counted; or some will be, as at first. */
void fileset_state_settle(struct fileset_state *s, bool settled);

/* `from`: FILESET_FROM_CURSOR, or the first at or behind that number, going round (a stream's own
 * cursor, an index). With -EBUSY, too, the number is that of the file found. LIST takes every directory in
 * turn; ANY and INITIAL take nothing, -EINVAL. */
__attribute__((warn_unused_result)) int
fileset_state_take(struct fileset_state *s, enum fileset_use use, uint64_t from, uint64_t *number);
/* One file (or leaf directory) that the caller knows, whatever its number: -ENOENT it is not in that
 * state, -EAGAIN an op on it is under way, -EBUSY as take. own_open: for DELETE, how many opens of the file
 * are the caller's own; they stay open. */
__attribute__((warn_unused_result)) int fileset_state_take_file(struct fileset_state *s,
                                                                enum fileset_use use, uint64_t file,
                                                                unsigned own_open);
/* The op is over. worked = false: the state is as before the take. A CREATE that worked is counted as
 * open; so is an OPEN. Each of those is closed once, also when the file has been deleted since. */
void fileset_state_done(struct fileset_state *s, enum fileset_use use, uint64_t number,
                        bool worked);
void fileset_state_close(struct fileset_state *s, uint64_t file);

#endif
