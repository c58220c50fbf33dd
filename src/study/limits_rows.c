/* Which rows there are, where each makes sense, and how many bytes it works on. */
#include "study/limits_priv.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* A cache row needs no more than what no processor keeps for itself (the largest have 1.1 GiB): one more byte proves
 * nothing, and has to be laid out. Of a model the processor that counts is the one that simulates. */
#define CACHE_ENOUGH_BYTES       (2 * GIB)
#define CACHE_ENOUGH_MODEL_BYTES (4 * GIB)
/* Below it the processor's cache may be what is measured. */
#define CACHE_LEAST_BYTES (64 * MIB)
/* Where direct I/O goes to the disk, bytes at the device prove the place, whatever the set. */
#define DISK_ENOUGH_BYTES       (8 * GIB)
#define DISK_ENOUGH_MODEL_BYTES (16 * GIB)
/* In order from disks each file costs a positioning of each disk that it begins on: less than a twentieth of what
 * one takes that is as long. Of a modelled disk files cost little, so that a hundredth is lost to six of them. */
#define LONG_FILE_BYTES       (32 * MIB)
#define LONG_FILE_MODEL_BYTES (256 * MIB)
#define LOG_BYTES             (1 * GIB)

/* Multiples of the cache, of the working sets of 2009 and where nothing was published at least four. */
#define READ_CACHES       8
#define DISK_LEAST_CACHES 4
#define FLASH_CACHES      10 /* a tenth of the reads is from memory: enough are not */

const struct limits_row limits_ladder[] = {
    {.id = "stream-read-cache",
     .op = OP_READ,
     .io_bytes = MIB,
     .sequential = true,
     .place = LIMITS_CACHE},
    {.id = "stream-read-disk",
     .op = OP_READ,
     .io_bytes = MIB,
     .sequential = true,
     .place = LIMITS_DISK},
    {.id = "stream-write-disk",
     .op = OP_WRITE,
     .io_bytes = MIB,
     .sequential = true,
     .place = LIMITS_DISK},
    {.id = "read-1b-cache", .op = OP_READ, .io_bytes = 1, .place = LIMITS_CACHE},
    {.id = "read-4k-cache", .op = OP_READ, .io_bytes = 4 * KIB, .place = LIMITS_CACHE},
    {.id = "read-512-flash",
     .op = OP_READ,
     .io_bytes = 512,
     .place = LIMITS_FLASH,
     .latency = true},
    {.id = "write-512-sync",
     .op = OP_WRITE,
     .io_bytes = 512,
     .synchronous = true,
     .place = LIMITS_LOG,
     .latency = true},
    {.id = "read-block-disk", .op = OP_READ, .place = LIMITS_DISK, .local_only = true},
    {.id = "read-4k-disk", .op = OP_READ, .io_bytes = 4 * KIB, .place = LIMITS_DISK},
    {.id = "write-4k-disk", .op = OP_WRITE, .io_bytes = 4 * KIB, .place = LIMITS_DISK},
    {.id = "create", .op = OP_CREATE, .place = LIMITS_NAMES},
    {.id = "stat", .op = OP_STAT, .place = LIMITS_NAMES},
    {.id = "unlink", .op = OP_UNLINK, .place = LIMITS_NAMES},
};
const unsigned limits_ladder_rows = sizeof limits_ladder / sizeof *limits_ladder;

const char *limits_row_id(unsigned i)
{
    return i < limits_ladder_rows ? limits_ladder[i].id : NULL;
}

static bool is_nfs(const struct limits_where *where)
{
    return strncmp(where->protocol, "nfs", 3) == 0;
}

static bool keeps_nothing(const struct limits_where *where)
{
    return strcmp(where->protocol, "null") == 0;
}

uint64_t limits_row_io(const struct limits_row *row, const struct limits_where *where)
{
    if (row->place == LIMITS_NAMES)
        return 0;
    if (row->io_bytes == 0)
        return where->block_bytes;
    /* As published: 128 KiB of NFS, 1 MiB of CIFS. */
    return row->place == LIMITS_DISK && row->sequential && is_nfs(where) ? 128 * KIB
                                                                         : row->io_bytes;
}

/* ---- where a row makes sense ---- */

static enum limits_fit none(char why[160], const char *words)
{
    snprintf(why, 160, "%s", words);
    return LIMITS_NOT_APPLICABLE;
}

