/* What each result of `limits` says was asked: docs/results-format.md, "Options of limits". */
#include "study/limits_study_priv.h"

#include "base/shown.h"

#include <stdio.h>

static const char *yes_no(bool yes)
{
    return yes ? "yes" : "no";
}

static const char *metric_of(const struct limits_row *row)
{
    if (row->latency)
        return "latency";
    return row->sequential ? "bytes" : "ops";
}

static const char *claim_of(const struct limits_row *row)
{
    static const char *const claim[] = {
        [LIMITS_CACHE] = "cache", [LIMITS_DISK] = "disk",   [LIMITS_FLASH] = "flash",
        [LIMITS_LOG] = "log",     [LIMITS_NAMES] = "names",
    };
    return claim[row->place];
}

static void put_load(struct fact_pen *pen, const struct limits_job *job,
                     const struct limits_load *load)
{
    static const char *const ended[] = {[LIMITS_RAMP_FLAT] = "flat",
                                        [LIMITS_RAMP_RISING] = "rising",
                                        [LIMITS_RAMP_CUT] = "cut",
                                        [LIMITS_RAMP_FIXED] = "fixed"};
    fact_word(pen, "step", load->step);
    fact_word(pen, "line", op_kind_name(job->row->op));
    fact_word(pen, "metric", metric_of(job->row));
    fact_count(pen, "streams", load->streams, "");
    fact_count(pen, "clients", load->clients, "");
    fact_count(pen, "io_bytes", load->io_bytes, "bytes");
    fact_count(pen, "files", job->site->s.caps.one_file ? 0 : job->set.files, "");
    fact_count(pen, "streams_most", limits_streams_most(job), "");
    if (load->ended != LIMITS_RAMP_GOES_ON)
        fact_word(pen, "ramp_end", ended[load->ended]);
    if (load->changed)
        fact_word(pen, "changed", load->changed);
}

static void put_set(struct fact_pen *pen, const struct limits_study *l,
                    const struct limits_job *job)
{
    const struct limits_sizes *sizes = &job->site->sizes;
    fact_word(pen, "pattern", job->row->sequential ? "seq" : "random");
    fact_word(pen, "direct", yes_no(limits_is_direct(job)));
    fact_word(pen, "sync", yes_no(job->row->synchronous));
    fact_count(pen, "working_set_bytes", job->set.bytes, "bytes");
    fact_count(pen, "cache_bytes", sizes->cache_bytes, "bytes");
    if (sizes->cache_from[0] != '\0')
        fact_word(pen, "cache_from", sizes->cache_from);
    fact_count(pen, "flash_bytes", sizes->flash_bytes, "bytes");
    fact_word(pen, "claim", claim_of(job->row));
    fact_word(pen, "place", job->set.place);
    if (job->set.starved)
        fact_word(pen, "starved", "yes");
    if (job->row->op == OP_WRITE)
        fact_word(pen, "preconditioned", yes_no(l->o->precondition));
    if (l->o->quick)
        fact_word(pen, "quick", "yes");
}

/* Of the same target: rows that are asked of another one are no rows of this. */
static void put_skips(struct fact_pen *pen, const struct limits_study *l,
                      const struct limits_job *job)
{
    for (unsigned i = 0; i < l->jobs; i++) {
        const struct limits_job *other = &l->job[i];
        char key[96], words[192];
        if (other->site->side != job->site->side || other->fit == LIMITS_RUNS)
            continue;
        snprintf(key, sizeof key, "skip.%s.%s", other->site->protocol, other->row->id);
        snprintf(words, sizeof words, "%s: %s",
                 other->fit == LIMITS_SKIPPED ? "skipped" : "not applicable", other->why);
        fact_word(pen, key, words);
    }
}

int limits_put_options(const struct limits_study *l, const struct limits_job *job,
                       const struct limits_load *load, bool steady, struct result *r)
{
    struct fact_pen pen = {.facts = &r->options};
    struct text typed;
    text_init(&typed);
    text_add_shown(&typed, job->site->typed);
    fact_count(&pen, "side", job->site->side, "");
    fact_word(&pen, "address", typed.s);
    fact_word(&pen, "protocol", job->site->protocol);
    fact_word(&pen, "row", job->row->id);
    put_load(&pen, job, load);
    put_set(&pen, l, job);
    fact_word(&pen, "steady", yes_no(steady));
    if (l->o->quick)
        fact_word(&pen, "quick", "yes");
    fact_resolve(&pen, &job->site->s);
    put_skips(&pen, l, job);
    text_fini(&typed);
    return pen.rc;
}
