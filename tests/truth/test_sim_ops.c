/* sim_priv.h: what an op of a modelled system takes, to the nanosecond; faults; what the system tells of itself.
 * The system is a text of ours, with numbers that can be added up by hand. */
#include "base/err.h"
#include "target/catalog.h"
#include "target/target.h"

#include "stats/hist.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define US    1000ull
#define MS    1000000ull
#define SEC   1000000000ull
#define COUNT 8 /* clients */

#define BLOCK   100000u
#define FILE_OF (BLOCK * 100ull)

/* A byte takes 8 ns on a link, 0.8 ns at a port, half a ns on the bus when read and 2 when written. */
#define SYSTEM                                                                                     \
    "title = a system of round numbers\n"                                                          \
    "[protocol nfs]\ncpu.* = 10us\ncpu.read = 20us\ncpu.small = 1000 1000ps\n"                     \
    "latency = 100us\nbus = on\n"                                                                  \
    "[client]\ncount = 8\nlinks = 1\nlink = 1g\ncpus = 1\ncpu.* = 3us\n"                           \
    "[ports]\ncount = 2\nrate = 10g\n"                                                             \
    "[cpu]\ncores = 4\n"                                                                           \
    "[bus]\nread = 2000MB/s\nwrite = 500MB/s\nop = 1us\n"                                          \
    "[dram]\nsize = 1g\nhit = 5us\ndirty-limit = 64m\n"                                            \
    "[log]\non = on\ndevices = 1\nwrite = 50us\nrate = 100MB/s\nmetadata = on\n"                   \
    "[disks]\ncount = 6\nraid = 0\nper-set = 1\nseek = 5ms\nrpm = 7200\nrate = 50MB/s\n"

struct bench {
    char address[128];
    const struct target_table *table;
    struct target *target;
    struct session *session;
    uint64_t handle[64];
};

static int no_parent(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    (void)ctx;
    *parent = TARGET_NODE_ROOT;
    snprintf(leaf, TARGET_LEAF_MAX, "d%" PRIu64, node);
    return node == TARGET_NODE_ROOT ? -EINVAL : 0;
}

static struct session *open_session(const struct bench *b)
{
    const struct session_spec spec = {
        .names = {.parent = no_parent}, .ops_max = 512, .handles_max = 128, .dirs_max = 8};
    struct session *s = NULL;
    struct err err = {0};

