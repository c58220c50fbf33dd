/* target/posix_device.c, posix_stack.c, posix_fs.c: what is told of devices and file systems, from a
 * tree like /sys and from words of mountinfo. */
#include "target/posix_priv.h"
#include "unit/fake_tree.h"

#include <linux/fs.h>
#include <sys/sysmacros.h>

static struct tree sys;

/* As recorded: a disk 8:0 with a partition; 253:0 dm-crypt on it, 253:1 LVM on that; 253:4 a thin LV
 * of the pool 253:3, which lies on md5 of two disks. */
static int sys_setup(void **state)
{
    (void)state;
    tree_open(&sys);
    tree_file(&sys, "block/sda/sda1/partition", "1\n");
    tree_file(&sys, "block/sda/device/vendor", "ATA     \n");
    tree_file(&sys, "block/sda/device/model", "Disk 9\n");
    tree_file(&sys, "block/sda/queue/scheduler", "none [mq-deadline] kyber\n");
    tree_file(&sys, "block/sda/queue/discard_max_bytes", "0\n");
    tree_file(&sys, "block/sda/queue/write_cache", "write back\n");
    tree_file(&sys, "block/sdb/queue/scheduler", "none\n");
    tree_file(&sys, "block/sdb/queue/discard_max_bytes", "4096\n");
    tree_file(&sys, "block/dm-0/dm/uuid", "CRYPT-LUKS2-0123-home\n");
    tree_file(&sys, "block/dm-1/dm/uuid", "LVM-abc\n");
    tree_file(&sys, "block/dm-3/dm/uuid", "LVM-abc-tpool\n");
    tree_file(&sys, "block/dm-4/dm/uuid", "LVM-def\n");
    tree_file(&sys, "block/md5/md/level", "raid1\n");
    tree_link(&sys, "block/dm-0/slaves/sda1", "../../sda/sda1");
    tree_link(&sys, "block/dm-1/slaves/dm-0", "../../dm-0");
    tree_link(&sys, "block/dm-4/slaves/dm-3", "../../dm-3");
    tree_link(&sys, "block/dm-3/slaves/md5", "../../md5");
    tree_link(&sys, "block/md5/slaves/sda", "../../sda");
    tree_link(&sys, "block/md5/slaves/sdb", "../../sdb");
    tree_link(&sys, "dev/block/8:1", "../../block/sda/sda1");
    tree_link(&sys, "dev/block/8:16", "../../block/sdb");
    tree_link(&sys, "dev/block/253:1", "../../block/dm-1");
    tree_link(&sys, "dev/block/253:4", "../../block/dm-4");
    return 0;
}

static int sys_teardown(void **state)
{
    (void)state;
    tree_close(&sys);
    return 0;
}

/* "key=value;" of everything that was put. */
static char heard[1024];

static void hear(void *ctx, const char *key, const char *value, const char *unit)
{
    size_t used = strlen(heard);

    (void)ctx, (void)unit;
    snprintf(heard + used, sizeof heard - used, "%s=%s;", key, value);
}

static const struct target_sink ear = {.put = hear};

static void device_says(unsigned major_number, unsigned minor_number)
{
    heard[0] = '\0';
    posix_device_facts(sys.path, makedev(major_number, minor_number), &ear);
}

#define assert_heard(words)                                                                        \
    do {                                                                                           \
        if (strstr(heard, words) == NULL)                                                          \
            fail_msg("'%s' has no '%s'", heard, words);                                            \
    } while (0)
#define assert_not_heard(words)                                                                    \
    do {                                                                                           \
        if (strstr(heard, words) != NULL)                                                          \
            fail_msg("'%s' has '%s'", heard, words);                                               \
    } while (0)

static void a_partition_is_described_by_its_disk(void **state)
{
    (void)state;
    device_says(8, 1);
    assert_heard("device=8:1;device_name=sda1;device_vendor=ATA;device_model=Disk 9;");
    assert_heard("device_write_cache=write back;");
    assert_heard("device_scheduler=mq-deadline;device_discard=no;");
    assert_not_heard("device_stack");
    assert_not_heard("device_thin");
    assert_not_heard("device_encryption");
}

static void what_is_not_there_is_not_told(void **state)
{
    (void)state;
    device_says(8, 16);
    assert_string_equal(heard, "device=8:16;device_name=sdb;device_discard=yes;");
    device_says(99, 9);
    assert_string_equal(heard, "device=99:9;");
}

static void layers_are_named_from_the_top_down(void **state)
{
    (void)state;
    device_says(253, 1);
    assert_heard("device_stack=dm-1 (lvm) on dm-0 (crypt) on sda;");
    assert_heard("device_encryption=dm-crypt (dm-0);");
    assert_not_heard("device_thin");
    device_says(253, 4);
    assert_heard("device_stack=dm-4 (lvm) on dm-3 (thin pool) on md5 (raid1) on sda, sdb;");
    assert_heard("device_thin=dm-thin (dm-3);");
    assert_not_heard("device_encryption");
}

