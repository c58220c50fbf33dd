#include "lang/lang_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOADS_MAX 1000 /* of one parse */

/* The number of a file among the remarks' files; there once, however often it is loaded. */
static int file_number(struct parser *p, const char *name, uint32_t *out)
{
    struct lang_remarks *r = p->remarks;
    for (unsigned i = 0; i < r->files; i++)
        if (strcmp(r->file[i], name) == 0) {
            *out = i;
            return 0;
        }
    char *copy = strdup(name);
    char **grown = copy ? reallocarray(r->file, r->files + 1, sizeof *grown) : NULL;
    if (!grown) {
        free(copy);
        parse_fail(p);
        return -ENOMEM;
    }
    r->file = grown;
    r->file[r->files] = copy;
    *out = r->files++;
    return 0;
}

static void parse_text(struct parser *p, const char *name, const char *text, size_t len,
                       struct lang_command **list, unsigned *n)
{
    uint32_t file;
    struct lang_pos loaded_at = p->tok.at;
    if (file_number(p, name, &file) < 0)
        return;
    for (unsigned i = 0; i < p->loads; i++)
        if (p->loading[i] == file) {
            lang_error(p->remarks, loaded_at, "%s loads itself", name);
            return;
        }
    if (p->loads > LANG_LOAD_MAX || len > LANG_TEXT_MAX - p->bytes) {
        lang_error(p->remarks, loaded_at,
                   "%s is too much: loads nest at most %u deep, and all texts together are at most "
                   "%u MiB",
                   name, LANG_LOAD_MAX, LANG_TEXT_MAX >> 20);
        return;
    }
    struct lexer outer = p->x;
    struct token tok = p->tok, last = p->last;
    p->bytes += len;
    p->loading[p->loads++] = file;
    lex_begin(&p->x, text, len, file, p->remarks);
    parse_next(p);
    parse_commands(p, NULL, list, n);
    p->loads--;
    p->x = outer;
    p->tok = tok;
    p->last = last;
    if (p->failed || p->parts > LANG_PARTS_MAX)
        p->x.next = p->x.len;
}

static void load(struct parser *p, const struct lang_value *name, struct lang_command **list,
                 unsigned *n)
{
    char *text = NULL, *shown_as = NULL;
    size_t len = 0;
    struct err err = {0};
    struct lang_pos outer = p->tok.at;
    if (++p->loaded > LOADS_MAX) {
        lang_error(p->remarks, name->at, "'%s' is the load too many: %u are allowed in one file",
                   name->text, LOADS_MAX);
        return;
    }
    int rc = p->loader ? p->loader->load(p->loader->ctx, name->text, &text, &len, &shown_as, &err)
                       : err_set(&err, -ENOENT, "nothing can be loaded here");
    p->tok.at = name->at; /* of what may be wrong with the text as a whole */
    if (rc == 0)
        parse_text(p, shown_as ? shown_as : name->text, text, len, list, n);
    else if (rc == -ENOMEM)
        parse_fail(p);
    else
        lang_error(p->remarks, name->at, "cannot load '%s': %s", name->text, err.text);
    p->tok.at = outer;
    free(text);
    free(shown_as);
}

void parse_load(struct parser *p, struct lang_command **list, unsigned *n)
{
    struct lang_value name = {0};
    if (!parse_at_value(p)) {
        parse_missing(p, "the name of a workload");
        return;
    }
    parse_value(p, VALUE_WORD, &name);
    if (name.kind == LANG_TEXT && name.text)
        load(p, &name, list, n);
    else if (!p->failed)
        lang_error(p->remarks, name.at,
                   "a variable was found, the name of a workload was expected: files are loaded "
                   "before variables have values");
    struct lang_command holder = {.value = name};
    lang_command_fini(&holder);
}

/* ---- the whole ---- */

static int copy_files(struct lang_tree *tree, const struct lang_remarks *remarks)
{
    tree->file = calloc(remarks->files + 1, sizeof *tree->file);
    for (unsigned i = 0; tree->file && i < remarks->files; i++) {
        tree->file[i] = strdup(remarks->file[i]);
        if (!tree->file[i])
            return -ENOMEM;
        tree->files++;
    }
    return tree->file ? 0 : -ENOMEM;
}

int lang_parse(const char *name, const char *text, size_t len, const struct lang_loader *loader,
               struct lang_tree **out, struct lang_remarks *remarks)
{
    struct lang_tree *tree = calloc(1, sizeof *tree);
    unsigned errors = remarks->errors;
    if (!tree)
        return -ENOMEM;
    struct parser p = {.tree = tree, .remarks = remarks, .loader = loader};
    p.tok.at = (struct lang_pos){remarks->files, 1, 1};
    parse_text(&p, name, text, len, &tree->command, &tree->commands);
    int rc = p.failed || remarks->failed ? -ENOMEM : 0;
    if (rc == 0 && remarks->errors > errors)
        rc = -EINVAL;
    if (rc == 0)
        rc = copy_files(tree, remarks);
    if (rc == 0)
        *out = tree;
    else
        lang_free(tree);
    return rc;
}
