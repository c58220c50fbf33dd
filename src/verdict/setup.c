#include "base/shown.h"
#include "base/text.h"
#include "verdict/compare_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX  256
#define VALUES_TOLD 4
#define WORDS_MAX   256

static const char *const group_order[] = {"target",   "protocol", "options", "instrument",
                                          "software", "machine",  "tool"};

/* What one side has of one thing; no value twice. */
struct values {
    unsigned n;
    char *value[VALUES_MAX];
};

struct thing {
    const char *group;
    char *what;
    struct values side[2];
};

struct things {
    unsigned n;
    struct thing *thing;
    unsigned side; /* that is being filled */
    bool failed;
};

static bool listed(const char *const *list, const char *key)
{
    for (; *list; list++)
        if (strcmp(*list, key) == 0)
            return true;
    return false;
}

/* Facts that differ between any two runs, or repeat what stands elsewhere. Whoever adds a fact that
 * is measured rather than set up puts it here, or gives it one of these endings. */
static bool is_measured(const char *key)
{
    static const char *const keys[] = {"path",
                                       "mount_point",
                                       "device",
                                       "fs_free_bytes",
                                       "sample_size_bytes",
                                       "sample_stored_bytes",
                                       "fd_table",
                                       NULL};
    static const char *const endings[] = {"_before", "_after",  "_frac", "_free_bytes",
                                          "_ppm",    "_pid",    "_mhz",  "_events",
                                          "_jumps",  "_max_ns", NULL};
    size_t len = strlen(key);

    for (const char *const *e = endings; *e; e++)
        if (len > strlen(*e) && strcmp(key + len - strlen(*e), *e) == 0)
            return true;
    return listed(keys, key);
}

/* ---- collecting ---- */

static struct thing *thing_for(struct things *t, const char *group, const char *what)
{
    for (unsigned i = 0; i < t->n; i++)
        if (t->thing[i].group == group && strcmp(t->thing[i].what, what) == 0)
            return &t->thing[i];
    struct thing *more = realloc(t->thing, (t->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    t->thing = more;
    more[t->n] = (struct thing){.group = group, .what = strdup(what)};
    return more[t->n].what ? &more[t->n++] : NULL;
}

static void put(struct things *t, unsigned group, const char *what, const char *value)
{
    struct thing *thing = thing_for(t, group_order[group], what);

    t->failed |= thing == NULL;
    if (!thing || !value || !*value)
        return;
    struct values *v = &thing->side[t->side];
    for (unsigned i = 0; i < v->n; i++)
        if (strcmp(v->value[i], value) == 0)
            return;
    if (v->n == VALUES_MAX)
        return;
    v->value[v->n] = strdup(value);
    t->failed |= v->value[v->n] == NULL;
    v->n += v->value[v->n] != NULL;
}

enum group { TARGET, PROTOCOL, OPTIONS, INSTRUMENT, SOFTWARE, MACHINE, TOOL };

static void put_fact(struct things *t, enum group group, const struct result_fact *fact)
{
    char words[WORDS_MAX];

    compare_fact_words(fact, words, sizeof words);
    put(t, group, fact->key, words);
}

static void put_target(struct things *t, const struct result *r)
{
    static const char *const protocol[] = {
        "fs_type",        "mount_options", "client",      "protocol",    "version",
        "vers",           "nfs_version",   "dialect",     "smb_dialect", "transport",
        "nconnect",       "connections",   "channels",    "rsize",       "wsize",
        "proto",          "signing",       "encryption",  "sec",         "transport_security",
        "client_caching", "sync",          "source_port", "waiting_by",  NULL};

    put(t, TARGET, "address", r->target);
    put(t, TARGET, "label", r->label);
    put(t, TARGET, "system", r->system);
    for (unsigned i = 0; i < r->target_facts.n; i++) {
        const struct result_fact *fact = &r->target_facts.fact[i];
        if (!is_measured(fact->key))
            put_fact(t, listed(protocol, fact->key) ? PROTOCOL : TARGET, fact);
    }
}

static void put_options(struct things *t, const struct result *r)
{
    put(t, OPTIONS, "study", r->study);
    for (unsigned i = 0; i < r->options.n; i++) {
        const struct result_fact *fact = &r->options.fact[i];
        bool counted = strcmp(fact->key, "min_time_ns") == 0 || strcmp(fact->key, "repeats") == 0;
        if (counted || !compare_is_bookkeeping(fact->key))
            put_fact(t, OPTIONS, fact);
    }
}

/* The plan's canonical text has the instrument in a line of its own: "instrument scheme=psync
 * direct=no cache=drop". */
static void put_instrument(struct things *t, const struct result *r)
{
    static const char head[] = "instrument ";
    const char *line = r->plan_text ? strstr(r->plan_text, head) : NULL;
    char words[WORDS_MAX];
    char *rest = words;

    if (!line || (line != r->plan_text && line[-1] != '\n'))
        return;
    line += sizeof head - 1;
    snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "\n"), line);
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value = '\0';
        put(t, INSTRUMENT, word, value + 1);
    }
}

