/* The tree is drawn depth first, as if by recursion; what would lie on the stack of calls lies in an
 * array of frames, because depth comes from a workload file. */
#include "fileset/grown_priv.h"

#include "base/draw_math.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TREE_STREAM 0x74726565u
#define DIRS_MAX    ((uint64_t)UINT32_MAX)

/* A directory that is being filled. */
struct frame {
    uint32_t dir;
    uint32_t serial;   /* of the entry made last */
    bool is_leaf;      /* holds files and leaf directories, not directories */
    bool second;       /* is at its leaf directories: the files are all there or wait elsewhere */
    uint64_t width;    /* entries of each of the two turns */
    uint64_t in_width; /* made in this one */
};

struct grow {
    struct grown *g;
    struct rng rng;
    struct draw width;
    struct draw depth;
    uint64_t dir_room;
    uint64_t files;
    uint64_t leafs;
    unsigned depth_now; /* frames in use; the root's is the first */
    struct frame frame[GROWN_DEPTH_MAX + 1];
};

int grown_add_dir(struct grown *g, uint64_t *room, uint32_t parent, uint32_t serial)
{
    if (g->dirs == *room) {
        uint64_t more = *room > 0 ? 2 * *room : 16;
        struct grown_dir *dir;

        uint64_t most = g->spec.dirs_bytes_max / sizeof *dir;

        if (g->dirs >= DIRS_MAX)
            return -EOVERFLOW;
        if (g->spec.dirs_bytes_max > 0 && more > most)
            more = most;
        if (more <= g->dirs)
            return -E2BIG;
        dir = reallocarray(g->dir, more, sizeof *dir);
        if (dir == NULL)
            return -ENOMEM;
        g->dir = dir;
        *room = more;
    }
    g->dir[g->dirs++] = (struct grown_dir){.at = {parent, serial}};
    return 0;
}

void grown_fit(struct grown *g)
{
    struct grown_dir *dir = reallocarray(g->dir, g->dirs, sizeof *dir);

    if (dir != NULL)
        g->dir = dir;
}

/* ---- what is drawn ---- */

static uint64_t draw_width(struct grow *grow)
{
    double width = ceil(draw_real(&grow->width, &grow->rng));
    return width < 1 ? 1 : width < GROWN_ENTRIES_MAX ? (uint64_t)width : GROWN_ENTRIES_MAX;
}

static unsigned draw_depth(struct grow *grow)
{
    double depth = trunc(draw_real(&grow->depth, &grow->rng));
    return depth < 1 ? 1 : depth < GROWN_DEPTH_MAX ? (unsigned)depth : GROWN_DEPTH_MAX;
}

/* ---- the walk ---- */

static int push(struct grow *grow, uint32_t parent, uint32_t serial)
{
    struct grown *g = grow->g;
    unsigned depth = grow->depth_now + 1;
    struct frame *frame = &grow->frame[grow->depth_now];
    int rc = grown_add_dir(g, &grow->dir_room, parent, serial);

    if (rc < 0)
        return rc;
    *frame = (struct frame){.dir = (uint32_t)(g->dirs - 1), .width = UINT64_MAX};
    g->dir[frame->dir].first_file = (uint32_t)grow->files;
    if (depth > 1) {
        frame->is_leaf = depth >= draw_depth(grow);
        frame->width = draw_width(grow);
        if (g->levels < depth - 1)
            g->levels = depth - 1;
    }
    grow->depth_now = depth;
    return 0;
}

static bool missing(const struct grow *grow, const struct frame *frame)
{
    const struct grown *g = grow->g;
    return frame->second ? grow->leafs < g->leafs : grow->files < g->files;
}

/* The next entry of the directory that is being filled, or the end of it. */
static int step(struct grow *grow)
{
    struct grown *g = grow->g;
    struct frame *frame = &grow->frame[grow->depth_now - 1];

    if (!missing(grow, frame) || frame->in_width == frame->width) {
        if (frame->second)
            grow->depth_now--;
        frame->second = true;
        frame->in_width = 0;
        return 0;
    }
    frame->in_width++;
    if (++frame->serial > g->serial_most)
        g->serial_most = frame->serial;
    if (!frame->is_leaf)
        return push(grow, frame->dir, frame->serial);
    if (frame->second)
        g->leaf[grow->leafs++] = (struct grown_place){frame->dir, frame->serial};
    else
        g->dir_of[grow->files++] = frame->dir;
    return 0;
}

static int grow_tree(struct grow *grow)
{
    struct grown *g = grow->g;
    int rc = 0;

    if (g->files > 0)
        g->dir_of = malloc(g->files * sizeof *g->dir_of);
    if (g->leafs > 0)
        g->leaf = malloc(g->leafs * sizeof *g->leaf);
    if ((g->files > 0 && g->dir_of == NULL) || (g->leafs > 0 && g->leaf == NULL))
        return -ENOMEM;
    rc = push(grow, 0, 0);
    while (rc == 0 && grow->depth_now > 0)
        rc = step(grow);
    if (rc == 0)
        grown_fit(g);
    return rc;
}

/* ---- what it is drawn from ---- */

/* The depth at which a tree of this width holds that many. */
static double mean_depth(double entries, double width)
{
    double depth = entries <= 1 ? 0 : draw_log(entries) / draw_log(width);
    return isnan(depth) ? 0 : depth;
}

