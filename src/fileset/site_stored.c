/* Whether files occupy what they are long: holes and what a file system compresses never reach a
 * device. */
#include "fileset/site_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/param.h>

/* Goes to the directory of "t00/d1/f2", below the one we are in; *leaf its last part. Cuts path. */
static void go_to(struct site *site, char *path, const char **leaf)
{
    char *slash;

    for (*leaf = path; (slash = strchr(*leaf, '/')) != NULL; *leaf = slash + 1) {
        *slash = '\0';
        site_enter(site, *leaf);
    }
}

static void ask_file(struct site *site, const struct fileset_map *map, uint64_t number,
                     struct site_stored *out)
{
    const struct fileset *set = &map->set[0];
    uint32_t tree = (uint32_t)(number / set->files_per_tree);
    unsigned depth = site->depth;
    char path[SITE_PATH_MAX];
    char name[FILESET_LEAF_MAX];
    struct target_stat st = {0};
    const char *leaf;
    uint64_t node = fileset_file(set, tree, number % set->files_per_tree, name);

    fileset_path(map, node, name, path, sizeof path);
    go_to(site, path, &leaf);
    if (site_stat(site, leaf, &st) == 0 && st.type == TARGET_TYPE_FILE) {
        out->files++;
        out->size_bytes += st.size_bytes;
        out->stored_bytes += MIN(st.stored_bytes, st.size_bytes);
    }
    while (site->depth > depth)
        site_leave(site);
}

int site_ask_stored(struct site *site, const struct site_shape *shape, const char *place,
                    unsigned most, struct site_stored *out, struct err *err)
{
    uint64_t files = fileset_spec_files(&shape->spec);
    struct fileset_map map;
    uint64_t length_bytes;
    const char *leaf = site_place_leaf(shape, place, &length_bytes);
    int rc;

    *out = (struct site_stored){0};
    if (leaf == NULL)
        return err_set(err, -EINVAL, "%s is not a place of this shape", place);
    if (site->caps.keeps_nothing || shape->sets > 0)
        return 0;
    rc = fileset_map_init(&map, "", &shape->spec, 1, err);
    if (rc < 0)
        return rc;
    site_enter_id(site, shape->id);
    site_enter(site, leaf);
    most = (unsigned)MIN(most, files);
    for (uint64_t i = 0; i < most; i++)
        ask_file(site, &map, files / most * i + files % most * i / most, out);
    site_leave(site);
    site_leave(site);
    fileset_map_fini(&map);
    return 0;
}
