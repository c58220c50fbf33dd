/* engine/sync_priv.h — what streams share because the workload says so, and how one waits for another.
 * Shape    sync_new before the workers. A step parks its stream in the list of what it waits for;
 *          whoever brings that about takes it out of there and puts it into its worker's inbox
 *          (park_send), and the worker goes on with it (park_take). A worker none of whose streams
 *          can move rests: when all of them do, nothing ever will (park_rest).
 * Units    ns on the run's clock, ops, bytes.
 * Limits   a stream is in one list at a time; lists have no limit. Nothing here allocates after sync_new.
 * Errors   -ENOMEM.
 * Threads  as said at each. No locks but that of the hog pool's queue.
 * Source   tests/truth/test_wml_sync.c, tests/truth/test_wml_threads.c (also under ThreadSanitizer). */
#ifndef LOADLINE_ENGINE_SYNC_PRIV_H
#define LOADLINE_ENGINE_SYNC_PRIV_H

#include "engine/engine.h"
#include "engine/stream_priv.h"

/* Streams, the one that came last first; added one by one, taken all at once. */
struct stream_list {
    _Atomic(struct stream *) last;
};

/* A worker's part of it. */
struct worker_park {
    unsigned outside; /* streams at the hog pool */
    bool cut;         /* streams ended because the window has no more for them */
    bool resting;     /* counted in sync.resting */
    _Alignas(ENGINE_CACHE_LINE) struct stream_list inbox; /* streams that others have sent on */
};

/* A number, and the streams that wait until there is enough of it to take. */
struct gauge {
    _Atomic uint64_t level;
    struct stream_list waiting;
    bool one_waits; /* never more than one */
};

/* Of one stream that waits at a semaphore, and of all who post to it. */
struct sem_instance {
    _Alignas(ENGINE_CACHE_LINE) struct gauge posts;
    struct gauge credits;
};

struct sem_group { /* whose streams have an instance, from `first` on */
    uint32_t group;
    uint32_t first;
};

struct semaphore {
    uint32_t instances;
    uint32_t groups;
    uint32_t last_group; /* while they are made */
    struct sem_instance *instance;
    struct sem_group *of;
};

struct event {
    _Alignas(ENGINE_CACHE_LINE) struct stream_list waiting;
};

/* Why the run ended before its time: the first stream that has a reason says so. */
struct early_end {
    _Atomic bool claimed;
    enum engine_end end;
    char words[sizeof((struct engine_notes *)NULL)->ended_by];
};

struct hogs;

struct sync {
    unsigned events;
    struct event *event;
    struct semaphore *semaphore;
    struct sem_instance *instances; /* of all semaphores */
    struct sem_group *sem_groups;   /* likewise */
    uint32_t counters;              /* of a process, some unused: whole cache lines */
    _Atomic uint64_t *count;        /* [processes · counters] */
    struct hogs *hogs;              /* NULL: none, or they are done where they stand */
    struct early_end ending;
    _Alignas(
        ENGINE_CACHE_LINE) _Atomic uint64_t resting; /* workers; above them how often one rose */
    _Atomic uint32_t over;                           /* of them: have no stream left */
    _Atomic bool cut; /* the window's end has ended streams: others wait for it, not for ever */
};

/* sync.c */
__attribute__((warn_unused_result)) int sync_new(struct run *run);
void sync_free(struct run *run);
uint64_t sync_memory(const struct plan *plan);
struct sem_instance *sync_instance(const struct run *run, uint16_t semaphore,
                                   const struct stream *s);
/* Takes `n` now, or parks s until it can: then false, and s has them when it goes on. */
bool gauge_take(struct gauge *gauge, struct stream *s, uint64_t n);
void gauge_add(struct gauge *gauge, const struct worker *by, uint64_t n);
void event_wait(struct event *event, struct stream *s);
/* How many streams were waiting. */
uint64_t event_signal(struct event *event, const struct worker *by);

/* park.c */
/* From any thread; `by` NULL: not a worker's. */
void park_send(struct stream *s, const struct worker *by);
/* By the worker: all that were sent, the first one first, linked by wait.next; NULL: none. */
struct stream *park_take(struct worker *w);
/* Nothing of this worker's can move; claims the ending when that goes for all. Until park_rise. */
void park_rest(struct worker *w);
void park_rise(struct worker *w);
/* Its streams of the body have ended. */
void park_leave(struct worker *w);
/* After the run: "sem-wait lg-block of 1 stream, …" of all that were waiting when it ended. */
unsigned park_words(const struct run *run, char *words, size_t room, uint64_t *since_ns);

/* ending.c */
/* The stream has nothing left to do: `out` its step, or NULL where its list is at its end. */
void ending_of_stream(struct worker *w, struct stream *s, const struct plan_step *out);
/* PLAN_FAIL. */
void ending_failed(struct worker *w, const char *words);
/* false: somebody else was first. */
bool ending_claim(struct run *run, enum engine_end end, const char *words);
/* Into the outcome, when all workers have left. */
void ending_tell(struct run *run);

/* count.c */
void stream_count_all(struct worker *w, struct stream *s, uint64_t counts, uint64_t ops,
                      uint64_t bytes);
bool stream_counted(const struct worker *w, const struct stream *s, const struct plan_step *step);

/* hog.c */
__attribute__((warn_unused_result)) int hogs_start(struct run *run);
/* Sends s on when it is done, or the run is over. */
void hogs_give(struct hogs *hogs, struct stream *s, uint64_t stores);
/* Here and now. */
void hog_burn(const struct run *run, uint64_t stores);
/* After the workers' bodies and before their sessions are closed; adds what the helpers used to the outcome.
 * Once is enough, more does nothing. */
void hogs_stop(struct run *run);

/* Moves the counters of a step by what it did. */
static inline void stream_count(struct worker *w, struct stream *s, uint64_t counts, uint64_t ops,
                                uint64_t bytes)
{
    if (counts)
        stream_count_all(w, s, counts, ops, bytes);
}

#endif