static void put_machine(struct things *t, const struct result *r)
{
    static const char *const tool[] = {"compiler", "build", NULL};

    put(t, SOFTWARE, "software", r->software);
    for (unsigned i = 0; i < r->machine.n; i++) {
        const struct result_fact *fact = &r->machine.fact[i];
        bool kernel = strcmp(fact->key, "kernel") == 0;
        if (!is_measured(fact->key))
            put_fact(t, kernel ? SOFTWARE : listed(tool, fact->key) ? TOOL : MACHINE, fact);
    }
    put(t, TOOL, "version", r->tool_version);
}

static void put_side(struct things *t, unsigned number, const struct compare_side *side)
{
    t->side = number;
    for (unsigned i = 0; i < side->n; i++) {
        put_target(t, side->results[i]);
        put_options(t, side->results[i]);
        put_instrument(t, side->results[i]);
        put_machine(t, side->results[i]);
    }
}

/* ---- telling ---- */

static bool has(const struct values *v, const char *value)
{
    for (unsigned i = 0; i < v->n; i++)
        if (strcmp(v->value[i], value) == 0)
            return true;
    return false;
}

static bool same_values(const struct values *a, const struct values *b)
{
    for (unsigned i = 0; i < a->n; i++)
        if (!has(b, a->value[i]))
            return false;
    return a->n == b->n;
}

static char *join(const struct values *v)
{
    struct text text;

    text_init(&text);
    for (unsigned i = 0; i < v->n && i < VALUES_TOLD; i++) {
        text_add(&text, i > 0 ? ", " : "");
        text_add_shown(&text, v->value[i]);
    }
    if (v->n > VALUES_TOLD)
        text_addf(&text, ", … (%u in all)", v->n);
    return text_take(&text);
}

static bool tell(struct comparison *c, const struct thing *thing, bool differs)
{
    struct compare_setup *setup = &c->setup[c->setups];
    struct text what;

    if (thing->side[0].n + thing->side[1].n == 0)
        return true;
    text_init(&what);
    text_add_shown(&what, thing->what);
    *setup = (struct compare_setup){.group = thing->group,
                                    .what = text_take(&what),
                                    .a = join(&thing->side[0]),
                                    .b = join(&thing->side[1]),
                                    .differs = differs};
    c->setups++;
    return setup->what && setup->a && setup->b;
}

/* What differs first, each in the order of the groups. */
static int tell_all(struct comparison *c, const struct things *t)
{
    bool good = true;

    c->setup = calloc(t->n + 1, sizeof *c->setup);
    if (!c->setup)
        return -ENOMEM;
    for (unsigned same = 0; same < 2; same++)
        for (unsigned g = 0; g < sizeof group_order / sizeof group_order[0]; g++)
            for (unsigned i = 0; i < t->n; i++) {
                const struct thing *thing = &t->thing[i];
                if (thing->group == group_order[g] &&
                    same_values(&thing->side[0], &thing->side[1]) == (same == 1))
                    good = tell(c, thing, same == 0) && good;
            }
    return good ? 0 : -ENOMEM;
}

static void things_fini(struct things *t)
{
    for (unsigned i = 0; i < t->n; i++) {
        free(t->thing[i].what);
        for (unsigned side = 0; side < 2; side++)
            for (unsigned v = 0; v < t->thing[i].side[side].n; v++)
                free(t->thing[i].side[side].value[v]);
    }
    free(t->thing);
}

int compare_setups(struct comparison *c)
{
    struct things t = {.n = 0};

    put_side(&t, 0, &c->a);
    put_side(&t, 1, &c->b);
    int rc = t.failed ? -ENOMEM : tell_all(c, &t);
    things_fini(&t);
    return rc;
}
