#include "script/compile_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define GAMMA_DEFAULT     1500
#define MILLI             1000.0
#define MAKERS            32
#define SIZE_DEFAULT      1024 /* bytes, 1.5; before that: 0 */
#define FILE_WIDTH        10
#define PERCENT_ALL       100u
#define DEPTH_WIDTH_LEAST 1.0

/* One definition that is being read. */
struct reading {
    struct compiler *c;
    const struct definition *d;
    const struct lang_attrs *attrs;
    bool single;
    struct set_wish *wish;
};

static int bad(const struct reading *r, const char *what)
{
    lang_error(r->c->remarks, r->wish->at, "%s: %s", r->d->name, what);
    return -EINVAL;
}

static int count(const struct reading *r, const char *name, uint64_t otherwise, uint64_t most,
                 uint64_t *out)
{
    int rc = attr_count(r->d->scope, r->attrs, name, otherwise, r->c->remarks, out);
    if (rc == 0 && *out > most) {
        const struct lang_attr *attr = lang_attr_find(r->attrs, name);
        lang_error(r->c->remarks, attr ? attr->at : r->wish->at, "%s is %llu: at most %llu", name,
                   (unsigned long long)*out, (unsigned long long)most);
        rc = -EINVAL;
    }
    return rc;
}

static int flag(const struct reading *r, const char *name, bool otherwise, bool *out)
{
    return attr_flag(r->d->scope, r->attrs, name, otherwise, r->c->remarks, out);
}

static int settle(const struct reading *r, struct draw *draw)
{
    struct err err = {0};
    return draw_check(draw, &err) < 0 ? bad(r, err.text) : 0;
}

/* ---- shape ---- */

static bool sizes_spread(const struct reading *r)
{
    return r->c->dialect == SCRIPT_DIALECT_SUN || r->c->dialect == SCRIPT_DIALECT_14;
}

/* Before 1.5 the size of a fileset is the mean of a gamma distribution. */
static int read_size(const struct reading *r)
{
    struct draw *size = &r->wish->grown.size;
    const struct draw *asked = NULL;
    uint64_t bytes = 0;
    uint64_t gamma = 0;
    bool spread = sizes_spread(r);
    int rc = attr_number(r->d->scope, r->attrs, "size", spread ? 0 : SIZE_DEFAULT, r->c->remarks,
                         &bytes, &asked);
    if (rc == 0)
        rc = count(r, "filesizegamma", r->single ? 0 : GAMMA_DEFAULT, UINT32_MAX, &gamma);
    if (rc < 0)
        return rc;
    if (asked) {
        memcpy(size, asked, sizeof *size);
        return 0;
    }
    if (spread && gamma > 0 && bytes > 0) {
        size->kind = DRAW_GAMMA;
        size->a = (double)gamma / MILLI;
        size->b = (double)bytes / size->a;
    } else {
        size->kind = DRAW_FIXED;
        size->a = (double)bytes;
    }
    return settle(r, size);
}

static int read_width(const struct reading *r)
{
    struct draw *width = &r->wish->grown.width;
    const struct draw *asked = NULL;
    uint64_t entries = FILE_WIDTH;
    width->kind = DRAW_FIXED;
    if (!r->single) {
        int rc = attr_number(r->d->scope, r->attrs, "dirwidth", 0, r->c->remarks, &entries, &asked);
        if (rc < 0)
            return rc;
        if (!lang_attr_find(r->attrs, "dirwidth"))
            lang_warn(r->c->remarks, r->wish->at,
                      "%s has no dirwidth: each directory holds one entry", r->d->name);
    }
    if (asked) {
        memcpy(width, asked, sizeof *width);
        return 0;
    }
    width->a = (double)entries;
    return settle(r, width);
}

