#include "report/limits_report_priv.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

int report_format_of(const char *path, enum report_format *out, struct err *err)
{
    static const struct {
        const char *suffix;
        enum report_format format;
    } known[] = {
        {".txt", REPORT_TEXT}, {".json", REPORT_JSON}, {".csv", REPORT_CSV}, {".md", REPORT_MD}};
    const char *slash = strrchr(path, '/');
    const char *suffix = strrchr(slash ? slash : path, '.');

    for (size_t i = 0; suffix && i < sizeof known / sizeof known[0]; i++) {
        if (strcasecmp(suffix, known[i].suffix) == 0) {
            *out = known[i].format;
            return 0;
        }
    }
    return err_set(err, -EINVAL,
                   "cannot tell the format of %s: its name must end in .txt, .json, .csv or .md",
                   path);
}

void report_tree_head(struct text *out, struct result *const *results, unsigned n,
                      const struct report_style *style)
{
    if (style->format == REPORT_CSV)
        report_csv_head(out);
    else if (style->format == REPORT_JSON)
        return;
    else if (style->classic)
        report_classic_head(out, results[0], report_width(style));
    else if (style->wide)
        report_tree_about(out, results, n, report_width(style));
    else
        report_table_head(out, results, n, report_width(style));
}

struct section {
    struct text *out;
    const struct report_style *style;
};

static void wide_row(void *ctx, struct result *const *repeats, unsigned n)
{
    struct section *section = ctx;
    struct report_row row;

    if (report_row_of(&row, repeats, n) < 0)
        section->out->failed = true;
    else
        report_wide_row(section->out, &row, report_width(section->style));
}

static void text_row(struct section *section, struct result *const *repeats, unsigned n)
{
    unsigned width = report_width(section->style);
    struct report_row row;

    unsigned sides = report_sides(repeats, n);

    if (section->style->wide)
        section->out->failed |= report_sides_each(repeats, n, wide_row, section) < 0;
    if (section->style->wide && sides > 0) {
        text_add(section->out, "\n");
        report_turns_columns(section->out, sides, width);
    }
    if (sides > 0)
        report_turns_row(section->out, repeats, n, width);
    else if (section->style->wide)
        return;
    else if (report_row_of(&row, repeats, n) < 0)
        section->out->failed = true;
    else
        report_table_row(section->out, &row, width);
}

void report_tree_row(struct text *out, struct result *const *repeats, unsigned n,
                     const struct report_style *style)
{
    if (n == 0 || style->format == REPORT_JSON)
        return;
    if (style->format == REPORT_CSV) {
        for (unsigned i = 0; i < n; i++)
            report_csv_rows(out, repeats[i]);
    } else if (style->classic) {
        if (!report_classic_row_waits(repeats[0]))
            report_classic_row(out, repeats, n, report_width(style));
    } else {
        struct section section = {out, style};
        text_row(&section, repeats, n);
    }
}

void report_tree_foot(struct text *out, struct result *const *results, unsigned n,
                      const struct report_style *style)
{
    /* An array can only be closed when all of it is known, so JSON comes whole, and last. */
    if (style->format == REPORT_JSON)
        out->failed = report_json_array(out, results, n, NULL) < 0 || out->failed;
    else if (style->format == REPORT_CSV)
        return;
    else if (style->classic)
        report_classic_foot(out, results, n, report_width(style));
    else
        report_table_foot(out, results, n, report_width(style));
}

static bool is_tree(const struct result *r)
{
    return strcmp(r->study, "dirtest") == 0 || strcmp(r->study, "readtest") == 0;
}

static bool is_limits(const struct result *r)
{
    return strcmp(r->study, "limits") == 0;
}

bool report_is_run(const struct result *r)
{
    return strcmp(r->study, "run") == 0 || strcmp(r->study, "array-test") == 0;
}

static bool is_prose(enum report_format format)
{
    return format == REPORT_TEXT || format == REPORT_MD;
}

static int check_together(struct result *const *results, unsigned n,
                          const struct report_style *style, struct err *err)
{
    if (n == 0)
        return err_set(err, -EINVAL, "no results to report");
    for (unsigned i = 1; i < n; i++) {
        if (strcmp(results[i]->study_id, results[0]->study_id) != 0 ||
            strcmp(results[i]->study, results[0]->study) != 0)
            return err_set(err, -EINVAL, "results of two studies, %s and %s, are not one report",
                           results[0]->study_id, results[i]->study_id);
    }
    if (style->classic && is_prose(style->format) && !is_tree(results[0]))
        return err_set(err, -EINVAL,
                       "the classic form is one of dirtest and readtest; %s is a study of %s",
                       results[0]->study_id, results[0]->study);
    if (style->filebench && is_prose(style->format) && !report_is_run(results[0]))
        return err_set(err, -EINVAL, "filebench's lines are of workload files; %s is a study of %s",
                       results[0]->study_id, results[0]->study);
    if (style->classic && is_prose(style->format) && report_sides(results, n) > 0)
        return err_set(err, -EINVAL, "the classic form is of one target; those of %s took turns",
                       results[0]->study_id);
    return 0;
}

static void take_row(void *ctx, struct result *const *repeats, unsigned n)
{
    struct section *section = ctx;

    report_tree_row(section->out, repeats, n, section->style);
}

/* A table printed while measuring is the table that is printed again later. */
static int tree_study(struct text *out, struct result *const *results, unsigned n,
                      const struct report_style *style)
{
    struct section section = {out, style};
    int rc;

    report_tree_head(out, results, n, style);
    rc = report_rows_each(results, n, NULL, take_row, &section);
    report_tree_foot(out, results, n, style);
    return rc;
}

static int text_study(struct text *out, struct result *const *results, unsigned n,
                      const struct report_style *style)
{
    if (is_tree(results[0]))
        return tree_study(out, results, n, style);
    if (report_is_run(results[0]) && style->filebench)
        for (unsigned i = 0; i < n; i++)
            report_run_filebench(out, results[i], style);
    else if (report_is_run(results[0]))
        report_run_text(out, results, n, report_width(style));
    else
        report_io_text(out, results, n, report_width(style));
    return 0;
}

int report_study(struct text *out, struct result *const *results, unsigned n,
                 const struct report_style *style, struct err *err)
{
    int rc = check_together(results, n, style, err);

    if (rc < 0)
        return rc;
    if (is_limits(results[0]) && !style->one_run)
        return report_limits(out, results, n, style, err);
    switch (style->format) {
    case REPORT_JSON:
        return report_json_array(out, results, n, err);
    case REPORT_CSV:
        report_csv_head(out);
        for (unsigned i = 0; i < n; i++)
            report_csv_rows(out, results[i]);
        return 0;
    case REPORT_TEXT:
    case REPORT_MD:
        break;
    }
    rc = text_study(out, results, n, style);
    return rc < 0 ? err_set(err, rc, "out of memory for the report") : 0;
}