static enum limits_fit lacks(char why[160], const char *words)
{
    snprintf(why, 160, "%s", words);
    return LIMITS_SKIPPED;
}

static enum limits_fit no_cache_size(const struct limits_where *where, char why[160])
{
    return lacks(why, where->local ? "the size of this machine's cache is not known"
                                   : "give --server-cache: no sweep found where it ends");
}

/* Nothing between this machine's disk and an op but its own cache, and that is passed by. */
static bool direct_to_disk(const struct limits_where *where)
{
    return where->local && where->direct;
}

static enum limits_fit fit_disk(const struct limits_row *row, const struct limits_where *where,
                                const struct limits_sizes *sizes, char why[160])
{
    if (where->in_memory)
        return none(why, "this file system is memory, with no disk behind it");
    if (row->io_bytes == 0) {
        if (!direct_to_disk(where) || where->block_bytes == 0)
            return none(why, "no direct I/O here");
        if (where->block_bytes == 4 * KIB)
            return none(why, "a logical block is 4 KiB here: as read-4k-disk");
    }
    if (!direct_to_disk(where) && sizes->cache_bytes == 0)
        return no_cache_size(where, why);
    return LIMITS_RUNS;
}

static enum limits_fit fit_flash(const struct limits_where *where, const struct limits_sizes *sizes,
                                 char why[160])
{
    if (sizes->flash_bytes == 0 && (where->local || where->own_clock))
        return none(why, where->local ? "no cache in flash before a disk of this machine"
                                      : "the modelled system has no cache in flash");
    if (sizes->flash_bytes == 0)
        return lacks(why, "give --server-flash");
    return sizes->cache_bytes == 0 ? no_cache_size(where, why) : LIMITS_RUNS;
}

static enum limits_fit fit_place(const struct limits_row *row, const struct limits_where *where,
                                 const struct limits_sizes *sizes, char why[160])
{
    if (keeps_nothing(where) && row->place != LIMITS_CACHE && row->place != LIMITS_NAMES)
        return none(why, "this target keeps nothing");
    switch (row->place) {
    case LIMITS_CACHE:
        if (sizes->cache_bytes == 0 && !keeps_nothing(where))
            return no_cache_size(where, why);
        return LIMITS_RUNS;
    case LIMITS_DISK:
        return fit_disk(row, where, sizes, why);
    case LIMITS_FLASH:
        return fit_flash(where, sizes, why);
    case LIMITS_LOG:
        return where->in_memory ? none(why, "nothing is stable in memory") : LIMITS_RUNS;
    default:
        return LIMITS_RUNS;
    }
}

enum limits_fit limits_row_fit(const struct limits_row *row, const struct limits_where *where,
                               const struct limits_sizes *sizes, char why[160])
{
    bool writes = row->op == OP_WRITE || row->place == LIMITS_NAMES;
    why[0] = '\0';
    if (row->place == LIMITS_NAMES && where->one_file)
        return none(why, "a block device has no names");
    if (row->local_only && !where->local)
        return none(why, "a row of this machine's own disks");
    if (!(where->op_kinds & 1u << row->op)) {
        snprintf(why, 160, "this target has no %s", op_kind_name(row->op));
        return LIMITS_NOT_APPLICABLE;
    }
    if (writes && !where->writes)
        return lacks(why, where->one_file ? "give --destroy: it writes to the device"
                                          : "this target may not be written to");
    return fit_place(row, where, sizes, why);
}

/* ---- its working set ---- */

struct wish {
    uint64_t bytes;
    uint64_t least_bytes; /* that proves the place */
};

static uint64_t times(uint64_t bytes, unsigned n)
{
    return bytes > UINT64_MAX / n ? UINT64_MAX : bytes * n;
}

/* 0.78 of it in order, half of it at random: theirs were 100 of 128 GB. */
static struct wish wish_cache(const struct limits_row *row, const struct limits_where *where,
                              const struct limits_sizes *sizes)
{
    uint64_t enough = where->local ? CACHE_ENOUGH_BYTES : UINT64_MAX;
    if (where->own_clock || keeps_nothing(where))
        enough = CACHE_ENOUGH_MODEL_BYTES;
    if (keeps_nothing(where))
        return (struct wish){enough, 0};
    uint64_t share = sizes->cache_bytes / 100 * (row->sequential ? 78 : 50);
    return (struct wish){MIN(share, enough), where->own_clock ? 0 : CACHE_LEAST_BYTES};
}

