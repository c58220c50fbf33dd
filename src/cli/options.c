#include "cli/options.h"
#include "cli/others_words.h"

#include "base/shown.h"
#include "base/units.h"

#include <errno.h>
#include <string.h>

#define NAME_MAX_BYTES 32

static void add_words(const struct option *option, const char *between, const char *last,
                      struct text *out)
{
    for (unsigned i = 0; option->words[i]; i++) {
        if (i > 0)
            text_add(out, option->words[i + 1] ? between : last);
        text_add(out, option->words[i]);
    }
}

struct scale {
    const char *unit;
    uint64_t of;
};

static const struct scale scale_bytes[] = {
    {"t", 1ull << 40}, {"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"", 1},
};
static const struct scale scale_ns[] = {
    {"d", 86400000000000}, {"h", 3600000000000}, {"m", 60000000000}, {"s", 1000000000},
    {"ms", 1000000},       {"us", 1000},         {"ns", 1},
};

/* As one would type it: in the largest unit that it is a whole number of. */
static void add_typed(struct text *out, uint64_t value, const struct scale *scale)
{
    while (value % scale->of != 0)
        scale++;
    text_addf(out, "%llu%s", (unsigned long long)(value / scale->of), scale->unit);
}

static void add_range(struct text *out, const char *what, const struct option *option,
                      const struct scale *scale)
{
    text_addf(out, "%s from ", what);
    if (option->min > 0)
        add_typed(out, option->min, scale);
    else
        text_add(out, "0");
    text_add(out, " to ");
    add_typed(out, option->max, scale);
}

void option_accepts(const struct option *option, struct text *out)
{
    switch (option->kind) {
    case OPTION_FLAG:
        text_add(out, "takes no value");
        break;
    case OPTION_TEXT:
    case OPTION_LIST:
        text_addf(out, "%llu to %llu printable characters", (unsigned long long)option->min,
                  (unsigned long long)option->max);
        break;
    case OPTION_COUNT:
        text_addf(out, "a whole number from %llu to %llu", (unsigned long long)option->min,
                  (unsigned long long)option->max);
        break;
    case OPTION_BYTES:
        add_range(out, "a size", option, scale_bytes);
        text_add(out, ", such as 4k or 1m");
        break;
    case OPTION_TIME:
        add_range(out, "a time", option, scale_ns);
        text_add(out, ", such as 0.5s or 5m");
        break;
    case OPTION_RATE:
        text_addf(out, "a rate above 0 and up to %llu/s, such as 5000/s or 0.5/s",
                  (unsigned long long)option->max);
        break;
    case OPTION_WORD:
        add_words(option, ", ", " or ", out);
        break;
    case OPTION_OWN_PARSER:
        text_add(out, option->accepts);
        break;
    }
}

void option_synopsis(const struct option *option, struct text *out)
{
    if (option->letter)
        text_addf(out, "-%c", option->letter);
    if (option->name)
        text_addf(out, "%s--%s", option->letter ? ", " : "", option->name);
    if (option->arg) {
        text_addf(out, " %s", option->arg);
    } else if (option->words) {
        text_add(out, " ");
        add_words(option, "|", "|", out);
    }
}

static int parse_rate(const struct option *option, const char *text, void *value)
{
    double rate;
    int rc = units_parse_rate(text, &rate, NULL);
    if (rc < 0)
        return rc;
    if (!(rate > 0 && rate <= (double)option->max))
        return -ERANGE;
    *(double *)value = rate;
    return 0;
}

static int parse_word(const struct option *option, const char *text, void *value)
{
    for (int i = 0; option->words[i]; i++) {
        if (strcmp(option->words[i], text) == 0) {
            *(int *)value = i;
            return 0;
        }
    }
    return -EINVAL;
}

static int parse_number(const struct option *option, const char *text, void *value)
{
    uint64_t number = 0;
    int rc = option->kind == OPTION_COUNT   ? units_parse_count(text, &number, NULL)
             : option->kind == OPTION_BYTES ? units_parse_bytes(text, &number, NULL)
                                            : units_parse_ns(text, &number, NULL);
    if (rc < 0)
        return rc;
    if (number < option->min || number > option->max)
        return -ERANGE;
    *(uint64_t *)value = number;
    return 0;
}

static int parse_text(const struct option *option, const char *text, void *value)
{
    size_t len = strlen(text);
    if (len < option->min || len > option->max || !shown_as_is(text))
        return -EINVAL;
    *(const char **)value = text;
    return 0;
}

static int parse_list(const struct option *option, const char *text, void *value, struct err *err)
{
    struct option_list *list = value;
    if (list->n == OPTION_LIST_MAX)
        return err_set(err, -EINVAL, "at most %d of them", OPTION_LIST_MAX);
    int rc = parse_text(option, text, &list->text[list->n]);
    list->n += rc == 0;
    return rc;
}

static int parse_value(const struct option *option, const char *text, void *value, struct err *err)
{
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)value = true;
        return 0;
    case OPTION_TEXT:
        return parse_text(option, text, value);
    case OPTION_LIST:
        return parse_list(option, text, value, err);
    case OPTION_COUNT:
    case OPTION_BYTES:
    case OPTION_TIME:
        return parse_number(option, text, value);
    case OPTION_RATE:
        return parse_rate(option, text, value);
    case OPTION_WORD:
        return parse_word(option, text, value);
    case OPTION_OWN_PARSER:
        return option->parse(text, value, err);
    }
    return -EINVAL;
}

