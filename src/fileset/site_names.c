/* Names that a shape can generate, and nothing else. */
#include "fileset/fileset_priv.h"
#include "fileset/site_priv.h"

#include "base/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool site_id_ok(const char *id)
{
    size_t n = strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    return n == SITE_ID_LEN && id[n] == '\0';
}

void site_side_id(const char *id, unsigned side, char buf[SITE_ID_MAX])
{
    snprintf(buf, SITE_ID_MAX, "%s", id);
    if (side > 1 && strlen(buf) == SITE_ID_LEN)
        buf[SITE_ID_LEN - 1] = (char)('A' + (int)(side - 1));
}

bool site_same_study(const char *a, const char *b)
{
    return strncmp(a, b, SITE_ID_LEN - 1) == 0;
}

bool site_name_ok(const char *leaf, char kind, unsigned digits_min, uint64_t limit)
{
    uint64_t number;

    return fileset_number(leaf, kind, digits_min, limit, &number);
}

static void print_place(char *buf, size_t room, uint64_t length_bytes, unsigned repeat,
                        unsigned tree)
{
    snprintf(buf, room, "%" PRIu64 "-r%u-k%02u", length_bytes, repeat, tree);
}

void site_place(const struct site_shape *shape, uint64_t length_bytes, unsigned repeat,
                unsigned tree, char *buf, size_t room)
{
    char leaf[2 * FILESET_LEAF_MAX] = SITE_FILES;

    if (shape->lengths > 0)
        print_place(leaf, sizeof leaf, length_bytes, repeat, tree);
    snprintf(buf, room, SITE_PREFIX "%s/%s", shape->id, leaf);
}

const struct site_set *site_set_named(const struct site_shape *shape, const char *leaf)
{
    for (unsigned i = 0; i < shape->sets; i++) {
        if (strcmp(shape->set[i].name, leaf) == 0)
            return &shape->set[i];
    }
    return NULL;
}

/* One number has one name: with more digits than eight it begins with none that could be left out. */
bool site_serial_ok(const char *leaf, uint64_t most, uint64_t *serial)
{
    size_t n = strspn(leaf, "0123456789");

    if (n < GROWN_LEAF_MIN || n > 19 || leaf[n] != '\0' || (n > GROWN_LEAF_MIN && leaf[0] == '0'))
        return false;
    *serial = strtoull(leaf, NULL, 10);
    return *serial > 0 && *serial <= most;
}

static bool has_length(const struct site_shape *shape, uint64_t length_bytes)
{
    for (unsigned i = 0; i < shape->lengths; i++) {
        if (shape->length_bytes[i] == length_bytes)
            return true;
    }
    return false;
}

bool site_place_ok(const struct site_shape *shape, const char *leaf, uint64_t *length_bytes)
{
    char again[2 * FILESET_LEAF_MAX];
    uint64_t length;
    unsigned repeat;
    unsigned tree;

    if (shape->lengths == 0) {
        *length_bytes = shape->sets > 0 ? UINT64_MAX : shape->spec.size_bytes;
        return strcmp(leaf, SITE_FILES) == 0;
    }
    if (strlen(leaf) >= FILESET_LEAF_MAX ||
        sscanf(leaf, "%20" SCNu64 "-r%5u-k%5u", &length, &repeat, &tree) != 3)
        return false;
    print_place(again, sizeof again, length, repeat, tree);
    *length_bytes = length;
    return strcmp(leaf, again) == 0 && repeat <= shape->repeats && tree <= shape->trees_max &&
           has_length(shape, length);
}

const char *site_place_leaf(const struct site_shape *shape, const char *place,
                            uint64_t *length_bytes)
{
    char ours[FILESET_LEAF_MAX];
    int n = snprintf(ours, sizeof ours, SITE_PREFIX "%s/", shape->id);

    if (strncmp(place, ours, (size_t)n) != 0 || !site_place_ok(shape, place + n, length_bytes))
        return NULL;
    return place + n;
}

const char *site_clean_word(const char *address, char buf[SITE_WORD_MAX])
{
    static const char fault[] = "fault:";
    struct text inner, word;
    text_init(&inner);
    text_init(&word);
    text_add(&inner, address);
    while (strncmp(inner.s, fault, strlen(fault)) == 0) {
        char *options = strrchr(inner.s, '?');
        if (options)
            *options = '\0';
        memmove(inner.s, inner.s + strlen(fault), strlen(inner.s + strlen(fault)) + 1);
    }
    text_add_shell_word(&word, inner.s);
    snprintf(buf, SITE_WORD_MAX, "%s", strlen(word.s) < SITE_WORD_MAX ? word.s : "TARGET");
    text_fini(&word);
    text_fini(&inner);
    return buf;
}
