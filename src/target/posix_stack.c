/* What a block device is made of: the disk of a partition, then whatever dm and md put together, from
 * a tree like /sys. */
#include "target/posix_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define LAYERS_MAX 8 /* a device-mapper table can name itself no deeper than that in practice */

bool posix_sys_line(const char *dir, const char *name, char *buf, size_t room)
{
    char path[PATH_MAX + 64];
    FILE *file;
    bool got;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    got = fgets(buf, (int)room, file) != NULL;
    fclose(file);
    if (!got)
        return false;
    for (size_t len = strlen(buf); len > 0 && (buf[len - 1] == '\n' || buf[len - 1] == ' '); len--)
        buf[len - 1] = '\0';
    return buf[0] != '\0';
}

struct walk {
    posix_layer_visit *visit;
    void *ctx;
};

static bool look_at(const struct walk *walk, char dir[PATH_MAX], unsigned depth);

static bool look_below(const struct walk *walk, const char *dir, unsigned depth)
{
    char path[PATH_MAX + 16];
    char below[PATH_MAX + NAME_MAX + 32];
    char real[PATH_MAX];
    struct dirent **entry = NULL;
    bool found = false;
    int n;

    snprintf(path, sizeof path, "%s/slaves", dir);
    n = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(below, sizeof below, "%s/%s", path, entry[i]->d_name);
        if (!found && entry[i]->d_name[0] != '.' && realpath(below, real) != NULL)
            found = look_at(walk, real, depth + 1);
        free(entry[i]);
    }
    free(entry);
    return found;
}

static bool look_at(const struct walk *walk, char dir[PATH_MAX], unsigned depth)
{
    char text[16];
    const char *name;

    if (depth == LAYERS_MAX)
        return false;
    if (posix_sys_line(dir, "partition", text, sizeof text))
        *strrchr(dir, '/') = '\0'; /* its disk's directory is above it */
    name = strrchr(dir, '/');
    if (name == NULL)
        return false;
    const struct posix_layer layer = {.dir = dir, .name = name + 1, .depth = depth};
    return walk->visit(walk->ctx, &layer) || look_below(walk, dir, depth);
}

bool posix_stack_walk(const char *sys, dev_t device, posix_layer_visit *visit, void *ctx)
{
    const struct walk walk = {.visit = visit, .ctx = ctx};
    char link[PATH_MAX];
    char dir[PATH_MAX];

    snprintf(link, sizeof link, "%s/dev/block/%u:%u", sys, major(device), minor(device));
    return realpath(link, dir) != NULL && look_at(&walk, dir, 0);
}

bool posix_layer_is(const struct posix_layer *layer, const char *kind)
{
    size_t len = strlen(kind);

    return strncmp(layer->name, kind, len) == 0 && isdigit((unsigned char)layer->name[len]);
}

/* ---- what of it is told ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* The file behind a loop device, as far as its name still leads to it. */
static bool is_sparse_file(const struct posix_layer *layer)
{
    char path[PATH_MAX];
    struct stat st;

    return posix_sys_line(layer->dir, "loop/backing_file", path, sizeof path) &&
           stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_blocks * 512 < st.st_size;
}

/* What libata says of a disk that can be trimmed is no sign of thin provisioning. */
static bool is_thin_lun(const struct posix_layer *layer)
{
    char path[PATH_MAX + 32];
    char below[PATH_MAX + NAME_MAX + 64];
    char text[16] = "";
    struct dirent **entry = NULL;
    bool thin = false;
    int n;

    if (posix_sys_line(layer->dir, "device/vendor", text, sizeof text) && strcmp(text, "ATA") == 0)
        return false;
    snprintf(path, sizeof path, "%s/device/scsi_disk", layer->dir);
    n = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(below, sizeof below, "%s/%s", path, entry[i]->d_name);
        thin |= posix_sys_line(below, "thin_provisioning", text, sizeof text) && text[0] == '1';
        free(entry[i]);
    }
    free(entry);
    return thin;
}

/* "crypt", "lvm", "mpath", "raid5"; "" of a plain device. The kernel shows of a device-mapper table
 * only the id that its maker gave it. */
static const char *kind_of(const struct posix_layer *layer, char buf[32])
{
    char id[192];

    buf[0] = '\0';
    if (posix_sys_line(layer->dir, "dm/uuid", id, sizeof id)) {
        if (ends_with(id, "-tpool"))
            return "thin pool";
        if (ends_with(id, "-vpool"))
            return "vdo pool";
        id[strcspn(id, "-")] = '\0';
        for (size_t i = 0; i < 31 && id[i] != '\0'; i++) {
            buf[i] = (char)tolower((unsigned char)id[i]);
            buf[i + 1] = '\0';
        }
    } else if (posix_layer_is(layer, "md")) {
        posix_sys_line(layer->dir, "md/level", buf, 32);
    }
    return buf;
}

static void note(char *first, size_t room, const char *what, const struct posix_layer *layer)
{
    if (first[0] == '\0')
        snprintf(first, room, "%s (%.15s)", what, layer->name);
}

static bool describe_layer(void *ctx, const struct posix_layer *layer)
{
    struct posix_stack *stack = ctx;
    size_t used = strlen(stack->words);
    char buf[32];
    const char *kind = kind_of(layer, buf);
    /* Devices of one layer stand beside each other, those below follow. */
    const char *link = used == 0 ? "" : layer->depth > stack->last_depth ? " on " : ", ";

    snprintf(stack->words + used, sizeof stack->words - used, "%s%.31s%s%s%s", link, layer->name,
             kind[0] != '\0' ? " (" : "", kind, kind[0] != '\0' ? ")" : "");
    stack->last_depth = layer->depth;
    stack->layers++;
    if (strcmp(kind, "crypt") == 0)
        note(stack->encryption, sizeof stack->encryption, "dm-crypt", layer);
    if (strcmp(kind, "vdo pool") == 0)
        note(stack->compression, sizeof stack->compression, "vdo", layer);
    if (strcmp(kind, "thin pool") == 0)
        note(stack->thin, sizeof stack->thin, "dm-thin", layer);
    if (posix_layer_is(layer, "loop") && is_sparse_file(layer))
        note(stack->thin, sizeof stack->thin, "sparse file", layer);
    if (is_thin_lun(layer))
        note(stack->thin, sizeof stack->thin, "thin LUN", layer);
    return false;
}

void posix_stack_of(const char *sys, dev_t device, struct posix_stack *out)
{
    *out = (struct posix_stack){.layers = 0};
    (void)posix_stack_walk(sys, device, describe_layer, out);
}
