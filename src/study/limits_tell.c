/* What `limits` says before and while it runs. */
#include "study/limits_study_priv.h"

#include <inttypes.h>

int limits_announce(const struct limits_study *l, struct err *err)
{
    const struct limits_site *first = l->site[0];
    struct study_intent intent = {
        .id = first->s.id,
        .kind = first->s.kind,
        .target = l->common->target,
        .more_target = l->common->more_target,
        .more_targets = l->common->more_targets,
        .about_ns = first->s.caps.own_clock ? 0 : l->o->budget_ns,
        .own_clock = first->s.caps.own_clock,
    };
    for (unsigned i = 0; i < l->sites; i++) {
        const struct limits_site *site = l->site[i];
        if (!site->used || site->s.caps.keeps_nothing || site->s.caps.one_file)
            continue;
        intent.write_bytes += fileset_spec_bytes(&site->spec);
        intent.files += site->spec.files;
    }
    intent.peak_bytes = intent.write_bytes;
    return l->sink->begun ? l->sink->begun(l->sink->ctx, &intent, err) : 0;
}

void limits_say(const struct limits_study *l, const struct limits_job *job,
                const struct limits_load *load)
{
    study_say(&job->site->s, limits_left_ns(l), "%s %s, %" PRIu32 " stream%s, %s",
              job->site->protocol, job->row->id, load->streams, load->streams == 1 ? "" : "s",
              load->step);
}
