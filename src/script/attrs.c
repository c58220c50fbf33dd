#include "script/scope_priv.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

bool value_parse_count(const char *text, uint64_t *out)
{
    static const char suffixes[] = "kmgt";
    uint64_t n = 0;
    const char *p = text;
    if (!isdigit((unsigned char)*p))
        return false;
    for (; isdigit((unsigned char)*p); p++)
        if (__builtin_mul_overflow(n, 10u, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
            return false;
    if (*p != '\0') {
        const char *suffix = strchr(suffixes, tolower((unsigned char)*p));
        if (!suffix || p[1] != '\0')
            return false;
        for (const char *s = suffixes; s <= suffix; s++)
            if (__builtin_mul_overflow(n, 1024u, &n))
                return false;
    }
    if (n > INT64_MAX)
        return false;
    *out = n;
    return true;
}

/* "1.5m", "4kb", "-1": not a name that stands where a number should. */
static bool is_meant_as_number(const char *text)
{
    return isdigit((unsigned char)text[strspn(text, "+-.")]);
}

/* Once, where only one number can be used. From the place it is asked at, so that the same file
 * and seed always give the same one. */
static uint64_t draw_once(const struct scope *scope, const struct value *value)
{
    uint64_t place = (uint64_t)value->at.line << 32 | value->at.column;
    struct rng rng;
    rng_seed(&rng, mix64_pair(mix64_pair(scope->world->o->seed, value->at.file), place));
    return draw_count(value->draw, &rng);
}

uint64_t value_count(struct scope *scope, const struct value *value, const char *what,
                     struct lang_remarks *remarks)
{
    uint64_t n = 0;
    switch (value->kind) {
    case VALUE_INT:
        return value->integer;
    case VALUE_DRAW:
        return draw_once(scope, value);
    case VALUE_TEXT:
        if (value_parse_count(value->text, &n))
            return n;
        if (value->typed || is_meant_as_number(value->text)) {
            lang_error(
                remarks, value->at,
                "%s: '%.40s' was found%s%s, a whole number up to 9223372036854775807 with at "
                "most one of k m g t was expected",
                what, value->text, value->typed ? " " : "",
                value->typed ? scope_set_where(scope) : "");
            return 0;
        }
        lang_warn(remarks, value->at, "%s: \"%s\" is no number, 0 is taken", what, value->text);
        return 0;
    case VALUE_BOOL:
        lang_warn(remarks, value->at, "%s: %s is no number, 0 is taken", what,
                  value->boolean ? "true" : "false");
        return 0;
    case VALUE_UNSET:
        break;
    }
    return 0;
}

bool value_flag(struct scope *scope, const struct value *value, const char *what,
                struct lang_remarks *remarks)
{
    switch (value->kind) {
    case VALUE_BOOL:
        return value->boolean;
    case VALUE_INT:
        return value->integer != 0;
    case VALUE_DRAW:
        return draw_once(scope, value) != 0;
    case VALUE_TEXT:
        if (strcmp(value->text, "true") == 0)
            return true;
        if (strcmp(value->text, "false") != 0)
            lang_warn(remarks, value->at, "%s: \"%s\" is neither true nor false, false is taken",
                      what, value->text);
        return false;
    case VALUE_UNSET:
        break;
    }
    return false;
}

/* 1: it is there, 0: it is not. */
static int attr_value(struct scope *scope, const struct lang_attrs *attrs, const char *name,
                      struct lang_remarks *remarks, struct value *out)
{
    const struct lang_attr *attr = lang_attr_find(attrs, name);
    if (!attr)
        return 0;
    if (!attr->given) {
        *out = (struct value){.kind = VALUE_BOOL, .at = attr->at, .boolean = true};
        return 1;
    }
    int rc = scope_value(scope, &attr->value, remarks, out);
    return rc < 0 ? rc : 1;
}

int value_number(struct scope *scope, const struct value *value, const char *what,
                 struct lang_remarks *remarks, uint64_t *out)
{
    unsigned errors = remarks->errors;
    *out = value_count(scope, value, what, remarks);
    return remarks->errors > errors ? -EINVAL : 0;
}

int attr_count(struct scope *scope, const struct lang_attrs *attrs, const char *name,
               uint64_t otherwise, struct lang_remarks *remarks, uint64_t *out)
{
    struct value value = {0};
    int rc = attr_value(scope, attrs, name, remarks, &value);
    if (rc > 0)
        return value_number(scope, &value, name, remarks, out);
    *out = otherwise;
    return rc;
}

int attr_flag(struct scope *scope, const struct lang_attrs *attrs, const char *name, bool otherwise,
              struct lang_remarks *remarks, bool *out)
{
    struct value value = {0};
    int rc = attr_value(scope, attrs, name, remarks, &value);
    if (rc < 0)
        return rc;
    *out = rc == 0 ? otherwise : value_flag(scope, &value, name, remarks);
    return 0;
}

static bool has_control(const char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            return true;
    return false;
}

int attr_word(struct scope *scope, const struct lang_attrs *attrs, const char *name,
              struct lang_remarks *remarks, const char **out)
{
    struct value value = {0};
    int rc = attr_value(scope, attrs, name, remarks, &value);
    if (rc < 0)
        return rc;
    *out = NULL;
    if (rc == 0)
        return 0;
    if (value.kind == VALUE_DRAW) {
        lang_error(remarks, value.at, "%s is a %s: a name was expected", name, value.text);
        return -EINVAL;
    }
    struct text text;
    text_init(&text);
    value_print(&value, &text);
    if (strcmp(name, "name") == 0 && has_control(text.s)) {
        lang_error(remarks, value.at,
                   "a name with a tab or the end of a line in it: reports could "
                   "not show it");
        text_fini(&text);
        return -EINVAL;
    }
    if (!text.failed)
        *out = scope_keep_text(scope, text.s);
    text_fini(&text);
    return *out ? 0 : -ENOMEM;
}

int attr_number(struct scope *scope, const struct lang_attrs *attrs, const char *name,
                uint64_t otherwise, struct lang_remarks *remarks, uint64_t *count,
                const struct draw **draw)
{
    struct value value = {0};
    int rc = attr_value(scope, attrs, name, remarks, &value);
    if (rc < 0)
        return rc;
    *draw = rc > 0 && value.kind == VALUE_DRAW ? value.draw : NULL;
    *count = otherwise;
    return rc > 0 && !*draw ? value_number(scope, &value, name, remarks, count) : 0;
}
