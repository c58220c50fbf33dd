#include "cli/study_values.h"

#include "base/units.h"
#include "study/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNTIL_MIN_PERCENT 0.1
#define UNTIL_MAX_PERCENT 100
#define LENGTH_MAX_BYTES  (1ull << 40)
#define DAY_NS            86400000000000ull

static const char *const format_words[] = {"text", "json", "csv", "md", NULL};
const char *const cache_words[] = {"drop", "keep", NULL};
static const char *const resolve_words[] = {"once", "every-time", NULL};
const unsigned study_given_seed = TREE_GIVEN_SEED;

#define OUTPUT(member) offsetof(struct output_values, member)
#define STUDY(member)  offsetof(struct study_values, member)
static const struct option db_options[] = {
    {.name = "db",
     .arg = "FILE|none",
     .kind = OPTION_TEXT,
     .at = OUTPUT(db),
     .min = 1,
     .max = 4000,
     .otherwise = "$XDG_DATA_HOME/loadline/results.db",
     .help = "where results are kept; none: nowhere"},
};
const struct option_table output_db_table = OPTION_TABLE("Results", db_options);

static const struct option format_options[] = {
    {.name = "format",
     .kind = OPTION_WORD,
     .at = OUTPUT(format),
     .words = format_words,
     .initial = "text",
     .help = "form of the answer on stdout"},
    {.name = "wide",
     .kind = OPTION_FLAG,
     .at = OUTPUT(wide),
     .help = "every column there is, not only what fits into 80"},
};
const struct option_table output_format_table = OPTION_TABLE(NULL, format_options);

static const struct option file_options[] = {
    {.name = NULL,
     .letter = 'o',
     .arg = "FILE",
     .kind = OPTION_TEXT,
     .at = OUTPUT(file),
     .min = 1,
     .max = 4000,
     .help = "write the answer to FILE as well; its suffix .txt, .md, .json or .csv says the form"},
    {.name = "force", .kind = OPTION_FLAG, .at = OUTPUT(force), .help = "-o may replace a file"},
};
const struct option_table output_file_table = OPTION_TABLE(NULL, file_options);

static const struct option quiet_options[] = {
    {.name = "quiet",
     .kind = OPTION_FLAG,
     .at = OUTPUT(quiet),
     .help = "no progress and no announcements on stderr; warnings and errors remain"},
};
const struct option_table output_quiet_table = OPTION_TABLE(NULL, quiet_options);

static const struct option study_options[] = {
    {.name = "label",
     .arg = "TEXT",
     .kind = OPTION_TEXT,
     .at = STUDY(label),
     .min = 1,
     .max = 200,
     .help = "a name for this study; `show TEXT` finds it"},
    {.name = "system",
     .arg = "TEXT",
     .kind = OPTION_TEXT,
     .at = STUDY(system),
     .min = 1,
     .max = 200,
     .help = "which system was measured, for dated comparisons"},
    {.name = "software",
     .arg = "TEXT",
     .kind = OPTION_TEXT,
     .at = STUDY(software),
     .min = 1,
     .max = 200,
     .help = "and which release it ran"},
    {.name = "seed",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = STUDY(seed),
     .max = UINT64_MAX,
     .initial = "1",
     .given = TREE_GIVEN_SEED,
     .help = "content of files and random choices come from it"},
    {.name = "stall",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = STUDY(stall_ns),
     .min = STALL_MIN_NS,
     .max = STALL_MAX_NS,
     .initial = "30s",
     .help = "an operation older than this is named and ends the study"},
    {.name = "workers",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = STUDY(workers),
     .min = 1,
     .max = 1024,
     .otherwise = "one per CPU",
     .help = "threads that drive an asynchronous target"},
    {.name = "resolve",
     .kind = OPTION_WORD,
     .at = STUDY(resolve),
     .words = resolve_words,
     .initial = "once",
     .help = "nfs: find a directory once, or walk to each name from the root for every operation"},
    {.name = "max-memory",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = STUDY(max_memory_bytes),
     .min = 1 << 20,
     .max = 1ull << 46,
     .otherwise = "a quarter of RAM",
     .help = "refuse a study that needs more"},
};
const struct option_table study_table = OPTION_TABLE("Every study", study_options);

static int add_length(struct length_list *list, uint64_t bytes, struct err *err)
{
    char shown[UNITS_PRINT_MAX];
    for (unsigned i = 0; i < list->n; i++)
        if (list->bytes[i] == bytes)
            return err_set(err, -EINVAL, "%s stands there twice", units_print_bytes(shown, bytes));
    if (list->n == LENGTHS_MAX)
        return err_set(err, -EINVAL, "more than %d lengths", LENGTHS_MAX);
    list->bytes[list->n++] = bytes;
    return 0;
}

static int parse_length(const char *text, size_t len, uint64_t *bytes, struct err *err)
{
    char word[32];
    if (len > 0 && len < sizeof(word)) {
        memcpy(word, text, len);
        word[len] = '\0';
        if (units_parse_bytes(word, bytes, NULL) >= 0 && *bytes >= 1 && *bytes <= LENGTH_MAX_BYTES)
            return 0;
    }
    return err_set(err, -EINVAL, "'%.*s' is none of: " LENGTH_LIST_ACCEPTS, (int)len, text);
}

static int add_range(struct length_list *list, uint64_t low, uint64_t high, struct err *err)
{
    uint64_t known[64];
    unsigned n = tree_lengths_2001(known, 64), before = list->n;
    for (unsigned i = 0; i < n; i++) {
        int rc = known[i] < low || known[i] > high ? 0 : add_length(list, known[i], err);
        if (rc < 0)
            return rc;
    }
    if (list->n == before)
        return err_set(err, -EINVAL, "none of the forty lengths of 2001 lies in that range");
    return 0;
}

static int add_item(struct length_list *list, const char *item, size_t len, struct err *err)
{
    uint64_t low = 0, high = 0;
    const char *dots = memmem(item, len, "..", 2);
    size_t first = dots ? (size_t)(dots - item) : len;
    int rc = parse_length(item, first, &low, err);
    if (rc < 0)
        return rc;
    if (!dots)
        return add_length(list, low, err);
    rc = parse_length(dots + 2, len - first - 2, &high, err);
    return rc < 0 ? rc : add_range(list, low, high, err);
}

int length_list_parse(const char *text, void *value, struct err *err)
{
    struct length_list list = {.n = 0};
    for (const char *item = text;;) {
        size_t len = strcspn(item, ",");
        int rc = add_item(&list, item, len, err);
        if (rc < 0)
            return rc;
        if (!item[len])
            break;
        item += len + 1;
    }
    *(struct length_list *)value = list;
    return 0;
}

int until_ci_parse(const char *text, void *frac, struct err *err)
{
    size_t digits = strspn(text, "0123456789.");
    char *end;
    double percent = strtod(text, &end); /* alone it would take "nan", "0x5" and " 5" */

    (void)err;
    if (end != text + digits || (*end != '\0' && strcmp(end, "%") != 0) ||
        !(percent >= UNTIL_MIN_PERCENT && percent <= UNTIL_MAX_PERCENT))
        return -EINVAL;
    *(double *)frac = percent / 100;
    return 0;
}
