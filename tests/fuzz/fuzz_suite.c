/* suite.h under any text: no crash; a refusal has a remark and leaves no suite; what is accepted is within the
 * limits of the header. */
#include "fuzz/fuzz.h"
#include "script/suite.h"

#include <errno.h>
#include <string.h>

static void check_line(const struct suite_line *line)
{
    const struct suite_ask *ask = &line->ask;
    FUZZ_CHECK(line->workload[0] != '\0' && line->sets <= SUITE_SETS_MAX);
    FUZZ_CHECK(line->at.line > 0 && line->at.column > 0);
    if (ask->said & SUITE_TIME)
        FUZZ_CHECK(ask->time_ns >= SUITE_TIME_MIN_NS && ask->time_ns <= SUITE_TIME_MAX_NS);
    if (ask->said & SUITE_REPEAT)
        FUZZ_CHECK(ask->repeats >= 1 && ask->repeats <= SUITE_REPEATS_MAX);
    FUZZ_CHECK(ask->warmup_ns <= SUITE_WARMUP_MAX_NS && ask->dialect <= SCRIPT_DIALECT_15);
    for (unsigned i = 0; i < line->sets; i++) {
        const char *equals = strchr(line->set[i].text, '=');
        FUZZ_CHECK(equals && equals > line->set[i].text);
        FUZZ_CHECK(line->set[i].at.line == line->at.line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lang_remarks remarks = {0};
    struct suite *suite = NULL;
    int rc = suite_parse("fuzz", (const char *)data, size, &suite, &remarks);
    FUZZ_CHECK(rc == 0 || rc == -EINVAL);
    FUZZ_CHECK((rc == 0) == (suite != NULL) && (rc == 0) == (remarks.errors == 0));
    if (suite) {
        FUZZ_CHECK(suite->lines >= 1 && suite->lines <= SUITE_LINES_MAX);
        for (unsigned i = 0; i < suite->lines; i++)
            check_line(&suite->line[i]);
    }
    suite_free(suite);
    lang_remarks_fini(&remarks);
    return 0;
}
