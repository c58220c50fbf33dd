/* What could stand where the cursor is: asked by the shells' scripts (cmd_completions.c), answered
 * from the tables of the commands, so that a script never has to be made anew. */
#include "cli/complete_priv.h"
#include "cli/console.h"
#include "cli/published.h"
#include "cli/shipped.h"

#include "base/shown.h"
#include "target/catalog.h"
#include "target/sim_shipped.h"
#include "target/target.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The same label is on many studies, and "ID|ID.n" asks for the same ids twice. */
static bool offered_before(const struct completion *c, const char *line)
{
    size_t len = strlen(line);
    for (const char *at = c->out.s; (at = strstr(at, line)); at++)
        if ((at == c->out.s || at[-1] == '\n') && (at[len] == '\t' || at[len] == '\n'))
            return true;
    return false;
}

void complete_offer(struct completion *c, const char *word, size_t len, const char *about)
{
    struct text line;
    size_t typed = strlen(c->cur);
    if (typed > len || strncmp(word, c->cur, typed) != 0)
        return;
    text_init(&line);
    text_addf(&line, "%.*s%.*s", (int)c->lead_len, c->lead ? c->lead : "", (int)len, word);
    /* What came from elsewhere with a study may hold anything: it is never typed for somebody. */
    if (shown_as_is(line.s) && !offered_before(c, line.s))
        text_addf(&c->out, about && *about ? "%s\t%s\n" : "%s\n", line.s, about);
    text_fini(&line);
}

