#include "lang/lang_priv.h"

#include "base/nearest.h"

#include <string.h>

#define FILES (ENTITY_FILE | ENTITY_FILESET)

static const struct attr_name names[] = {
    {.name = "name",
     .of = FILES | ENTITY_PROCESS | ENTITY_THREAD | ENTITY_FLOWOP | ENTITY_COMPOSITE |
           ENTITY_RANDVAR | ENTITY_POSSET,
     .word = true},
    {.name = "path", .of = FILES | ENTITY_SYSTEM, .word = true},
    {.name = "size", .of = FILES},
    {.name = "filesize", .of = FILES, .same_as = "size"},
    {.name = "prealloc", .of = FILES},
    {.name = "paralloc", .of = FILES},
    {.name = "reuse", .of = FILES},
    {.name = "trusttree", .of = FILES},
    {.name = "readonly", .of = FILES},
    {.name = "writeonly", .of = FILES},
    {.name = "entries", .of = ENTITY_FILESET | ENTITY_POSSET, .unheeded = ENTITY_FILE},
    {.name = "dirwidth", .of = ENTITY_FILESET, .unheeded = ENTITY_FILE},
    {.name = "dirgamma", .of = ENTITY_FILESET, .unheeded = ENTITY_FILE},
    {.name = "dirdepthrv", .of = ENTITY_FILESET, .unheeded = ENTITY_FILE},
    {.name = "leafdirs", .of = ENTITY_FILESET, .unheeded = ENTITY_FILE},
    {.name = "cached", .of = FILES, .sign = LANG_SIGN_14},
    {.name = "filesizegamma", .of = FILES, .sign = LANG_SIGN_14},
    {.name = "namelength", .unheeded = FILES, .sign = LANG_SIGN_14},
    {.name = "procname", .unheeded = ENTITY_PROCESS | ENTITY_THREAD, .word = true},

    {.name = "instances", .of = ENTITY_PROCESS | ENTITY_THREAD},
    {.name = "nice", .of = ENTITY_PROCESS},
    {.name = "memsize", .of = ENTITY_THREAD},
    {.name = "useism", .of = ENTITY_THREAD},
    {.name = "ioprio", .of = ENTITY_THREAD},

    {.name = "filename", .of = ENTITY_FLOWOP, .word = true},
    {.name = "filesetname", .of = ENTITY_FLOWOP, .same_as = "filename", .word = true},
    {.name = "fd", .of = ENTITY_FLOWOP},
    {.name = "srcfd", .of = ENTITY_FLOWOP},
    {.name = "iosize", .of = ENTITY_FLOWOP},
    {.name = "workingset", .of = ENTITY_FLOWOP},
    {.name = "random", .of = ENTITY_FLOWOP},
    {.name = "iters", .of = ENTITY_FLOWOP},
    {.name = "opennext", .of = ENTITY_FLOWOP},
    {.name = "indexed", .of = ENTITY_FLOWOP},
    {.name = "dsync", .of = ENTITY_FLOWOP},
    {.name = "directio", .of = ENTITY_FLOWOP},
    {.name = "noreadahead", .of = ENTITY_FLOWOP},
    {.name = "target", .of = ENTITY_FLOWOP, .word = true},
    {.name = "value", .of = ENTITY_FLOWOP | ENTITY_SYNC},
    {.name = "highwater", .of = ENTITY_FLOWOP},
    {.name = "blocking", .of = ENTITY_FLOWOP},
    {.name = "possetname", .unheeded = ENTITY_FLOWOP, .word = true, .sign = LANG_SIGN_14},

    {.name = "type", .of = ENTITY_RANDVAR | ENTITY_CVAR | ENTITY_POSSET, .word = true},
    {.name = "randsrc", .of = ENTITY_RANDVAR, .word = true},
    {.name = "seed", .of = ENTITY_RANDVAR | ENTITY_POSSET},
    {.name = "min", .of = ENTITY_RANDVAR | ENTITY_CVAR},
    {.name = "max", .of = ENTITY_CVAR | ENTITY_POSSET},
    {.name = "mean", .of = ENTITY_RANDVAR},
    {.name = "gamma", .of = ENTITY_RANDVAR},
    {.name = "round", .of = ENTITY_RANDVAR | ENTITY_CVAR},
    {.name = "randtable", .of = ENTITY_RANDVAR},
    {.name = "parameters", .of = ENTITY_CVAR, .word = true},

    {.name = "rate", .of = ENTITY_EVENTGEN},
    {.name = "master", .of = ENTITY_MULTI, .word = true},
    {.name = "client", .of = ENTITY_MULTI, .word = true},
    {.name = "fstype", .of = ENTITY_SYSTEM, .word = true},
};

#define NAMES (sizeof names / sizeof *names)

const struct attr_name *attr_name_find(const char *s, size_t len)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strlen(names[i].name) == len && memcmp(names[i].name, s, len) == 0)
            return &names[i];
    return NULL;
}

const char *attr_name_nearest(const char *s, size_t len, enum entity entity)
{
    char wish[64];
    struct nearest near = {.wish = wish};
    if (len >= sizeof wish)
        return NULL;
    memcpy(wish, s, len);
    wish[len] = '\0';
    /* What the language's own authors called it in their program. */
    if (strcmp(wish, "wss") == 0 && entity == ENTITY_FLOWOP)
        return "workingset";
    for (size_t i = 0; i < NAMES; i++)
        if (names[i].of & entity)
            nearest_try(&near, names[i].name);
    return near.best;
}

const char *entity_name(enum entity entity)
{
    static const char *const name[] = {"a file",      "a fileset",    "a process",   "a thread",
                                       "a flowop",    "a composite",  "a randvar",   "a cvar",
                                       "eventgen",    "enable multi", "domultisync", "a posset",
                                       "this command"};
    return name[__builtin_ctz(entity)];
}