    if (b->table->session_open(b->target, &spec, &s, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}

static char profile_path[64];

static void begin(struct bench *b, const char *params)
{
    struct err err = {0};
    const char *rest;

    memset(b, 0, sizeof *b);
    snprintf(b->address, sizeof b->address, "sim:%s%s", profile_path, params);
    if (target_find(b->address, &b->table, &rest, &err) < 0 ||
        b->table->open(rest, &b->target, &err) < 0)
        fail_msg("%s: %s", b->address, err.text);
    b->session = open_session(b);
}

static void end(struct bench *b)
{
    b->table->session_close(b->session);
    b->table->close(b->target);
}

static uint64_t now(const struct bench *b)
{
    return b->table->now(b->target);
}

/* How long the op takes; it must not fail. */
static uint64_t time_of(const struct bench *b, struct op *op)
{
    uint64_t from_ns = now(b);
    int64_t res = target_do(b->table, b->session, op);

    if (res < 0)
        fail_msg("%s: %s", op_kind_name(op->kind), strerror((int)-res));
    return now(b) - from_ns;
}

static uint64_t make_file(const struct bench *b, const char *leaf, uint32_t flags)
{
    struct op op = {.kind = OP_CREATE, .flags = flags, .leaf = leaf};
    time_of(b, &op);
    return op.handle;
}

static uint64_t moving(const struct bench *b, enum op_kind kind, uint64_t handle, uint64_t off)
{
    struct op op = {.kind = kind, .handle = handle, .off = off, .len = BLOCK};
    return time_of(b, &op);
}

static void pass(const struct bench *b, uint64_t ns)
{
    struct op *done[1];
    assert_int_equal(b->table->reap(b->session, done, 1, 1, now(b) + ns), 0);
}

struct told {
    const char *key;
    double value;
    bool found;
};

static void take(void *ctx, const char *key, const char *value, const char *unit)
{
    struct told *told = ctx;

    (void)unit;
    if (strcmp(key, told->key) != 0)
        return;
    assert_false(told->found);
    told->found = true;
    told->value = strtod(value, NULL);
}

static double ask(const struct bench *b,
                  void (*tell)(struct target *t, const struct target_sink *sink), const char *key)
{
    struct told told = {.key = key};

    tell(b->target, &(struct target_sink){.put = take, .ctx = &told});
    if (!told.found)
        fail_msg("nothing is told of %s", key);
    return told.value;
}

/* ---- one op alone ---- */

#define CLIENT_NS  (3 * US)
#define LATENCY_NS (100 * US)
#define LINK_NS    (8ull * BLOCK)
#define PORT_NS    (BLOCK * 8 / 10)
#define SMALL_NS   1000ull

static void a_read_takes_the_sum_of_its_places(void **state)
{
    struct bench b;
    uint64_t h;

    (void)state;
    begin(&b, "");
    h = make_file(&b, "f", 0);
    moving(&b, OP_WRITE, h, 0);
    assert_int_equal(moving(&b, OP_READ, h, 0), CLIENT_NS + LATENCY_NS + 20 * US + SMALL_NS +
                                                    5 * US + US + BLOCK / 2 + PORT_NS + LINK_NS +
                                                    LATENCY_NS);
    /* Behind the end nothing is moved. */
    assert_int_equal(moving(&b, OP_READ, h, BLOCK), CLIENT_NS + LATENCY_NS + 20 * US + LATENCY_NS);
    end(&b);
}

static void a_write_takes_the_sum_of_its_places(void **state)
{
    const uint64_t way_ns = CLIENT_NS + LINK_NS + LATENCY_NS + PORT_NS + 10 * US + SMALL_NS + US +
                            2 * BLOCK + LATENCY_NS;
    const uint64_t log_ns = 50 * US + 10 * BLOCK;
    struct op op = {.kind = OP_FSYNC};
    struct bench b;
    uint64_t h;

    (void)state;
    begin(&b, "");
    h = make_file(&b, "f", 0);
    assert_int_equal(moving(&b, OP_WRITE, h, 0), way_ns);
    op.handle = h;
    assert_int_equal(time_of(&b, &op), CLIENT_NS + 2 * LATENCY_NS + 10 * US + log_ns);
    assert_int_equal(moving(&b, OP_APPEND, make_file(&b, "s", OP_FLAG_DSYNC), 0), way_ns + log_ns);
    assert_int_equal(moving(&b, OP_WRITE, make_file(&b, "t", OP_FLAG_SYNC), 0), way_ns + log_ns);
    end(&b);
}

/* Changes wait for the log, looking does not. */
static void a_name_takes_its_way_and_the_log(void **state)
{
    const uint64_t way_ns = CLIENT_NS + 2 * LATENCY_NS + 10 * US;
    const uint64_t log_ns = 50 * US + 4096 * 10;
    struct op make = {.kind = OP_MKDIR, .node = 7};
    struct op look = {.kind = OP_LOOKUP, .node = 7};
    struct op create = {.kind = OP_CREATE, .node = 7, .leaf = "f"};
    struct op shut = {.kind = OP_CLOSE};
    struct op remove = {.kind = OP_UNLINK, .node = 7, .leaf = "f"};
    struct bench b;

    (void)state;
    begin(&b, "");
    assert_int_equal(time_of(&b, &make), way_ns + log_ns);
    assert_int_equal(time_of(&b, &look), way_ns);
    assert_int_equal(time_of(&b, &create), way_ns + log_ns);
    shut.handle = create.handle;
    assert_int_equal(time_of(&b, &shut), way_ns);
    assert_int_equal(time_of(&b, &remove), way_ns + log_ns);
    end(&b);
    begin(&b, "?log.metadata=off");
    assert_int_equal(time_of(&b, &make), way_ns);
    end(&b);
}

/* What the log took of a file's new size counted as if it were of its bytes, and a commit wrote less by so much. */
static void a_change_of_a_name_commits_no_bytes(void **state)
{
    struct op grow = {.kind = OP_FALLOCATE, .len = 2 * BLOCK};
    struct op commit = {.kind = OP_FSYNC};
    struct bench b;
    double before;

    (void)state;
    begin(&b, "");
    grow.handle = commit.handle = make_file(&b, "f", 0);
    moving(&b, OP_WRITE, grow.handle, 0);
    before = ask(&b, b.table->counters, "log_bytes");
    time_of(&b, &grow);
    assert_int_equal(ask(&b, b.table->counters, "log_bytes") - before, 4096);
    time_of(&b, &commit);
    assert_int_equal(ask(&b, b.table->counters, "log_bytes") - before, 4096 + BLOCK);
    end(&b);
}

/* What was on its way to the disks already was not waited for. */
static void without_a_log_a_commit_waits_for_what_is_on_its_way(void **state)
{
    struct op commit = {.kind = OP_FSYNC};
    struct bench b;
    uint64_t synced;

    (void)state;
    begin(&b, "?log=off&dram.dirty-limit=1m");
    commit.handle = make_file(&b, "f", 0);
    synced = make_file(&b, "f", OP_FLAG_DSYNC | OP_FLAG_MAY_EXIST);
    for (unsigned i = 0; i < 8; i++) /* above half of the limit it is written back at once */
        moving(&b, OP_WRITE, commit.handle, i * BLOCK);
    assert_true(ask(&b, b.table->counters, "disk_written_bytes") > 0);
    assert_true(time_of(&b, &commit) > 5 * MS);
    for (unsigned i = 0; i < 8; i++)
        moving(&b, OP_WRITE, commit.handle, i * BLOCK);
    assert_true(moving(&b, OP_WRITE, synced, 0) > 10 * MS); /* that write-back, and its own */
    assert_true(time_of(&b, &commit) < MS);
    end(&b);
}

/* What is sent is longer by a header for each packet. */
static void headers_take_their_part_of_the_lines(void **state)
{
    const uint64_t packets = (BLOCK + 1400 - 1) / 1400;
    const uint64_t on_wire = BLOCK + packets * 100;
    struct bench b;
    uint64_t h;

    (void)state;
    begin(&b, "?protocol.headers=100&mtu=1500");
    h = make_file(&b, "f", 0);
    moving(&b, OP_WRITE, h, 0);
    assert_int_equal(moving(&b, OP_READ, h, 0), CLIENT_NS + LATENCY_NS + 20 * US + SMALL_NS +
                                                    5 * US + US + BLOCK / 2 + on_wire * 8 / 10 +
                                                    on_wire * 8 + LATENCY_NS);
    end(&b);
}

/* Thinking is on no station: of two streams of one client each thinks for itself. */
static void thinking_passes_before_the_op_leaves(void **state)
{
    struct op op = {.kind = OP_LOOKUP};
    struct bench b;

    (void)state;
    begin(&b, "?client.think.lookup=2ms");
    assert_int_equal(time_of(&b, &op), 2 * MS + CLIENT_NS + 2 * LATENCY_NS + 10 * US);
    end(&b);
}

/* Processors that are never short take their time all the same, a slow client's more. */
static void a_client_without_stations_takes_its_time_too(void **state)
{
    struct op op = {.kind = OP_LOOKUP};
    struct bench b;

    (void)state;
    begin(&b, "?client.cpus=0");
    assert_int_equal(time_of(&b, &op), CLIENT_NS + 2 * LATENCY_NS + 10 * US);
    end(&b);
    begin(&b, "?client.cpus=0&slow-client=1:x3");
    assert_int_equal(time_of(&b, &op), 3 * (CLIENT_NS + 2 * LATENCY_NS) + 10 * US);
    end(&b);
}

/* Every second write of a file waits for the log, with the bytes of both. */
static void clients_commit_after_so_many_bytes(void **state)
{
    const uint64_t way_ns = CLIENT_NS + LINK_NS + LATENCY_NS + PORT_NS + 10 * US + SMALL_NS + US +
                            2 * BLOCK + LATENCY_NS;
    struct bench b;
    uint64_t h;

    (void)state;
    begin(&b, "?protocol.commit=200000");
    h = make_file(&b, "f", 0);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(moving(&b, OP_WRITE, h, i * BLOCK),
                         way_ns + (i % 2 == 1 ? 50 * US + 2 * 10 * BLOCK : 0));
    end(&b);
}

/* The first read of a handle finds the disk's head anywhere, the next have been read ahead. */
static void only_what_follows_has_been_read_ahead(void **state)
{
    const uint64_t way_ns = CLIENT_NS + LATENCY_NS + 20 * US + SMALL_NS + US + BLOCK / 2 + PORT_NS +
                            LINK_NS + LATENCY_NS;
    struct op sync = {.kind = OP_SYNCFS};
    struct op open = {.kind = OP_OPEN, .leaf = "f"};
    struct bench b;
    uint64_t h;

    (void)state;
    begin(&b, "?dram=0&dram.dirty-limit=0&disks.rate=1000MB/s");
    h = make_file(&b, "f", 0);
    for (unsigned i = 0; i < 4; i++)
        moving(&b, OP_WRITE, h, i * BLOCK);
    time_of(&b, &sync);
    time_of(&b, &open);
    assert_true(moving(&b, OP_READ, open.handle, 0) >= way_ns + 5 * MS);
    assert_int_equal(moving(&b, OP_READ, open.handle, BLOCK), way_ns);
    assert_int_equal(moving(&b, OP_READ, open.handle, 2 * BLOCK), way_ns);
    assert_true(moving(&b, OP_READ, open.handle, 0) >= way_ns + 5 * MS);
    end(&b);
}

/* ---- many at once ---- */

struct loop {
    unsigned streams; /* stream i is of client i mod COUNT */
    uint64_t for_ns;
    uint64_t hash;
    uint64_t ops;
    uint64_t bytes;
    uint64_t failed;
    int last_error;
    uint64_t failed_op; /* number of the first */
    uint64_t by_client[COUNT];
    uint64_t failed_of[COUNT];
    uint64_t slowest_ns;
    uint64_t slowest_end_ns; /* from the beginning */
    uint64_t first_failed_ns;
};

static void lay_out(struct bench *b, unsigned streams)
{
    for (unsigned i = 0; i < streams; i++) {
        char leaf[16];

        snprintf(leaf, sizeof leaf, "f%u", i);
        b->handle[i] = make_file(b, leaf, OP_FLAG_MAY_EXIST);
        for (uint64_t off = 0; off < FILE_OF; off += BLOCK)
            moving(b, OP_WRITE, b->handle[i], off);
    }
}

static void note(struct loop *l, const struct op *op, uint64_t from_ns, uint64_t issued_ns,
                 uint64_t now_ns)
{
    l->ops++;
    l->by_client[op->client]++;
    l->hash = l->hash * 1000003 + (now_ns - from_ns) + op->client;
    if (op->res < 0) {
        l->first_failed_ns = l->failed == 0 ? now_ns - from_ns : l->first_failed_ns;
        l->failed++;
        l->failed_of[op->client]++;
        l->last_error = (int)op->res;
        return;
    }
    l->bytes += (uint64_t)op->res;
    if (now_ns - issued_ns > l->slowest_ns) {
        l->slowest_ns = now_ns - issued_ns;
        l->slowest_end_ns = now_ns - from_ns;
    }
}

/* Reads of BLOCK at random places, each stream one at a time, as a run's window; then all come to their end. */
static void read_for(struct bench *b, struct loop *l)
{
    static struct op ops[64];
    static uint64_t issued[64];
    struct op *done[64];
    uint64_t from_ns = now(b);
    uint64_t random = 1;
    unsigned held = 0;

    b->table->calls_window(b->session, from_ns, from_ns + l->for_ns);
    for (unsigned i = 0; i < l->streams; i++) {
        struct op *op = &ops[i];

        *op =
            (struct op){.kind = OP_READ, .handle = b->handle[i], .len = BLOCK, .client = i % COUNT};
        issued[i] = from_ns;
        held += (unsigned)b->table->submit(b->session, &op, 1);
    }
    while (held > 0) {
        int n = b->table->reap(b->session, done, 1, 64, UINT64_MAX);

        for (int i = 0; i < n; i++) {
            note(l, done[i], from_ns, issued[done[i] - ops], now(b));
            held--;
            if (now(b) >= from_ns + l->for_ns)
                continue;
            random = random * 6364136223846793005u + 1442695040888963407u;
            done[i]->off = (random >> 33) % (FILE_OF / BLOCK) * BLOCK;
            issued[done[i] - ops] = now(b);
            held += (unsigned)b->table->submit(b->session, &done[i], 1);
        }
    }
}

static struct loop looped(struct bench *b, unsigned streams, uint64_t for_ns)
{
    struct loop l = {.streams = streams, .for_ns = for_ns};

    lay_out(b, streams);
    read_for(b, &l);
    return l;
}

/* The link of each client is what is short; what it carries is known. */
static void links_carry_what_they_can(void **state)
{
    struct bench b;
    struct loop l;

    (void)state;
    begin(&b, "");
    l = looped(&b, 32, 10 * SEC);
    for (unsigned i = 0; i < COUNT; i++)
        assert_in_range(l.by_client[i], 10 * SEC / LINK_NS - 2, 10 * SEC / LINK_NS + 4);
    assert_int_equal(l.failed, 0);
    end(&b);
}

static void the_same_twice_is_the_same(void **state)
{
    uint64_t hash[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct bench b;

        begin(&b, i < 2 ? "?dram=64m" : "?dram=64m&seed=7");
        hash[i] = looped(&b, 16, 5 * SEC).hash;
        end(&b);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_true(hash[0] != hash[2]);
}

/* ---- faults ---- */

/* Nothing is begun for 5 s: who came then waited as long, and it shows where it was. */
static void a_stall_holds_what_arrives(void **state)
{
    struct bench b;
    struct loop l;

    (void)state;
    begin(&b, "?stall=5s@2s");
    l = looped(&b, 32, 10 * SEC);
    assert_in_range(l.slowest_ns, 5 * SEC - 10 * MS, 5 * SEC + 10 * MS);
    assert_in_range(l.slowest_end_ns, 7 * SEC, 7 * SEC + 10 * MS);
    assert_in_range(l.by_client[0], 5 * SEC / LINK_NS - 10, 5 * SEC / LINK_NS + 10);
    end(&b);
}

/* A stall of a run that ended before it came is not the next run's. */
static void faults_end_with_their_run(void **state)
{
    struct bench b;
    struct loop l;

    (void)state;
    begin(&b, "?stall=5s@2s&drop-client=1@2s");
    looped(&b, 32, SEC);
    b.table->session_close(b.session);
    b.session = open_session(&b);
    pass(&b, SEC);
    l = looped(&b, 32, SEC + 500 * MS);
    assert_true(l.slowest_ns < 10 * MS);
    assert_int_equal(l.failed, 0);
    end(&b);
}

/* Ops are counted from the first that moves data in the window, in each run anew. */
static void the_op_of_that_number_fails(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "?error=EIO@op:1000&error=ENOSPC@op:1001");
    for (unsigned run = 0; run < 2; run++) {
        struct loop l = looped(&b, 16, 10 * SEC);

        assert_int_equal(l.failed, 2);
        assert_int_equal(l.last_error, -ENOSPC);
        assert_in_range(l.ops, 98000, 101000);
        b.table->session_close(b.session);
        b.session = open_session(&b);
    }
    end(&b);
}

/* Thinking, processors, links and latency: all that an op of this client passes on its own side. */
static void a_slow_client_is_slow_and_the_others_are_not(void **state)
{
    struct op look = {.kind = OP_LOOKUP, .client = 2};
    struct bench b;
    struct loop l;

    (void)state;
    begin(&b, "?slow-client=3:x6&client.think.lookup=1ms");
    assert_int_equal(time_of(&b, &look), 6 * (MS + CLIENT_NS + 2 * LATENCY_NS) + 10 * US);
    look.client = 3;
    assert_int_equal(time_of(&b, &look), MS + CLIENT_NS + 2 * LATENCY_NS + 10 * US);
    l = looped(&b, 32, 30 * SEC);
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t fair = 30 * SEC / LINK_NS / (i == 2 ? 6 : 1);

        assert_in_range(l.by_client[i], fair - 4, fair + 4);
    }
    end(&b);
}

static void a_dropped_client_fails_at_once_and_from_then_on(void **state)
{
    struct bench b;
    struct loop l;

    (void)state;
    begin(&b, "?drop-client=7@3s");
    l = looped(&b, 32, 10 * SEC);
    assert_int_equal(l.failed, l.failed_of[6]);
    assert_int_equal(l.last_error, -ENOTCONN);
    assert_int_equal(l.first_failed_ns, 3 * SEC);
    /* The four under way, then each again and again. */
    assert_in_range(l.failed, 4 * 600, 4 * 701);
    assert_in_range(l.by_client[6] - l.failed, 3 * SEC / LINK_NS - 4, 3 * SEC / LINK_NS + 1);
    assert_in_range(l.by_client[0], 10 * SEC / LINK_NS - 2, 10 * SEC / LINK_NS + 4);
    /* The next run has it again. */
    b.table->session_close(b.session);
    b.session = open_session(&b);
    assert_int_equal(looped(&b, 32, SEC).failed, 0);
    end(&b);
}

/* ---- a session that ends ---- */

/* Writes that wait at the dirty limit are given up with the rest; the system goes on. */
static void writes_that_wait_are_given_up(void **state)
{
    static struct op ops[512];
    struct bench b;
    struct op *list[512];
    struct op *done[512];
    int reaped;

    (void)state;
    begin(&b, "?dram.dirty-limit=1m&disks=1");
    b.handle[0] = make_file(&b, "f", 0);
    for (unsigned i = 0; i < 512; i++) {
        ops[i] = (struct op){.kind = OP_WRITE,
                             .handle = b.handle[0],
                             .off = (uint64_t)i * 4 * BLOCK,
                             .len = BLOCK,
                             .client = i % COUNT,
                             .res = 1};
        list[i] = &ops[i];
    }
    assert_int_equal(b.table->submit(b.session, list, 512), 512);
    reaped = b.table->reap(b.session, done, 512, 512, now(&b) + 100 * MS);
    assert_in_range(reaped, 1, 300);
    b.table->session_close(b.session);
    for (int i = 0; i < reaped; i++)
        done[i]->res = 1;
    b.session = open_session(&b);
    pass(&b, 100 * SEC);
    for (unsigned i = 0; i < 512; i++)
        assert_int_equal(ops[i].res, 1);
    b.handle[0] = make_file(&b, "g", 0);
    moving(&b, OP_WRITE, b.handle[0], 0);
    end(&b);
}

/* ---- what it tells ---- */

/* The server's own time is from the request to the bus, and of each op of the window once. */
static void calls_are_the_servers_own_times(void **state)
{
    const uint64_t own_ns = 20 * US + SMALL_NS + 5 * US + US + BLOCK / 2;
    const struct hist *from_dram;
    const char *name = NULL;
    struct bench b;
    struct loop l;

    (void)state;
    begin(&b, "");
    l = looped(&b, 1, SEC);
    from_dram = b.table->calls(b.session, 0, &name);
    assert_string_equal(name, "read from dram");
    assert_int_equal(hist_min(from_dram), own_ns);
    assert_int_equal(from_dram->max, own_ns);
    assert_in_range(hist_count(from_dram), l.ops - 1, l.ops);
    assert_int_equal(hist_count(b.table->calls(b.session, 1, &name)), 0);
    assert_null(b.table->calls(b.session, 6, &name));
    end(&b);
}

static void a_server_tells_what_exporters_tell(void **state)
{
    const char *busy = "node_cpu_seconds_total{cpu=\"3\",mode=\"system\"}";
    const char *sent = "node_network_transmit_bytes_total{device=\"port1\"}";
    const char *reads = "node_nfsd_requests_total{method=\"Read\",proto=\"3\"}";
    struct bench b;
    struct loop l = {.streams = 32, .for_ns = 10 * SEC};
    const char *link = "model_link_busy_seconds_total{device=\"in\",instance=\"client2\"}";
    double before[4];

    (void)state;
    begin(&b, "");
    lay_out(&b, 32);
    before[3] = ask(&b, b.table->metrics, link);
    before[0] = ask(&b, b.table->metrics, busy);
    before[1] = ask(&b, b.table->metrics, sent);
    before[2] = ask(&b, b.table->metrics, reads);
    read_for(&b, &l);
    assert_int_equal(ask(&b, b.table->metrics, reads) - before[2], l.ops);
    /* Clients of odd numbers have the second port. */
    assert_int_equal(ask(&b, b.table->metrics, sent) - before[1],
                     (l.by_client[1] + l.by_client[3] + l.by_client[5] + l.by_client[7]) * BLOCK);
    assert_true(ask(&b, b.table->metrics, busy) - before[0] > 0.9 * 21e-6 / 4 * (double)l.ops);
    assert_true(ask(&b, b.table->metrics, busy) - before[0] < 1.1 * 21e-6 / 4 * (double)l.ops);
    double busy_s = ask(&b, b.table->metrics, link) - before[3];
    assert_true(fabs(busy_s - (double)(l.by_client[1] * LINK_NS) / SEC) < 1e-6);
    assert_int_equal(ask(&b, b.table->counters, "received_bytes"), l.bytes);
    end(&b);
}

/* Closed loop of known times: the busiest is the link, as busy as it can be, and Little's law holds at each station. */
static void the_truth_is_told_of_each_station(void **state)
{
    struct bench b;
    struct loop l = {.streams = 32, .for_ns = 10 * SEC};
    double busy_ns, cpu_ns;

    (void)state;
    begin(&b, "");
    lay_out(&b, 32);
    busy_ns = ask(&b, b.table->truth, "client in.busy_ns");
    cpu_ns = ask(&b, b.table->truth, "cpu.busy_ns");
    read_for(&b, &l);
    busy_ns = ask(&b, b.table->truth, "client in.busy_ns") - busy_ns;
    cpu_ns = ask(&b, b.table->truth, "cpu.busy_ns") - cpu_ns;
    assert_int_equal(ask(&b, b.table->truth, "client in.servers"), COUNT);
    assert_true(busy_ns == (double)(l.ops * LINK_NS));
    assert_true(cpu_ns == (double)(l.ops * 21 * US));
    assert_true(ask(&b, b.table->truth, "client in.visits") == (double)l.ops);
    assert_true(ask(&b, b.table->truth, "client in.inside_ns") ==
                ask(&b, b.table->truth, "client in.wait_ns") + busy_ns);
    end(&b);
}

/* A file of 2^32 extents had two in one place, and what was read of one was the other's. */
static void a_file_ends_where_its_extents_do(void **state)
{
    const uint64_t most = UINT32_MAX * (uint64_t)(128u << 10);
    struct op op = {.kind = OP_TRUNCATE, .len = most + 1};
    struct bench b;

    (void)state;
    begin(&b, "?disks.capacity=1024t");
    op.handle = make_file(&b, "f", 0);
    assert_int_equal(target_do(b.table, b.session, &op), -EFBIG);
    op.len = most;
    assert_int_equal(target_do(b.table, b.session, &op), 0);
    op = (struct op){.kind = OP_APPEND, .handle = op.handle, .len = 1};
    assert_int_equal(target_do(b.table, b.session, &op), -EFBIG);
    end(&b);
}

/* All places at once, as many as each may be. */
static void the_largest_profile_is_a_system(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "?clients=1024&ports=64&disks=2048&flash=1g&flash.read=1us&path.read=1g/s");
    make_file(&b, "f", 0);
    end(&b);
}