static struct wish wish_disk(const struct limits_row *row, const struct limits_where *where,
                             const struct limits_sizes *sizes)
{
    uint64_t enough =
        where->own_clock && row->sequential ? DISK_ENOUGH_MODEL_BYTES : DISK_ENOUGH_BYTES;
    /* All of a device: a part of it would keep the heads in one place. */
    if (direct_to_disk(where))
        return (struct wish){where->one_file ? UINT64_MAX : enough, 0};
    uint64_t least = times(sizes->cache_bytes, DISK_LEAST_CACHES);
    uint64_t want = row->op == OP_READ ? times(sizes->cache_bytes, READ_CACHES) : least;
    /* Of a small cache more: random reads hit it by its share of the set, and files are to be long. */
    return (struct wish){MAX(want, enough), least};
}

static struct wish wish_flash(const struct limits_sizes *sizes)
{
    uint64_t beyond = sizes->cache_bytes + sizes->flash_bytes / 2;
    uint64_t want = MIN(beyond, times(sizes->cache_bytes, FLASH_CACHES));
    return (struct wish){want, MIN(want, times(sizes->cache_bytes, 2))};
}

static struct wish wish_of(const struct limits_row *row, const struct limits_where *where,
                           const struct limits_sizes *sizes)
{
    switch (row->place) {
    case LIMITS_CACHE:
        return wish_cache(row, where, sizes);
    case LIMITS_DISK:
        return wish_disk(row, where, sizes);
    case LIMITS_FLASH:
        return wish_flash(sizes);
    default:
        return (struct wish){LOG_BYTES, 0};
    }
}

static const char *cache_words(const struct limits_where *where)
{
    if (keeps_nothing(where))
        return "nowhere: this target keeps nothing";
    if (where->in_memory)
        return "memory file system, this machine";
    return where->local ? "page cache, this machine" : "server RAM";
}

static const char *place_words(const struct limits_row *row, const struct limits_where *where)
{
    switch (row->place) {
    case LIMITS_CACHE:
        return cache_words(where);
    case LIMITS_DISK:
        return where->one_file ? "device" : "disk";
    case LIMITS_FLASH:
        return "flash";
    case LIMITS_LOG:
        return "stable storage";
    default:
        return "names";
    }
}

/* A server's cache is not passed by, only this machine's before it: there all rows are direct. */
static bool goes_direct(const struct limits_row *row, const struct limits_where *where, uint64_t io)
{
    if (!where->direct || (where->local && row->place == LIMITS_CACHE))
        return false;
    return where->block_bytes == 0 ? !where->local : io % where->block_bytes == 0;
}

bool limits_row_lengthens(const struct limits_row *row, const struct limits_where *where)
{
    return where->own_clock && where->local && row->sequential && row->place == LIMITS_DISK;
}

/* All files are of one length, those that this row leaves alone as well: together they keep to the cap. */
static uint64_t least_file(const struct limits_row *row, const struct limits_where *where,
                           const struct limits_sizes *sizes, uint32_t files, uint64_t io)
{
    uint64_t wanted = limits_row_lengthens(row, where) ? LONG_FILE_MODEL_BYTES : LONG_FILE_BYTES;
    if (!row->sequential || row->place != LIMITS_DISK)
        return io;
    return MAX(io, MIN(wanted, sizes->max_bytes / files));
}

void limits_row_set(const struct limits_row *row, const struct limits_where *where,
                    const struct limits_sizes *sizes, uint32_t files, struct limits_set *out)
{
    files = MAX(files, 1);
    *out = (struct limits_set){.files = files};
    snprintf(out->place, sizeof out->place, "%s", place_words(row, where));
    if (row->place == LIMITS_NAMES)
        return;
    uint64_t io = MAX(limits_row_io(row, where), 1);
    struct wish wish = wish_of(row, where, sizes);
    uint64_t bytes = MIN(wish.bytes, sizes->max_bytes);

    out->files = (uint32_t)MIN(files, MAX(bytes / least_file(row, where, sizes, files, io), 1));
    out->bytes = MAX(bytes / (io * out->files), 1) * io * out->files;
    out->starved = bytes < MIN(wish.bytes, wish.least_bytes);
    out->direct = goes_direct(row, where, io);
}
