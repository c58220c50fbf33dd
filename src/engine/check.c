#include "engine/check_priv.h"

#include "engine/engine_priv.h"

static int64_t compare(const struct run *run, const struct check *c, const unsigned char *buf)
{
    const struct fileset *set = &run->map.set[c->set];
    return content_check(&run->content, fileset_file_key(set, c->tree, c->index), c->bytes, c->off,
                         buf, c->len);
}

static void found(struct worker *w, const struct check *c)
{
    struct engine_mismatch *mismatch = &w->mismatch;
    char leaf[FILESET_LEAF_MAX];
    if (c->wrong < 0 || mismatch->found)
        return;
    const struct fileset_map *map = &w->run->map;
    uint64_t node = fileset_file(&map->set[c->set], c->tree, c->index, leaf);
    mismatch->found = true;
    mismatch->off = c->off + (uint64_t)c->wrong;
    mismatch->len = c->len;
    fileset_path(map, node, leaf, mismatch->path, sizeof mismatch->path);
    atomic_store(&w->run->halt, HALT_END);
}

void check_note(struct worker *w, struct stream *s, const struct slot *slot, uint64_t len)
{
    struct check now;
    bool aside = s->wait.check && w->run->sync->hogs && len >= CHECK_HERE_BYTES;
    struct check *c = aside ? s->wait.check : &now;
    *c = (struct check){.index = slot->index,
                        .bytes = slot->size,
                        .off = s->op.off,
                        .len = len,
                        .tree = slot->tree,
                        .set = slot->set,
                        .asked = aside};
    w->stale = true;
    if (aside)
        return;
    c->wrong = compare(w->run, c, s->buf);
    found(w, c);
}

bool check_begin(struct worker *w, struct stream *s)
{
    struct check *c = s->wait.check;
    if (!c || !c->asked)
        return false;
    c->asked = false;
    c->away = true;
    s->idle_wait = false;
    s->state = STREAM_PARKED;
    s->wait.outside = true;
    w->park.outside++;
    hogs_give(w->run->sync->hogs, s, 0);
    return true;
}

void check_run(const struct run *run, struct stream *s)
{
    s->wait.check->wrong = compare(run, s->wait.check, s->buf);
}

bool check_back(struct worker *w, struct stream *s)
{
    struct check *c = s->wait.check;
    if (!c || !c->away)
        return false;
    c->away = false;
    s->wait.outside = false;
    w->park.outside--;
    found(w, c);
    return true;
}
