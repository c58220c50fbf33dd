#include "script/scope_priv.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS_MAX 3

struct parameter {
    const char *name;
    double otherwise;
};

static const struct family {
    const char *type;
    enum draw_kind kind;
    struct parameter parameter[PARAMETERS_MAX]; /* in the order of struct draw */
} families[] = {
    {"cvar-erlang", DRAW_ERLANG, {{"shape", 1}, {"rate", 1}}},
    {"cvar-exponential", DRAW_EXPONENTIAL, {{"mean", 1}}},
    {"cvar-gamma", DRAW_GAMMA, {{"gamma", 1.5}, {"mean", 4096}}},
    {"cvar-lognormal", DRAW_LOGNORMAL, {{"scale", 1}, {"shape", 1}}},
    {"cvar-normal", DRAW_NORMAL, {{"mean", 0}, {"sigma", 1}}},
    {"cvar-triangular", DRAW_TRIANGULAR, {{"lower", 0}, {"upper", 1}, {"mode", 0.5}}},
    {"cvar-uniform", DRAW_UNIFORM, {{"lower", 0}, {"upper", 1}}},
    {"cvar-weibull", DRAW_WEIBULL, {{"shape", 1}, {"scale", 1}}},
};

static const struct family *find_family(const char *type)
{
    for (unsigned i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].type, type) == 0)
            return &families[i];
    return NULL;
}

/* What is asked for; members NULL or not given where the defaults hold. */
struct wish {
    const char *type;
    const char *parameters;
    double limit[3]; /* min, max, round */
    bool given[3];
};

static int wish_word(struct scope *scope, const struct lang_value *tree, const char *field,
                     struct lang_remarks *remarks, const char **out)
{
    struct value value = {0};
    int rc = scope_value(scope, tree, remarks, &value);
    if (rc == 0 && value.kind != VALUE_TEXT) {
        lang_error(remarks, tree->at, "%s of a custom variable is a text", field);
        return -EINVAL;
    }
    *out = value.text;
    return rc;
}

static int read_wish(struct scope *scope, const struct lang_value *definition,
                     const struct variable *variable, struct lang_remarks *remarks, struct wish *w)
{
    static const char *const limits[] = {"min", "max", "round"};
    const struct lang_value *type = variable_attr(definition, variable, "type");
    const struct lang_value *parameters = variable_attr(definition, variable, "parameters");
    if (!type) {
        lang_error(remarks, definition->at, "a custom variable needs a type, such as cvar-gamma");
        return -EINVAL;
    }
    int rc = wish_word(scope, type, "type", remarks, &w->type);
    if (rc == 0 && parameters)
        rc = wish_word(scope, parameters, "parameters", remarks, &w->parameters);
    for (unsigned i = 0; rc == 0 && i < 3; i++) {
        const struct lang_value *tree = variable_attr(definition, variable, limits[i]);
        struct value value = {0};
        if (!tree)
            continue;
        rc = scope_value(scope, tree, remarks, &value);
        if (rc == 0)
            w->limit[i] = (double)value_count(scope, &value, limits[i], remarks);
        w->given[i] = true;
    }
    return rc;
}

static int bad_parameter(struct lang_pos at, const char *pair, size_t len,
                         const struct family *family, struct lang_remarks *remarks)
{
    const struct parameter *p = family->parameter;
    lang_error(remarks, at,
               "\"%.*s\" is no parameter of %s: name:number of %s%s%s%s%s was expected", (int)len,
               pair, family->type, p[0].name, p[1].name ? ", " : "", p[1].name ? p[1].name : "",
               p[2].name ? ", " : "", p[2].name ? p[2].name : "");
    return -EINVAL;
}

/* "mean:16384", up to `end`; the number of the parameter, or −1. */
static int read_pair(const char *pair, size_t len, const struct family *family, double *out)
{
    const char *colon = memchr(pair, ':', len);
    char number[64];
    if (!colon)
        return -1;
    size_t name = (size_t)(colon - pair);
    size_t digits = len - name - 1;
    if (digits == 0 || digits >= sizeof number)
        return -1;
    memcpy(number, colon + 1, digits);
    number[digits] = '\0';
    char *rest = NULL;
    *out = strtod(number, &rest);
    if (*rest != '\0')
        return -1;
    for (int i = 0; i < PARAMETERS_MAX && family->parameter[i].name; i++)
        if (strlen(family->parameter[i].name) == name &&
            memcmp(family->parameter[i].name, pair, name) == 0)
            return i;
    return -1;
}

static int read_parameters(struct lang_pos at, const char *list, const struct family *family,
                           double value[PARAMETERS_MAX], struct lang_remarks *remarks)
{
    for (unsigned i = 0; i < PARAMETERS_MAX; i++)
        value[i] = family->parameter[i].otherwise;
    while (list && *(list += strspn(list, " \t\r\n")) != '\0') {
        double number = 0;
        size_t len = strcspn(list, ";");
        if (len > 0) {
            int i = read_pair(list, len, family, &number);
            if (i < 0)
                return bad_parameter(at, list, len, family, remarks);
            value[i] = number;
        }
        list += len;
        list += *list == ';';
    }
    return 0;
}

static bool goes_below_0(const struct draw *draw)
{
    return draw->kind == DRAW_NORMAL ||
           ((draw->kind == DRAW_UNIFORM || draw->kind == DRAW_TRIANGULAR) && draw->a < 0);
}

/* Nothing below 0 has a meaning for what is drawn here. */
static void limit_draw(struct draw *draw, const struct wish *w)
{
    draw->round = w->limit[2];
    if (!w->given[0] && !w->given[1] && !goes_below_0(draw))
        return;
    draw->min = w->given[0] ? w->limit[0] : 0;
    draw->max = w->given[1] ? w->limit[1] : DBL_MAX;
}

int cvar_value(struct scope *scope, const struct lang_value *definition,
               const struct variable *variable, struct lang_remarks *remarks, struct value *out)
{
    struct wish w = {0};
    double p[PARAMETERS_MAX];
    int rc = read_wish(scope, definition, variable, remarks, &w);
    if (rc < 0)
        return rc;
    const struct family *family = find_family(w.type);
    if (!family) {
        lang_error(remarks, definition->at,
                   "there is no custom variable %s: cvar-erlang, -exponential, -gamma, -lognormal, "
                   "-normal, -triangular, -uniform or -weibull was expected",
                   w.type);
        return -EINVAL;
    }
    rc = read_parameters(definition->at, w.parameters, family, p, remarks);
    if (rc < 0)
        return rc;
    if (w.given[0] && w.given[1] && w.limit[0] > w.limit[1]) {
        lang_error(remarks, definition->at, "min %.0f is above max %.0f", w.limit[0], w.limit[1]);
        return -EINVAL;
    }
    struct draw *draw = calloc(1, sizeof *draw);
    if (!draw)
        return -ENOMEM;
    draw->kind = family->kind;
    draw->a = p[0];
    draw->b = family->kind == DRAW_GAMMA ? p[1] / p[0] : p[1];
    draw->c = p[2];
    limit_draw(draw, &w);
    rc = scope_draw(scope, definition->at, draw, "custom variable", remarks, out);
    free(draw);
    return rc;
}
