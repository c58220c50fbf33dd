#include "probe/probe_priv.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

/* What is written when there is no room; nobody reads it. */
static _Thread_local struct sight spare;

void sights_fini(struct sights *s)
{
    free(s->sight);
    *s = (struct sights){0};
}

void sights_clear(struct sights *s)
{
    s->at_ns = 0;
    s->n = 0;
    s->failed = false;
    s->full = false;
}

static const char *end_of_name(const char *name)
{
    size_t len = strlen(name);

    return len < TRACK_NAME_MAX ? name : name + len - (TRACK_NAME_MAX - 1);
}

static bool with_room(struct sights *s)
{
    if (s->n < s->room)
        return true;
    unsigned room = s->room ? 2 * s->room : FIRST_ROOM;
    struct sight *more = s->n < TRACKS_MAX ? realloc(s->sight, room * sizeof *more) : NULL;

    if (more) {
        s->sight = more;
        s->room = room;
    } else if (s->n < TRACKS_MAX) {
        s->failed = true;
    } else {
        s->full = true;
    }
    return more != NULL;
}

struct sight *sights_put(struct sights *s, enum track_end end, enum track_kind kind,
                         enum sight_form form, const char *name)
{
    struct sight *one = &spare;

    if (with_room(s))
        one = &s->sight[s->n++];
    *one = (struct sight){.end = end, .kind = kind, .form = form};
    name = end_of_name(name);
    memcpy(one->name, name, strlen(name));
    return one;
}

struct sight *sights_get(struct sights *s, enum track_end end, enum track_kind kind,
                         enum sight_form form, const char *name)
{
    const char *wanted = end_of_name(name);

    /* What belongs together stands together, mostly. */
    for (unsigned i = s->n; i > 0; i--) {
        struct sight *one = &s->sight[i - 1];
        if (one->kind == kind && one->end == end && strcmp(one->name, wanted) == 0)
            return one;
    }
    return sights_put(s, end, kind, form, name);
}
