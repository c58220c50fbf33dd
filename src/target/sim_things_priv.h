/* target/sim_things_priv.h — the things of a modelled namespace, by number and by name.
 * Shape    struct sim_things is part of struct sim_names; sim_things.c finds, makes and frees, sim_names.c says what
 *          a file system would. A thing that has been taken out of its directory (unlinked) is no longer found, and
 *          lives until it is freed.
 * Limits   48 bytes each, its name beside them, 4 to 8 bytes in the table of names. SIM_THINGS_MAX things. A number
 *          is not used again before SIM_THINGS_REST others have been freed.
 * Errors   -ENOMEM.                              Threads  single owner. */
#ifndef LOADLINE_TARGET_SIM_THINGS_PRIV_H
#define LOADLINE_TARGET_SIM_THINGS_PRIV_H

#include "target/sim_leaves_priv.h"
#include "target/target.h"

#include <stdbool.h>

#define SIM_THINGS_MAX  (1u << 28)
#define SIM_THINGS_REST 1024
#define SIM_NOTHING     UINT32_MAX

struct sim_thing {
    uint64_t size;   /* of a file; of a directory: how many things were ever made in it */
    uint64_t serial; /* which of them this one is, from 1; the list of children rises in it */
    uint32_t leaf;   /* of sim_leaves */
    uint32_t parent; /* SIM_NOTHING: not in any directory */
    uint32_t chain;  /* the next of the same slot of the table; of the free ones in their queue */
    uint32_t before; /* among the children of the parent */
    uint32_t after;
    union {
        uint32_t first; /* of a directory: its children */
        uint32_t opens; /* of a file: handles */
    };
    uint32_t last;
    uint16_t leaf_len;
    uint8_t type; /* enum target_type */
    bool lives : 1;
    bool kept : 1; /* of a file: sim_names.c has its content */
};

struct sim_things {
    struct sim_thing **slab;
    uint32_t used; /* numbers ever given */
    uint32_t *head;
    uint32_t heads;  /* a power of two */
    uint32_t listed; /* in the table */
    uint32_t free_first;
    uint32_t free_last;
    uint32_t frees;
    struct sim_leaves leaves;
};

#define SIM_THINGS_SLAB_BITS 14

static inline struct sim_thing *sim_thing_at(const struct sim_things *t, uint32_t number)
{
    return &t->slab[number >> SIM_THINGS_SLAB_BITS][number & ((1u << SIM_THINGS_SLAB_BITS) - 1)];
}

/* NULL unless there is one. */
static inline struct sim_thing *sim_thing_living(const struct sim_things *t, uint32_t number)
{
    struct sim_thing *thing = number < t->used ? sim_thing_at(t, number) : NULL;

    return thing != NULL && thing->lives ? thing : NULL;
}

__attribute__((warn_unused_result)) int sim_things_init(struct sim_things *t);
void sim_things_fini(struct sim_things *t);

/* SIM_NOTHING: none of that name. */
uint32_t sim_things_find(const struct sim_things *t, uint32_t dir, const char *leaf, size_t len);
/* A new thing in no directory; its number, or -ENOMEM. */
int64_t sim_things_make(struct sim_things *t, enum target_type type);
void sim_things_free(struct sim_things *t, uint32_t number);
/* Puts it into a directory as its last child, where no other has that name, and takes it out of where it was;
 * -ENOMEM: it is still there. */
__attribute__((warn_unused_result)) int
sim_things_enter(struct sim_things *t, uint32_t number, uint32_t dir, const char *leaf, size_t len);
void sim_things_leave(struct sim_things *t, uint32_t number);

#endif
