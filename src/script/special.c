#include "script/scope_priv.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SPECIAL_MAX 256

/* The only moments at which the machine that compiles shows in a script: asked for by name. */
static bool special_text(const struct scope *scope, const char *name, char buf[SPECIAL_MAX])
{
    if (strcmp(name, "date") == 0) {
        time_t now = time(NULL);
        struct tm tm;
        if (!localtime_r(&now, &tm))
            return false;
        snprintf(buf, SPECIAL_MAX, "%02d%02d%02d%02d %02d", tm.tm_year % 100, tm.tm_mon + 1,
                 tm.tm_mday, tm.tm_hour, tm.tm_min);
        return true;
    }
    if (strcmp(name, "hostname") == 0) {
        buf[SPECIAL_MAX - 1] = '\0';
        return gethostname(buf, SPECIAL_MAX - 1) == 0;
    }
    if (strcmp(name, "scriptname") == 0) {
        const char *path = scope->world->o->name ? scope->world->o->name : "";
        const char *slash = strrchr(path, '/');
        const char *base = slash ? slash + 1 : path;
        size_t len = strlen(base);
        if (len > 2 && strcmp(base + len - 2, ".f") == 0)
            len -= 2;
        snprintf(buf, SPECIAL_MAX, "%.*s", (int)len, base);
        return true;
    }
    return false;
}

bool special_value(struct scope *scope, const struct lang_value *var, struct lang_remarks *remarks,
                   struct value *out)
{
    char buf[SPECIAL_MAX];
    const char *text = NULL;
    const char *outside = NULL;
    if (!var->suffix && var->paren && scope->world->o->environment)
        outside = scope->world->o->environment(var->text);
    if (var->suffix && strcmp(var->text, "stats") == 0) {
        lang_warn(remarks, var->at, "${stats.%s} is not known before the run: n/v is printed",
                  var->suffix);
        text = "n/v";
    } else if (outside) {
        text = scope_keep_text(scope, outside);
    } else if (!var->suffix && strcmp(var->text, "rate") == 0) {
        *out = (struct value){
            .kind = VALUE_INT, .at = var->at, .integer = (uint64_t)scope->world->event_rate};
        return true;
    } else if (!var->suffix && special_text(scope, var->text, buf)) {
        text = scope_keep_text(scope, buf);
    }
    if (!text)
        return false;
    *out = (struct value){.kind = VALUE_TEXT, .at = var->at, .text = text};
    return true;
}
