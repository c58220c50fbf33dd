/* study_file.h under any bytes, packed or not: no crash; a refusal has words; no run without a seal
 * comes through, none of another study, and none twice. */
#include "fuzz/fuzz.h"
#include "result/study_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct seen {
    char id[RESULT_ID_MAX];
    bool headed;
    unsigned runs;
    unsigned last;
};

static int on_head(void *ctx, const struct study_head *head, struct err *err)
{
    struct seen *seen = ctx;
    (void)err;
    FUZZ_CHECK(!seen->headed && seen->runs == 0);
    FUZZ_CHECK(head->target && head->label && head->command && head->argv && head->id[0]);
    memcpy(seen->id, head->id, sizeof seen->id);
    seen->headed = true;
    return 0;
}

static int on_run(void *ctx, struct result *r, struct err *err)
{
    struct seen *seen = ctx;
    (void)err;
    FUZZ_CHECK(strlen(r->seal) == 64 && r->document);
    if (seen->headed)
        FUZZ_CHECK(strcmp(seen->id, r->study_id) == 0 && r->run > seen->last);
    seen->last = r->run;
    seen->runs++;
    result_free(r);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen seen = {.runs = 0};
    struct study_tail tail = {.runs = 0};
    struct err err = {0};
    const struct study_file_sink sink = {.head = on_head, .run = on_run, .ctx = &seen};
    int fd = memfd_create("input", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
    int rc = study_file_read(fd, &sink, &tail, &err);
    FUZZ_CHECK((rc == 0) == (err.code == 0) && (rc == 0) == (err.text[0] == '\0'));
    if (rc == 0) {
        FUZZ_CHECK(tail.runs == seen.runs);
        FUZZ_CHECK(tail.state[0] == '\0' || (seen.headed && study_state_known(tail.state)));
    }
    close(fd);
    return 0;
}
