/* Load on a target that loses nothing it may not lose.
 *   ledger_client ADDRESS DIRECTORY SECONDS keeps|forgets [SEED]
 * Two sessions of a hundred streams, each with files of its own, create, write over, append, cut, read,
 * fsync, close, rename, remove and stat them, make and remove directories. Each answer is compared with
 * what can be true. After SECONDS one session ends in good order with half of its files open, the other
 * with its ops under way. Says "loaded", waits for a line on stdin, and compares every name and byte
 * over ADDRESS; then "compared", a line, and the same in DIRECTORY. `keeps`: nothing that was
 * acknowledged is ever lost; else only what fsync and close returned for is safe. Exit status 1, and
 * words, when something is wrong. */
#include "base/rng.h"
#include "byte_ledger.h"
#include "clk/clk.h"
#include "target/catalog.h"
#include "target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#define SESSIONS    2
#define STREAMS     100 /* of a session */
#define FILES       4   /* of a stream */
#define DIRS        3   /* of a stream: its own, and two in it that come and go */
#define IO_BYTES    12000
#define NAMES       3 /* that a file goes through */
#define NAME_BYTES  24
#define BATCH       64
#define NO_CUT      UINT64_MAX
#define PROGRESS_NS 30000000000u

enum maybe { NO, YES, MAYBE };

struct file {
    struct ledger ledger;
    enum maybe exists;
    bool open, synced; /* synced: writes are durable when they return */
    uint64_t handle;
    unsigned dir, slot;
    unsigned name, other; /* of NAMES; other: it may have been renamed to */
    uint64_t cut;         /* it may have been cut to; NO_CUT */
};

struct stream {
    unsigned number;
    struct rng rng;
    struct file file[FILES];
    enum maybe dir[DIRS];
    bool held;
    struct op op;
    struct file *at; /* NULL: the op is of directory `node` */
    unsigned node;
    bool absent; /* STAT of a name that is not there */
    char leaf[NAME_BYTES], to[NAME_BYTES];
    struct target_stat stat;
    unsigned char buf[IO_BYTES];
};

struct worker {
    pthread_t thread;
    unsigned number;
    struct session *session;
    struct stream *stream;
    uint64_t ops;
};

static struct {
    const struct target_table *table;
    struct target *target;
    const char *directory;
    uint64_t begun_ns, end_ns;
    bool keeps;
    struct worker worker[SESSIONS];
    _Atomic uint64_t seeds;
} all;

__attribute__((noreturn, format(printf, 1, 2))) static void wrong(const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "ledger_client: ");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    _exit(1);
}

/* ---- names ---- */

static uint64_t node_of(const struct stream *s, unsigned dir)
{
    return 1 + s->number * DIRS + dir;
}

static void name_of(const struct file *f, unsigned name, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "f%u.%u", f->slot, name);
}

static int parent_of(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    uint64_t stream = (node - 1) / DIRS;
    uint64_t dir = (node - 1) % DIRS;

    (void)ctx;
    if (node == TARGET_NODE_ROOT || stream >= SESSIONS * STREAMS)
        return -EINVAL;
    *parent = dir == 0 ? TARGET_NODE_ROOT : node - dir;
    snprintf(leaf, TARGET_LEAF_MAX, dir == 0 ? "s%u" : "d%u", (unsigned)(dir == 0 ? stream : dir));
    return 0;
}

static void make_again(const void *ctx, const uint64_t origin[3], uint64_t off, void *buf,
                       uint64_t len)
{
    (void)ctx;
    ledger_fill(origin[0], off, buf, len);
}

static struct session *open_session(unsigned ops)
{
    const struct session_spec spec = {.names = {.parent = parent_of},
                                      .remake = {.fill = make_again},
                                      .ops_max = ops,
                                      .handles_max = STREAMS * FILES,
                                      .dirs_max = STREAMS * DIRS / 2};
    struct session *s;
    struct err err = {0};

    if (all.table->session_open(all.target, &spec, &s, &err) < 0)
        wrong("%s", err.text);
    return s;
}

/* ---- what a stream does next ---- */

static uint64_t up_to(struct stream *s, uint64_t most)
{
    return rng_below(&s->rng, most + 1);
}

