/* probe/watcher_priv.h — one source, looked at once a period.
 * Shape    watcher_new starts its thread, if the source is one that is asked; watcher_want asks for a look besides,
 *          watcher_look looks on the caller's thread; watcher_end tells it to end, watcher_free waits for it.
 * Units    ns of CLOCK_MONOTONIC.
 * Limits   one look at a time; a look that comes late is not made up for.
 * Errors   a look that fails is a gap, counted, its words kept.
 * Threads  all but _new and _free from any thread.
 * Source   tests/unit/test_probe.c. */
#ifndef LOADLINE_PROBE_WATCHER_PRIV_H
#define LOADLINE_PROBE_WATCHER_PRIV_H

#include "probe/probe_priv.h"

struct watcher;

/* Owns the source, also when it fails. */
__attribute__((warn_unused_result)) int watcher_new(const struct probe_source *source,
                                                    uint64_t period_ns, struct watcher **out,
                                                    struct err *err);
void watcher_end(struct watcher *w);
void watcher_free(struct watcher *w);
void watcher_want(struct watcher *w);
void watcher_look(struct watcher *w, bool edge);
uint64_t watcher_period_ns(struct watcher *w);
/* Waits for a look that is wanted or under way, at most until give_up_ns. */
__attribute__((warn_unused_result)) int watcher_between(struct watcher *w,
                                                        const struct look_window *window,
                                                        uint64_t give_up_ns, struct tracks *out);
void watcher_note(struct watcher *w, char *buf, size_t room);
uint64_t watcher_cpu_ns(const struct watcher *w); /* of its thread */

#endif
