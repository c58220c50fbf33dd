/* study/io_priv.h — the plans of the plain mix, the arithmetic of its files, and what it tells.
 * Shape    io_options.c is what can be asked; io_plan.c options to plans; io_tell.c what is said
 *          before, during and in each result; io_repeat.c how often; io_study.c the study.
 * Units    ns, bytes. Errors   as study.h.       Threads  the study's own thread only. */
#ifndef LOADLINE_STUDY_IO_PRIV_H
#define LOADLINE_STUDY_IO_PRIV_H

#include "study/study_priv.h"

struct io_study {
    struct study s;
    const struct io_options *o; /* `fitted`, once it is */
    struct io_options fitted;
    struct fileset_spec spec;
    char place[STUDY_PLACE_MAX];
    struct study_row row;
    unsigned repeat; /* under way, from 1 */
};

/* ---- io_plan.c ---- */

/* Writes every file once, untimed. */
__attribute__((warn_unused_result)) int io_plan_layout(const struct study *s,
                                                       const struct fileset_spec *spec,
                                                       struct plan **out, struct err *err);
__attribute__((warn_unused_result)) int io_plan_run(const struct study *s,
                                                    const struct io_options *o,
                                                    const struct fileset_spec *spec,
                                                    struct plan **out, struct err *err);

/* ---- io_repeat.c ---- */

/* Runs at the most. */
unsigned io_repeats_most(const struct io_options *o);
/* Whether there is to be one more after those of the row; says so when --until-ci was not reached. */
bool io_needs_more(struct io_study *io);

/* ---- io_tell.c ---- */

__attribute__((warn_unused_result)) int io_announce(const struct io_study *io, struct err *err);
/* Time of the runs that are still to come, the present one included. */
uint64_t io_left_ns(const struct io_study *io);
void io_say_running(struct io_study *io);
__attribute__((warn_unused_result)) int
io_put_options(const struct io_study *io, const struct plan *plan, struct result_facts *facts);

#endif
