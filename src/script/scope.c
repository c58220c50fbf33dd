#include "base/nearest.h"
#include "script/scope_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS_COMPARED 64
#define COMMAND_LINE   ((struct lang_pos){0, 1, 1})

struct kept {
    struct kept *next;
    max_align_t data[];
};

struct kept_draw {
    struct kept_draw *next;
    struct draw draw;
};

void *scope_keep(struct scope *scope, size_t bytes)
{
    if (bytes > KEPT_BYTES_MAX - scope->world->kept_bytes)
        return NULL;
    struct kept *kept = calloc(1, sizeof *kept + bytes);
    if (!kept)
        return NULL;
    scope->world->kept_bytes += bytes;
    kept->next = scope->world->kept;
    scope->world->kept = kept;
    return kept->data;
}

const char *scope_keep_text(struct scope *scope, const char *s)
{
    size_t len = strlen(s) + 1;
    char *copy = scope_keep(scope, len);
    if (copy)
        memcpy(copy, s, len);
    return copy;
}

const struct draw *scope_keep_draw(struct scope *scope, const struct draw *draw)
{
    struct kept_draw *have = scope->world->draws;
    for (unsigned i = 0; have && i < DRAWS_COMPARED; i++, have = have->next)
        if (memcmp(&have->draw, draw, sizeof *draw) == 0)
            return &have->draw;
    have = scope_keep(scope, sizeof *have);
    if (!have)
        return NULL;
    memcpy(&have->draw, draw, sizeof *draw);
    have->next = scope->world->draws;
    scope->world->draws = have;
    return &have->draw;
}

struct variable *scope_find_here(const struct scope *scope, const char *name)
{
    for (unsigned i = 0; i < scope->n; i++)
        if (strcmp(scope->variable[i]->name, name) == 0)
            return scope->variable[i];
    return NULL;
}

struct variable *scope_find(const struct scope *scope, const char *name)
{
    for (; scope; scope = scope->outer) {
        struct variable *v = scope_find_here(scope, name);
        if (v)
            return v;
    }
    return NULL;
}

struct scope *scope_globals(struct scope *scope)
{
    while (scope->outer)
        scope = scope->outer;
    return scope;
}

/* Room for one more; arrays double. */
static int add_variable(struct scope *scope, struct variable *v)
{
    if ((scope->n & (scope->n - 1)) == 0) {
        size_t room = scope->n == 0 ? 1 : 2 * (size_t)scope->n;
        struct variable **all = realloc(scope->variable, room * sizeof(struct variable *));
        if (!all)
            return -ENOMEM;
        scope->variable = all;
    }
    scope->variable[scope->n++] = v;
    return 0;
}

int scope_variable(struct scope *scope, struct lang_pos at, const char *name,
                   struct lang_remarks *remarks, struct variable **out)
{
    *out = scope_find_here(scope, name);
    if (*out)
        return 0;
    if (scope->n >= VARIABLES_MAX) {
        lang_error(remarks, at, "$%s: there are %d variables already, the most there can be", name,
                   VARIABLES_MAX);
        return -EINVAL;
    }
    struct variable *v = calloc(1, sizeof *v);
    char *copy = strdup(name);
    if (!v || !copy || add_variable(scope, v) < 0) {
        free(v);
        free(copy);
        return -ENOMEM;
    }
    v->name = copy;
    *out = v;
    return 0;
}

static void scope_drop_variables(struct scope *scope)
{
    for (unsigned i = 0; i < scope->n; i++) {
        free(scope->variable[i]->name);
        free(scope->variable[i]->override);
        free(scope->variable[i]);
    }
    free(scope->variable);
}

void scope_free(struct scope *globals)
{
    if (!globals)
        return;
    scope_drop_variables(globals);
    while (globals->world->kept) {
        struct kept *next = globals->world->kept->next;
        free(globals->world->kept);
        globals->world->kept = next;
    }
    free(globals->world);
    free(globals);
}

/* "16k", "true", or a text. */
static struct value plain_value(const char *text)
{
    struct value value = {.kind = VALUE_TEXT, .text = text, .typed = true};
    if (value_parse_count(text, &value.integer)) {
        value.kind = VALUE_INT;
    } else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value.kind = VALUE_BOOL;
        value.boolean = *text == 't';
    }
    return value;
}

