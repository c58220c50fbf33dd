/* perf/wml_bare.h — the loops of four personalities, as bare as they can be written.
 * Shape    wml_bare_run lets every thread do its loop as often as asked. Of what a workload file says it
 *          does what shows in the caches: all threads go round one set together, and move data from and
 *          to anywhere in their memory. Neither content, nor clock, nor counts, and of the state of a
 *          file no more than who of those who would create or delete it does.
 * Errors   end the program.                      Threads  bare ones, as perf.h makes them. */
#ifndef LOADLINE_PERF_WML_BARE_H
#define LOADLINE_PERF_WML_BARE_H

#include "perf.h"

#include <stdatomic.h>
#include <stdint.h>

#define WML_SETS_MAX 2
#define WML_LEAF_MAX 32

/* Those of the personalities' files: memsize, iosize, meanappendsize. */
#define WML_MEMORY_BYTES ((uint64_t)10 << 20)
#define WML_CHUNK_BYTES  ((uint64_t)1 << 20)
#define WML_APPEND_BYTES ((uint64_t)16 << 10)

enum wml_personality { WML_VARMAIL, WML_FILESERVER, WML_WEBSERVER, WML_STAT };

enum wml_state { WML_ABSENT, WML_EXISTS, WML_BUSY };

struct wml_file {
    int dir;
    _Atomic int state; /* enum wml_state */
    uint64_t bytes;
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
        _Atomic uint64_t existing; /* the next one of those that exist … */
        _Atomic uint64_t absent;   /* … and of those that do not */
    } set[WML_SETS_MAX];
};

/* CPU of all threads together. */
uint64_t wml_bare_run(struct wml_bare *bare);

#endif