/* A bus that a profile has not was a station all the same, never visited. */
static void a_place_that_is_not_there_is_not_told(void **state)
{
    struct told bus = {.key = "bus.servers"};
    struct bench b = {.table = NULL};
    struct err err = {0};
    const char *rest;

    (void)state;
    assert_int_equal(target_find("sim:nvme-local", &b.table, &rest, &err), 0);
    assert_int_equal(b.table->open(rest, &b.target, &err), 0);
    b.table->truth(b.target, &(struct target_sink){.put = take, .ctx = &bus});
    assert_false(bus.found);
    assert_int_equal(ask(&b, b.table->truth, "path.servers"), 1);
    b.table->close(b.target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_takes_the_sum_of_its_places),
        cmocka_unit_test(a_write_takes_the_sum_of_its_places),
        cmocka_unit_test(a_name_takes_its_way_and_the_log),
        cmocka_unit_test(a_change_of_a_name_commits_no_bytes),
        cmocka_unit_test(without_a_log_a_commit_waits_for_what_is_on_its_way),
        cmocka_unit_test(headers_take_their_part_of_the_lines),
        cmocka_unit_test(thinking_passes_before_the_op_leaves),
        cmocka_unit_test(a_client_without_stations_takes_its_time_too),
        cmocka_unit_test(clients_commit_after_so_many_bytes),
        cmocka_unit_test(only_what_follows_has_been_read_ahead),
        cmocka_unit_test(links_carry_what_they_can),
        cmocka_unit_test(the_same_twice_is_the_same),
        cmocka_unit_test(a_stall_holds_what_arrives),
        cmocka_unit_test(faults_end_with_their_run),
        cmocka_unit_test(the_op_of_that_number_fails),
        cmocka_unit_test(a_slow_client_is_slow_and_the_others_are_not),
        cmocka_unit_test(a_dropped_client_fails_at_once_and_from_then_on),
        cmocka_unit_test(writes_that_wait_are_given_up),
        cmocka_unit_test(calls_are_the_servers_own_times),
        cmocka_unit_test(a_server_tells_what_exporters_tell),
        cmocka_unit_test(the_truth_is_told_of_each_station),
        cmocka_unit_test(a_place_that_is_not_there_is_not_told),
        cmocka_unit_test(a_file_ends_where_its_extents_do),
        cmocka_unit_test(the_largest_profile_is_a_system),
    };
    FILE *f;
    int failed;

    snprintf(profile_path, sizeof profile_path, "/tmp/sim-ops-%d.profile", (int)getpid());
    f = fopen(profile_path, "w");
    if (f == NULL || fputs(SYSTEM, f) < 0 || fclose(f) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(profile_path);
    return failed;
}
