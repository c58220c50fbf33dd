#include "script/scope_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MILLI         1000.0
#define GAMMA_DEFAULT 1500

/* What is asked of a random variable, before it is a distribution. */
struct wish {
    struct lang_pos at;
    const char *type;
    double min;
    double mean;
    bool mean_given;
    uint64_t gamma;
    double round;
    const struct lang_value *table;
};

bool randvar_has_field(const char *field)
{
    static const char *const fields[] = {"type", "randsrc", "seed", "min",
                                         "mean", "gamma",   "round"};
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i], field) == 0)
            return true;
    return false;
}

const struct lang_value *variable_attr(const struct lang_value *definition,
                                       const struct variable *variable, const char *field)
{
    for (unsigned i = 0; variable && i < variable->overrides; i++)
        if (strcmp(variable->override[i].field, field) == 0)
            return variable->override[i].value;
    const struct lang_attr *attr = lang_attr_find(&definition->attrs, field);
    return attr && attr->given ? &attr->value : NULL;
}

int scope_draw(struct scope *scope, struct lang_pos at, struct draw *draw, const char *shown,
               struct lang_remarks *remarks, struct value *out)
{
    struct err err = {0};
    if (draw_check(draw, &err) < 0) {
        lang_error(remarks, at, "%s: %s", shown, err.text);
        return -EINVAL;
    }
    *out = (struct value){.kind = VALUE_DRAW, .at = at, .text = shown};
    out->draw = scope_keep_draw(scope, draw);
    return out->draw ? 0 : -ENOMEM;
}

/* 1: it is there. */
static int field_count(struct scope *scope, const struct lang_value *definition,
                       const struct variable *variable, const char *field,
                       struct lang_remarks *remarks, uint64_t *out)
{
    const struct lang_value *tree = variable_attr(definition, variable, field);
    struct value value = {0};
    if (!tree)
        return 0;
    int rc = scope_value(scope, tree, remarks, &value);
    if (rc < 0)
        return rc;
    *out = value_count(scope, &value, field, remarks);
    return 1;
}

static int field_word(struct scope *scope, const struct lang_value *definition,
                      const struct variable *variable, const char *field, const char *otherwise,
                      struct lang_remarks *remarks, const char **out)
{
    const struct lang_value *tree = variable_attr(definition, variable, field);
    struct value value = {0};
    *out = otherwise;
    if (!tree)
        return 0;
    int rc = scope_value(scope, tree, remarks, &value);
    if (rc == 0 && value.kind != VALUE_TEXT) {
        lang_error(remarks, tree->at, "%s of a random variable is a name", field);
        return -EINVAL;
    }
    *out = value.text;
    return rc;
}

static int wish_numbers(struct scope *scope, const struct lang_value *definition,
                        const struct variable *variable, struct lang_remarks *remarks,
                        struct wish *w)
{
    uint64_t n[5] = {0, 0, GAMMA_DEFAULT, 0, 0};
    static const char *const field[] = {"min", "mean", "gamma", "round", "seed"};
    bool given[5] = {false};
    for (unsigned i = 0; i < 5; i++) {
        int rc = field_count(scope, definition, variable, field[i], remarks, &n[i]);
        if (rc < 0)
            return rc;
        given[i] = rc > 0;
    }
    w->min = (double)n[0];
    w->mean = (double)n[1];
    w->mean_given = given[1];
    w->gamma = n[2];
    w->round = (double)n[3];
    if (n[4] != 0)
        lang_warn(remarks, definition->at,
                  "seed is not heeded: every stream draws from the seed of the run");
    return 0;
}

static int wish_words(struct scope *scope, const struct lang_value *definition,
                      const struct variable *variable, struct lang_remarks *remarks, struct wish *w)
{
    const char *source = NULL;
    int rc = field_word(scope, definition, variable, "type", "gamma", remarks, &w->type);
    if (rc == 0)
        rc = field_word(scope, definition, variable, "randsrc", "rand48", remarks, &source);
    if (rc < 0)
        return rc;
    if (strcmp(source, "rand48") != 0 && strcmp(source, "urandom") != 0) {
        lang_error(remarks, definition->at, "randsrc=%s: rand48 or urandom was expected", source);
        return -EINVAL;
    }
    w->table = variable_attr(definition, variable, "randtable");
    if (w->table)
        w->type = "tabular";
    return 0;
}

/* ---- the three kinds ---- */

static int below_min(const struct wish *w, struct lang_remarks *remarks)
{
    lang_error(remarks, w->at, "mean %.0f is below min %.0f", w->mean, w->min);
    return -EINVAL;
}

static void always(struct draw *draw, double value)
{
    draw->kind = DRAW_FIXED;
    draw->a = value;
}

static int uniform_draw(const struct wish *w, struct lang_remarks *remarks, struct draw *draw)
{
    if (w->mean < w->min)
        return below_min(w, remarks);
    if (w->mean == w->min) {
        always(draw, w->min);
        return 0;
    }
    draw->kind = DRAW_UNIFORM;
    draw->a = w->min;
    draw->b = w->min + 2 * (w->mean - w->min);
    return 0;
}

static int gamma_draw(const struct wish *w, struct lang_remarks *remarks, struct draw *draw)
{
    double shape = (double)w->gamma / MILLI;
    struct wish own = *w;
    if (!w->mean_given)
        own.mean = shape;
    if (own.mean < w->min)
        return below_min(&own, remarks);
    if (own.mean == w->min || w->gamma == 0) {
        always(draw, own.mean);
        return 0;
    }
    draw->kind = DRAW_GAMMA;
    draw->a = shape;
    draw->b = (own.mean - w->min) / shape;
    draw->offset = w->min;
    return 0;
}

