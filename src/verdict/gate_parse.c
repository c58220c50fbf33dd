#include "verdict/gate.h"

#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 256
#define ACCEPT                                                                                     \
    "give a metric and a change or a limit, as 'p99 +10%' or 'row:4 KiB write.p99 > 20ms'"

/* The text in its three parts, blanks around them taken away. */
struct parts {
    char left[TEXT_MAX];
    char op;
    char right[TEXT_MAX];
};

static void copy_trimmed(char *to, const char *from, size_t len)
{
    while (len > 0 && isspace((unsigned char)*from)) {
        from++;
        len--;
    }
    while (len > 0 && isspace((unsigned char)from[len - 1]))
        len--;
    memcpy(to, from, len);
    to[len] = '\0';
}

/* A row's name may hold these signs, what follows the metric holds one. */
static int split(const char *text, struct parts *out, struct err *err)
{
    size_t len = strlen(text), at = len;

    if (len >= TEXT_MAX)
        return err_set(err, -EINVAL, "a gate of %zu characters: %s", len, ACCEPT);
    while (at > 0 && !strchr("+-<>", text[at - 1]))
        at--;
    if (at == 0)
        return err_set(err, -EINVAL, "gate \"%s\" has neither a sign nor < or >: %s", text, ACCEPT);
    out->op = text[at - 1];
    copy_trimmed(out->left, text, at - 1);
    copy_trimmed(out->right, text + at, len - at);
    return 0;
}

/* "NAME.METRIC", where both may hold dots: the metric is the longest that it ends with. */
static int parse_row(const char *left, struct gate *gate, struct err *err)
{
    size_t len = strlen(left);
    const char *dot = strrchr(left, '.');

    for (unsigned m = 0; m < ROWS_METRICS; m++) {
        const char *metric = rows_metric_name((enum rows_metric)m);
        size_t tail = strlen(metric) + 1;
        if (len < tail || left[len - tail] != '.' || strcmp(left + len - tail + 1, metric) != 0)
            continue;
        if (len - tail >= ROWS_NAME_MAX)
            return err_set(err, -EINVAL, "row \"%s\": no row has so long a name", left);
        copy_trimmed(gate->row, left, len - tail);
        if (gate->row[0] == '\0')
            return err_set(err, -EINVAL, "\"row:%s\" names no row: %s", left, ACCEPT);
        gate->metric = (enum rows_metric)m;
        return 0;
    }
    if (!dot)
        return err_set(err, -EINVAL, "gate \"row:%s\" names no metric: %s", left, ACCEPT);
    return rows_metric_find(dot + 1, strlen(dot + 1), &gate->metric, err);
}

static int parse_left(const char *left, struct gate *gate, struct err *err)
{
    static const char head[] = "row:";

    gate->all_rows = strncmp(left, head, sizeof head - 1) != 0;
    if (gate->all_rows)
        return rows_metric_find(left, strlen(left), &gate->metric, err);
    return parse_row(left + sizeof head - 1, gate, err);
}

static int refuse_direction(const struct gate *gate, const char *is, const char *accepted,
                            struct err *err)
{
    const char *metric = rows_metric_name(gate->metric);

    return err_set(err, -EINVAL, "gate \"%s\": %s %s is better, and a gate fails what is worse: %s",
                   gate->text, is, metric, accepted);
}

/* Digits, at most one dot, and a per cent sign. */
static bool parse_percent(const char *text, double *out)
{
    size_t digits = strspn(text, "0123456789");
    size_t dot = text[digits] == '.';
    size_t len = digits + dot + (dot ? strspn(text + digits + 1, "0123456789") : 0);
    const char *rest = text + len;

    rest += *rest == ' ';
    if (digits == 0 || len > 12 || (dot && len == digits + 1) || strcmp(rest, "%") != 0)
        return false;
    *out = strtod(text, NULL);
    return true;
}

static int parse_change(const struct parts *parts, struct gate *gate, struct err *err)
{
    double percent;
    char accepted[64];

    if (!parse_percent(parts->right, &percent) || percent <= 0)
        return err_set(err, -EINVAL, "gate \"%s\": \"%c%s\" is not a change: give one as %c10%%",
                       gate->text, parts->op, parts->right, parts->op);
    gate->relative = true;
    gate->threshold = percent / 100;
    snprintf(accepted, sizeof accepted, "'%s %c%.20s'", rows_metric_name(gate->metric),
             gate->above ? '+' : '-', parts->right);
    if ((parts->op == '+') != gate->above)
        return refuse_direction(gate, gate->above ? "less" : "more", accepted, err);
    if (!gate->above && gate->threshold >= 1)
        return err_set(err, -EINVAL, "gate \"%s\" can never fail: give less than 100 %%",
                       gate->text);
    return 0;
}

static int parse_time(const char *text, double *out, struct err *err)
{
    uint64_t ns = 0;

    if (text[0] && isdigit((unsigned char)text[strlen(text) - 1]))
        return err_set(err, -EINVAL, "\"%s\" has no unit: give ns us ms or s as 20ms", text);
    int rc = units_parse_ns(text, &ns, err);
    *out = (double)ns;
    return rc;
}

static int parse_bytes(const char *text, double *out, struct err *err)
{
    char bytes[TEXT_MAX];
    size_t len = strlen(text);
    uint64_t n = 0;

    if (len >= 2 && strcmp(text + len - 2, "/s") == 0)
        len -= 2;
    copy_trimmed(bytes, text, len);
    int rc = units_parse_bytes(bytes, &n, err);
    *out = (double)n;
    return rc;
}

static int parse_value(const struct gate *gate, const char *text, double *out, struct err *err)
{
    if (gate->metric == ROWS_OPS)
        return units_parse_rate(text, out, err);
    if (gate->metric == ROWS_BYTES)
        return parse_bytes(text, out, err);
    return parse_time(text, out, err);
}

static int parse_limit(const struct parts *parts, struct gate *gate, struct err *err)
{
    char accepted[64];
    int rc = parse_value(gate, parts->right, &gate->threshold, err);

    if (rc == -ERANGE && err)
        err->code = -EINVAL;
    if (rc < 0) {
        err_prefix(err, "gate \"%s\"", gate->text);
        return -EINVAL;
    }
    if (gate->threshold <= 0)
        return err_set(err, -EINVAL, "gate \"%s\": the limit must be above 0", gate->text);
    snprintf(accepted, sizeof accepted, "'%s %c %.20s'", rows_metric_name(gate->metric),
             gate->above ? '>' : '<', parts->right);
    if ((parts->op == '>') != gate->above)
        return refuse_direction(gate, gate->above ? "less" : "more", accepted, err);
    return 0;
}

int gate_parse(const char *text, struct gate *out, struct err *err)
{
    struct gate gate = {.text = text};
    struct parts parts;
    int rc = split(text, &parts, err);

    if (rc < 0)
        return rc;
    rc = parse_left(parts.left, &gate, err);
    if (rc < 0) {
        err_prefix(err, "gate \"%s\"", text);
        return rc;
    }
    gate.above = !rows_metric_more_is_better(gate.metric);
    rc = parts.op == '+' || parts.op == '-' ? parse_change(&parts, &gate, err)
                                            : parse_limit(&parts, &gate, err);
    if (rc == 0)
        *out = gate;
    return rc;
}
