/* Ops on their way through a modelled system. */
#include "target/sim_priv.h"

#include <errno.h>
#include <stdlib.h>

struct sim_chunk {
    struct sim_chunk *next;
    unsigned ops;
    struct sim_op op[];
};

static int add_chunk(struct sim_system *s, unsigned ops)
{
    struct sim_chunk **at = &s->pool.chunks;
    struct sim_chunk *chunk = calloc(1, sizeof *chunk + ops * sizeof chunk->op[0]);

    if (chunk == NULL || sim_net_room(s->net, ops) < 0) {
        free(chunk);
        return -ENOMEM;
    }
    chunk->ops = ops;
    for (unsigned i = ops; i-- > 0;) {
        chunk->op[i].system = s;
        chunk->op[i].next = s->pool.free;
        s->pool.free = &chunk->op[i];
    }
    while (*at != NULL)
        at = &(*at)->next;
    *at = chunk;
    s->pool.made += ops;
    return 0;
}

int sim_pool_promise(struct sim_system *s, unsigned ops)
{
    unsigned need = s->pool.promised + ops;
    int rc = need > s->pool.made ? add_chunk(s, need - s->pool.made) : 0;

    if (rc == 0)
        s->pool.promised += ops;
    return rc;
}

void sim_pool_fini(struct sim_pool *pool)
{
    for (struct sim_chunk *chunk = pool->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *pool = (struct sim_pool){.chunks = NULL};
}

struct sim_op *sim_pool_take(struct sim_system *s)
{
    struct sim_op *o = s->pool.free;

    s->pool.free = o->next;
    return o;
}

void sim_pool_give(struct sim_op *o)
{
    struct sim_pool *pool = &o->system->pool;

    o->op = NULL;
    o->session = NULL;
    o->next = pool->free;
    pool->free = o;
}

void sim_pool_each(struct sim_system *s, void (*act)(struct sim_op *o, const void *ctx),
                   const void *ctx)
{
    for (struct sim_chunk *chunk = s->pool.chunks; chunk != NULL; chunk = chunk->next)
        for (unsigned i = 0; i < chunk->ops; i++)
            if (chunk->op[i].op != NULL)
                act(&chunk->op[i], ctx);
}
