#include "cli/others_words.h"

#include <stddef.h>
#include <string.h>

const char *others_word(const char *theirs)
{
    static const struct {
        const char *theirs;
        const char *ours;
    } known[] = {
        {"bs", "block"},
        {"blocksize", "block"},
        {"bssplit", "block"},
        {"iodepth", "streams"},
        {"numjobs", "streams"},
        {"nthreads", "threads"},
        {"runtime", "time"},
        {"timelimit", "time"},
        {"ramp_time", "warmup"},
        {"rw", "mix"},
        {"readwrite", "mix"},
        {"rwmixread", "read"},
        {"rwmixpct", "read"},
        {"loops", "repeat"},
        {"iterations", "repeat"},
        {"rate_iops", "rate"},
        {"nrfiles", "files"},
        {"randseed", "seed"},
        {"random_distribution", "dist"},
        {"buffer_compress_percentage", "compress"},
        {"output-format", "format"},
        {"output", "o"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].theirs, theirs) == 0)
            return known[i].ours;
    return NULL;
}
