/* All visits of one read or write are booked at the present, and the last to leave decides. */
#include "target/sim_disks_priv.h"

#include <errno.h>
#include <stdlib.h>

#define NS_PER_MINUTE 60000000000u

static unsigned per_set_of(const struct sim_disks *spec)
{
    unsigned wanted = spec->per_set;

    if (spec->raid == SIM_RAID_0)
        return 1;
    if (wanted < 2)
        wanted = spec->raid == SIM_RAID_1 ? 2 : spec->count;
    return wanted < spec->count ? wanted : spec->count;
}

static uint32_t slowness(const struct sim_profile *p, unsigned disk)
{
    for (unsigned i = 0; i < p->faults.slow_disks; i++)
        if (p->faults.slow_disk[i].disk == disk)
            return p->faults.slow_disk[i].by;
    return 1;
}

int sim_disks_init(struct sim_disk_array *a, const struct sim_profile *p, struct sim_net *net)
{
    const struct sim_disks *spec = &p->disks;

    *a = (struct sim_disk_array){.net = net, .spec = spec};
    if (spec->count == 0)
        return 0;
    a->per_set = per_set_of(spec);
    a->sets = spec->count / a->per_set;
    a->data = spec->raid == SIM_RAID_5 && a->per_set > 1 ? a->per_set - 1 : 1;
    a->stripe_bytes = spec->stripe_bytes > 0 ? spec->stripe_bytes : p->extent_bytes;
    a->disk = calloc(spec->count, sizeof *a->disk);
    a->touched = calloc(spec->count, sizeof *a->touched);
    a->row_bytes = calloc(a->data, sizeof *a->row_bytes);
    if (a->disk == NULL || a->touched == NULL || a->row_bytes == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < spec->count; i++) {
        struct sim_station_spec station = {
            .name = "disk", .servers = 1, .slow_by = slowness(p, i), .slow_of = 1};
        int rc = sim_net_station(net, &station);
        if (rc < 0)
            return rc;
        a->disk[i].station = (unsigned)rc;
        a->disk[i].moved = true;
    }
    return 0;
}

void sim_disks_fini(struct sim_disk_array *a)
{
    free(a->disk);
    free(a->touched);
    free(a->row_bytes);
}

/* ---- one disk ---- */

static uint64_t rotation_ns(const struct sim_disks *spec)
{
    return spec->rpm > 0 ? NS_PER_MINUTE / spec->rpm : 0;
}

/* Seek and rotation, less the more there are to choose from: who finds n others there has about n behind it when its
 * turn comes. */
static uint64_t positioning_ns(struct sim_disk_array *a, const struct sim_disk *disk)
{
    const struct sim_disks *spec = a->spec;
    struct rng *rng = sim_net_rng(a->net);
    uint64_t now = sim_net_now(a->net);
    uint64_t whole = sim_time_draw(&spec->seek, rng);
    uint64_t others = 0;

    if (spec->rpm > 0)
        whole += rng_below(rng, rotation_ns(spec));
    for (unsigned i = 0; i < SIM_DISK_DEPTH; i++)
        others += disk->leaves_ns[i] > now;
    return whole - whole * (spec->queue_gain_ppm * others / SIM_DISK_DEPTH) / 1000000;
}

static uint64_t visit(struct sim_disk_array *a, struct sim_disk *disk, uint64_t service_ns)
{
    uint64_t leaves = sim_net_visit(a->net, disk->station, service_ns);

    disk->leaves_ns[disk->turn] = leaves;
    disk->turn = (disk->turn + 1) % SIM_DISK_DEPTH;
    return leaves;
}

/* A read-ahead has asked for what follows, as long before as it takes. */
static uint64_t visit_read(struct sim_disk_array *a, struct sim_disk *disk,
                           enum sim_disk_start start)
{
    uint64_t transfer = sim_bytes_ns(disk->read_bytes, a->spec->bytes_s);
    uint64_t service = transfer;

