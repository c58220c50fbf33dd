#include "fileset/site_priv.h"

#include "fileset/fileset_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

struct check {
    struct site *site;
    const struct fileset_spec *spec;
    uint64_t length_bytes;
    struct err *err;
};

static const char *type_words(enum target_type type)
{
    switch (type) {
    case TARGET_TYPE_FILE:
        return "a regular file";
    case TARGET_TYPE_DIR:
        return "a directory";
    case TARGET_TYPE_LINK:
        return "a symbolic link";
    case TARGET_TYPE_OTHER:
        break;
    }
    return "a pipe, socket or device";
}

/* The directory we are in; what is below is not looked at through something else. */
static int check_is_dir(const struct check *c)
{
    char path[SITE_PATH_MAX];
    struct target_stat st = {0};
    int rc = site_stat(c->site, NULL, &st);

    if (rc == 0 && st.type == TARGET_TYPE_DIR)
        return 0;
    site_where(c->site, NULL, path);
    if (rc == -ENOENT)
        return err_set(c->err, rc, "%s is missing, a directory was expected", path);
    if (rc < 0)
        return err_sys(c->err, rc, "cannot look at %s", path);
    return err_set(c->err, -EUCLEAN, "%s is %s, a directory was expected", path,
                   type_words(st.type));
}

static int check_file(const struct check *c, uint64_t number)
{
    char leaf[FILESET_LEAF_MAX];
    char path[SITE_PATH_MAX];
    struct target_stat st = {0};
    int rc;

    fileset_put_name(leaf, 'f', number, 1);
    rc = site_stat(c->site, leaf, &st);
    if (rc == 0 && st.type == TARGET_TYPE_FILE && st.size_bytes == c->length_bytes)
        return 0;
    site_where(c->site, leaf, path);
    if (rc == -ENOENT || rc == -ENOTDIR)
        return err_set(c->err, -ENOENT, "%s is missing, a file of %" PRIu64 " bytes was expected",
                       path, c->length_bytes);
    if (rc < 0)
        return err_sys(c->err, rc, "cannot look at %s", path);
    if (st.type != TARGET_TYPE_FILE)
        return err_set(c->err, -EUCLEAN,
                       "%s is %s, a regular file of %" PRIu64 " bytes was expected", path,
                       type_words(st.type), c->length_bytes);
    return err_set(c->err, -EUCLEAN, "%s has %" PRIu64 " bytes, expected were %" PRIu64, path,
                   st.size_bytes, c->length_bytes);
}

static int check_files(const struct check *c)
{
    int rc = 0;

    for (uint64_t f = 0; rc == 0 && f < c->spec->files; f++)
        rc = check_file(c, f);
    return rc;
}

/* The directory we are in and all below it, in the order of writing. */
static int check_dir(const struct check *c, unsigned level)
{
    char leaf[FILESET_LEAF_MAX];
    int rc = check_is_dir(c);

    if (rc == 0 && level > 0)
        rc = check_files(c);

    for (uint32_t b = 0; rc == 0 && level < c->spec->levels && b < c->spec->branches; b++) {
        fileset_put_name(leaf, 'd', b, 1);
        site_enter(c->site, leaf);
        rc = check_dir(c, level + 1);
        site_leave(c->site);
    }
    return rc;
}

static int check_trees(const struct check *c)
{
    char leaf[FILESET_LEAF_MAX];
    int rc = 0;

    for (uint32_t t = 0; rc == 0 && t < c->spec->trees; t++) {
        fileset_put_name(leaf, 't', t, 2);
        site_enter(c->site, leaf);
        rc = check_dir(c, 0);
        site_leave(c->site);
    }
    return rc;
}

int site_check_place(struct site *site, const struct site_shape *shape, const char *place,
                     uint64_t length_bytes, struct err *err)
{
    const struct check c = {
        .site = site, .spec = &shape->spec, .length_bytes = length_bytes, .err = err};
    uint64_t shape_bytes;
    const char *leaf = site_place_leaf(shape, place, &shape_bytes);
    int rc;

    if (leaf == NULL)
        return err_set(err, -EINVAL, "%s is not a place of this shape", place);
    if (shape->sets > 0)
        return err_set(err, -EINVAL, "%s holds sets, whose files have no one length", place);
    if (site->caps.keeps_nothing)
        return 0;
    site_enter_id(site, shape->id);
    site_enter(site, leaf);
    rc = check_is_dir(&c);
    if (rc == 0)
        rc = shape->spec.shape == FILESET_TREE ? check_trees(&c) : check_files(&c);
    site_leave(site);
    site_leave(site);
    return rc;
}
