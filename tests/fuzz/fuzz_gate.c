/* gate.h under any text: no crash; a refusal has words and leaves the gate alone; what is accepted
 * has a metric, a threshold above 0 and the direction of what is worse. */
#include "fuzz/fuzz.h"
#include "verdict/gate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_accepted(const struct gate *gate, const char *text)
{
    FUZZ_CHECK(gate->text == text);
    FUZZ_CHECK(gate->metric < ROWS_METRICS);
    FUZZ_CHECK(gate->threshold > 0 && isfinite(gate->threshold));
    FUZZ_CHECK(gate->above == !rows_metric_more_is_better(gate->metric));
    FUZZ_CHECK(!gate->relative || gate->above || gate->threshold < 1);
    FUZZ_CHECK(memchr(gate->row, '\0', sizeof gate->row) != NULL);
    FUZZ_CHECK(gate->all_rows == (gate->row[0] == '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gate gate = {.threshold = -1};
    struct err err = {0};
    char *text = strndup((const char *)data, size);

    if (!text)
        return 0;
    int rc = gate_parse(text, &gate, &err);
    FUZZ_CHECK(rc == 0 || rc == -EINVAL);
    FUZZ_CHECK(err.code == rc && (rc == 0) == (err.text[0] == '\0'));
    if (rc == 0)
        check_accepted(&gate, text);
    else
        FUZZ_CHECK(gate.threshold == -1);
    free(text);
    return 0;
}
