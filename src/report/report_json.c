#include "report/report_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sealed document as it was stored: sealing again must give the same seal. */
static int json_one(struct text *out, struct result *r, struct err *err)
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
