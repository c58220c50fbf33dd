#include "fileset/spec.h"

#include "fileset/content.h"
#include "fileset/grown.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#define LEVELS_MAX   16
#define BRANCHES_MAX 1024
#define FILES_MAX    ((uint64_t)1 << 40)

static int need(bool ok, struct err *err, const char *field, uint64_t value, uint64_t max)
{
    if (ok)
        return 0;
    return err_set(err, -EINVAL, "%s is %" PRIu64 ", accepted are 1 to %" PRIu64, field, value,
                   max);
}

/* UINT64_MAX when there are more than FILES_MAX: 1024 branches on 16 levels fit no integer. */
static uint64_t dirs_per_tree(const struct fileset_spec *spec)
{
    uint64_t level = 1;
    uint64_t dirs = 0;

    for (uint32_t l = 0; l < spec->levels; l++) {
        level *= spec->branches;
        dirs += level;
        if (dirs > FILES_MAX)
            return UINT64_MAX;
    }
    return dirs;
}

static int check_tree(const struct fileset_spec *spec, struct err *err)
{
    int rc = need(spec->trees > 0, err, "trees", spec->trees, UINT32_MAX);

    if (rc == 0)
        rc = need(spec->levels > 0 && spec->levels <= LEVELS_MAX, err, "levels", spec->levels,
                  LEVELS_MAX);
    if (rc == 0)
        rc = need(spec->branches > 0 && spec->branches <= BRANCHES_MAX, err, "branches",
                  spec->branches, BRANCHES_MAX);
    return rc;
}

static int check_totals(const struct fileset_spec *spec, struct err *err)
{
    uint64_t holders = 1;
    uint64_t files;
    int64_t bytes;

    if (spec->shape == FILESET_TREE) {
        uint64_t dirs = dirs_per_tree(spec);
        if (__builtin_mul_overflow(dirs, spec->trees, &holders))
            holders = UINT64_MAX;
    }
    if (__builtin_mul_overflow(holders, spec->files, &files) || files > FILES_MAX)
        return err_set(err, -EINVAL, "more than %" PRIu64 " files in one set", FILES_MAX);
    if (__builtin_mul_overflow(files, spec->size_bytes, &bytes))
        return err_set(err, -EINVAL,
                       "%" PRIu64 " files of %" PRIu64 " bytes are more than 2^63 bytes", files,
                       spec->size_bytes);
    return 0;
}

static int check_shape(const struct fileset_spec *spec, struct err *err)
{
    if ((unsigned)spec->shape > FILESET_GROWN)
        return err_set(err, -EINVAL, "unknown shape %d of a set of files", (int)spec->shape);
    if (spec->shape == FILESET_TREE)
        return check_tree(spec, err);
    if (spec->trees != 1)
        return err_set(err, -EINVAL, "trees is %" PRIu32 ", a %s set has 1", spec->trees,
                       spec->shape == FILESET_FLAT ? "flat" : "grown");
    if (spec->shape == FILESET_GROWN && spec->grown == NULL)
        return err_set(err, -EINVAL, "a grown set without what has grown");
    return 0;
}

int fileset_spec_check(const struct fileset_spec *spec, struct err *err)
{
    int rc = check_shape(spec, err);

    if (rc == 0 && spec->shape != FILESET_GROWN)
        rc = need(spec->files > 0, err, "files", spec->files, UINT32_MAX);
    if (rc == 0 && spec->compress_centi != 0 &&
        (spec->compress_centi < CONTENT_COMPRESS_MIN ||
         spec->compress_centi > CONTENT_COMPRESS_MAX))
        rc = err_set(err, -EINVAL, "compress is %.2f, accepted are 1.1 to 10",
                     spec->compress_centi / 100.0);
    /* What has grown was bounded when it grew. */
    return rc == 0 && spec->shape != FILESET_GROWN ? check_totals(spec, err) : rc;
}

uint64_t fileset_spec_dirs(const struct fileset_spec *spec)
{
    if (spec->shape == FILESET_GROWN)
        return grown_dirs(spec->grown) - 1;
    return spec->shape == FILESET_TREE ? spec->trees * dirs_per_tree(spec) : 0;
}

uint64_t fileset_spec_files(const struct fileset_spec *spec)
{
    if (spec->shape == FILESET_GROWN)
        return grown_files(spec->grown);
    return spec->shape == FILESET_TREE ? fileset_spec_dirs(spec) * spec->files : spec->files;
}

uint64_t fileset_spec_bytes(const struct fileset_spec *spec)
{
    if (spec->shape == FILESET_GROWN)
        return grown_bytes(spec->grown);
    return fileset_spec_files(spec) * spec->size_bytes;
}
