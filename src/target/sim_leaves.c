#include "target/sim_leaves_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_BYTES 8
#define SLAB_UNITS 8192u
#define SLABS_MAX  (UINT32_MAX / SLAB_UNITS)

void sim_leaves_fini(struct sim_leaves *l)
{
    for (unsigned i = 0; i < l->slabs; i++)
        free(l->slab[i]);
    free(l->slab);
}

static char *at(const struct sim_leaves *l, uint32_t number)
{
    return l->slab[number / SLAB_UNITS] + (size_t)(number % SLAB_UNITS) * UNIT_BYTES;
}

const char *sim_leaves_at(const struct sim_leaves *l, uint32_t number)
{
    return at(l, number);
}

static unsigned units_of(size_t len)
{
    return (unsigned)((len + UNIT_BYTES - 1) / UNIT_BYTES);
}

static int add_slab(struct sim_leaves *l)
{
    if (l->slabs == SLABS_MAX)
        return -ENOMEM;
    if ((l->slabs & (l->slabs - 1)) == 0) { /* full: the list has room for a power of two */
        size_t room = l->slabs > 0 ? 2 * (size_t)l->slabs : 1;
        char **slab = reallocarray(l->slab, room, sizeof *slab);
        if (slab == NULL)
            return -ENOMEM;
        l->slab = slab;
    }
    l->slab[l->slabs] = malloc((size_t)SLAB_UNITS * UNIT_BYTES);
    if (l->slab[l->slabs] == NULL)
        return -ENOMEM;
    l->slabs++;
    l->used = 0;
    return 0;
}

int64_t sim_leaves_keep(struct sim_leaves *l, const char *leaf, size_t len)
{
    unsigned units = units_of(len);
    uint32_t number;

    if (l->dropped[units] != 0) {
        number = l->dropped[units] - 1;
        memcpy(&l->dropped[units], at(l, number), sizeof l->dropped[units]);
    } else {
        if ((l->slabs == 0 || l->used + units > SLAB_UNITS) && add_slab(l) < 0)
            return -ENOMEM;
        number = (l->slabs - 1) * SLAB_UNITS + l->used;
        l->used += units;
    }
    memcpy(at(l, number), leaf, len);
    return number;
}

void sim_leaves_drop(struct sim_leaves *l, uint32_t number, size_t len)
{
    unsigned units = units_of(len);

    memcpy(at(l, number), &l->dropped[units], sizeof l->dropped[units]);
    l->dropped[units] = number + 1;
}
