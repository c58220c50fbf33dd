#include "target/sim_names_priv.h"

#include "target/sim_things_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A cookie holds the serial of an entry, by which a listing goes on when the entry has gone, and its number, by
 * which it goes on at once when it has not. */
#define NUMBER_BITS 28
_Static_assert(SIM_THINGS_MAX == 1u << NUMBER_BITS, "a number fits its part of a cookie");

/* Zero behind the file's end. */
struct kept {
    struct kept *next;
    uint32_t file;
    unsigned char bytes[SIM_KEPT_BYTES];
};

struct sim_names {
    struct sim_things things;
    struct kept *kept;
    uint64_t bytes;
    uint64_t files;
};

int sim_names_new(struct sim_names **out)
{
    struct sim_names *n = calloc(1, sizeof *n);

    if (n == NULL)
        return -ENOMEM;
    if (sim_things_init(&n->things) < 0) {
        free(n);
        return -ENOMEM;
    }
    if (sim_things_make(&n->things, TARGET_TYPE_DIR) < 0) {
        sim_names_free(n);
        return -ENOMEM;
    }
    *out = n;
    return 0;
}

static struct kept **kept_of(const struct sim_names *n, uint32_t file)
{
    struct kept *const *at = &n->kept;

    while ((*at)->file != file)
        at = &(*at)->next;
    return (struct kept **)(uintptr_t)at;
}

static void keep_no_more(struct sim_names *n, uint32_t file)
{
    struct kept **at = kept_of(n, file);
    struct kept *gone = *at;

    *at = gone->next;
    free(gone);
    sim_thing_at(&n->things, file)->kept = false;
}

void sim_names_free(struct sim_names *n)
{
    if (n == NULL)
        return;
    while (n->kept != NULL)
        keep_no_more(n, n->kept->file);
    sim_things_fini(&n->things);
    free(n);
}

/* ---- looking ---- */

static int leaf_len(const char *leaf)
{
    size_t len = strnlen(leaf, TARGET_LEAF_MAX);

    if (len == TARGET_LEAF_MAX)
        return -ENAMETOOLONG;
    if (len == 0 || strcmp(leaf, ".") == 0 || strcmp(leaf, "..") == 0 || memchr(leaf, '/', len))
        return -EINVAL;
    return (int)len;
}

static int check_dir(const struct sim_names *n, uint32_t dir)
{
    const struct sim_thing *thing = sim_thing_living(&n->things, dir);

    if (thing == NULL)
        return -ESTALE;
    return thing->type == TARGET_TYPE_DIR ? 0 : -ENOTDIR;
}

/* The thing's number, -ENOENT when there is none of that name. */
static int64_t look(const struct sim_names *n, uint32_t dir, const char *leaf, size_t *len)
{
    int known = leaf_len(leaf);
    int rc = check_dir(n, dir);

    if (known < 0 || rc < 0)
        return rc < 0 ? rc : known;
    *len = (size_t)known;
    uint32_t number = sim_things_find(&n->things, dir, leaf, *len);
    return number == SIM_NOTHING ? -ENOENT : (int64_t)number;
}

int64_t sim_names_look(const struct sim_names *n, uint32_t dir, const char *leaf)
{
    size_t len;

    return look(n, dir, leaf, &len);
}

int sim_names_stat(const struct sim_names *n, uint32_t thing, struct target_stat *out)
{
    const struct sim_thing *it = sim_thing_living(&n->things, thing);

    if (it == NULL)
        return -ESTALE;
    *out = (struct target_stat){.type = (enum target_type)it->type};
    if (it->type == TARGET_TYPE_FILE) {
        out->size_bytes = it->size;
        out->stored_bytes = (it->size + 511) / 512 * 512;
    }
    return 0;
}

/* ---- changing ---- */

int64_t sim_names_make(struct sim_names *n, uint32_t dir, const char *leaf, enum target_type type)
{
    size_t len;
    int64_t number = look(n, dir, leaf, &len);

    if (type != TARGET_TYPE_FILE && type != TARGET_TYPE_DIR)
        return -EINVAL;
    if (number != -ENOENT)
        return number < 0 ? number : -EEXIST;
    number = sim_things_make(&n->things, type);
    if (number < 0)
        return number;
    if (sim_things_enter(&n->things, (uint32_t)number, dir, leaf, len) < 0) {
        sim_things_free(&n->things, (uint32_t)number);
        return -ENOMEM;
    }
    n->files += type == TARGET_TYPE_FILE;
    return number;
}

