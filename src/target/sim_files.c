/* Open files by handle, and directories by node. */
#include "target/sim_session_priv.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HANDLES_MIN 16
#define DIRS_MIN    64
#define DEPTH_MAX   64

int sim_files_init(struct sim_session *s, unsigned handles, unsigned dirs)
{
    uint64_t buckets = DIRS_MIN;

    s->files = handles > HANDLES_MIN ? handles : HANDLES_MIN;
    s->file = calloc(s->files, sizeof *s->file);
    while (buckets < dirs)
        buckets *= 2;
    s->dir = calloc(buckets, sizeof *s->dir);
    s->dir_mask = buckets - 1;
    if (s->file == NULL || s->dir == NULL)
        return -ENOMEM;
    for (unsigned i = s->files; i-- > 0;) {
        s->file[i].next = s->free_file;
        s->free_file = &s->file[i];
    }
    return 0;
}

struct sim_file *sim_file_find(const struct sim_session *s, uint64_t handle)
{
    uint32_t place = (uint32_t)handle;
    struct sim_file *f;

    if (place >= s->files)
        return NULL;
    f = &s->file[place];
    return f->is_open && f->used == (uint32_t)(handle >> 32) ? f : NULL;
}

uint64_t sim_file_handle(const struct sim_session *s, const struct sim_file *f)
{
    return (uint64_t)f->used << 32 | (uint64_t)(f - s->file);
}

struct sim_file *sim_file_new(struct sim_session *s, uint32_t flags)
{
    struct sim_file *f = s->free_file;

    if (f == NULL)
        return NULL;
    s->free_file = f->next;
    *f = (struct sim_file){.used = f->used + 1, .flags = flags, .is_leaving = true};
    return f;
}

static void unlock(struct sim_system *system, const struct sim_file *f)
{
    struct sim_file **at = &system->locked;

    while (*at != NULL && *at != f)
        at = &(*at)->next_locked;
    if (*at != NULL)
        *at = f->next_locked;
}

static void let_go(struct sim_system *system, struct sim_file *f)
{
    uint32_t gone = 0;

    unlock(system, f);
    if (f->is_held)
        sim_names_drop(system->names, f->thing, &gone);
    f->is_held = false;
    f->is_open = false;
    if (gone > 0)
        sim_store_cut(system->store, gone - 1, 0);
}

void sim_file_op_done(struct sim_session *s, struct sim_file *f)
{
    if (--f->ops > 0 || !f->is_leaving)
        return;
    let_go(s->system, f);
    f->next = s->free_file;
    s->free_file = f;
}

void sim_files_fini(struct sim_session *s)
{
    for (unsigned i = 0; s->file != NULL && i < s->files; i++)
        let_go(s->system, &s->file[i]);
    free(s->file);
    free(s->dir);
}

int sim_lock(struct session *base, uint64_t handle)
{
    struct sim_session *s = (struct sim_session *)base;
    struct sim_file *f = sim_file_find(s, handle);

    if (f == NULL)
        return -EBADF;
    for (const struct sim_file *held = s->system->locked; held != NULL; held = held->next_locked)
        if (held->thing == f->thing)
            return held == f ? 0 : -EWOULDBLOCK;
    f->next_locked = s->system->locked;
    s->system->locked = f;
    return 0;
}

/* ---- directories ---- */

bool sim_leaf_is_name(const char *leaf)
{
    if (leaf == NULL || leaf[0] == '\0' || strchr(leaf, '/') != NULL)
        return false;
    return leaf[0] != '.' || (leaf[1] != '\0' && (leaf[1] != '.' || leaf[2] != '\0'));
}

int sim_node_leaf(const struct sim_session *s, uint64_t node, uint64_t *parent,
                  char leaf[TARGET_LEAF_MAX])
{
    if (node == TARGET_NODE_ROOT || s->names.parent == NULL ||
        s->names.parent(s->names.ctx, node, parent, leaf) < 0 || !sim_leaf_is_name(leaf))
        return -EINVAL;
    return 0;
}

static int64_t look_dir(const struct sim_names *names, uint32_t in, const char *leaf)
{
    struct target_stat st;
    int64_t thing = sim_names_look(names, in, leaf);
    int rc = thing < 0 ? (int)thing : sim_names_stat(names, (uint32_t)thing, &st);

    if (rc < 0)
        return rc;
    return st.type == TARGET_TYPE_DIR ? thing : -ENOTDIR;
}

/* From the node up to one that is known or the root, then down again by name. */
int64_t sim_node_thing(struct sim_session *s, uint64_t node)
{
    char leaf[TARGET_LEAF_MAX];
    uint64_t way[DEPTH_MAX];
    unsigned depth = 0;
    int64_t thing = SIM_ROOT;

    for (uint64_t at = node; at != TARGET_NODE_ROOT;) {
        const struct sim_dir *known = &s->dir[mix64(at) & s->dir_mask];

        if (known->node == at && known->dirs_changed == s->system->dirs_changed) {
            thing = known->thing;
            break;
        }
        if (depth == DEPTH_MAX)
            return -ENAMETOOLONG;
        way[depth++] = at;
        if (sim_node_leaf(s, at, &at, leaf) < 0)
            return -EINVAL;
    }
    while (depth-- > 0) {
        uint64_t parent;

        if (sim_node_leaf(s, way[depth], &parent, leaf) < 0)
            return -EINVAL;
        thing = look_dir(s->system->names, (uint32_t)thing, leaf);
        if (thing < 0)
            return thing;
        s->dir[mix64(way[depth]) & s->dir_mask] = (struct sim_dir){
            .node = way[depth], .dirs_changed = s->system->dirs_changed, .thing = (uint32_t)thing};
    }
    return thing;
}
