#include "report/compare_forms_priv.h"

static void json_list(struct text *out, const struct compare_pair *pair, unsigned pairs,
                      const struct compare_style *style)
{
    text_add(out, "[");
    for (unsigned i = 0; i < pairs; i++) {
        text_add(out, i ? ",\n" : "\n");
        report_compare_json(out, &pair[i], style);
    }
    text_add(out, "\n]\n");
}

void report_compare(struct text *out, const struct compare_pair *pair, unsigned pairs,
                    const struct compare_style *style)
{
    if (style->format == REPORT_JSON) {
        json_list(out, pair, pairs, style);
        return;
    }
    if (style->format == REPORT_CSV)
        report_compare_csv_head(out);
    for (unsigned i = 0; i < pairs; i++) {
        if (style->format == REPORT_CSV) {
            report_compare_csv(out, &pair[i], style);
            continue;
        }
        text_add(out, i ? "\n" : "");
        report_compare_text(out, &pair[i], style);
    }
}
