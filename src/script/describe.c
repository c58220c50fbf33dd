#include "script/scope_priv.h"

#include <errno.h>

/* A file that is only looked at: what cannot be known yet stays as it is written. */
struct look {
    struct scope *globals;
    struct lang_remarks *quiet;
    struct text *usage;
};

static int look_at(struct look *l, const struct lang_command *command)
{
    int rc = 0;
    if (command->kind == LANG_SET)
        rc = scope_assign(l->globals, command, l->quiet);
    if (command->kind == LANG_USAGE) {
        rc = scope_print(l->globals, &command->value, l->quiet, l->usage);
        text_add(l->usage, "\n");
    }
    return rc == -ENOMEM ? rc : 0;
}

int script_describe(const struct lang_tree *tree, struct text *usage, struct text *variables)
{
    const struct script_options none = {.name = tree->files > 0 ? tree->file[0] : ""};
    struct lang_remarks quiet = {0};
    struct look l = {.quiet = &quiet, .usage = usage};
    int rc = scope_new(&none, &quiet, &l.globals);
    for (unsigned i = 0; rc == 0 && i < tree->commands; i++)
        rc = look_at(&l, &tree->command[i]);
    if (rc == 0)
        rc = scope_list(l.globals, "\n", variables);
    scope_free(l.globals);
    lang_remarks_fini(&quiet);
    if (rc == 0 && (usage->failed || variables->failed))
        rc = -ENOMEM;
    return rc;
}