static void offer_commands(struct completion *c)
{
    for (unsigned i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            complete_offer(c, all_commands[i]->name, strlen(all_commands[i]->name),
                           all_commands[i]->brief);
}

/* The scripts know these: the shell itself completes files better than anybody else. */
static void offer_files(struct completion *c)
{
    text_add(&c->out, ":files\n");
}

/* Whatever select.h lets stand for results. */
static void offer_results(struct completion *c)
{
    const char *name;
    complete_studies(c);
    complete_baselines(c);
    for (unsigned i = 0; (name = published_name(i)); i++)
        complete_offer(c, name, strlen(name), "published in 2001");
    offer_files(c);
}

static void offer_workloads(struct completion *c)
{
    const struct shipped_workload *w;
    char brief[160];
    for (unsigned i = 0; (w = shipped_any(i)); i++)
        complete_offer(c, w->name, strlen(w->name), shipped_brief(w, brief, sizeof brief));
    offer_files(c);
}

static void offer_profiles(struct completion *c)
{
    const char *name, *text;
    char title[128];
    for (unsigned i = 0; sim_shipped(i, &name, &text); i++)
        complete_offer(c, name, strlen(name), sim_shipped_title(text, title, sizeof title));
}

/* "sim:" and a name, once that is begun. */
static void offer_systems(struct completion *c)
{
    static const char scheme[] = "sim:";
    const char *name, *text;
    char title[128], address[128];
    if (strncmp(c->cur, scheme, strlen(scheme)) != 0)
        return;
    for (unsigned i = 0; sim_shipped(i, &name, &text); i++) {
        int len = snprintf(address, sizeof(address), "%s%s", scheme, name);
        complete_offer(c, address, (size_t)len, sim_shipped_title(text, title, sizeof title));
    }
}

static void offer_dirs(struct completion *c)
{
    text_add(&c->out, ":dirs\n");
}

static void offer_targets(struct completion *c)
{
    const struct target_table *const *table;
    char address[64];
    size_t n = target_catalog(&table);
    for (size_t i = 0; i < n; i++) {
        int len = snprintf(address, sizeof(address), "%s:", table[i]->scheme);
        complete_offer(c, address, (size_t)len, table[i]->help);
    }
    offer_systems(c);
    offer_dirs(c);
}

static const struct {
    const char *name;
    void (*offer)(struct completion *c);
} placeholders[] = {
    {"TARGET", offer_targets},    {"FILE", offer_files},       {"DIR", offer_dirs},
    {"ID", complete_studies},     {"ID.n", complete_studies},  {"ID:A", complete_studies},
    {"LABEL", complete_studies},  {"A", offer_results},        {"B", offer_results},
    {"RESULT", offer_results},    {"SELECTOR", offer_results}, {"BASELINE", complete_baselines},
    {"NAME", complete_baselines}, {"COMMAND", offer_commands}, {"WORKLOAD", offer_workloads},
    {"DEVICE", offer_files},      {"PROFILE", offer_profiles},
};

/* One of what may stand in one place: a word itself, or what it stands for. */
static void offer_alternative(struct completion *c, const char *word, size_t len)
{
    if (len > 0 && islower((unsigned char)word[0])) {
        complete_offer(c, word, len, "");
        return;
    }
    for (size_t i = 0; i < sizeof(placeholders) / sizeof(placeholders[0]); i++)
        if (strlen(placeholders[i].name) == len && strncmp(placeholders[i].name, word, len) == 0)
            placeholders[i].offer(c);
}

/* "ID|ID.n|FILE", "[ID]", "B...": brackets and dots do not change what may stand there. */
static void offer_place(struct completion *c, const char *place, size_t len)
{
    while (len > 0 && *place == '[') {
        place++;
        len--;
    }
    while (len > 0 && strchr("].", place[len - 1]))
        len--;
    for (size_t at = 0; at < len;) {
        size_t word = strcspn(place + at, "|");
        if (word > len - at)
            word = len - at;
        offer_alternative(c, place + at, word);
        at += word + 1;
    }
}

static void offer_value(struct completion *c, const struct option *option)
{
    for (unsigned i = 0; option->words && option->words[i]; i++)
        complete_offer(c, option->words[i], strlen(option->words[i]), "");
    if (option->arg)
        offer_place(c, option->arg, strlen(option->arg));
}

static const struct option *option_of(const struct command *command, const char *word)
{
    size_t len = strcspn(word, "=");
    for (unsigned t = 0; command->tables[t]; t++) {
        for (unsigned i = 0; i < command->tables[t]->n; i++) {
            const struct option *option = &command->tables[t]->option[i];
            bool same = word[1] == '-' ? option->name && strlen(option->name) == len - 2 &&
                                             strncmp(option->name, word + 2, len - 2) == 0
                                       : option->letter && option->letter == word[1] && len == 2;
            if (same)
                return option;
        }
    }
    return NULL;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* An option may stand there once, but a list. */
static bool typed_before(const struct command *command, const struct option *option, int n,
                         char *const *words)
{
    for (int i = 0; i < n; i++)
        if (is_option(words[i]) && option_of(command, words[i]) == option)
            return true;
    return false;
}

static void offer_options(struct completion *c, const struct command *command, int n,
                          char *const *words)
{
    char word[64];
    for (unsigned t = 0; command->tables[t]; t++) {
        for (unsigned i = 0; i < command->tables[t]->n; i++) {
            const struct option *option = &command->tables[t]->option[i];
            if (option->kind != OPTION_LIST && typed_before(command, option, n, words))
                continue;
            int len = option->name ? snprintf(word, sizeof(word), "--%s", option->name)
                                   : snprintf(word, sizeof(word), "-%c", option->letter);
            complete_offer(c, word, (size_t)len, option->help);
        }
    }
    complete_offer(c, "--help", strlen("--help"), "what there is");
}

#define PLACES_MAX 32

/* What stands before the cursor, options and their values aside. */
struct typed {
    const char *word[PLACES_MAX];
    unsigned n;
    const struct option *wants; /* its value is what the cursor stands at */
    bool options_end;
};

static void read_typed(struct typed *typed, struct completion *c, const struct command *command,
                       int n, char *const *words)
{
    for (int i = 0; i < n; i++) {
        const struct option *option = NULL;
        typed->wants = NULL;
        if (typed->options_end || !is_option(words[i])) {
            if (typed->n < PLACES_MAX)
                typed->word[typed->n++] = words[i];
            continue;
        }
        typed->options_end = strcmp(words[i], "--") == 0;
        option = typed->options_end ? NULL : option_of(command, words[i]);
        if (!option || option->kind == OPTION_FLAG)
            continue;
        const char *value = strchr(words[i], '=');
        if (!value && i + 1 == n)
            typed->wants = option;
        value = value ? value + 1 : words[++i];
        if (option->name && strcmp(option->name, "db") == 0 && !typed->wants)
            c->db = value;
    }
}

/* Does the word stand at this place of a form? What a capital stands for may be anything. */
static bool fits_place(const char *place, size_t len, const char *word)
{
    size_t word_len = strlen(word);
    if (!islower((unsigned char)place[0]))
        return true;
    for (size_t at = 0, part; at < len; at += part + 1) {
        part = strcspn(place + at, "|");
        if (part > len - at)
            part = len - at;
        if (part == word_len && strncmp(place + at, word, part) == 0)
            return true;
    }
    return false;
}

static void offer_form(struct completion *c, const char *form, size_t len,
                       const struct typed *typed)
{
    const char *end = form + len;
    unsigned i = 0;
    while (form < end) {
        size_t place = strcspn(form, " ");
        if (place > (size_t)(end - form))
            place = (size_t)(end - form);
        bool again = memmem(form, place, "...", 3) != NULL;
        for (; i < typed->n; i++) {
            if (!fits_place(form, place, typed->word[i]))
                return;
            if (!again)
                break;
        }
        if (i == typed->n) {
            offer_place(c, form, place);
            return;
        }
        i++;
        form += place;
        form += strspn(form, " ");
    }
}

static void offer_places(struct completion *c, const struct command *command,
                         const struct typed *typed)
{
    const char *form = command->args;
    while (form) {
        const char *next = strstr(form, " | ");
        offer_form(c, form, next ? (size_t)(next - form) : strlen(form), typed);
        form = next ? next + 3 : NULL;
    }
}

static void complete_command(struct completion *c, const struct command *command, int n,
                             char *const *words)
{
    struct typed typed = {.n = 0};
    const struct option *option;
    const char *value = strchr(c->cur, '=');
    read_typed(&typed, c, command, n, words);
    if (typed.wants) {
        offer_value(c, typed.wants);
    } else if (typed.options_end || c->cur[0] != '-') {
        offer_places(c, command, &typed);
    } else if (!value) {
        offer_options(c, command, n, words);
    } else if ((option = option_of(command, c->cur))) {
        c->lead = c->cur;
        c->lead_len = (size_t)(value + 1 - c->cur);
        c->cur = value + 1;
        offer_value(c, option);
    }
}

static void complete(struct completion *c, int n, char *const *words)
{
    const struct command *command = n > 0 ? command_find(words[0]) : NULL;
    if (n == 0) {
        offer_commands(c);
        complete_offer(c, "help", strlen("help"), "options of a command");
        complete_offer(c, "--help", strlen("--help"), "the commands");
        complete_offer(c, "--version", strlen("--version"), "");
    } else if (n == 1 && (strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0)) {
        offer_commands(c);
    } else if (command) {
        complete_command(c, command, n - 1, words + 1);
    }
}

static int run(const struct command *self, int argc, char **argv)
{
    struct completion c = {.cur = ""};
    (void)self;
    if (argc > 0 && strcmp(argv[0], "--") == 0) {
        argv++;
        argc--;
    }
    if (argc > 0)
        c.cur = argv[argc - 1];
    text_init(&c.out);
    complete(&c, argc > 0 ? argc - 1 : 0, argv);
    int rc = console_show(&c.out);
    text_fini(&c.out);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

static const struct option_table *const tables[] = {NULL};

const struct command cmd_complete = {
    .name = "complete",
    .brief = "what could stand where the cursor is",
    .summary = "Asked by the scripts of `loadline completions`: the words after `loadline`, the "
               "last of them as far as it is typed. Answers a candidate a line, a tab, and what it "
               "is; a line :files or :dirs leaves it to the shell.",
    .args = "-- WORD...",
    .args_max = OPTION_ARGS_MAX,
    .hidden = true,
    .example = {"loadline complete -- dirt", "loadline complete -- show ''"},
    .tables = tables,
    .run = run,
};
