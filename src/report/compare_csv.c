#include "report/compare_forms_priv.h"
#include "report/csv_priv.h"

void report_compare_csv_head(struct text *out)
{
    text_add(out, "a,b,row,metric,n_a,n_b,mean_a,mean_b,change_frac,low_frac,high_frac,"
                  "half_frac,noise,drifts_a,drifts_b,word,reason\n");
}

static void put_cell(struct text *out, const struct comparison *c, const struct compare_row *row,
                     enum rows_metric metric)
{
    const struct compare_cell *cell = &row->cell[metric];
    const struct change *change = &cell->change;
    bool both = cell->word != COMPARE_NOT;
    bool interval = both && report_has_interval(change);
    struct report_csv rec = {.out = out};

    report_csv_field(&rec, c->a.name);
    report_csv_field(&rec, c->b.name);
    report_csv_field(&rec, row->name);
    report_csv_field(&rec, rows_metric_name(metric));
    report_csv_count(&rec, cell->n_a);
    report_csv_count(&rec, cell->n_b);
    report_csv_number(&rec, cell->n_a > 0, change->mean_a);
    report_csv_number(&rec, cell->n_b > 0, change->mean_b);
    report_csv_number(&rec, both, change->frac);
    report_csv_number(&rec, interval, change->low);
    report_csv_number(&rec, interval, change->high);
    report_csv_number(&rec, interval, change->half_frac);
    report_csv_field(&rec, both ? report_noise_word(change->noise) : "");
    report_csv_field(&rec, cell->drifts_a ? "yes" : "no");
    report_csv_field(&rec, cell->drifts_b ? "yes" : "no");
    report_csv_field(&rec, compare_word_name(cell->word));
    report_csv_field(&rec, cell->reason);
    text_add(out, "\n");
}

void report_compare_csv(struct text *out, const struct compare_pair *pair,
                        const struct compare_style *style)
{
    for (unsigned m = 0; m < style->metrics; m++) {
        for (unsigned i = 0; i < pair->comparison.rows; i++)
            put_cell(out, &pair->comparison, &pair->comparison.row[i], style->metric[m]);
    }
}