    if (start == SIM_DISK_SEEKS) {
        service += positioning_ns(a, disk);
        disk->moved = true;
    }
    a->sum.reads++;
    a->sum.read_bytes += disk->read_bytes;
    bool ahead = start == SIM_DISK_FOLLOWS && disk->write_bytes == 0;
    return visit(a, disk, service) - (ahead ? transfer : 0);
}

/* Behind a read of the same place it waits until that has come round again. */
static uint64_t visit_write(struct sim_disk_array *a, struct sim_disk *disk,
                            enum sim_disk_start start, bool comes_round)
{
    uint64_t service = sim_bytes_ns(disk->write_bytes, a->spec->bytes_s);
    uint64_t rotation = rotation_ns(a->spec);

    if (comes_round && rotation > 0)
        service += rotation - service % rotation;
    else if (start == SIM_DISK_SEEKS || (start == SIM_DISK_CONTINUES && disk->moved))
        service += positioning_ns(a, disk);
    disk->moved = start != SIM_DISK_CONTINUES;
    a->sum.writes++;
    a->sum.written_bytes += disk->write_bytes;
    return visit(a, disk, service);
}

/* ---- putting visits together ---- */

static struct sim_disk *touch(struct sim_disk_array *a, unsigned number)
{
    struct sim_disk *disk = &a->disk[number];

    if (!disk->touched) {
        disk->touched = true;
        disk->read_bytes = 0;
        disk->write_bytes = 0;
        a->touched[a->n_touched++] = number;
    }
    return disk;
}

static uint64_t visit_all(struct sim_disk_array *a, enum sim_disk_start start)
{
    uint64_t last = sim_net_now(a->net);

    for (unsigned i = 0; i < a->n_touched; i++) {
        struct sim_disk *disk = &a->disk[a->touched[i]];
        bool reads = disk->read_bytes > 0;
        uint64_t leaves = reads ? visit_read(a, disk, start) : 0;
        if (disk->write_bytes > 0)
            leaves = visit_write(a, disk, start, reads);
        disk->touched = false;
        last = leaves > last ? leaves : last;
    }
    a->n_touched = 0;
    return last;
}

/* ---- where things lie ---- */

/* Of all that the array has, counted on from where the file begins: were that always the first, short files would leave
 * more to some disks than to others. */
static uint64_t array_row(const struct sim_disk_array *a, uint32_t file, uint64_t row)
{
    return mix64(file) % ((uint64_t)a->sets * a->per_set) + row;
}

/* First disk of the set. */
static unsigned first_of(const struct sim_disk_array *a, uint64_t array_row)
{
    return (unsigned)(array_row % a->sets) * a->per_set;
}

/* The disk of the set with the row's parity: each in turn, from the last on … */
static unsigned parity_of(const struct sim_disk_array *a, uint64_t array_row)
{
    return a->per_set - 1 - (unsigned)(array_row / a->sets % a->per_set);
}

/* … and the data behind it, so that stripes of one set that follow each other are on all of its disks in turn. */
static unsigned data_disk(const struct sim_disk_array *a, unsigned i, unsigned parity)
{
    return (parity + 1 + i) % a->per_set;
}

/* One copy for all of a read, the one that is free first. */
static unsigned choose_copy(const struct sim_disk_array *a, unsigned first, uint64_t turn)
{
    unsigned best = first + (unsigned)(turn % a->per_set);
    uint64_t free_at = sim_net_free_at(a->net, a->disk[best].station);

    for (unsigned i = first; i < first + a->per_set; i++) {
        uint64_t at = sim_net_free_at(a->net, a->disk[i].station);
        if (a->disk[i].touched)
            return i;
        if (at < free_at) {
            best = i;
            free_at = at;
        }
    }
    return best;
}

static unsigned disk_to_read(const struct sim_disk_array *a, uint32_t file, uint64_t unit)
{
    uint64_t row = array_row(a, file, unit / a->data);
    unsigned first = first_of(a, row);

    if (a->spec->raid == SIM_RAID_1)
        return choose_copy(a, first, mix64_pair(file, unit));
    if (a->data == 1)
        return first;
    return first + data_disk(a, (unsigned)(unit % a->data), parity_of(a, row));
}

