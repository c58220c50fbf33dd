/* The text format of Prometheus, taken apart: a metric a line. Types and help are not needed: what a name means
 * stands in metrics.c. */
#include "probe/metrics_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX  60 /* of a line that is none */
#define FIRST_ROOM 256

static size_t name_len(const char *text)
{
    size_t len = 0;

    while (isalnum((unsigned char)text[len]) || text[len] == '_' || text[len] == ':')
        len++;
    return isdigit((unsigned char)text[0]) ? 0 : len;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Behind the opening quote; what stands behind the closing one. */
static const char *parse_value(const char *at, char value[METRIC_LABEL_MAX])
{
    size_t n = 0;

    for (; *at != '"'; at++) {
        char c = *at;

        if (c == '\\' && at[1] != '\0')
            c = *++at == 'n' ? '\n' : *at;
        if (c == '\0')
            return NULL;
        if (n + 1 < METRIC_LABEL_MAX)
            value[n++] = c;
    }
    value[n] = '\0';
    return at + 1;
}

/* Behind the '{'; what stands behind the '}'. */
static const char *parse_labels(const char *at, struct metric_name *out)
{
    struct metric_label spare;

    for (at = skip_blanks(at); *at != '}';) {
        struct metric_label *label =
            out->labels < METRIC_LABELS_MAX ? &out->label[out->labels++] : &spare;

        label->name = at;
        label->len = name_len(at);
        at = skip_blanks(at + label->len);
        if (label->len == 0 || *at != '=' || *(at = skip_blanks(at + 1)) != '"')
            return NULL;
        at = parse_value(at + 1, label->value);
        if (at == NULL)
            return NULL;
        at = skip_blanks(at);
        if (*at == ',')
            at = skip_blanks(at + 1);
        else if (*at != '}')
            return NULL;
    }
    return at + 1;
}

const char *metric_key_parse(const char *key, struct metric_name *out)
{
    *out = (struct metric_name){.name = key, .len = name_len(key)};
    if (out->len == 0)
        return NULL;
    key += out->len;
    return *key == '{' ? parse_labels(key + 1, out) : key;
}

const char *metric_label(const struct metric_name *metric, const char *name)
{
    for (unsigned i = 0; i < metric->labels; i++) {
        const struct metric_label *label = &metric->label[i];

        if (strncmp(label->name, name, label->len) == 0 && name[label->len] == '\0')
            return label->value;
    }
    return "";
}

/* ---- a text ---- */

static int no_metric(const char *line, unsigned number, struct err *err)
{
    return err_set(err, -EINVAL, "line %u is no metric: %.*s%s", number,
                   (int)strnlen(line, SHOWN_MAX), line, strlen(line) > SHOWN_MAX ? "..." : "");
}

static bool add(struct probe_text *text, unsigned *room, const struct probe_metric *metric)
{
    if (text->n == *room) {
        unsigned more = *room > 0 ? 2 * *room : FIRST_ROOM;
        struct probe_metric *grown = realloc(text->metric, more * sizeof *grown);

        if (grown == NULL)
            return false;
        text->metric = grown;
        *room = more;
    }
    text->metric[text->n++] = *metric;
    return true;
}

/* A value, and a time that nobody asked for: what was told is told now. */
static bool parse_rest(const char *at, double *value)
{
    char *end;

    at = skip_blanks(at);
    *value = strtod(at, &end);
    if (end == at || (*end != '\0' && *end != ' ' && *end != '\t'))
        return false;
    at = skip_blanks(end);
    at += *at == '-' && isdigit((unsigned char)at[1]);
    at += strspn(at, "0123456789.");
    return *skip_blanks(at) == '\0';
}

/* `line` is ended; its key is ended in place. */
static int take_line(struct probe_text *text, unsigned *room, char *line, unsigned number,
                     struct err *err)
{
    struct metric_name name;
    struct probe_metric metric = {.key = skip_blanks(line)};
    size_t len = strlen(line);

    if (len > 0 && line[len - 1] == '\r')
        line[len - 1] = '\0';
    if (*metric.key == '\0' || *metric.key == '#')
        return 0;
    const char *behind = metric_key_parse(metric.key, &name);
    if (behind == NULL || (*behind != ' ' && *behind != '\t') || !parse_rest(behind, &metric.value))
        return no_metric(line, number, err);
    line[behind - line] = '\0';
    return add(text, room, &metric) ? 0 : err_set(err, -ENOMEM, "no memory for metrics");
}

int probe_text_parse(const char *text, size_t len, struct probe_text *out, struct err *err)
{
    struct probe_text all = {.text = malloc(len + 1)};
    unsigned room = 0, number = 0;
    int rc = 0;

    if (all.text == NULL)
        return err_set(err, -ENOMEM, "no memory for metrics");
    memcpy(all.text, text, len);
    all.text[len] = '\0';
    if (memchr(text, '\0', len) != NULL)
        rc = err_set(err, -EINVAL, "a NUL is no text of metrics");
    for (char *line = all.text; rc == 0 && line < all.text + len;) {
        char *eol = strchr(line, '\n');
        char *next = eol != NULL ? eol + 1 : all.text + len;

        if (eol != NULL)
            *eol = '\0';
        rc = take_line(&all, &room, line, ++number, err);
        line = next;
    }
    if (rc < 0)
        probe_text_free(&all);
    else
        *out = all;
    return rc;
}

void probe_text_free(struct probe_text *text)
{
    free(text->metric);
    free(text->text);
    *text = (struct probe_text){0};
}