static int refuse_value(const struct option *option, const char *shown, const char *text,
                        const struct err *own, struct err *err)
{
    struct text accepts;
    text_init(&accepts);
    option_accepts(option, &accepts);
    const char *why = own->code ? own->text : accepts.s;
    if (!text)
        err_set(err, -EINVAL, "%s needs a value: %s", shown, accepts.s);
    else
        err_set(err, -EINVAL, "%s %s: %s", shown, *text ? text : "''", why);
    text_fini(&accepts);
    return -EINVAL;
}

static int take_value(const struct option *option, const char *shown, const char *text,
                      void *values, struct err *err)
{
    struct err own = {0};
    if (text && parse_value(option, text, (char *)values + option->at, &own) >= 0)
        return 0;
    return refuse_value(option, shown, text, &own, err);
}

static int put_defaults(const struct option_table *const *tables, struct options_parsed *parsed,
                        struct err *err)
{
    for (unsigned t = 0; tables[t]; t++) {
        for (unsigned i = 0; i < tables[t]->n; i++) {
            const struct option *option = &tables[t]->option[i];
            if (!option->initial || tables[t]->otherwise)
                continue;
            int rc = take_value(option, option->name, option->initial, parsed->values[t], err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* Finds by name (len bytes of it) or, with len 1 and `letter`, by letter. */
static const struct option *find_option(const struct option_table *const *tables, const char *name,
                                        size_t len, bool letter, unsigned *table)
{
    for (unsigned t = 0; tables[t]; t++) {
        for (unsigned i = 0; i < tables[t]->n; i++) {
            const struct option *option = &tables[t]->option[i];
            bool same = letter ? option->letter == name[0]
                               : option->name && strlen(option->name) == len &&
                                     strncmp(option->name, name, len) == 0;
            if (same) {
                *table = t;
                return option;
            }
        }
    }
    return NULL;
}

/* NULL: no such word, or this command has nothing of the kind. */
static const struct option *by_others_word(const struct option_table *const *tables,
                                           const char *wish)
{
    const char *ours = others_word(wish);
    unsigned table = 0;
    return ours ? find_option(tables, ours, strlen(ours), ours[1] == '\0', &table) : NULL;
}

static int refuse_unknown(const struct option_table *const *tables, const char *word, size_t len,
                          struct err *err)
{
    char name[NAME_MAX_BYTES * 2];
    if (len >= sizeof(name))
        return err_set(err, -EINVAL, "%.60s…: no such option", word);
    memcpy(name, word, len);
    name[len] = '\0';
    struct nearest near = {.wish = name + strspn(name, "-")};
    const struct option *meant = by_others_word(tables, near.wish);
    if (meant)
        return err_set(err, -EINVAL, "%s: no such option; here it is %s%s", name,
                       meant->name ? "--" : "-",
                       meant->name ? meant->name : (const char[]){meant->letter, '\0'});
    for (unsigned t = 0; tables[t]; t++)
        for (unsigned i = 0; i < tables[t]->n; i++)
            if (tables[t]->option[i].name)
                nearest_try(&near, tables[t]->option[i].name);
    if (near.best)
        return err_set(err, -EINVAL, "%s: no such option; did you mean --%s?", name, near.best);
    return err_set(err, -EINVAL, "%s: no such option", name);
}

/* One word of the command line that begins with '-'. *next is moved when it takes the word behind.
 */
static int take_option(const struct option_table *const *tables, int argc, char **argv, int *next,
                       struct options_parsed *parsed, struct err *err)
{
    const char *word = argv[*next];
    bool letter = word[1] != '-';
    const char *name = word + (letter ? 1 : 2);
    size_t len = letter ? 1 : strcspn(name, "=");
    const char *attached = name[len] ? name + len + !letter : NULL;
    unsigned table = 0;
    const struct option *option = find_option(tables, name, len, letter, &table);
    if (!option)
        return refuse_unknown(tables, word, letter ? strlen(word) : len + 2, err);

    char shown[NAME_MAX_BYTES + 3];
    size_t shown_len = (size_t)(name - word) + len;
    memcpy(shown, word, shown_len);
    shown[shown_len] = '\0';
    if (option->kind == OPTION_FLAG && attached)
        return err_set(err, -EINVAL, "%s: takes no value", word);
    uint64_t bit = UINT64_C(1) << (option - tables[table]->option);
    if (parsed->seen[table] & bit && option->kind != OPTION_LIST)
        return err_set(err, -EINVAL, "%s is given twice", shown);
    parsed->seen[table] |= bit;
    const char *text = attached;
    if (option->kind == OPTION_FLAG)
        text = "";
    else if (!attached && *next + 1 < argc)
        text = argv[++*next];
    parsed->given[table] |= option->given;
    parsed->typed[table][option - tables[table]->option] = text;
    return take_value(option, shown, text, parsed->values[table], err);
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int options_parse(const struct option_table *const *tables, int argc, char **argv,
                  unsigned args_max, struct options_parsed *parsed, struct err *err)
{
    int rc = put_defaults(tables, parsed, err);
    if (rc < 0)
        return rc;
    bool options_end = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && asks_help(word)) {
            parsed->help = true;
            return 0;
        } else if (!options_end && word[0] == '-' && word[1]) {
            rc = take_option(tables, argc, argv, &i, parsed, err);
            if (rc < 0)
                return rc;
        } else if (parsed->n_args == args_max || parsed->n_args == OPTION_ARGS_MAX) {
            return args_max > 1
                       ? err_set(err, -EINVAL, "%s: one argument too many, of %u at most", word,
                                 args_max < OPTION_ARGS_MAX ? args_max : OPTION_ARGS_MAX)
                       : err_set(err, -EINVAL, "%s: one argument too many", word);
        } else {
            parsed->args[parsed->n_args++] = word;
        }
    }
    return 0;
}
