/* perf/wml_bare.h — the loops of four personalities, as bare as they can be written.
 * Shape    wml_bare_run lets every thread go round as often as asked: it has its share of the files to
 *          itself and knows the next one without looking; neither state that others change, nor content,
 *          nor clock, nor choice.
 * Errors   end the program.                      Threads  bare ones, as perf.h makes them. */
#ifndef LOADLINE_PERF_WML_BARE_H
#define LOADLINE_PERF_WML_BARE_H

#include "perf.h"

#include <stdbool.h>

#define WML_SETS_MAX    2
#define WML_CHUNK_BYTES ((size_t)1 << 20)
#define WML_LEAF_MAX    32

enum wml_personality { WML_VARMAIL, WML_FILESERVER, WML_WEBSERVER, WML_STAT };

struct wml_file {
    int dir;
    uint64_t bytes;
    bool exists;
    char leaf[WML_LEAF_MAX];
};

/* Every name and directory is known beforehand. */
struct wml_bare {
    enum wml_personality personality;
    unsigned threads;
    uint64_t loops; /* of each thread */
    struct wml_set {
        uint64_t files;
        struct wml_file *file;
    } set[WML_SETS_MAX];
};

/* CPU of all threads together. */
uint64_t wml_bare_run(struct wml_bare *bare);

#endif
