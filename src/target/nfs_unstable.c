/* What was written and not committed, a list of records for each open file, in the order of the writes: a
 * later one may overwrite an earlier one, so they are written again in that order. */
#include "target/nfs_op_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Pages that are never touched cost nothing, so there is room for what few workloads need. */
int nfs_unstable_init(struct nfs_unstable *u, uint32_t room)
{
    void *memory = mmap(NULL, room * sizeof(struct nfs_record), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *u = (struct nfs_unstable){.free = NFS_NONE};
    if (memory == MAP_FAILED)
        return -errno;
    u->record = memory;
    u->room = room;
    return 0;
}

void nfs_unstable_fini(struct nfs_unstable *u)
{
    if (u->record == NULL)
        return;
    for (uint32_t i = 0; i < u->fresh; i++)
        free(u->record[i].copy);
    munmap(u->record, u->room * sizeof(struct nfs_record));
    *u = (struct nfs_unstable){.free = NFS_NONE};
}

bool nfs_unstable_room(const struct nfs_unstable *u, uint32_t parts, uint64_t len, bool copied)
{
    return (uint64_t)u->used + parts <= u->room &&
           (!copied || u->copy_bytes + len <= NFS_COPY_BYTES_MAX);
}

static uint32_t take(struct nfs_unstable *u)
{
    uint32_t i = u->free;

    if (i != NFS_NONE)
        u->free = u->record[i].next;
    else if (u->fresh < u->room)
        i = u->fresh++;
    u->used += i != NFS_NONE;
    return i;
}

static void give(struct nfs_unstable *u, uint32_t i)
{
    struct nfs_record *record = &u->record[i];

    if (record->copy != NULL)
        u->copy_bytes -= record->len;
    free(record->copy);
    record->copy = NULL;
    record->next = u->free;
    u->free = i;
    u->used--;
}

/* A stream that writes on and on takes one record and not millions. */
static bool goes_on(const struct nfs_record *last, const struct nfs_record *next)
{
    return last->copy == NULL && next->copy == NULL && last->off + last->len == next->off &&
           last->origin_off + last->len == next->origin_off &&
           memcmp(last->origin, next->origin, sizeof last->origin) == 0 &&
           memcmp(last->verf, next->verf, sizeof last->verf) == 0;
}

int nfs_unstable_add(struct nfs_unstable *u, struct nfs_records *r, const struct op *op,
                     uint64_t at, uint64_t off, uint32_t len,
                     const unsigned char verf[NFS3_VERF_BYTES])
{
    struct nfs_record record = {.off = off, .len = len, .next = NFS_NONE};
    uint32_t i;

    memcpy(record.verf, verf, sizeof record.verf);
    if (op->flags & OP_FLAG_ORIGIN) {
        memcpy(record.origin, op->origin, sizeof record.origin);
        record.origin_off = op->kind == OP_APPEND ? at : off;
        if (r->last != NFS_NONE && goes_on(&u->record[r->last], &record)) {
            u->record[r->last].len += len;
            return 0;
        }
    } else {
        record.copy = malloc(len);
        if (record.copy == NULL)
            return -ENOMEM;
        memcpy(record.copy, (const unsigned char *)op->buf + at, len);
    }
    i = take(u);
    if (i == NFS_NONE) {
        free(record.copy);
        return -ENOBUFS;
    }
    if (record.copy != NULL)
        u->copy_bytes += len;
    u->record[i] = record;
    *(r->last == NFS_NONE ? &r->first : &u->record[r->last].next) = i;
    r->last = i;
    return 0;
}

/* Keeps the records that `keep` is true of. */
static void filter(struct nfs_unstable *u, struct nfs_records *r,
                   bool (*keep)(struct nfs_unstable *u, struct nfs_record *record, void *arg),
                   void *arg)
{
    struct nfs_records left = NFS_NO_RECORDS;

    for (uint32_t i = r->first, next; i != NFS_NONE; i = next) {
        next = u->record[i].next;
        if (!keep(u, &u->record[i], arg)) {
            give(u, i);
            continue;
        }
        u->record[i].next = NFS_NONE;
        *(left.last == NFS_NONE ? &left.first : &u->record[left.last].next) = i;
        left.last = i;
    }
    *r = left;
}

static bool begins_before(struct nfs_unstable *u, struct nfs_record *record, void *size)
{
    uint64_t left = *(const uint64_t *)size;

    left = left > record->off ? left - record->off : 0;
    if (left < record->len && left > 0) {
        if (record->copy != NULL)
            u->copy_bytes -= record->len - left;
        record->len = left;
    }
    return left > 0;
}

void nfs_unstable_cut(struct nfs_unstable *u, struct nfs_records *r, uint64_t size)
{
    filter(u, r, begins_before, &size);
}

struct forgot {
    const unsigned char *verf;
    bool some;
};

/* What was written behind something that is lost is written again, too: it may lie on top of it. */
static bool is_lost(struct nfs_unstable *u, struct nfs_record *record, void *forgot)
{
    struct forgot *f = forgot;

    (void)u;
    f->some = f->some || memcmp(record->verf, f->verf, sizeof record->verf) != 0;
    return f->some;
}

void nfs_unstable_committed(struct nfs_unstable *u, struct nfs_records *r,
                            const unsigned char verf[NFS3_VERF_BYTES])
{
    struct forgot forgot = {.verf = verf};

    filter(u, r, is_lost, &forgot);
}

bool nfs_unstable_lost(const struct nfs_unstable *u, const struct nfs_records *r,
                       const unsigned char verf[NFS3_VERF_BYTES])
{
    for (uint32_t i = r->first; i != NFS_NONE; i = u->record[i].next)
        if (memcmp(u->record[i].verf, verf, NFS3_VERF_BYTES) != 0)
            return true;
    return false;
}

static bool none(struct nfs_unstable *u, struct nfs_record *record, void *arg)
{
    (void)u;
    (void)record;
    (void)arg;
    return false;
}

void nfs_unstable_drop(struct nfs_unstable *u, struct nfs_records *r)
{
    filter(u, r, none, NULL);
}
