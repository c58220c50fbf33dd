/* truth/studies.h — studies run in a directory of their own, and what they told their sink.
 * Shape    told_open → study_… with told_sink → assert on the results → told_close.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_STUDIES_H
#define LOADLINE_TRUTH_STUDIES_H

#include "study/study.h"
#include "truth/truth.h"

#include <dirent.h>

#define TOLD_MAX 64

struct told {
    struct truth_dir dir;
    char address[160];
    atomic_int stop;
    struct study_common common;
    /* Heard so far. */
    struct study_intent intent;
    unsigned begun;
    unsigned n;
    struct result *result[TOLD_MAX];
    unsigned rows;
    unsigned row_n[TOLD_MAX];
    const struct result *row_first[TOLD_MAX];
    unsigned ended;
    enum study_end end;
    char reason[ERR_TEXT_MAX];
    char warned[ERR_TEXT_MAX];
    /* What the sink is to do. */
    int begun_rc;
    int run_done_rc;
    unsigned stop_after; /* runs; 0: never */
    void (*at_run)(struct told *t, const struct result *r);
};

static inline int told_begun(void *ctx, const struct study_intent *intent, struct err *err)
{
    struct told *t = ctx;
    t->begun++;
    t->intent = *intent;
    return t->begun_rc < 0 ? err_set(err, t->begun_rc, "the sink does not want to begin") : 0;
}

static inline int told_run_done(void *ctx, struct result *r, struct err *err)
{
    struct told *t = ctx;
    assert_true(t->n < TOLD_MAX);
    t->result[t->n++] = r;
    if (t->at_run)
        t->at_run(t, r);
    if (t->n == t->stop_after)
        atomic_store(&t->stop, 1);
    return t->run_done_rc < 0 ? err_set(err, t->run_done_rc, "the sink cannot keep it") : 0;
}

static inline void told_row_done(void *ctx, struct result *const *repeats, unsigned n)
{
    struct told *t = ctx;
    assert_true(t->rows < TOLD_MAX);
    t->row_first[t->rows] = repeats[0];
    t->row_n[t->rows++] = n;
}

static inline void told_warn(void *ctx, const char *text)
{
    struct told *t = ctx;
    snprintf(t->warned, sizeof t->warned, "%s", text);
}

static inline void told_ended(void *ctx, enum study_end end, const char *reason)
{
    struct told *t = ctx;
    t->ended++;
    t->end = end;
    snprintf(t->reason, sizeof t->reason, "%s", reason);
}

static inline struct study_sink told_sink(struct told *t)
{
    return (struct study_sink){.begun = told_begun,
                               .run_done = told_run_done,
                               .row_done = told_row_done,
                               .warn = told_warn,
                               .ended = told_ended,
                               .ctx = t};
}

static inline void told_forget(struct told *t)
{
    for (unsigned i = 0; i < t->n; i++)
        result_free(t->result[i]);
    t->n = t->rows = t->begun = t->ended = 0;
    t->reason[0] = t->warned[0] = '\0';
    atomic_store(&t->stop, 0);
}

/* The target is the directory, or a fault target in front of it. */
static inline void told_faults(struct told *t, const char *faults)
{
    snprintf(t->address, sizeof t->address, faults ? "fault:%s?%s" : "%s", t->dir.path, faults);
}

static inline struct told *told_open(void)
{
    struct told *t = calloc(1, sizeof *t);
    assert_non_null(t);
    truth_dir_make(&t->dir);
    snprintf(t->address, sizeof t->address, "%s", t->dir.path);
    t->common = (struct study_common){
        .target = t->address, .tool_version = "test", .seed = 11, .stop = &t->stop};
    return t;
}

static inline void told_close(struct told *t)
{
    told_forget(t);
    truth_dir_remove(&t->dir);
    free(t);
}

static inline unsigned told_entries(const struct told *t)
{
    unsigned n = 0;
    DIR *dir = opendir(t->dir.path);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static inline double told_option(const struct result *r, const char *key)
{
    double value = result_fact_number(&r->options, key, -1);
    if (value < 0)
        fail_msg("no option %s", key);
    return value;
}

static inline uint64_t told_samples(const struct result *r, const char *name)
{
    const struct result_line *line = result_line_find(r, name);
    if (!line)
        fail_msg("no line %s", name);
    return line->sum.samples;
}

#define told_says(text, word)                                                                      \
    do {                                                                                           \
        if (strstr(text, word) == NULL)                                                            \
            fail_msg("'%s' does not say '%s'", text, word);                                        \
    } while (0)

#endif