static void plan_write(struct stream *s, struct file *f, enum op_kind kind)
{
    struct ledger *l = &f->ledger;
    uint64_t seed = atomic_fetch_add(&all.seeds, 1);
    uint64_t off = kind == OP_APPEND ? l->now_bytes : up_to(s, MIN(l->now_bytes + 5000, 39000));
    uint64_t len = 1 + up_to(s, MIN(LEDGER_BYTES - off, IO_BYTES) - 1);
    uint64_t base = kind == OP_APPEND ? off : 0;

    ledger_fill(seed, off - base, s->buf, len);
    ledger_begin(l, seed, off, len, base);
    s->op.off = kind == OP_APPEND ? 0 : off;
    s->op.len = len;
    if (up_to(s, 1) == 0) {
        s->op.flags = OP_FLAG_ORIGIN;
        s->op.origin[0] = seed;
    }
    if (kind == OP_WRITE && off == 0 && l->now_bytes <= len)
        s->op.flags |= OP_FLAG_ALL;
}

static void plan_open_file(struct stream *s, struct file *f)
{
    static const enum op_kind usual[] = {OP_WRITE, OP_WRITE,  OP_WRITE,   OP_APPEND, OP_APPEND,
                                         OP_READ,  OP_READ,   OP_STAT,    OP_FSYNC,  OP_CLOSE,
                                         OP_CLOSE, OP_RENAME, OP_TRUNCATE};
    enum op_kind kind = usual[up_to(s, sizeof usual / sizeof usual[0] - 1)];

    if (f->ledger.writes == LEDGER_WRITES)
        kind = OP_FSYNC;
    if (kind == OP_APPEND && f->ledger.now_bytes >= 39000)
        kind = OP_TRUNCATE;
    s->op.kind = kind;
    s->op.handle = f->handle;
    if (kind == OP_WRITE || kind == OP_APPEND) {
        plan_write(s, f, kind);
    } else if (kind == OP_READ) {
        s->op.off = up_to(s, f->ledger.now_bytes);
        s->op.len = 1 + up_to(s, IO_BYTES - 1);
    } else if (kind == OP_TRUNCATE) {
        s->op.len = f->cut = up_to(s, f->ledger.now_bytes);
    }
}

static void plan_file(struct stream *s, struct file *f)
{
    static const enum op_kind usual[] = {OP_OPEN, OP_OPEN, OP_OPEN, OP_UNLINK, OP_RENAME, OP_STAT};

    s->at = f;
    s->op.buf = s->buf;
    if (f->exists == NO) {
        s->absent = up_to(s, 3) == 0;
        f->dir = (unsigned)up_to(s, DIRS - 1);
        if (s->dir[f->dir] == NO)
            f->dir = 0;
        s->op.kind = s->absent ? OP_STAT : OP_CREATE;
    } else if (f->open) {
        plan_open_file(s, f);
    } else {
        s->op.kind = usual[up_to(s, sizeof usual / sizeof usual[0] - 1)];
    }
    if (s->op.kind == OP_CREATE || s->op.kind == OP_OPEN) {
        f->synced = up_to(s, 7) == 0;
        s->op.flags = f->synced ? OP_FLAG_DSYNC : 0;
    }
    s->op.node = node_of(s, f->dir);
    s->op.leaf = s->leaf;
    name_of(f, f->name, s->leaf);
    if (s->op.kind == OP_STAT)
        s->op.buf = &s->stat;
    if (s->op.kind == OP_RENAME) {
        f->other = (f->name + 1) % NAMES;
        name_of(f, f->other, s->to);
        s->op.buf = s->to;
    }
    if (s->op.kind == OP_CREATE || s->op.kind == OP_UNLINK)
        f->exists = MAYBE;
}

static bool is_used(const struct stream *s, unsigned dir)
{
    for (unsigned i = 0; i < FILES; i++) {
        if (s->file[i].exists != NO && s->file[i].dir == dir)
            return true;
    }
    return false;
}

static void plan_next(struct stream *s)
{
    unsigned dir = 1 + (unsigned)up_to(s, DIRS - 2);

    s->op = (struct op){.user = s};
    s->absent = false;
    s->at = NULL;
    s->node = 0;
    if (s->dir[0] == NO)
        dir = 0;
    if (dir == 0 || (up_to(s, 9) == 0 && !is_used(s, dir))) {
        s->node = dir;
        s->op.kind = s->dir[dir] == NO ? OP_MKDIR : OP_RMDIR;
        s->op.node = node_of(s, dir);
        s->dir[dir] = MAYBE;
        return;
    }
    plan_file(s, &s->file[up_to(s, FILES - 1)]);
}

