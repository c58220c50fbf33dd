/* Look-ups in a set that is made, and its words. */
#include "fileset/grown_priv.h"

#include "base/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void grown_free(struct grown *g)
{
    if (g == NULL)
        return;
    free(g->dir);
    free(g->leaf);
    free(g->dir_of);
    free(g->serial_of);
    free(g->size32);
    free(g->size64);
    free(g);
}

int grown_move(struct grown *g, const char *under)
{
    if (strlen(under) >= sizeof g->spec.under)
        return -ENAMETOOLONG;
    snprintf(g->spec.under, sizeof g->spec.under, "%s", under);
    return 0;
}

const struct grown_spec *grown_spec(const struct grown *g)
{
    return &g->spec;
}

uint64_t grown_files(const struct grown *g)
{
    return g->files;
}

uint64_t grown_dirs(const struct grown *g)
{
    return g->dirs;
}

uint64_t grown_leafs(const struct grown *g)
{
    return g->leafs;
}

uint64_t grown_bytes(const struct grown *g)
{
    return g->bytes;
}

uint64_t grown_bytes_most(const struct grown *g)
{
    return g->bytes_most;
}

bool grown_same_size(const struct grown *g)
{
    return g->size32 == NULL && g->size64 == NULL;
}

double grown_mean_depth(const struct grown *g)
{
    return g->mean_depth;
}

unsigned grown_levels(const struct grown *g)
{
    return g->levels;
}

uint64_t grown_serial_most(const struct grown *g)
{
    return g->serial_most;
}

size_t grown_memory(const struct grown *g)
{
    size_t per_file = sizeof *g->dir_of;

    if (g->serial_of != NULL)
        per_file += sizeof *g->serial_of;
    if (g->size32 != NULL)
        per_file += sizeof *g->size32;
    if (g->size64 != NULL)
        per_file += sizeof *g->size64;
    return sizeof *g + g->files * per_file + g->dirs * sizeof *g->dir + g->leafs * sizeof *g->leaf;
}

uint64_t grown_file_bytes(const struct grown *g, uint64_t file)
{
    if (g->size32 != NULL)
        return g->size32[file];
    return g->size64 != NULL ? g->size64[file] : g->bytes_most;
}

void grown_file(const struct grown *g, uint64_t file, uint64_t *dir, uint64_t *serial)
{
    *dir = g->dir_of[file];
    *serial = g->serial_of != NULL ? g->serial_of[file] : file - g->dir[*dir].first_file + 1;
}

void grown_dir(const struct grown *g, uint64_t d, uint64_t *parent, uint64_t *serial)
{
    const struct grown_place *at = d < g->dirs ? &g->dir[d].at : &g->leaf[d - g->dirs];

    *parent = at->parent;
    *serial = at->serial;
}

/* What was found has no other description than itself. */
static uint64_t digest_found(const struct grown *g)
{
    uint64_t digest = mix64_pair(g->dirs, g->files);
    uint64_t dir;
    uint64_t serial;

    for (uint64_t d = 1; d < g->dirs + g->leafs; d++) {
        grown_dir(g, d, &dir, &serial);
        digest = mix64_pair(digest, dir << 32 | serial);
    }
    for (uint64_t f = 0; f < g->files; f++) {
        grown_file(g, f, &dir, &serial);
        digest = mix64_pair(mix64_pair(digest, dir << 32 | serial), grown_file_bytes(g, f));
    }
    return digest;
}

static void put_draw(const char *name, const struct draw *draw, struct text *out)
{
    text_addf(out, " %s=(", name);
    draw_text(draw, out);
    text_add(out, ")");
}

void grown_text(const struct grown *g, struct text *out)
{
    if (g->listed) {
        text_addf(out, "listed entries=%" PRIu64 " dirs=%" PRIu64 " digest=%016" PRIx64, g->files,
                  g->dirs, digest_found(g));
        return;
    }
    text_addf(out, "entries=%" PRIu64 " leafdirs=%" PRIu64, g->files, g->leafs);
    put_draw("size", &g->spec.size, out);
    put_draw("width", &g->spec.width, out);
    text_addf(out, " dirgamma=%" PRIu32, g->spec.dirgamma_milli);
    if (g->spec.has_depth)
        put_draw("depth", &g->spec.depth, out);
}
