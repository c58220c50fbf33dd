#include "base/units.h"
#include "fileset/state.h"
#include "script/compile_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define BYTES_PER_FILE 8
#define BYTES_PER_LEAF 8
#define BYTES_PER_DIR  12

static uint64_t share(uint64_t whole, uint32_t percent)
{
    return (uint64_t)(((unsigned __int128)whole * percent + 99) / 100);
}

/* What its tree will take at the most (grown.h), before it is drawn: a slip of the hand may be
 * for more than this machine has. */
static int check_memory(struct compilation *k, const struct set_wish *wish)
{
    uint64_t most = k->c.o->max_memory_bytes;
    uint64_t need = wish->grown.entries * BYTES_PER_FILE + wish->grown.leafdirs * BYTES_PER_LEAF +
                    fileset_state_need(wish->grown.entries, wish->grown.leafdirs);
    char a[UNITS_PRINT_MAX];
    char b[UNITS_PRINT_MAX];
    if (most == 0 || k->memory_bytes + need <= most) {
        k->memory_bytes += need;
        return 0;
    }
    lang_error(k->c.remarks, wish->at,
               "the names of %s take %s of memory, and %s are left of --max-memory",
               wish->grown.name, units_print_bytes(a, need),
               units_print_bytes(b, most - k->memory_bytes));
    return -EINVAL;
}

/* Draws the tree. The set is whole from here on: its name and tree are its own. */
static int grow(struct compilation *k, const struct set_wish *wish, struct script_set *set)
{
    struct err err = {0};
    *set = wish->set;
    set->name = strdup(wish->grown.name);
    if (!set->name)
        return -ENOMEM;
    if (set->spec.shape != FILESET_GROWN)
        return 0;
    int rc = check_memory(k, wish);
    if (rc == 0) {
        struct grown_spec spec = wish->grown;
        if (k->c.o->max_memory_bytes > 0)
            spec.dirs_bytes_max = MAX(k->c.o->max_memory_bytes - k->memory_bytes, 1);
        rc = grown_new(&spec, &set->grown, &err);
        if (rc < 0 && rc != -ENOMEM) {
            lang_error(k->c.remarks, wish->at, "%s", err.text);
            rc = -EINVAL;
        }
    }
    if (rc < 0) {
        free(set->name);
        set->name = NULL;
        return rc;
    }
    k->memory_bytes += grown_dirs(set->grown) * BYTES_PER_DIR;
    set->spec.grown = set->grown;
    set->memory_bytes = grown_memory(set->grown) +
                        fileset_state_need(grown_files(set->grown), grown_leafs(set->grown));
    return 0;
}

static int add_sets(struct compilation *k, struct lang_pos at, const struct set_wish *wish,
                    unsigned n)
{
    struct script *script = k->c.script;
    if (script->sets + n > SCRIPT_SETS_MAX) {
        lang_error(k->c.remarks, at, "more than %d sets of files, each change of one counted anew",
                   SCRIPT_SETS_MAX);
        return -EINVAL;
    }
    struct script_set *all = realloc(script->set, (script->sets + n + 1) * sizeof *all);
    if (!all)
        return -ENOMEM;
    script->set = all;
    for (unsigned i = 0; i < n; i++) {
        int rc = grow(k, &wish[i], &all[script->sets]);
        if (rc < 0)
            return rc;
        script->sets++;
    }
    return 0;
}

/* What is there at once, before any op. */
static void count_room(struct script *script, unsigned first)
{
    uint64_t bytes = 0;
    uint64_t files = 0;
    for (unsigned i = first; i < script->sets; i++) {
        const struct script_set *set = &script->set[i];
        if (!set->grown)
            continue;
        bytes += share(grown_bytes(set->grown), set->exists_percent);
        files += share(grown_files(set->grown), set->exists_percent);
    }
    script->bytes = MAX(script->bytes, bytes);
    script->files = MAX(script->files, files);
}

static int add_step(struct compilation *k, struct lang_pos at, enum script_step_kind kind,
                    unsigned first, unsigned n)
{
    if (n == 0)
        return 0;
    return script_add(k, at, &(struct script_step){.kind = kind, .first = first, .n = n});
}

static unsigned in_force(const struct compilation *k)
{
    return k->c.script->sets - k->c.first_set;
}

/* How many of the sets in force are as they are asked for now. */
static unsigned unchanged(const struct generation *now, const struct set_wish *wish, unsigned n)
{
    unsigned i = 0;
    while (i < n && i < now->n && set_wish_same(&now->wish[i], &wish[i]))
        i++;
    return i;
}

int sets_remove(struct compilation *k, struct lang_pos at)
{
    if (!k->files.made)
        return 0;
    k->files.made = false;
    return add_step(k, at, SCRIPT_REMOVE, k->c.first_set, in_force(k));
}

/* Makes what is asked for now, of which the first `same` are in force. Takes the wishes. */
static int make(struct compilation *k, struct lang_pos at, struct set_wish *wish, unsigned n,
                unsigned same)
{
    bool goes_on = same == k->files.n; /* there are only more of them */
    int rc = goes_on ? 0 : sets_remove(k, at);
    if (!goes_on) {
        k->c.first_set = k->c.script->sets;
        same = 0;
    }
    free(k->files.wish);
    k->files.wish = wish;
    k->files.n = n;
    if (rc == 0)
        rc = add_sets(k, at, wish + same, n - same);
    if (rc < 0) {
        k->files.n = MIN(n, in_force(k));
        return rc;
    }
    unsigned there = k->files.made ? same : 0;
    k->files.made = true;
    k->files.used = false;
    count_room(k->c.script, k->c.first_set);
    return add_step(k, at, SCRIPT_MAKE, k->c.first_set + there, n - there);
}

int sets_ready(struct compilation *k, struct lang_pos at)
{
    struct set_wish *wish = NULL;
    unsigned n = 0;
    int rc = sets_read(&k->c, &wish, &n);
    if (rc < 0)
        return rc;
    unsigned same = unchanged(&k->files, wish, n);
    if (k->files.made && same == n && same == k->files.n) {
        free(wish);
        return 0;
    }
    return make(k, at, wish, n, same);
}

int sets_create(struct compilation *k, struct lang_pos at)
{
    unsigned steps = k->c.script->steps;
    int rc = 0;
    if (k->files.made && k->files.used)
        rc = sets_remove(k, at); /* a run has been over them: new ones are wanted */
    if (rc == 0)
        rc = sets_ready(k, at);
    if (rc == 0 && steps == k->c.script->steps && k->files.n > 0)
        lang_warn(k->c.remarks, at, "the files are there already: they are not made again");
    return rc;
}