/* ---- what came of it ---- */

static void check_data(const struct stream *s, const struct file *f, const char *how, bool keeps,
                       const unsigned char *got, uint64_t off, uint64_t len)
{
    int64_t at = ledger_check(&f->ledger, keeps, got, off, len);

    if (at < 0)
        return;
    for (unsigned i = 0; i < f->ledger.writes; i++) {
        const struct ledger_write *w = &f->ledger.write[i];

        fprintf(stderr, "  since the last commit: %llu to %llu%s\n", (unsigned long long)w->off,
                (unsigned long long)w->end, w->done ? "" : ", not acknowledged");
    }
    wrong("%s: s%u %u/%s: wrong byte at %lld (%02x) of %llu; the last op there is %s%s", how,
          s->number, f->dir, s->leaf, (long long)at, got[(uint64_t)at - off],
          (unsigned long long)f->ledger.now_bytes, op_kind_name(s->op.kind),
          s->at == f ? "" : " of another file");
}

static void check_size(const struct stream *s, const struct file *f, const char *how, bool keeps,
                       uint64_t got)
{
    uint64_t least = ledger_least_bytes(&f->ledger, keeps);
    uint64_t most = ledger_most_bytes(&f->ledger);

    if (got < least || got > most)
        wrong("%s: s%u %u/%s: %llu bytes, not %llu to %llu; the last op there is %s%s", how,
              s->number, f->dir, s->leaf, (unsigned long long)got, (unsigned long long)least,
              (unsigned long long)most, op_kind_name(s->op.kind),
              s->at == f ? "" : " of another file");
}

static void done_read(const struct stream *s, const struct file *f)
{
    uint64_t bytes = ledger_least_bytes(&f->ledger, all.keeps);
    uint64_t least = bytes > s->op.off ? MIN(bytes - s->op.off, s->op.len) : 0;

    if ((uint64_t)s->op.res < least)
        wrong("read: s%u %u/%s: %lld bytes at %llu, not %llu", s->number, f->dir, s->leaf,
              (long long)s->op.res, (unsigned long long)s->op.off, (unsigned long long)least);
    check_data(s, f, "read", all.keeps, s->buf, s->op.off, (uint64_t)s->op.res);
}

static void done_file(struct stream *s, struct file *f)
{
    switch (s->op.kind) {
    case OP_CREATE:
        f->exists = YES;
        f->open = true;
        f->handle = s->op.handle;
        break;
    case OP_OPEN:
        f->open = true;
        f->handle = s->op.handle;
        break;
    case OP_UNLINK:
        f->exists = NO;
        ledger_empty(&f->ledger);
        break;
    case OP_RENAME:
        f->name = f->other;
        break;
    case OP_STAT:
        if (!s->absent)
            check_size(s, f, "stat", all.keeps, s->stat.size_bytes);
        break;
    case OP_READ:
        done_read(s, f);
        break;
    case OP_WRITE:
    case OP_APPEND:
        if ((uint64_t)s->op.res != s->op.len)
            wrong("%s: %lld of %llu bytes", op_kind_name(s->op.kind), (long long)s->op.res,
                  (unsigned long long)s->op.len);
        ledger_done(&f->ledger);
        break;
    case OP_TRUNCATE:
        ledger_cut(&f->ledger, f->cut);
        f->cut = NO_CUT;
        break;
    case OP_CLOSE:
        f->open = false;
        ledger_commit(&f->ledger);
        break;
    case OP_FSYNC:
        ledger_commit(&f->ledger);
        break;
    default:
        break;
    }
}

static void complete(struct worker *w, struct stream *s)
{
    bool fails = s->absent ? s->op.res != -ENOENT : s->op.res < 0;

    s->held = false;
    w->ops++;
    if (fails)
        wrong("%s of s%u %u/%s: %s", op_kind_name(s->op.kind), s->number,
              s->at ? s->at->dir : s->node, s->at ? s->leaf : "",
              s->op.res < 0 ? strerror((int)-s->op.res) : "is there");
    if (s->at == NULL)
        s->dir[s->node] = s->op.kind == OP_MKDIR ? YES : NO;
    else
        done_file(s, s->at);
    /* What a write of a synced handle has returned for is durable. */
    if (s->at && s->at->synced && (s->op.kind == OP_WRITE || s->op.kind == OP_APPEND))
        ledger_commit(&s->at->ledger);
    memset(s->buf, 0xee, sizeof s->buf); /* nobody else's any more */
}

