/* The whole NFS client against a server whose replies are damaged as the input says, from the first reply
 * of the portmapper's on: no crash, no byte outside a buffer, every op answered, refusals in words.
 * An input is a list of three bytes, one for each reply: what to do, where, and with which value. */
#include "fuzz/fuzz.h"
#include "nfs/null_server.h"
#include "nfs/rpc.h"
#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNS      8
#define RECORD_MAX (1 << 18)
#define IO_BYTES   70000

struct conn {
    int fd;
    size_t len;
    unsigned char in[RECORD_MAX];
};

static struct {
    struct responder responder;
    int stop;
    struct pollfd fds[CONNS + 2];
    struct conn conns[CONNS];
    const uint8_t *data;
    size_t size;
} server;

static uint8_t next_byte(void)
{
    if (server.size == 0)
        return 0;
    server.size--;
    return *server.data++;
}

static void put_word(unsigned char *at, uint32_t value)
{
    value = htobe32(value);
    memcpy(at, &value, sizeof value);
}

/* Returns how many bytes of the reply, record mark included, are sent; *twice, *end: and then. */
static size_t damage(unsigned char *reply, size_t len, bool *twice, bool *end)
{
    static const uint32_t words[] = {0, 1, 2, 0xffffffff, 0x7fffffff, 0x80000000, 0x10000, 255};
    unsigned what = next_byte();
    size_t head = len < 256 ? len : 256;
    size_t where = next_byte() % head;
    unsigned value = next_byte();

    switch (what & 7) {
    case 1:
        reply[where] ^= (unsigned char)value;
        return len;
    case 2:
        put_word(reply + (where & ~(size_t)3) % (len - 3), words[value & 7]);
        return len;
    case 3: /* shorter, and says so */
        put_word(reply, RPC_MARK_LAST | (uint32_t)(where > 4 ? where - 4 : 0));
        return where > 4 ? where : 4;
    case 4:
        *end = true;
        return where;
    case 5:
        *twice = true;
        return len;
    case 6:
        return value == 0 ? 0 : len;
    default:
        return len;
    }
}

static bool answer(int fd, const unsigned char *call, size_t len)
{
    static unsigned char reply[RPC_MARK_BYTES + RESPONDER_REPLY_MAX + IO_BYTES + 4];
    struct xdr_out out = xdr_out(reply + RPC_MARK_BYTES, RESPONDER_REPLY_MAX);
    uint32_t zeros = 0;
    bool twice = false;
    bool end = false;

    if (responder_answer(&server.responder, call, len, len, &out, &zeros) < 0 || zeros > IO_BYTES)
        return false;
    memset(out.at, 0, zeros);

    size_t all = (size_t)(out.at - reply) + zeros;

    put_word(reply, RPC_MARK_LAST | (uint32_t)(all - RPC_MARK_BYTES));
    all = damage(reply, all, &twice, &end);
    (void)!send(fd, reply, all, MSG_NOSIGNAL);
    if (twice)
        (void)!send(fd, reply, all, MSG_NOSIGNAL);
    return !end;
}

static bool take(struct conn *c)
{
    ssize_t n = recv(c->fd, c->in + c->len, sizeof c->in - c->len, 0);

    if (n <= 0)
        return false;
    c->len += (size_t)n;
    while (c->len >= RPC_MARK_BYTES) {
        struct xdr_in x = xdr_in(c->in, RPC_MARK_BYTES);
        size_t len = xdr_get_u32(&x) & ~RPC_MARK_LAST;

        if (len > sizeof c->in - RPC_MARK_BYTES)
            return false;
        if (c->len < RPC_MARK_BYTES + len)
            return true;
        if (!answer(c->fd, c->in + RPC_MARK_BYTES, len))
            return false;
        c->len -= RPC_MARK_BYTES + len;
        memmove(c->in, c->in + RPC_MARK_BYTES + len, c->len);
    }
    return true;
}

static void take_in(int listening)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

    for (int i = 0; fd >= 0 && i < CONNS; i++) {
        if (server.conns[i].fd < 0) {
            server.conns[i].fd = server.fds[2 + i].fd = fd;
            server.conns[i].len = 0;
            return;
        }
    }
    if (fd >= 0)
        close(fd);
}

static void drop(int i)
{
    close(server.conns[i].fd);
    server.conns[i].fd = server.fds[2 + i].fd = -1;
}

static void *serve(void *arg)
{
    (void)arg;
    for (;;) {
        if (poll(server.fds, CONNS + 2, -1) < 0)
            continue;
        if (server.fds[1].revents != 0)
            break;
        if (server.fds[0].revents != 0)
            take_in(server.fds[0].fd);
        for (int i = 0; i < CONNS; i++) {
            if (server.fds[2 + i].revents != 0 && server.conns[i].fd >= 0 &&
                !take(&server.conns[i]))
                drop(i);
        }
    }
    for (int i = 0; i < CONNS; i++) {
        if (server.conns[i].fd >= 0)
            drop(i);
    }
    return NULL;
}