/* libata says of every disk that can be trimmed what a storage array says of a thin volume. */
static void a_thin_lun_is_told_from_a_disk(void **state)
{
    (void)state;
    tree_file(&sys, "block/sda/device/scsi_disk/0:0:0:0/thin_provisioning", "1\n");
    device_says(8, 1);
    assert_not_heard("device_thin");
    tree_file(&sys, "block/sda/device/vendor", "NETAPP\n");
    device_says(8, 1);
    assert_heard("device_thin=thin LUN (sda);");
    tree_file(&sys, "block/sda/device/scsi_disk/0:0:0:0/thin_provisioning", "0\n");
    device_says(8, 1);
    assert_not_heard("device_thin");
}

static void a_sparse_file_behind_a_loop_device_is_thin(void **state)
{
    char path[TREE_PATH];

    (void)state;
    tree_file(&sys, "image", "begin");
    tree_place(&sys, "image", path);
    tree_file(&sys, "block/loop3/loop/backing_file", path);
    tree_link(&sys, "dev/block/7:3", "../../block/loop3");
    assert_int_equal(truncate(path, 1 << 20), 0);
    device_says(7, 3);
    assert_heard("device_thin=sparse file (loop3);");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1 << 16; i++)
        assert_int_equal(fputc('x', file), 'x');
    assert_int_equal(fflush(file), 0);
    assert_int_equal(fsync(fileno(file)), 0);
    assert_int_equal(fclose(file), 0);
    device_says(7, 3);
    assert_not_heard("device_thin");
    assert_int_equal(unlink(path), 0);
    device_says(7, 3);
    assert_not_heard("device_thin");
}

/* Where there is a loop of links nothing ends up in it for ever, and long words are cut. */
static void a_deep_stack_ends(void **state)
{
    (void)state;
    tree_link(&sys, "block/md5/slaves/md5", "../../md5");
    device_says(253, 4);
    assert_heard("device_stack=dm-4 (lvm) on dm-3 (thin pool) on md5 (raid1)");
}

/* ---- file systems ---- */

struct fs_case {
    const char *type;
    const char *options;
    uint64_t attributes;
    unsigned flags;
    const char *right;
};

static void file_systems_are_told_by_type_options_and_attributes(void **state)
{
    static const struct fs_case cases[] = {
        {"ext4", "rw,relatime", 0, 0, "fs_copy_on_write=no;fs_compression=no;fs_encryption=no;"},
        {"ext4", "rw", STATX_ATTR_ENCRYPTED, 0,
         "fs_copy_on_write=no;fs_compression=no;fs_encryption=fscrypt;"},
        {"ext4", "rw", 0, FS_ENCRYPT_FL,
         "fs_copy_on_write=no;fs_compression=no;fs_encryption=fscrypt;"},
        {"btrfs", "rw,relatime,compress=zstd:3,ssd", 0, 0,
         "fs_copy_on_write=yes;fs_compression=zstd:3;fs_encryption=no;"},
        {"btrfs", "rw,compress-force=lzo", 0, 0,
         "fs_copy_on_write=yes;fs_compression=lzo;fs_encryption=no;"},
        {"btrfs", "rw,compress=none", 0, 0,
         "fs_copy_on_write=yes;fs_compression=no;fs_encryption=no;"},
        {"btrfs", "rw", 0, FS_COMPR_FL,
         "fs_copy_on_write=yes;fs_compression=yes;fs_encryption=no;"},
        {"btrfs", "rw,compress=zstd", 0, FS_NOCOW_FL,
         "fs_copy_on_write=no;fs_compression=no;fs_encryption=no;"},
        {"btrfs", "rw,nodatacow,nodatasum", 0, 0,
         "fs_copy_on_write=no;fs_compression=no;fs_encryption=no;"},
        {"zfs", "rw,xattr", 0, 0,
         "fs_copy_on_write=yes;fs_compression=unknown;fs_encryption=unknown;"},
        {"bcachefs", "rw,compression=lz4", 0, 0,
         "fs_copy_on_write=yes;fs_compression=lz4;fs_encryption=unknown;"},
        {"nfs4", "rw,vers=4.2,sec=krb5p,nocompress", 0, 0, "fs_encryption=krb5p, on the wire;"},
        {"nfs4", "rw,vers=4.2,sec=sys", 0, 0, ""},
        {"cifs", "rw,seal,vers=3.1.1", 0, 0, "fs_encryption=seal, on the wire;"},
        {"fuse.gocryptfs", "rw", 0, 0, "fs_encryption=fuse.gocryptfs;"},
        {"never heard of", "rw,sealed,compressed=1", 0, 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct posix_fs fs = {.type = cases[i].type,
                                    .options = cases[i].options,
                                    .attributes = cases[i].attributes,
                                    .flags = cases[i].flags};
        heard[0] = '\0';
        posix_fs_facts(&fs, &ear);
        if (strcmp(heard, cases[i].right) != 0)
            fail_msg("%s,%s: %s", fs.type, fs.options, heard);
    }
}

#define sys_test(f) cmocka_unit_test_setup_teardown(f, sys_setup, sys_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        sys_test(a_partition_is_described_by_its_disk),
        sys_test(what_is_not_there_is_not_told),
        sys_test(layers_are_named_from_the_top_down),
        sys_test(a_thin_lun_is_told_from_a_disk),
        sys_test(a_sparse_file_behind_a_loop_device_is_thin),
        sys_test(a_deep_stack_ends),
        cmocka_unit_test(file_systems_are_told_by_type_options_and_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