uint64_t sim_disks_read(struct sim_disk_array *a, uint32_t file, uint64_t off, uint64_t len,
                        enum sim_disk_start start)
{
    uint64_t end = off + len;

    if (a->sets == 0)
        return sim_net_now(a->net);
    while (off < end) {
        uint64_t unit = off / a->stripe_bytes;
        uint64_t until = (unit + 1) * a->stripe_bytes;
        until = until < end ? until : end;
        touch(a, disk_to_read(a, file, unit))->read_bytes += until - off;
        off = until;
    }
    return visit_all(a, start);
}

/* ---- writing ---- */

static void close_parity_row(struct sim_disk_array *a)
{
    uint64_t row = array_row(a, a->row_file, a->row);
    unsigned first = first_of(a, row);
    unsigned parity = parity_of(a, row);
    uint64_t longest = 0;
    bool whole = true;

    for (unsigned i = 0; i < a->data; i++) {
        whole = whole && a->row_bytes[i] >= a->stripe_bytes;
        longest = a->row_bytes[i] > longest ? a->row_bytes[i] : longest;
    }
    for (unsigned i = 0; i < a->data; i++) {
        if (a->row_bytes[i] == 0)
            continue;
        struct sim_disk *disk = touch(a, first + data_disk(a, i, parity));
        disk->write_bytes += a->row_bytes[i];
        disk->read_bytes += whole ? 0 : a->row_bytes[i];
        a->row_bytes[i] = 0;
    }
    struct sim_disk *disk = touch(a, first + parity);
    disk->write_bytes += longest;
    disk->read_bytes += whole ? 0 : longest;
}

static void close_row(struct sim_disk_array *a)
{
    if (!a->row_open)
        return;
    a->row_open = false;
    if (a->data > 1) {
        close_parity_row(a);
        return;
    }
    unsigned first = first_of(a, array_row(a, a->row_file, a->row));
    for (unsigned i = first; i < first + a->per_set; i++)
        touch(a, i)->write_bytes += a->row_bytes[0];
    a->row_bytes[0] = 0;
}

void sim_disks_add(struct sim_disk_array *a, uint32_t file, uint64_t off, uint64_t len)
{
    uint64_t end = off + len;

    while (a->sets > 0 && off < end) {
        uint64_t unit = off / a->stripe_bytes;
        uint64_t until = (unit + 1) * a->stripe_bytes;
        until = until < end ? until : end;
        if (!a->row_open || a->row_file != file || a->row != unit / a->data) {
            close_row(a);
            a->row_open = true;
            a->row_file = file;
            a->row = unit / a->data;
        }
        a->row_bytes[unit % a->data] += until - off;
        off = until;
    }
}

uint64_t sim_disks_write(struct sim_disk_array *a, enum sim_disk_start start)
{
    close_row(a);
    return visit_all(a, start);
}

uint64_t sim_disks_gather(struct sim_disk_array *a, uint64_t bytes, enum sim_disk_start start)
{
    if (a->sets == 0 || bytes == 0)
        return sim_net_now(a->net);
    uint64_t row = a->gathered++;
    unsigned first = first_of(a, row);
    unsigned parity = parity_of(a, row);
    uint64_t units = (bytes + a->stripe_bytes - 1) / a->stripe_bytes;
    unsigned wide = units < a->data ? (unsigned)units : a->data;
    uint64_t each = (bytes + wide - 1) / wide;

    if (a->data == 1) {
        for (unsigned i = first; i < first + a->per_set; i++)
            touch(a, i)->write_bytes = bytes;
        return visit_all(a, start);
    }
    for (unsigned i = 0; i < wide; i++)
        touch(a, first + data_disk(a, i, parity))->write_bytes =
            i + 1 < wide ? each : bytes - each * (wide - 1);
    touch(a, first + parity)->write_bytes = each;
    return visit_all(a, start);
}

uint64_t sim_disks_row_bytes(const struct sim_disk_array *a)
{
    return a->data * a->stripe_bytes;
}

uint64_t sim_disks_physical(const struct sim_disk_array *a, uint64_t bytes)
{
    return a->sets == 0 ? bytes : bytes * a->per_set / a->data;
}
