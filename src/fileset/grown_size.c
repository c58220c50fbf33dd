/* Sizes of files. Each is drawn from a generator of its own, seeded by the file's number: so that it
 * is the same whatever tree it lies in and in whatever order files are looked at. */
#include "fileset/grown_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define SIZES_STREAM 0x73697a6573u

static int no_room(uint64_t files, struct err *err)
{
    return err_set(err, -ENOMEM, "no memory for the sizes of %" PRIu64 " files", files);
}

static int sum_sizes(struct grown *g, const struct grown_sizes *sizes, uint64_t *least,
                     struct err *err)
{
    int64_t sum = 0;

    *least = UINT64_MAX;
    for (uint64_t i = 0; i < g->files; i++) {
        uint64_t bytes = sizes->of(sizes->ctx, i);
        if (__builtin_add_overflow(sum, bytes, &sum))
            return err_set(err, -EINVAL, "%s: %" PRIu64 " files are more than 2^63 bytes",
                           g->spec.name, g->files);
        if (bytes > g->bytes_most)
            g->bytes_most = bytes;
        if (bytes < *least)
            *least = bytes;
    }
    g->bytes = (uint64_t)sum;
    return 0;
}

/* Half the memory where that is enough; the sizes are asked for twice, so that none is held wide for a
 * time only. */
int grown_fill_sizes(struct grown *g, const struct grown_sizes *sizes, struct err *err)
{
    uint64_t least;
    int rc = sum_sizes(g, sizes, &least, err);

    if (rc < 0 || g->files == 0 || least == g->bytes_most)
        return rc;
    if (g->bytes_most <= UINT32_MAX) {
        g->size32 = malloc(g->files * sizeof *g->size32);
        if (g->size32 == NULL)
            return no_room(g->files, err);
        for (uint64_t i = 0; i < g->files; i++)
            g->size32[i] = (uint32_t)sizes->of(sizes->ctx, i);
        return 0;
    }
    g->size64 = malloc(g->files * sizeof *g->size64);
    if (g->size64 == NULL)
        return no_room(g->files, err);
    for (uint64_t i = 0; i < g->files; i++)
        g->size64[i] = sizes->of(sizes->ctx, i);
    return 0;
}

static uint64_t drawn(const void *ctx, uint64_t file)
{
    const struct grown_spec *spec = ctx;
    struct rng rng;

    rng_seed(&rng, mix64_pair(mix64_pair(spec->seed, SIZES_STREAM), file));
    return draw_count(&spec->size, &rng);
}

int grown_draw_sizes(struct grown *g, struct err *err)
{
    const struct grown_sizes sizes = {.of = drawn, .ctx = &g->spec};

    return grown_fill_sizes(g, &sizes, err);
}
