/* site.h's marker under any bytes: no crash; a refusal has words and leaves the shape alone; what is
 * accepted passes the check, prints, and reads back as the same text. */
#include "fileset/site.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void check_accepted(const struct site_shape *shape)
{
    struct site_shape back = {0};
    char *text = NULL;
    char *again = NULL;
    int rc = site_shape_print(shape, &text);

    FUZZ_CHECK(site_shape_check(shape, NULL) == 0);
    FUZZ_CHECK(rc == 0 || rc == -ENOMEM);
    if (rc == 0) {
        FUZZ_CHECK(site_shape_parse(text, strlen(text), &back, NULL) == 0);
        rc = site_shape_print(&back, &again);
        FUZZ_CHECK(rc == -ENOMEM || (rc == 0 && strcmp(text, again) == 0));
    }
    site_shape_fini(&back);
    free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct site_shape shape = {.owner.pid = 99};
    struct err err = {0};
    int rc = site_shape_parse((const char *)data, size, &shape, &err);

    FUZZ_CHECK((rc == 0) == (err.code == 0));
    if (rc == 0) {
        check_accepted(&shape);
        site_shape_fini(&shape);
    } else {
        FUZZ_CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
        FUZZ_CHECK(shape.owner.pid == 99 && shape.length_bytes == NULL && shape.set == NULL);
    }
    return 0;
}
