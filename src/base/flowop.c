#include "base/flowop.h"

#include <string.h>

static const struct flowop_type types[] = {
    {"openfile", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"createfile", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"closefile", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"deletefile", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"statfile", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"fsync", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"fsyncset", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"read", FLOWOP_IO, FLOWOP_READS},
    {"readwholefile", FLOWOP_IO, FLOWOP_READS},
    {"write", FLOWOP_IO, FLOWOP_WRITES},
    {"writewholefile", FLOWOP_IO, FLOWOP_WRITES},
    {"appendfile", FLOWOP_IO, FLOWOP_WRITES},
    {"appendfilerand", FLOWOP_IO, FLOWOP_WRITES},
    {"aiowrite", FLOWOP_AIO, FLOWOP_WRITES},
    {"aiowait", FLOWOP_AIO, FLOWOP_MOVES_NOTHING},
    {"listdir", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"makedir", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"removedir", FLOWOP_IO, FLOWOP_MOVES_NOTHING},
    {"hog", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"delay", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"block", FLOWOP_SYNC, FLOWOP_MOVES_NOTHING},
    {"wakeup", FLOWOP_SYNC, FLOWOP_MOVES_NOTHING},
    {"semblock", FLOWOP_SYNC, FLOWOP_MOVES_NOTHING},
    {"sempost", FLOWOP_SYNC, FLOWOP_MOVES_NOTHING},
    {"eventlimit", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"iopslimit", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"opslimit", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"bwlimit", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"finishoncount", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"finishonbytes", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"print", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {"testrandvar", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    /* Of itself it does nothing: its flowops have lines of their own. */
    {"composite", FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
    {FLOWOP_DONE, FLOWOP_OTHER, FLOWOP_MOVES_NOTHING},
};

const struct flowop_type *flowop_find(const char *name)
{
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

static enum flowop_moves moves(const char *name)
{
    const struct flowop_type *type = flowop_find(name);
    return type ? type->moves : FLOWOP_MOVES_NOTHING;
}

bool flowop_reads(const char *name)
{
    return moves(name) == FLOWOP_READS;
}

bool flowop_writes(const char *name)
{
    return moves(name) == FLOWOP_WRITES;
}

enum flowop_class flowop_class(const char *name)
{
    const struct flowop_type *type = flowop_find(name);
    return type ? type->counts_as : FLOWOP_IO;
}