/* Around `mean` as a gamma of the shape; a shape of 0 is the mean itself. */
static struct draw around(double mean, uint32_t shape_milli)
{
    double shape = shape_milli / 1000.0;

    if (shape_milli == 0 || !(mean > 0))
        return (struct draw){.kind = DRAW_FIXED, .a = mean};
    return (struct draw){.kind = DRAW_GAMMA, .a = shape, .b = mean / shape};
}

/* The same distribution about another mean: its lower end stays, what is above it is stretched. */
static void move_mean(struct draw *draw, double mean)
{
    double scale = draw->scale_by == 0 ? 1 : draw->scale_by;
    double low = draw->offset;
    double was = draw_mean(draw);

    if (draw->kind == DRAW_UNIFORM || draw->kind == DRAW_TRIANGULAR)
        low += scale * draw->a;
    for (unsigned i = 0; draw->kind == DRAW_TABULAR && i < draw->rows; i++) {
        double end = draw->offset + scale * fmin(draw->row[i].low, draw->row[i].high);
        low = i == 0 ? end : fmin(low, end);
    }
    if (draw->kind == DRAW_NORMAL || draw->kind == DRAW_FIXED || was == low) {
        draw->offset += mean - was;
        return;
    }
    double stretch = (mean - low) / (was - low);
    draw->offset = low + (draw->offset - low) * stretch;
    draw->scale_by = scale * stretch;
    if (draw->scale_by == 0) /* which would mean 1 */
        *draw = (struct draw){.kind = DRAW_FIXED, .a = mean};
}

static int prepare_draws(struct grow *grow, struct err *err)
{
    struct grown *g = grow->g;
    const struct grown_spec *spec = &g->spec;
    double width = draw_mean(&spec->width);
    int rc;

    g->mean_depth = mean_depth((double)(spec->entries + spec->leafdirs), width);
    double depth = fmin(g->mean_depth, GROWN_DEPTH_MAX);
    grow->width =
        spec->width.kind == DRAW_FIXED ? around(width, spec->dirgamma_milli) : spec->width;
    if (spec->has_depth) {
        grow->depth = spec->depth;
        move_mean(&grow->depth, depth);
    } else {
        grow->depth = around(depth, spec->dirgamma_milli);
    }
    rc = draw_check(&grow->width, err);
    return rc < 0 ? rc : draw_check(&grow->depth, err);
}

static int check_spec(struct grown_spec *spec, struct err *err)
{
    int rc;

    if (spec->name[0] == '\0')
        return err_set(err, -EINVAL, "a set of files has to have a name");
    if (strchr(spec->name, '/') != NULL || strcmp(spec->name, ".") == 0 ||
        strcmp(spec->name, "..") == 0)
        return err_set(err, -EINVAL, "'%s' is no name of a directory", spec->name);
    if (spec->entries > GROWN_ENTRIES_MAX || spec->leafdirs > GROWN_ENTRIES_MAX)
        return err_set(err, -EINVAL, "%s: %" PRIu64 " %s, accepted are up to %" PRIu64, spec->name,
                       spec->entries > GROWN_ENTRIES_MAX ? spec->entries : spec->leafdirs,
                       spec->entries > GROWN_ENTRIES_MAX ? "entries" : "leafdirs",
                       GROWN_ENTRIES_MAX);
    rc = draw_check(&spec->size, err);
    if (rc == 0)
        rc = draw_check(&spec->width, err);
    if (rc == 0 && spec->has_depth)
        rc = draw_check(&spec->depth, err);
    return rc;
}

static int grow_all(struct grow *grow, struct err *err)
{
    struct grown *g = grow->g;
    int rc = check_spec(&g->spec, err);

    if (rc == 0)
        rc = prepare_draws(grow, err);
    if (rc < 0)
        return rc;
    g->files = g->spec.entries;
    g->leafs = g->spec.leafdirs;
    rng_seed(&grow->rng, mix64_pair(g->spec.seed, TREE_STREAM));
    rc = grow_tree(grow);
    if (rc == -EOVERFLOW)
        return err_set(err, -EINVAL, "%s: more than %" PRIu64 " directories", g->spec.name,
                       DIRS_MAX);
    if (rc == -E2BIG)
        return err_set(
            err, -EINVAL,
            "%s: %" PRIu64 " entries make so many directories that their names take more "
            "than the %" PRIu64 " bytes of memory that are left; a larger dirwidth makes "
            "fewer",
            g->spec.name, g->files + g->leafs, g->spec.dirs_bytes_max);
    if (rc < 0)
        return err_set(err, rc, "%s: no memory for %" PRIu64 " entries", g->spec.name,
                       g->files + g->leafs);
    return grown_draw_sizes(g, err);
}

int grown_new(const struct grown_spec *spec, struct grown **out, struct err *err)
{
    struct grow *grow = calloc(1, sizeof *grow);
    struct grown *g = calloc(1, sizeof *g);
    int rc = -ENOMEM;

    if (grow == NULL || g == NULL) {
        err_set(err, rc, "no memory for a set of files");
    } else {
        g->spec = *spec;
        grow->g = g;
        rc = grow_all(grow, err);
    }
    free(grow);
    if (rc == 0)
        *out = g;
    else
        grown_free(g);
    return rc;
}
