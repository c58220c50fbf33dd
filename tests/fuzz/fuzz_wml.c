/* lang.h under any text: no crash, no hang; an error leaves words and no tree; what is accepted and
 * printed is accepted again, and is printed the same. */
#include "fuzz/fuzz.h"
#include "lang/lang.h"

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
        FUZZ_CHECK(r->remark[i].at.line > 0 && r->remark[i].at.file < r->files);
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
    if (tree)
        check_comes_back(tree);
    lang_free(tree);
    lang_remarks_fini(&remarks);
    free(self);
    return 0;
}