/* What has no name any more goes when nobody has it open. */
static void go_unless_open(struct sim_names *n, uint32_t file, uint32_t *gone)
{
    struct sim_thing *thing = sim_thing_at(&n->things, file);

    *gone = 0;
    if (thing->opens > 0)
        return;
    if (thing->kept)
        keep_no_more(n, file);
    n->bytes -= thing->size;
    n->files--;
    sim_things_free(&n->things, file);
    *gone = file + 1;
}

int sim_names_unlink(struct sim_names *n, uint32_t dir, const char *leaf, uint32_t *gone)
{
    size_t len;
    int64_t number = look(n, dir, leaf, &len);

    *gone = 0;
    if (number < 0)
        return (int)number;
    if (sim_thing_at(&n->things, (uint32_t)number)->type == TARGET_TYPE_DIR)
        return -EISDIR;
    sim_things_leave(&n->things, (uint32_t)number);
    go_unless_open(n, (uint32_t)number, gone);
    return 0;
}

static int remove_dir(struct sim_names *n, uint32_t number)
{
    const struct sim_thing *thing = sim_thing_at(&n->things, number);

    if (thing->type != TARGET_TYPE_DIR)
        return -ENOTDIR;
    if (thing->first != SIM_NOTHING)
        return -ENOTEMPTY;
    sim_things_leave(&n->things, number);
    sim_things_free(&n->things, number);
    return 0;
}

int sim_names_rmdir(struct sim_names *n, uint32_t dir, const char *leaf)
{
    size_t len;
    int64_t number = look(n, dir, leaf, &len);

    return number < 0 ? (int)number : remove_dir(n, (uint32_t)number);
}

/* What the new name stood for makes way, where a file system lets it. */
static int make_way(struct sim_names *n, uint32_t dir, const char *to, uint32_t old, uint32_t mover,
                    uint32_t *gone)
{
    bool dir_moves = sim_thing_at(&n->things, mover)->type == TARGET_TYPE_DIR;

    if (dir_moves)
        return remove_dir(n, old);
    return sim_names_unlink(n, dir, to, gone);
}

int sim_names_rename(struct sim_names *n, uint32_t dir, const char *leaf, const char *to,
                     uint32_t *gone)
{
    size_t len;
    int64_t number = look(n, dir, leaf, &len);
    int64_t old = number < 0 ? number : look(n, dir, to, &len);
    int rc = 0;

    *gone = 0;
    if (number < 0 || (old < 0 && old != -ENOENT))
        return (int)old;
    if (old == number)
        return 0;
    if (old >= 0)
        rc = make_way(n, dir, to, (uint32_t)old, (uint32_t)number, gone);
    return rc < 0 ? rc : sim_things_enter(&n->things, (uint32_t)number, dir, to, len);
}

/* ---- listing ---- */

static uint32_t first_after(const struct sim_names *n, uint32_t dir, uint64_t cookie)
{
    const struct sim_things *t = &n->things;
    uint64_t serial = cookie >> NUMBER_BITS;
    const struct sim_thing *last = sim_thing_living(t, (uint32_t)(cookie & (SIM_THINGS_MAX - 1)));
    uint32_t number = sim_thing_at(t, dir)->first;

    if (cookie != 0 && last != NULL && last->parent == dir && last->serial == serial)
        return last->after;
    while (number != SIM_NOTHING && sim_thing_at(t, number)->serial <= serial)
        number = sim_thing_at(t, number)->after;
    return number;
}

