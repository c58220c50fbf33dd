#include "engine/engine_priv.h"

#include <errno.h>

enum advance stream_sync_step(struct worker *w, struct stream *s, const struct plan_step *step,
                              uint32_t *pc)
{
    (void)step;
    (void)pc;
    worker_record_error(w, s, OP_NOP, -EOPNOTSUPP);
    s->state = STREAM_ENDED;
    return ADVANCE_ENDED;
}
