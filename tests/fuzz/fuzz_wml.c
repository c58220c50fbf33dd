/* lang.h and script.h under any text: no crash, no hang; an error leaves words and no tree; what is
 * accepted and printed is accepted again, and is printed the same; what compiles can be written down. */
#include "fuzz/fuzz.h"
#include "lang/lang.h"
#include "script/script.h"
#include "target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name that begins with 's' is the text itself, the others are a command. */
static int load(void *ctx, const char *name, char **text, size_t *len, char **shown_as,
                struct err *err)
{
    const char *self = ctx;
    if (*name == '\0')
        return err_set(err, -ENOENT, "a name is empty");
    *text = strdup(*name == 's' ? self : "echo loaded");
    *len = *text ? strlen(*text) : 0;
    *shown_as = strdup(*name == 's' ? "self" : name);
    return 0;
}

static void check_remarks(const struct lang_remarks *r)
{
    struct text t;
    text_init(&t);
    lang_remarks_text(r, &t);
    FUZZ_CHECK(r->n <= LANG_REMARKS_MAX && !r->failed);
    FUZZ_CHECK((r->errors == 0) || strstr(t.s, "error: ") != NULL);
    for (unsigned i = 0; i < r->n; i++)
        FUZZ_CHECK(r->remark[i].at.file < r->files);
    text_fini(&t);
}

static void check_comes_back(const struct lang_tree *tree)
{
    struct lang_remarks remarks = {0};
    struct lang_tree *again = NULL;
    struct text first, second;
    text_init(&first);
    text_init(&second);
    lang_text(tree, &first);
    FUZZ_CHECK(lang_parse("again", first.s, first.len, NULL, &again, &remarks) == 0);
    lang_text(again, &second);
    FUZZ_CHECK(strcmp(first.s, second.s) == 0);
    text_fini(&first);
    text_fini(&second);
    lang_free(again);
    lang_remarks_fini(&remarks);
}

/* ---- compiled, with numbers made small: what large ones cost is not what is looked for here ---- */

#define NUMBER_MAX 100
#define SUMS_MAX   1 /* a product of products is large again */

static unsigned make_small(struct lang_value *v);

static unsigned make_attrs_small(struct lang_attrs *attrs)
{
    unsigned sums = 0;
    for (unsigned i = 0; i < attrs->n; i++)
        sums += make_small(&attrs->attr[i].value);
    return sums;
}

static unsigned make_small(struct lang_value *v)
{
    unsigned sums = v->kind == LANG_ARITH;
    if (v->integer > NUMBER_MAX)
        v->integer = NUMBER_MAX;
    for (unsigned i = 0; i < v->n; i++)
        sums += make_small(&v->item[i]);
    return sums + make_attrs_small(&v->attrs);
}

static unsigned make_flowops_small(struct lang_flowop *flowop, unsigned n)
{
    unsigned sums = 0;
    for (unsigned i = 0; i < n; i++)
        sums += make_attrs_small(&flowop[i].attrs);
    return sums;
}

static unsigned make_commands_small(struct lang_command *command, unsigned n)
{
    unsigned sums = 0;
    for (unsigned i = 0; i < n; i++) {
        struct lang_command *c = &command[i];
        sums += make_small(&c->value) + make_small(&c->value2) + make_attrs_small(&c->attrs);
        sums += make_flowops_small(c->flowop, c->flowops);
        sums += make_commands_small(c->command, c->commands);
        for (unsigned j = 0; j < c->items; j++)
            sums += make_small(&c->item[j]);
        for (unsigned j = 0; j < c->threads; j++)
            sums += make_attrs_small(&c->thread[j].attrs) +
                    make_flowops_small(c->thread[j].flowop, c->thread[j].flowops);
    }
    return sums;
}

static void check_compiles(struct lang_tree *tree, struct lang_remarks *remarks)
{
    const struct target_caps caps = {.op_kinds = UINT32_MAX, .blocking = true};
    const struct plan_instrument instrument = {.scheme = "posix"};
    const struct script_options options = {
        .name = "fuzz", .seed = 1, .target = "/t", .caps = &caps, .instrument = &instrument};
    struct script *script = NULL;
    struct err err = {0};
    struct text text;
    if (make_commands_small(tree->command, tree->commands) > SUMS_MAX)
        return;
    int rc = script_compile(tree, &options, &script, remarks, &err);
    FUZZ_CHECK((rc == 0) == (script != NULL));
    FUZZ_CHECK(rc == 0 || remarks->errors > 0 || err.text[0] != '\0');
    check_remarks(remarks);
    text_init(&text);
    if (script)
        script_text(script, &text);
    text_fini(&text);
    script_free(script);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    char *self = strndup((const char *)data, size);
    if (!self)
        return 0;
    struct lang_loader loader = {.load = load, .ctx = self};
    int rc = lang_parse("fuzz", (const char *)data, size, &loader, &tree, &remarks);
    FUZZ_CHECK(rc == 0 || rc == -EINVAL);
    FUZZ_CHECK((rc == 0) == (tree != NULL) && (rc == 0) == (remarks.errors == 0));
    check_remarks(&remarks);
    if (tree) {
        check_comes_back(tree);
        check_compiles(tree, &remarks);
    }
    lang_free(tree);
    lang_remarks_fini(&remarks);
    free(self);
    return 0;
}