/* ---- a session ---- */

static void offer(struct worker *w, void (*plan)(struct stream *))
{
    struct op *ops[STREAMS];
    unsigned n = 0;

    for (unsigned i = 0; i < STREAMS; i++) {
        struct stream *s = &w->stream[i];

        if (s->held)
            continue;
        plan(s);
        s->held = s->op.kind != OP_NOP;
        if (s->held)
            ops[n++] = &s->op;
    }
    for (unsigned at = 0; at < n;) {
        int taken = all.table->submit(w->session, ops + at, n - at);

        if (taken <= 0)
            wrong("%u ops offered, of %u to be held: %d taken", n - at, STREAMS, taken);
        at += (unsigned)taken;
    }
}

static unsigned held_by(const struct worker *w)
{
    unsigned n = 0;

    for (unsigned i = 0; i < STREAMS; i++)
        n += w->stream[i].held;
    return n;
}

static void take_back(struct worker *w)
{
    struct op *done[BATCH];
    int n = all.table->reap(w->session, done, 1, BATCH, clk_monotonic_ns() + 100000000u);

    for (int i = 0; i < n; i++)
        complete(w, done[i]->user);
}

/* Half of the streams close what they have; the others leave it open. */
static void plan_closing(struct stream *s)
{
    s->op = (struct op){.kind = OP_NOP, .user = s};
    for (unsigned i = 0; s->number % 2 == 0 && i < FILES; i++) {
        if (!s->file[i].open)
            continue;
        s->at = &s->file[i];
        s->absent = false;
        s->op.kind = OP_CLOSE;
        s->op.handle = s->at->handle;
        return;
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    uint64_t told_ns = all.begun_ns;

    while (clk_monotonic_ns() < all.end_ns) {
        offer(w, plan_next);
        take_back(w);
        if (clk_monotonic_ns() - told_ns >= PROGRESS_NS) {
            told_ns += PROGRESS_NS;
            fprintf(stderr, "  %llu s: session %u has done %llu ops\n",
                    (unsigned long long)(told_ns - all.begun_ns) / 1000000000u, w->number,
                    (unsigned long long)w->ops);
        }
    }
    if (w->number == 0) {
        while (held_by(w) > 0)
            take_back(w);
        do {
            offer(w, plan_closing);
            while (held_by(w) > 0)
                take_back(w);
            offer(w, plan_closing);
        } while (held_by(w) > 0);
    }
    all.table->session_close(w->session);
    return NULL;
}

static void make_streams(uint64_t seed)
{
    for (unsigned i = 0; i < SESSIONS; i++) {
        struct worker *w = &all.worker[i];

        w->number = i;
        w->stream = calloc(STREAMS, sizeof *w->stream);
        for (unsigned k = 0; w->stream && k < STREAMS; k++) {
            struct stream *s = &w->stream[k];

            s->number = i * STREAMS + k;
            rng_seed(&s->rng, seed * 1000 + s->number);
            for (unsigned n = 0; n < FILES; n++) {
                struct file *f = &s->file[n];

                f->slot = n;
                f->cut = NO_CUT;
                f->ledger.committed = malloc(LEDGER_BYTES);
                f->ledger.now = malloc(LEDGER_BYTES);
                if (!f->ledger.committed || !f->ledger.now)
                    wrong("no memory");
                /* Or it would seem that somebody holds more and more. */
                memset(f->ledger.committed, 1, LEDGER_BYTES);
                memset(f->ledger.now, 1, LEDGER_BYTES);
            }
        }
        if (!w->stream)
            wrong("no memory");
        w->session = open_session(STREAMS);
    }
}

static void free_streams(void)
{
    for (unsigned i = 0; i < SESSIONS * STREAMS * FILES; i++) {
        struct ledger *l =
            &all.worker[i / FILES / STREAMS].stream[i / FILES % STREAMS].file[i % FILES].ledger;

        free(l->committed);
        free(l->now);
    }
    for (unsigned i = 0; i < SESSIONS; i++)
        free(all.worker[i].stream);
}

/* ---- the end: what is there ---- */

/* How a place is looked at: over the target, or in the directory behind it. */
struct look {
    const char *how;
    struct session *session; /* NULL: DIRECTORY */
    unsigned char data[LEDGER_BYTES + 1];
    uint64_t files, bytes;
};

static void path_of(const struct stream *s, unsigned dir, const char *leaf, char out[PATH_MAX])
{
    char sub[NAME_BYTES] = "";

    if (dir > 0)
        snprintf(sub, sizeof sub, "/d%u", dir);
    snprintf(out, PATH_MAX, "%s/s%u%s/%s", all.directory, s->number, sub, leaf);
}

static int64_t look_do(struct look *look, struct op op)
{
    return target_do(all.table, look->session, &op);
}

/* All of a file: its bytes, or -errno. */
static int64_t read_file(struct look *look, const struct stream *s, const struct file *f,
                         const char *leaf)
{
    char path[PATH_MAX];
    int64_t n;

    if (look->session) {
        struct op op = {
            .kind = OP_OPEN, .flags = OP_FLAG_READ, .node = node_of(s, f->dir), .leaf = leaf};

        n = target_do(all.table, look->session, &op);
        if (n < 0)
            return n;
        n = look_do(look, (struct op){.kind = OP_READ,
                                      .handle = op.handle,
                                      .buf = look->data,
                                      .len = sizeof look->data});
        (void)look_do(look, (struct op){.kind = OP_CLOSE, .handle = op.handle});
        return n;
    }
    path_of(s, f->dir, leaf, path);

    int fd = open(path, O_RDONLY | O_NOFOLLOW);

    if (fd < 0)
        return -errno;
    n = pread(fd, look->data, sizeof look->data, 0);
    close(fd);
    return n;
}

static void note_name(struct stream *s, unsigned dir, const char *name, unsigned *files)
{
    char may[NAME_BYTES];

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return;
    for (unsigned i = 1; dir == 0 && i < DIRS; i++) {
        snprintf(may, sizeof may, "d%u", i);
        if (strcmp(name, may) == 0 && s->dir[i] != NO)
            return;
    }
    for (unsigned i = 0; i < FILES; i++) {
        const struct file *f = &s->file[i];

        for (unsigned k = 0; k < 2 && f->exists != NO && f->dir == dir; k++) {
            name_of(f, k == 0 ? f->name : f->other, may);
            if (strcmp(name, may) != 0)
                continue;
            (*files)++;
            return;
        }
    }
    wrong("s%u %u/%s should not be there", s->number, dir, name);
}

/* -ENOENT: there is no such directory. */
static int64_t list(struct look *look, struct stream *s, unsigned dir, unsigned *files)
{
    _Alignas(8) unsigned char buf[8192];
    char path[PATH_MAX];
    uint64_t cookie = 0;
    int64_t n = 1;

    if (!look->session) {
        path_of(s, dir, "", path);

        DIR *d = opendir(path);

        if (d == NULL)
            return -errno;
        for (const struct dirent *e; (e = readdir(d)) != NULL;)
            note_name(s, dir, e->d_name, files);
        closedir(d);
        return 0;
    }
    n = look_do(look, (struct op){.kind = OP_STAT, .node = node_of(s, dir)});
    while (n >= 0) {
        n = look_do(look, (struct op){.kind = OP_READDIR,
                                      .node = node_of(s, dir),
                                      .buf = buf,
                                      .len = sizeof buf,
                                      .off = cookie});
        if (n <= 0)
            break;
        for (int64_t at = 0; at < n;) {
            const struct target_dirent *e = (const void *)(buf + at);

            note_name(s, dir, e->name, files);
            cookie = e->cookie;
            at += e->record_bytes;
        }
    }
    return n;
}

static bool fits(const struct ledger *l, bool keeps, const struct look *look, int64_t n)
{
    return (uint64_t)n >= ledger_least_bytes(l, keeps) && (uint64_t)n <= ledger_most_bytes(l) &&
           ledger_check(l, keeps, look->data, 0, (uint64_t)n) < 0;
}

static unsigned look_at_file(struct look *look, struct stream *s, struct file *f)
{
    /* A commit that is under way may be writing again what was written since the last one, in order. */
    bool commits = s->held && s->at == f && (s->op.kind == OP_CLOSE || s->op.kind == OP_FSYNC);
    bool keeps = all.keeps && !commits;
    int64_t n;

    name_of(f, f->name, s->leaf);
    n = read_file(look, s, f, s->leaf);
    if (n == -ENOENT && f->other != f->name) {
        name_of(f, f->other, s->leaf);
        n = read_file(look, s, f, s->leaf);
    }
    if (n == -ENOENT && f->exists == MAYBE)
        return 0;
    if (n < 0)
        wrong("%s: s%u %u/%s: %s", look->how, s->number, f->dir, s->leaf, strerror((int)-n));
    if (f->cut != NO_CUT && !fits(&f->ledger, keeps, look, n)) {
        ledger_cut(&f->ledger, f->cut);
        f->cut = NO_CUT;
    }
    check_size(s, f, look->how, keeps, (uint64_t)n);
    check_data(s, f, look->how, keeps, look->data, 0, (uint64_t)n);
    look->files++;
    look->bytes += (uint64_t)n;
    return 1;
}

static void look_at_stream(struct look *look, struct stream *s)
{
    unsigned listed = 0, found = 0;

    for (unsigned i = 0; i < DIRS; i++) {
        int64_t rc = s->dir[i] != NO ? list(look, s, i, &listed) : 0;

        if (rc < 0 && !(rc == -ENOENT && s->dir[i] == MAYBE))
            wrong("%s: directory %u of s%u: %s", look->how, i, s->number, strerror((int)-rc));
    }
    for (unsigned i = 0; i < FILES; i++) {
        if (s->file[i].exists != NO)
            found += look_at_file(look, s, &s->file[i]);
    }
    if (listed != found)
        wrong("%s: s%u lists %u files and has %u", look->how, s->number, listed, found);
}

static void look_at_all(struct look *look)
{
    look->files = look->bytes = 0;
    for (unsigned i = 0; i < SESSIONS * STREAMS; i++)
        look_at_stream(look, &all.worker[i / STREAMS].stream[i % STREAMS]);
    fprintf(stderr, "  %s: %llu files of %llu bytes are right\n", look->how,
            (unsigned long long)look->files, (unsigned long long)look->bytes);
}

/* ---- around it ---- */

static unsigned entries(const char *directory)
{
    DIR *d = opendir(directory);
    unsigned n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static void say_counter(void *ctx, const char *key, const char *value, const char *unit)
{
    (void)ctx;
    (void)unit;
    printf("%s %s\n", key, value);
}

static void wait_after(const char *said)
{
    char line[16];

    printf("%s\n", said);
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == NULL)
        wrong("nobody says that it may go on");
}

static void load(uint64_t seconds, uint64_t seed)
{
    const struct target_sink sink = {.put = say_counter};
    uint64_t ops = 0;

    make_streams(seed);
    all.begun_ns = clk_monotonic_ns();
    all.end_ns = all.begun_ns + seconds * 1000000000u;
    for (unsigned i = 0; i < SESSIONS; i++) {
        if (pthread_create(&all.worker[i].thread, NULL, work, &all.worker[i]) != 0)
            wrong("no thread");
    }
    for (unsigned i = 0; i < SESSIONS; i++) {
        pthread_join(all.worker[i].thread, NULL);
        ops += all.worker[i].ops;
    }
    printf("ops %llu\n", (unsigned long long)ops);
    if (all.table->counters)
        all.table->counters(all.target, &sink);
}

int main(int argc, char **argv)
{
    static struct look look = {.how = "over the target"};
    struct err err = {0};
    const char *rest;
    unsigned descriptors = entries("/proc/self/fd");

    if (argc < 5)
        wrong("ADDRESS DIRECTORY SECONDS keeps|forgets [SEED]");
    all.directory = argv[2];
    all.keeps = strcmp(argv[4], "keeps") == 0;
    if (target_find(argv[1], &all.table, &rest, &err) < 0 ||
        all.table->open(rest, &all.target, &err) < 0)
        wrong("%s", err.text);
    load(strtoull(argv[3], NULL, 10), argc > 5 ? strtoull(argv[5], NULL, 10) : 1);
    wait_after("loaded");
    look.session = open_session(1);
    look_at_all(&look);
    all.table->session_close(look.session);
    all.table->close(all.target);
    if (entries("/proc/self/fd") != descriptors || entries("/proc/self/task") != 3)
        wrong("descriptors or threads are left: %u, not %u; %u tasks", entries("/proc/self/fd"),
              descriptors, entries("/proc/self/task") - 2);
    wait_after("compared");
    look.session = NULL;
    look.how = "where they are stored";
    look_at_all(&look);
    free_streams();
    return 0;
}
