#include "byte_ledger.h"

#include <string.h>
#include <sys/param.h>

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t word_at(uint64_t seed, uint64_t pos)
{
    return mixed(mixed(seed) + (pos / 8 + 1) * 0x9e3779b97f4a7c15u);
}

static unsigned char byte_at(uint64_t seed, uint64_t pos)
{
    return (unsigned char)(word_at(seed, pos) >> (pos % 8 * 8));
}

void ledger_fill(uint64_t seed, uint64_t pos, void *buf, uint64_t len)
{
    unsigned char *to = buf;

    while (len > 0) {
        uint64_t word = word_at(seed, pos) >> (pos % 8 * 8);
        uint64_t n = MIN(len, 8 - pos % 8);

        memcpy(to, &word, n);
        to += n;
        pos += n;
        len -= n;
    }
}

void ledger_begin(struct ledger *l, uint64_t seed, uint64_t off, uint64_t len, uint64_t base)
{
    l->write[l->writes++] =
        (struct ledger_write){.seed = seed, .off = off, .end = off + len, .base = base};
}

static void make_long(unsigned char *data, uint64_t *bytes, uint64_t want)
{
    if (want <= *bytes)
        return;
    memset(data + *bytes, 0, want - *bytes);
    *bytes = want;
}

void ledger_done(struct ledger *l)
{
    struct ledger_write *w = &l->write[l->writes - 1];

    w->done = true;
    make_long(l->now, &l->now_bytes, w->end);
    ledger_fill(w->seed, w->off - w->base, l->now + w->off, w->end - w->off);
}

void ledger_commit(struct ledger *l)
{
    memcpy(l->committed, l->now, l->now_bytes);
    l->committed_bytes = l->now_bytes;
    l->writes = 0;
}

void ledger_cut(struct ledger *l, uint64_t bytes)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < l->writes; i++) {
        struct ledger_write w = l->write[i];

        w.end = MIN(w.end, bytes);
        if (w.off < w.end)
            l->write[kept++] = w;
    }
    l->writes = kept;
    make_long(l->committed, &l->committed_bytes, bytes);
    make_long(l->now, &l->now_bytes, bytes);
    l->committed_bytes = l->now_bytes = bytes;
}

void ledger_empty(struct ledger *l)
{
    l->writes = 0;
    l->committed_bytes = l->now_bytes = 0;
}

uint64_t ledger_least_bytes(const struct ledger *l, bool keeps)
{
    return keeps ? l->now_bytes : l->committed_bytes;
}

uint64_t ledger_most_bytes(const struct ledger *l)
{
    uint64_t most = MAX(l->now_bytes, l->committed_bytes);

    for (unsigned i = 0; i < l->writes; i++)
        most = MAX(most, l->write[i].end);
    return most;
}

static bool may_be(const struct ledger *l, bool keeps, unsigned char got, uint64_t at)
{
    const unsigned char *base = keeps ? l->now : l->committed;

    if (got == (at < ledger_least_bytes(l, keeps) ? base[at] : 0))
        return true;
    for (unsigned i = 0; i < l->writes; i++) {
        const struct ledger_write *w = &l->write[i];

        if (!(keeps && w->done) && at >= w->off && at < w->end &&
            got == byte_at(w->seed, at - w->base))
            return true;
    }
    return false;
}

int64_t ledger_check(const struct ledger *l, bool keeps, const unsigned char *got, uint64_t off,
                     uint64_t len)
{
    if (off + len <= l->now_bytes && memcmp(got, l->now + off, len) == 0)
        return -1;
    for (uint64_t i = 0; i < len; i++) {
        if (!may_be(l, keeps, got[i], off + i))
            return (int64_t)(off + i);
    }
    return -1;
}
