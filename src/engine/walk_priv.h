/* engine/walk_priv.h — where a stream stands in a tree that it takes as listed.
 * Shape    walk_new per stream whose group picks in PLAN_ORDER_LISTED; for each directory walk_begin,
 *          then walk_take for each piece of its listing; walk_pick hands out what was listed.
 * Units    entries.
 * Limits   as many entries and levels as the fileset can have; the memory is made before the gate.
 * Errors   of the listing, counted in the run, and the walk goes on: -EUCLEAN an entry that the
 *          fileset does not have, -EEXIST one that was listed before, -ENOENT one that was not listed.
 * Threads  the stream's own.
 * Source   tests/truth/test_walk.c. */
#ifndef LOADLINE_ENGINE_WALK_PRIV_H
#define LOADLINE_ENGINE_WALK_PRIV_H

#include "fileset/fileset.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct walk;
struct slot;
struct stream;
struct worker;

/* Of each stream; 0: its group does not walk. */
size_t walk_bytes(const struct plan_group *group);
/* *out stays as it is where nothing is walked. Freed with free. */
__attribute__((warn_unused_result)) int walk_new(const struct plan_group *group, struct walk **out);

/* The listing of the slot's directory begins: a root, or what walk_pick gave last. */
void walk_begin(struct walk *walk, const struct slot *slot);
/* The answer of a READDIR: its entries are kept, and *cookie is where the listing goes on. false: it
 * is whole. A stream without a walk only lists. */
bool walk_take(struct worker *w, struct stream *s, const struct fileset *set, uint64_t *cookie);
/* What the answer of a READDIR counts as in a listing's bytes; first: of its directory. */
uint64_t walk_listed_bytes(const struct stream *s, bool first);
/* The next entry into the slot when it is of the slot's unit; false: it is of the other one, or there
 * is none left in the tree. A directory is the one at hand from then on. */
bool walk_pick(struct walk *walk, const struct fileset *set, struct slot *slot);

#endif
