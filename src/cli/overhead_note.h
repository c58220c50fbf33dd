/* cli/overhead_note.h — what loadline itself costs on this machine: measured, then remembered.
 * Shape    the store keeps a note per machine, kernel and build; overhead_note_facts turns it into
 *          the facts that every result quotes (overhead_clock_read_ns …).
 * Units    ns per op, CPU time except for the clock.
 * Limits   a note is good for 30 days.
 * Errors   -ENOENT no such note; the store's and the study's own.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_OVERHEAD_NOTE_H
#define LOADLINE_CLI_OVERHEAD_NOTE_H

#include "store/store.h"
#include "study/study.h"

__attribute__((warn_unused_result)) int overhead_note_load(struct store *s, struct overhead *out,
                                                           struct err *err);
__attribute__((warn_unused_result)) int
overhead_note_save(struct store *s, const struct overhead *o, struct err *err);
/* On tmpfs when this machine has one that may be written to. */
__attribute__((warn_unused_result)) int overhead_measure(struct overhead *out, struct err *err);

__attribute__((warn_unused_result)) int overhead_note_facts(const struct overhead *o,
                                                            struct result_facts *facts);

#endif
