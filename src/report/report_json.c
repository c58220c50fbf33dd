#include "report/report_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What was measured here and sealed must give the same seal again. */
static int json_made_here(struct text *out, struct result *r, struct err *err)
{
    char seal[sizeof r->seal];
    char *document = NULL;
    int rc;

    memcpy(seal, r->seal, sizeof seal);
    rc = result_seal(r, &document, err);
    if (rc < 0)
        return rc;
    if (*seal && strcmp(seal, r->seal) != 0) {
        rc = err_set(err, -EBADMSG, "result %s.%u was changed after it was sealed", r->study_id,
                     r->run);
        memcpy(r->seal, seal, sizeof seal);
    } else {
        text_add(out, document);
    }
    free(document);
    return rc < 0 ? rc : 0;
}

/* What was read, and its seal checked then, is passed on to the letter: another loadline may have
 * written it with fewer members, or laid out otherwise. */
static int json_one(struct text *out, struct result *r, struct err *err)
{
    if (!r->document)
        return json_made_here(out, r, err);
    text_add(out, r->document);
    return 0;
}

int report_json_array(struct text *out, struct result *const *results, unsigned n, struct err *err)
{
    int rc = 0;

    text_add(out, "[");
    for (unsigned i = 0; i < n && rc == 0; i++) {
        text_add(out, i ? ",\n" : "\n");
        rc = json_one(out, results[i], err);
    }
    text_add(out, "\n]\n");
    return rc;
}
