/* probe.h and appliance_priv.h under any text: what a server or an appliance may tell. As metrics, the text before and after
 * a line "----"; as a table of series when it begins with "time". No crash; a refusal has words and leaves nothing
 * behind; what is accepted makes tracks whose counters do not fall. */
#include "fuzz/fuzz.h"
#include "probe/appliance_priv.h"
#include "probe/metrics_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT   "\n----\n"
#define OVER_NS UINT64_C(1000000000)

static void check_words(int rc, const struct err *err)
{
    FUZZ_CHECK(rc == 0 || rc == -EINVAL);
    FUZZ_CHECK(err->code == rc && (rc == 0) == (err->text[0] == '\0'));
    FUZZ_CHECK(strchr(err->text, '\n') == NULL);
}

/* ---- metrics ---- */

static struct probe_text parse(const char *text, size_t len)
{
    struct probe_text out = {.n = 12345};
    struct err err = {0};
    int rc = probe_text_parse(text, len, &out, &err);

    check_words(rc, &err);
    if (rc < 0) {
        FUZZ_CHECK(out.n == 12345 && out.text == NULL);
        return (struct probe_text){0};
    }
    for (unsigned i = 0; i < out.n; i++) {
        struct metric_name name;
        const char *behind = metric_key_parse(out.metric[i].key, &name);

        FUZZ_CHECK(behind != NULL && *behind == '\0');
        FUZZ_CHECK(name.len > 0 && name.labels <= METRIC_LABELS_MAX);
    }
    return out;
}

static void check_track(const struct track *one)
{
    bool level = one->kind == TRACK_CACHED || one->kind == TRACK_DIRTY;

    FUZZ_CHECK(one->kind < TRACK_KINDS && memchr(one->name, '\0', TRACK_NAME_MAX) != NULL);
    FUZZ_CHECK(isnan(one->mean) || level || one->mean >= 0);
    FUZZ_CHECK(one->capacity >= 0);
}

static void check_metrics(const char *text, size_t len)
{
    const char *split = memmem(text, len, SPLIT, strlen(SPLIT));
    const char *rest = split != NULL ? split + strlen(SPLIT) : text;
    struct probe_text before = parse(text, split != NULL ? (size_t)(split - text) : len);
    struct probe_text after = parse(rest, (size_t)(text + len - rest));
    struct tracks tracks = {0};

    int rc =
        probe_metrics_between(before.metric, before.n, after.metric, after.n, OVER_NS, &tracks);
    FUZZ_CHECK(rc == 0 || rc == -ENOSPC || rc == -ENOMEM);
    for (unsigned i = 0; i < tracks.n; i++)
        check_track(&tracks.track[i]);
    tracks_fini(&tracks);
    probe_text_free(&before);
    probe_text_free(&after);
}

/* ---- series ---- */

static void check_row(const struct csv_table *table, char *line, double *value)
{
    struct err err = {0};
    int64_t wall_ns = 0;
    int rc = csv_row_parse(table, line, &wall_ns, value, &err);

    check_words(rc, &err);
    for (unsigned i = 0; rc == 0 && i < table->n; i++)
        FUZZ_CHECK(isnan(value[i]) || (value[i] >= 0 && isfinite(value[i])));
}

static void check_series(char *text)
{
    static struct csv_table table;
    static double value[CSV_COLUMNS_MAX];
    struct err err = {0};
    char *rest = text;
    int rc = csv_header_parse(strsep(&rest, "\n"), &table, &err);

    check_words(rc, &err);
    FUZZ_CHECK(rc < 0 || (table.n > 0 && table.n <= CSV_COLUMNS_MAX));
    while (rc == 0 && rest != NULL)
        check_row(&table, strsep(&rest, "\n"), value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (strncmp(text, "time", 4) == 0)
        check_series(text);
    else
        check_metrics(text, size);
    free(text);
    return 0;
}