static int read_table(const struct wish *w, struct lang_remarks *remarks, struct draw *draw)
{
    uint64_t percent = 0;
    if (!w->table || w->table->kind != LANG_TABLE) {
        lang_error(remarks, w->table ? w->table->at : w->at,
                   "a tabular random variable needs randtable={{percent,low,high},…}");
        return -EINVAL;
    }
    if (w->table->rows > DRAW_ROWS_MAX) {
        lang_error(remarks, w->table->at, "a table of %u rows: at most %d", w->table->rows,
                   DRAW_ROWS_MAX);
        return -EINVAL;
    }
    for (unsigned i = 0; i < w->table->rows; i++) {
        const struct lang_row *row = &w->table->row[i];
        if (row->percent > 100 || row->high < row->low) {
            lang_error(remarks, w->table->at,
                       "row %u of the table: a percentage, and a low that is not above its high",
                       i + 1);
            return -EINVAL;
        }
        percent += row->percent;
        draw->row[i].percent = (uint32_t)row->percent;
        draw->row[i].low = (double)row->low;
        draw->row[i].high = (double)row->high;
    }
    draw->rows = w->table->rows;
    if (percent == 100)
        return 0;
    lang_error(remarks, w->table->at, "the percentages of the table sum to %llu, not to 100",
               (unsigned long long)percent);
    return -EINVAL;
}

/* Stretched so that the smallest value becomes min and the mean the one asked for. */
static int tabular_draw(const struct wish *w, struct lang_remarks *remarks, struct draw *draw)
{
    int rc = read_table(w, remarks, draw);
    if (rc < 0)
        return rc;
    double least = INFINITY;
    double sum = 0;
    for (unsigned i = 0; i < draw->rows; i++) {
        least = fmin(least, draw->row[i].low);
        sum += draw->row[i].percent * (draw->row[i].low + draw->row[i].high) / 2;
    }
    struct wish own = *w;
    double of_table = sum / 100;
    if (own.mean == 0)
        own.mean = of_table;
    if (own.mean < w->min)
        return below_min(&own, remarks);
    if (of_table == least || own.mean == w->min) {
        draw->rows = 0;
        memset(draw->row, 0, sizeof draw->row);
        always(draw, w->min);
        return 0;
    }
    draw->kind = DRAW_TABULAR;
    draw->scale_by = (own.mean - w->min) / (of_table - least);
    draw->offset = w->min - least * draw->scale_by;
    return 0;
}

static int wish_draw(struct scope *scope, const struct wish *w, struct lang_remarks *remarks,
                     struct value *out)
{
    static const struct kind {
        const char *type;
        const char *shown;
        int (*draw)(const struct wish *w, struct lang_remarks *remarks, struct draw *draw);
    } kinds[] = {
        {"uniform", "uniform random var", uniform_draw},
        {"gamma", "gamma random var", gamma_draw},
        {"tabular", "tabular random var", tabular_draw},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].type, w->type) != 0)
            continue;
        struct draw *draw = calloc(1, sizeof *draw);
        if (!draw)
            return -ENOMEM;
        int rc = kinds[i].draw(w, remarks, draw);
        draw->round = w->round;
        if (rc == 0)
            rc = scope_draw(scope, w->at, draw, kinds[i].shown, remarks, out);
        free(draw);
        return rc;
    }
    lang_error(remarks, w->at,
               "a random variable of type %s: uniform, gamma or tabular was expected", w->type);
    return -EINVAL;
}

int randvar_value(struct scope *scope, const struct lang_value *definition,
                  const struct variable *variable, struct lang_remarks *remarks, struct value *out)
{
    if (definition->kind == LANG_CVAR)
        return cvar_value(scope, definition, variable, remarks, out);
    struct wish w = {.at = definition->at};
    const double *mean = scope->world->mean;
    scope->world->mean = NULL;
    int rc = wish_words(scope, definition, variable, remarks, &w);
    if (rc == 0)
        rc = wish_numbers(scope, definition, variable, remarks, &w);
    if (rc < 0)
        return rc;
    if (mean) {
        w.mean = fmax(*mean, w.min);
        w.mean_given = true;
    }
    return wish_draw(scope, &w, remarks, out);
}

/* ---- reading ---- */

int randvar_field(struct scope *scope, const struct variable *variable,
                  const struct lang_value *asked, struct lang_remarks *remarks, struct value *out)
{
    const struct lang_value *definition = variable->tree;
    if (!definition || definition->kind != LANG_RANDVAR || !randvar_has_field(asked->suffix)) {
        lang_error(remarks, asked->at, "$%s has no .%s", asked->text, asked->suffix);
        return -EINVAL;
    }
    struct wish w = {.at = asked->at};
    const struct lang_value *tree = variable_attr(definition, variable, asked->suffix);
    if (tree && strcmp(asked->suffix, "type") != 0)
        return scope_value(scope, tree, remarks, out);
    *out = (struct value){.kind = VALUE_INT, .at = asked->at};
    if (strcmp(asked->suffix, "randsrc") == 0 || strcmp(asked->suffix, "type") == 0) {
        int rc = wish_words(scope, definition, variable, remarks, &w);
        out->kind = VALUE_TEXT;
        out->text = asked->suffix[0] == 't' ? w.type : "rand48";
        return rc;
    }
    if (strcmp(asked->suffix, "gamma") == 0)
        out->integer = GAMMA_DEFAULT;
    return 0;
}