/* ---- the client ---- */

static int parent_of(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    (void)ctx;
    if (node == TARGET_NODE_ROOT)
        return -EINVAL;
    *parent = node - 1;
    snprintf(leaf, TARGET_LEAF_MAX, "d%u", (unsigned)node);
    return 0;
}

static void check_entries(const char *buf, int64_t bytes)
{
    for (int64_t at = 0; at < bytes;) {
        const struct target_dirent *e = (const struct target_dirent *)(buf + at);

        FUZZ_CHECK(e->record_bytes >= sizeof *e + e->name_len + 1u && e->name_len > 0);
        FUZZ_CHECK(memchr(e->name, '/', e->name_len) == NULL);
        FUZZ_CHECK(strnlen(e->name, e->name_len + 1u) == e->name_len);
        at += e->record_bytes;
        FUZZ_CHECK(at <= bytes);
    }
}

static int64_t one(const struct target_table *table, struct session *s, struct op *op)
{
    int64_t res = target_do(table, s, op);

    FUZZ_CHECK(res <= (int64_t)op->len && res > -4096);
    return res;
}

static void use(const struct target_table *table, struct session *s)
{
    static _Alignas(8) char buf[IO_BYTES + 1];
    struct op file = {.kind = OP_OPEN, .node = 2, .leaf = "f1"};
    struct op made = {.kind = OP_CREATE, .node = 2, .leaf = "f2"};
    struct target_stat st;

    buf[IO_BYTES] = 0x55;
    if (one(table, s, &file) == 0) {
        struct op ops[] = {
            {.kind = OP_READ, .buf = buf, .len = IO_BYTES, .handle = file.handle},
            {.kind = OP_WRITE, .buf = buf, .len = 5000, .handle = file.handle},
            {.kind = OP_APPEND, .buf = buf, .len = 100, .handle = file.handle},
            {.kind = OP_FSYNC, .handle = file.handle},
            {.kind = OP_CLOSE, .handle = file.handle},
        };

        for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
            (void)one(table, s, &ops[i]);
    }
    (void)one(table, s, &(struct op){.kind = OP_STAT, .node = 2, .leaf = "f1", .buf = &st});
    check_entries(
        buf, one(table, s, &(struct op){.kind = OP_READDIR, .node = 1, .buf = buf, .len = 4096}));
    if (one(table, s, &made) == 0)
        (void)one(table, s, &(struct op){.kind = OP_CLOSE, .handle = made.handle});
    (void)one(table, s, &(struct op){.kind = OP_UNLINK, .node = 2, .leaf = "f2"});
    FUZZ_CHECK(buf[IO_BYTES] == 0x55);
}

static void client(uint16_t port)
{
    const struct target_table *table;
    const struct session_spec spec = {
        .names = {.parent = parent_of}, .ops_max = 4, .handles_max = 4, .dirs_max = 8};
    struct target *t = NULL;
    struct session *s = NULL;
    struct err err = {0};
    const char *rest;
    char address[128];

    snprintf(address, sizeof address, "nfs://127.0.0.1:%u/x/d9?mountport=%u&timeo=1&retrans=0",
             port, port);
    FUZZ_CHECK(target_find(address, &table, &rest, &err) == 0);
    if (table->open(rest, &t, &err) < 0) {
        FUZZ_CHECK(err.code < 0 && err.text[0] != '\0');
        return;
    }
    if (table->session_open(t, &spec, &s, &err) == 0) {
        use(table, s);
        table->session_close(s);
    }
    table->close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint16_t port = 0;
    struct err err = {0};
    pthread_t thread;
    int listening = null_server_listen(&port, false, &err);
    uint64_t one_more = 1;

    if (listening < 0)
        return 0;
    server.responder = responder_plain(port);
    server.data = data;
    server.size = size;
    server.stop = eventfd(0, EFD_CLOEXEC);
    server.fds[0] = (struct pollfd){.fd = listening, .events = POLLIN};
    server.fds[1] = (struct pollfd){.fd = server.stop, .events = POLLIN};
    for (int i = 0; i < CONNS; i++) {
        server.conns[i].fd = -1;
        server.fds[2 + i] = (struct pollfd){.fd = -1, .events = POLLIN};
    }
    if (pthread_create(&thread, NULL, serve, NULL) == 0) {
        client(port);
        (void)!write(server.stop, &one_more, sizeof one_more);
        pthread_join(thread, NULL);
    }
    close(server.stop);
    close(listening);
    return 0;
}
