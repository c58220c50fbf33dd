#include "study/study_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The first stop ends the measuring and what it made is removed; the second ends that too. */
struct removing {
    struct study *s;
    atomic_int stop;
};

static void on_removed(void *ctx, const struct site_removed *so_far)
{
    struct removing *r = ctx;
    atomic_store(&r->stop, study_stop_asked(r->s, 2));
    study_say(r->s, r->s->gauge.left_ns, "removing, %" PRIu64 " files gone", so_far->files);
}

int study_remove(struct study *s, const char *place, struct site_removed *removed, struct err *err)
{
    struct removing r = {.s = s};
    return site_remove(s->site, &s->shape, place, removed, &r.stop, on_removed, &r, err);
}

static void leave_kept(struct study *s)
{
    char target[SITE_WORD_MAX];
    struct err err = {0};
    s->shape.kept = s->end != STUDY_INCOMPLETE;
    if (!s->shape.kept)
        study_warn(s,
                   "not complete, so " SITE_PREFIX "%s is left but not kept for reading; to remove "
                   "it: loadline clean %s",
                   s->shape.id, site_clean_word(s->common->target, target));
    else if (site_remark(s->site, &s->shape, &err) < 0)
        study_warn(s, SITE_PREFIX "%s cannot be marked as kept: %s", s->shape.id, err.text);
}

/* Someone kept it for a reason: only they take it away. */
static void leave_adopted(struct study *s)
{
    char target[SITE_WORD_MAX];
    if (!s->common->keep)
        study_warn(s,
                   SITE_PREFIX "%s was kept by an earlier --keep and stays; to remove it: "
                               "loadline clean %s --kept",
                   s->shape.id, site_clean_word(s->common->target, target));
}

void study_tidy(struct study *s)
{
    char target[SITE_WORD_MAX];
    struct site_removed removed = {0};
    struct err err = {0};

    if (!s->on_site || s->caps.keeps_nothing)
        return;
    if (s->stalled) {
        study_warn(s,
                   "an operation still hangs in " SITE_PREFIX
                   "%s, which is left; to remove it: loadline clean %s%s",
                   s->shape.id, site_clean_word(s->common->target, target),
                   s->adopted ? " --kept" : "");
        return;
    }
    if (s->adopted) {
        leave_adopted(s);
        return;
    }
    /* Without a result there is nothing to keep it for. */
    if (s->common->keep && s->runs > 0) {
        leave_kept(s);
        return;
    }
    study_say(s, 0, "removing");
    if (study_remove(s, NULL, &removed, &err) < 0)
        study_warn(s, "not all is removed: %s; to go on: loadline clean %s", err.text,
                   site_clean_word(s->common->target, target));
}
