/* What a device holds, by the bytes that mount and its like go by. */
#include "target/device_priv.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>

static const char *value_of(blkid_probe probe, const char *name)
{
    const char *value = NULL;

    return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? value : NULL;
}

/* The found one in words. */
static void say(blkid_probe probe, char *words, size_t room)
{
    const char *table = value_of(probe, "PTTYPE");
    const char *type = value_of(probe, "TYPE");
    const char *label = value_of(probe, "LABEL");

    if (type == NULL && table != NULL)
        snprintf(words, room, "a partition table (%s)", table);
    else if (type == NULL)
        snprintf(words, room, "something that libblkid knows");
    else
        snprintf(words, room, "%s%s%s%s", type, label != NULL ? " with the label \"" : "",
                 label != NULL ? label : "", label != NULL ? "\"" : "");
}

/* Several at once are ambivalent to the safe way of asking, and none the less there. */
static int probe_with(blkid_probe probe, int fd, char *words, size_t room)
{
    int rc;

    if (blkid_probe_set_device(probe, fd, 0, 0) != 0)
        return -EIO;
    blkid_probe_enable_superblocks(probe, 1);
    blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
                                                 BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
    blkid_probe_enable_partitions(probe, 1);
    blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
    rc = blkid_do_probe(probe);
    if (rc < 0)
        return -EIO;
    if (rc == 0)
        say(probe, words, room);
    return rc == 0;
}

int device_signature(int fd, char *words, size_t room)
{
    blkid_probe probe = blkid_new_probe();
    int rc;

    if (probe == NULL)
        return -ENOMEM;
    rc = probe_with(probe, fd, words, room);
    blkid_free_probe(probe);
    return rc;
}
