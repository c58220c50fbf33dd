/* What a device holds, by the bytes that mount and its like go by. */
#include "target/device_priv.h"

#include "base/text.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More of one device are said to be there without being named. */
#define NAMED_MAX 3

/* More partitions are told in the command by a pattern. */
#define LISTED_MAX 8

struct finding {
    struct text words;
    struct text nodes; /* partitions to be cleared, before what they lie on */
    bool nested;       /* a table in a partition, which wipefs passes over */
    unsigned parts;    /* that hold something */
};

static const char *value_of(blkid_probe probe, const char *name)
{
    const char *value = NULL;

    return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? value : NULL;
}

/* Where it begins; 0 also when libblkid does not say. */
static uint64_t offset_of(blkid_probe probe, const char **magic, size_t *len)
{
    static const char *const names[][2] = {{"SBMAGIC", "SBMAGIC_OFFSET"},
                                           {"PTMAGIC", "PTMAGIC_OFFSET"}};

    *magic = NULL;
    *len = 0;
    for (size_t i = 0; i < 2; i++) {
        const char *offset = value_of(probe, names[i][1]);

        if (offset != NULL && blkid_probe_lookup_value(probe, names[i][0], magic, len) == 0)
            return strtoull(offset, NULL, 10);
    }
    return 0;
}

static void say(blkid_probe probe, uint64_t offset, struct text *words)
{
    const char *table = value_of(probe, "PTTYPE");
    const char *type = value_of(probe, "TYPE");
    const char *label = value_of(probe, "LABEL");

    if (type == NULL && table != NULL)
        text_addf(words, "a partition table (%s)", table);
    else if (type == NULL)
        text_add(words, "something that libblkid knows");
    else
        text_add(words, type);
    if (type != NULL && label != NULL)
        text_addf(words, " with the label \"%.32s\"", label);
    text_addf(words, " at 0x%llx", (unsigned long long)offset);
}

/* Of the whole when part is NULL. */
static int begin(blkid_probe probe, int fd, const struct device_member *part)
{
    blkid_loff_t begin_bytes = part != NULL ? (blkid_loff_t)part->begin_bytes : 0;
    blkid_loff_t bytes = part != NULL ? (blkid_loff_t)part->bytes : 0;

    if (blkid_probe_set_device(probe, fd, begin_bytes, bytes) != 0)
        return -EIO;
    blkid_probe_enable_superblocks(probe, 1);
    blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
                                                 BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
    blkid_probe_enable_partitions(probe, 1);
    blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
    return 0;
}

/* One after the other, as wipefs finds them: what was found is hidden from the next look. Several at once
 * are ambivalent to the safe way of asking, and none the less there. Returns how many, or -errno. */
static int probe_with(blkid_probe probe, struct finding *f, bool in_partition)
{
    const char *magic;
    size_t len;
    int found = 0;
    int rc;

    while ((rc = blkid_do_probe(probe)) == 0 && found <= NAMED_MAX) {
        uint64_t offset = offset_of(probe, &magic, &len);

        text_add(&f->words, found == 0 ? "" : found < NAMED_MAX ? ", " : " and more");
        if (found < NAMED_MAX)
            say(probe, offset, &f->words);
        f->nested |= in_partition && value_of(probe, "PTTYPE") != NULL;
        found++;
        if (magic == NULL || blkid_probe_hide_range(probe, offset, len) != 0 ||
            blkid_probe_step_back(probe) != 0)
            break;
    }
    return rc < 0 && found == 0 ? -EIO : found;
}

/* One device or partition: "it holds …", and its node. */
static int look_at(struct finding *f, int fd, const struct device_member *part, const char *who,
                   bool in_partition)
{
    blkid_probe probe = blkid_new_probe();
    size_t before = f->words.len;
    int rc;

    if (probe == NULL)
        return -ENOMEM;
    rc = begin(probe, fd, part);
    if (rc == 0) {
        text_addf(&f->words, "%s%s holds ", before > 0 ? "; " : "", who);
        rc = probe_with(probe, f, in_partition);
    }
    if (rc <= 0 && f->words.len > before) {
        f->words.s[before] = '\0';
        f->words.len = before;
    }
    blkid_free_probe(probe);
    return rc;
}

/* "/dev/sda" and "1", "/dev/nvme0n1" and "p1": no other disk's name begins like that. */
static void add_parts_pattern(struct text *nodes, const char *disk)
{
    size_t len = strlen(disk);
    bool digit = len > 0 && disk[len - 1] >= '0' && disk[len - 1] <= '9';

    text_addf(nodes, "/dev/%s%s[0-9]* ", disk, digit ? "p" : "");
}

static int look_at_parts(const struct device_family *family, struct finding *f, int fd)
{
    int found = 0;

    for (unsigned i = 1; i < family->n; i++) {
        const struct device_member *part = &family->member[i];
        int rc = part->bytes > 0 ? look_at(f, fd, part, part->name, true) : 0;

        if (rc < 0)
            return rc;
        found += rc;
        f->parts += rc > 0;
        if (rc > 0 && f->parts <= LISTED_MAX)
            text_addf(&f->nodes, "/dev/%s ", part->name);
    }
    if (f->parts > LISTED_MAX) {
        text_clear(&f->nodes);
        add_parts_pattern(&f->nodes, family->member[0].name);
    }
    return found;
}

/* Forced, wipefs does not make the kernel forget partitions, so the disk has a command of its own then. */
static void add_command(const struct device_family *family, const struct finding *f, bool whole,
                        struct text *command)
{
    const char *force = f->nested ? " --force" : "";

    if (f->nodes.len > 0)
        text_addf(command, "wipefs --all%s %s", force, f->nodes.s);
    if (whole && f->nodes.len > 0)
        text_addf(command, "%s", f->nested ? "&& wipefs --all " : "");
    else if (whole)
        text_addf(command, "wipefs --all%s ", force);
    if (whole)
        text_add(command, family->path);
    else if (command->len > 0)
        command->s[--command->len] = '\0';
}

/* A long list is cut where it is told, never in the command. */
static void put_words(const struct finding *f, const struct text *command, char *words, size_t room)
{
    size_t rest = command->len + 32;
    size_t most = room > rest ? room - rest : 0;

    snprintf(words, room, "%.*s%s; if that may go: %s", (int)most, f->words.s,
             f->words.len > most ? "…" : "", command->s);
}

static int look_at_all(const struct device_family *family, struct finding *f, int fd,
                       struct text *command)
{
    int whole = look_at(f, fd, NULL, "it", family->partition);
    int parts = whole < 0 ? whole : look_at_parts(family, f, fd);

    if (parts < 0)
        return parts;
    add_command(family, f, whole > 0, command);
    return whole + parts;
}

int device_signature(const struct device_family *family, int fd, char *words, size_t room)
{
    struct finding f = {.nested = false};
    struct text command;
    int rc;

    text_init(&command);
    text_init(&f.words);
    text_init(&f.nodes);
    rc = look_at_all(family, &f, fd, &command);
    if (f.words.failed || f.nodes.failed || command.failed)
        rc = -ENOMEM;
    if (rc > 0)
        put_words(&f, &command, words, room);
    text_fini(&f.words);
    text_fini(&f.nodes);
    text_fini(&command);
    return rc > 0 ? 1 : rc;
}