static int pin(struct scope *globals, const char *name, struct value value,
               struct lang_remarks *remarks)
{
    struct variable *v = NULL;
    int rc = scope_variable(globals, COMMAND_LINE, name, remarks, &v);
    if (rc < 0)
        return rc;
    v->pinned = true;
    v->value = value;
    return 0;
}

static int pin_word(struct scope *globals, const char *word, struct lang_remarks *remarks)
{
    const char *equals = strchr(word, '=');
    const char *begin = *word == '$' ? word + 1 : word;
    if (!equals || equals <= begin) {
        lang_error(remarks, COMMAND_LINE, "\"%s\": name=value was expected", word);
        return -EINVAL;
    }
    char *name = scope_keep(globals, (size_t)(equals - begin) + 1);
    const char *text = scope_keep_text(globals, equals + 1);
    if (!name || !text)
        return -ENOMEM;
    memcpy(name, begin, (size_t)(equals - begin));
    return pin(globals, name, plain_value(text), remarks);
}

int scope_new(const struct script_options *o, struct lang_remarks *remarks, struct scope **out)
{
    struct scope *globals = calloc(1, sizeof *globals);
    struct world *world = calloc(1, sizeof *world);
    if (!globals || !world) {
        free(globals);
        free(world);
        return -ENOMEM;
    }
    world->o = o;
    globals->world = world;
    int rc = 0;
    if (o->target)
        rc = pin(globals, "dir", (struct value){.kind = VALUE_TEXT, .text = o->target}, remarks);
    for (unsigned i = 0; rc == 0 && i < o->sets; i++)
        rc = pin_word(globals, o->set[i], remarks);
    if (rc == 0)
        *out = globals;
    else
        scope_free(globals);
    return rc;
}

void scope_rate(struct scope *globals, double event_rate)
{
    globals->world->event_rate = event_rate;
}

static const char *nearest_variable(const struct scope *globals, const struct variable *not_this)
{
    struct nearest nearest = {.wish = not_this->name};
    for (unsigned i = 0; i < globals->n; i++)
        if (globals->variable[i] != not_this)
            nearest_try(&nearest, globals->variable[i]->name);
    return nearest.best;
}

static bool is_overruled(const struct variable *v)
{
    return v->pinned && v->set_at.line > 0 && strcmp(v->name, "dir") != 0;
}

const char *scope_set_where(const struct scope *globals)
{
    const char *where = globals->world->o->set_where;
    return where ? where : "on the command line";
}

static void tell_overruled(const struct scope *globals, struct lang_remarks *remarks)
{
    const struct variable *first = NULL;
    struct text names;
    text_init(&names);
    for (unsigned i = 0; i < globals->n; i++) {
        const struct variable *v = globals->variable[i];
        if (!is_overruled(v))
            continue;
        text_addf(&names, "%s$%s (line %u)", first ? ", " : "", v->name, v->set_at.line);
        first = first ? first : v;
    }
    if (first)
        lang_warn(remarks, first->set_at, "given %s, so not heeded here: %s",
                  scope_set_where(globals), names.s);
    remarks->failed |= names.failed;
    text_fini(&names);
}

static void tell_known(const struct scope *globals)
{
    const struct script_options *o = globals->world->o;
    for (unsigned i = 0; i < o->sets; i++)
        for (unsigned k = 0; k < globals->n; k++) {
            const struct variable *v = globals->variable[k];
            size_t len = strlen(v->name);
            if (strncmp(o->set[i], v->name, len) == 0 && o->set[i][len] == '=')
                o->set_known[i] = v->used || strcmp(v->name, "dir") == 0;
        }
}

void scope_check_pins(const struct scope *globals, struct lang_remarks *remarks)
{
    if (globals->world->o->set_known)
        tell_known(globals);
    for (unsigned i = 0; !globals->world->o->set_known && i < globals->n; i++) {
        const struct variable *v = globals->variable[i];
        if (!v->pinned || v->used || strcmp(v->name, "dir") == 0)
            continue;
        const char *best = nearest_variable(globals, v);
        lang_error(remarks, COMMAND_LINE, "$%s is given %s, and nothing here sets or uses it%s%s",
                   v->name, scope_set_where(globals), best ? ", did you mean $" : "",
                   best ? best : "");
    }
    tell_overruled(globals, remarks);
}

void scope_leave(struct scope *scope)
{
    if (!scope)
        return;
    scope_drop_variables(scope);
    free(scope);
}