/* What its own mean is does not matter: it becomes the depth that so many entries have. */
static int read_depth(const struct reading *r)
{
    struct grown_spec *g = &r->wish->grown;
    const struct lang_attr *attr = lang_attr_find(r->attrs, "dirdepthrv");
    struct value value = {0};
    if (!attr || !attr->given || r->single)
        return 0;
    double entries = (double)(g->entries + g->leafdirs);
    double width = draw_mean(&g->width);
    double depth = 0;
    if (entries > 1)
        depth = width > DEPTH_WIDTH_LEAST ? log(entries) / log(width) : GROWN_DEPTH_MAX;
    int rc = scope_value_mean(r->d->scope, &attr->value, MIN(depth, GROWN_DEPTH_MAX), r->c->remarks,
                              &value);
    if (rc < 0)
        return rc;
    g->has_depth = true;
    if (value.kind == VALUE_DRAW) {
        memcpy(&g->depth, value.draw, sizeof g->depth);
        return 0;
    }
    g->depth.kind = DRAW_FIXED;
    g->depth.a = (double)value_count(r->d->scope, &value, "dirdepthrv", r->c->remarks);
    return settle(r, &g->depth);
}

static int read_counts(const struct reading *r)
{
    struct grown_spec *g = &r->wish->grown;
    uint64_t gamma = 0;
    if (r->single) {
        g->entries = 1;
        return 0;
    }
    int rc = count(r, "entries", 0, GROWN_ENTRIES_MAX, &g->entries);
    if (rc == 0)
        rc = count(r, "leafdirs", 0, GROWN_ENTRIES_MAX, &g->leafdirs);
    if (rc == 0)
        rc = count(r, "dirgamma", GAMMA_DEFAULT, UINT32_MAX, &gamma);
    g->dirgamma_milli = (uint32_t)gamma;
    if (rc == 0 && g->entries == 0 && g->leafdirs == 0)
        lang_warn(r->c->remarks, r->wish->at, "%s has neither entries nor leafdirs", r->d->name);
    return rc;
}

static uint64_t seed_of(const struct reading *r)
{
    uint64_t seed = mix64(r->c->o->seed);
    for (const char *p = r->d->name; *p; p++)
        seed = mix64_pair(seed, (unsigned char)*p);
    return seed;
}

/* ---- what is there, and how it is used ---- */

/* "true" between quotes is one, too. */
static bool is_flag(const struct value *value, bool *out)
{
    bool text = value->kind == VALUE_TEXT;
    *out = text ? strcmp(value->text, "true") == 0 : value->boolean;
    return value->kind == VALUE_BOOL || *out || (text && strcmp(value->text, "false") == 0);
}

static int read_prealloc(const struct reading *r)
{
    struct script_set *set = &r->wish->set;
    const struct lang_attr *attr = lang_attr_find(r->attrs, "prealloc");
    struct value value = {.kind = VALUE_BOOL, .boolean = attr != NULL};
    if (attr && attr->given) {
        int rc = scope_value(r->d->scope, &attr->value, r->c->remarks, &value);
        if (rc < 0)
            return rc;
    }
    bool all = false;
    uint64_t percent = 0;
    if (!is_flag(&value, &all))
        percent = value_count(r->d->scope, &value, "prealloc", r->c->remarks);
    else if (all)
        percent = PERCENT_ALL;
    if (percent > PERCENT_ALL) {
        lang_error(r->c->remarks, attr->at, "prealloc is %llu: true, or per cent up to 100",
                   (unsigned long long)percent);
        return -EINVAL;
    }
    set->exists_percent = (uint32_t)percent;
    if (percent == 0 && (set->reuse || set->trust))
        set->exists_percent = PERCENT_ALL;
    return 0;
}

static int read_manners(const struct reading *r)
{
    struct script_set *set = &r->wish->set;
    bool parallel = true;
    int rc = flag(r, "reuse", false, &set->reuse);
    if (rc == 0)
        rc = flag(r, "trusttree", false, &set->trust);
    if (rc == 0)
        rc = flag(r, "readonly", false, &set->read_only);
    if (rc == 0)
        rc = flag(r, "writeonly", false, &set->write_only);
    if (rc == 0)
        rc = flag(r, "paralloc", true, &parallel);
    set->reuse |= set->trust;
    set->makers = parallel ? MAKERS : 1;
    return rc == 0 ? read_prealloc(r) : rc;
}