int64_t sim_names_list(const struct sim_names *n, uint32_t dir, uint64_t cookie, void *buf,
                       uint64_t len)
{
    const size_t head_bytes = offsetof(struct target_dirent, name);
    int rc = check_dir(n, dir);
    uint64_t used = 0;

    if (rc < 0)
        return rc;
    uint32_t number = first_after(n, dir, cookie);
    while (number != SIM_NOTHING) {
        const struct sim_thing *thing = sim_thing_at(&n->things, number);
        size_t bytes = (head_bytes + thing->leaf_len + 1u + 7u) / 8 * 8;
        char *at = (char *)buf + used;
        if (bytes > len - used)
            return used > 0 ? (int64_t)used : -EINVAL;
        struct target_dirent entry = {.cookie = thing->serial << NUMBER_BITS | number,
                                      .record_bytes = (uint16_t)bytes,
                                      .type = thing->type,
                                      .name_len = (uint8_t)thing->leaf_len};
        memset(at, 0, bytes);
        memcpy(at, &entry, head_bytes);
        memcpy(at + head_bytes, sim_leaves_at(&n->things.leaves, thing->leaf), thing->leaf_len);
        used += bytes;
        number = thing->after;
    }
    return (int64_t)used;
}

/* ---- files ---- */

static struct sim_thing *file_of(const struct sim_names *n, uint32_t file)
{
    struct sim_thing *thing = sim_thing_living(&n->things, file);

    return thing != NULL && thing->type == TARGET_TYPE_FILE ? thing : NULL;
}

void sim_names_hold(struct sim_names *n, uint32_t file)
{
    file_of(n, file)->opens++;
}

void sim_names_drop(struct sim_names *n, uint32_t file, uint32_t *gone)
{
    struct sim_thing *thing = file_of(n, file);

    *gone = 0;
    thing->opens--;
    if (thing->parent == SIM_NOTHING)
        go_unless_open(n, file, gone);
}

uint64_t sim_names_size(const struct sim_names *n, uint32_t file)
{
    return file_of(n, file)->size;
}

void sim_names_resize(struct sim_names *n, uint32_t file, uint64_t size)
{
    struct sim_thing *thing = file_of(n, file);

    if (thing->kept && size > SIM_KEPT_BYTES)
        keep_no_more(n, file);
    else if (thing->kept && size < thing->size)
        memset((*kept_of(n, file))->bytes + size, 0, thing->size - size);
    n->bytes += size - thing->size;
    thing->size = size;
}

int64_t sim_names_read(const struct sim_names *n, uint32_t file, void *buf, uint64_t off,
                       uint64_t len)
{
    const struct sim_thing *thing = file_of(n, file);

    if (thing == NULL)
        return -EBADF;
    if (off >= thing->size)
        return 0;
    uint64_t got = len < thing->size - off ? len : thing->size - off;
    if (thing->kept && buf != NULL)
        memcpy(buf, (*kept_of(n, file))->bytes + off, got);
    return (int64_t)got;
}

/* An empty file begins to be kept when it is named as tools name what they keep for themselves. */
static int begin_to_keep(struct sim_names *n, uint32_t file, struct sim_thing *thing)
{
    if (thing->size > 0 || thing->parent == SIM_NOTHING ||
        sim_leaves_at(&n->things.leaves, thing->leaf)[0] != '.')
        return 0;
    struct kept *k = calloc(1, sizeof *k);
    if (k == NULL)
        return -ENOMEM;
    k->next = n->kept;
    k->file = file;
    n->kept = k;
    thing->kept = true;
    return 0;
}

int64_t sim_names_write(struct sim_names *n, uint32_t file, const void *buf, uint64_t off,
                        uint64_t len)
{
    struct sim_thing *thing = file_of(n, file);

    if (thing == NULL)
        return -EBADF;
    if (len == 0)
        return 0;
    if (off > INT64_MAX || len > INT64_MAX - off)
        return -EFBIG;
    uint64_t end = off + len;
    bool keepable = buf != NULL && end <= SIM_KEPT_BYTES;
    if (keepable && !thing->kept && begin_to_keep(n, file, thing) < 0)
        return -ENOMEM;
    if (thing->kept && keepable)
        memcpy((*kept_of(n, file))->bytes + off, buf, len);
    else if (thing->kept)
        keep_no_more(n, file);
    if (end > thing->size)
        sim_names_resize(n, file, end);
    return (int64_t)len;
}

uint64_t sim_names_bytes(const struct sim_names *n)
{
    return n->bytes;
}

uint64_t sim_names_files(const struct sim_names *n)
{
    return n->files;
}