/* The one file that a block device is. */
static int read_device(const struct reading *r)
{
    struct script_set *set = &r->wish->set;
    const struct draw *draw = NULL;
    uint64_t bytes = r->c->o->caps->file_bytes;
    if (!r->single)
        return bad(r, "the target is a block device: only define file can stand for it");
    int rc = attr_number(r->d->scope, r->attrs, "size", bytes, r->c->remarks, &bytes, &draw);
    if (rc < 0)
        return rc;
    if (draw)
        return bad(r, "the size of a block device is no random variable");
    if (bytes > r->c->o->caps->file_bytes) {
        lang_error(r->c->remarks, r->wish->at,
                   "%s has %llu bytes, and the block device it stands for %llu", r->d->name,
                   (unsigned long long)bytes, (unsigned long long)r->c->o->caps->file_bytes);
        return -EINVAL;
    }
    set->exists_percent = PERCENT_ALL;
    set->spec =
        (struct fileset_spec){.shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = bytes};
    return 0;
}

static int read_shape(const struct reading *r)
{
    int rc = read_counts(r);
    if (rc == 0)
        rc = read_size(r);
    if (rc == 0)
        rc = read_width(r);
    if (rc == 0)
        rc = read_depth(r);
    r->wish->set.spec = (struct fileset_spec){.shape = FILESET_GROWN, .trees = 1};
    r->wish->grown.seed = seed_of(r);
    return rc;
}

static int read_name(const struct reading *r)
{
    const char *name = r->d->name;
    bool plain = true;
    for (const char *p = name; *p; p++)
        plain &= *p >= ' ' && *p <= '~' && *p != '/';
    if (*name == '\0' || strlen(name) >= GROWN_NAME_MAX || !plain || strcmp(name, ".") == 0 ||
        strcmp(name, "..") == 0)
        return bad(r, "the name of a directory was expected, 1 to 127 printable ASCII characters "
                      "without /");
    memcpy(r->wish->grown.name, name, strlen(name) + 1);
    return 0;
}

static int read_set(struct compiler *c, const struct definition *d, struct set_wish *wish)
{
    struct reading r = {.c = c,
                        .d = d,
                        .attrs = &d->command->attrs,
                        .single = d->command->kind == LANG_DEFINE_FILE,
                        .wish = wish};
    wish->at = d->command->at;
    wish->set.single = r.single;
    int rc = read_name(&r);
    if (rc == 0)
        rc = read_manners(&r);
    if (rc < 0)
        return rc;
    if (c->o->caps->one_file)
        rc = read_device(&r);
    else
        rc = read_shape(&r);
    wish->set.spec.content_key = mix64(seed_of(&r));
    if (rc == 0 && !c->o->caps->one_file)
        set_place(c, d, wish);
    return rc;
}

int sets_read(struct compiler *c, struct set_wish **out, unsigned *n)
{
    struct set_wish *all = calloc(c->defined + 1, sizeof *all);
    unsigned found = 0;
    int worst = 0;
    if (!all)
        return -ENOMEM;
    for (unsigned i = 0; i < c->defined && worst != -ENOMEM; i++) {
        const struct definition *d = &c->definition[i];
        if (d->command->kind == LANG_DEFINE_PROCESS)
            continue;
        int rc = read_set(c, d, &all[found++]);
        if (rc < 0)
            worst = rc;
        if (c->o->caps->one_file && found == 2) {
            lang_error(c->remarks, d->command->at,
                       "%s: the target is one block device, and there is a file for it already",
                       d->name);
            worst = -EINVAL;
        }
    }
    if (worst < 0) {
        free(all);
        return worst;
    }
    *out = all;
    *n = found;
    return 0;
}

bool set_wish_same(const struct set_wish *a, const struct set_wish *b)
{
    const struct grown_spec *g = &a->grown;
    const struct grown_spec *h = &b->grown;
    return strcmp(g->name, h->name) == 0 && strcmp(g->under, h->under) == 0 &&
           g->entries == h->entries && g->leafdirs == h->leafdirs && g->seed == h->seed &&
           g->dirgamma_milli == h->dirgamma_milli && g->has_depth == h->has_depth &&
           memcmp(&g->size, &h->size, sizeof g->size) == 0 &&
           memcmp(&g->width, &h->width, sizeof g->width) == 0 &&
           memcmp(&g->depth, &h->depth, sizeof g->depth) == 0 &&
           a->set.spec.size_bytes == b->set.spec.size_bytes &&
           a->set.exists_percent == b->set.exists_percent && a->set.reuse == b->set.reuse &&
           a->set.trust == b->set.trust && a->set.read_only == b->set.read_only &&
           a->set.write_only == b->set.write_only;
}
