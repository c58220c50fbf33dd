/* unit/script_box.h — compiles a workload from a text, for tests.
 * Shape    box_compile fills options with a made-up target unless the test has set its own; the
 *          script, or what was said, is in the box.
 * Threads  single owner. */
#ifndef LOADLINE_UNIT_SCRIPT_BOX_H
#define LOADLINE_UNIT_SCRIPT_BOX_H

#include "lang/lang.h"
#include "script/script.h"
#include "target/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct script_box {
    struct target_caps caps;
    struct plan_instrument instrument;
    struct script_options o;
    const struct lang_loader *loader; /* may be NULL */
    struct lang_tree *tree;
    struct lang_remarks remarks;
    struct script *script;
    struct err err;
    int rc;
};

static inline void script_box_init(struct script_box *b)
{
    memset(b, 0, sizeof *b);
    b->caps.op_kinds = UINT32_MAX;
    b->caps.blocking = true;
    memcpy(b->instrument.scheme, "posix", sizeof "posix");
    b->o.name = "case.f";
    b->o.seed = 1;
    b->o.target = "/t";
}

static inline void script_box_fini(struct script_box *b)
{
    script_free(b->script);
    lang_free(b->tree);
    lang_remarks_fini(&b->remarks);
}

/* Anew on each call. */
static inline int script_box_compile(struct script_box *b, const char *text)
{
    script_box_fini(b);
    b->script = NULL;
    b->tree = NULL;
    memset(&b->remarks, 0, sizeof b->remarks);
    memset(&b->err, 0, sizeof b->err);
    b->o.caps = &b->caps;
    b->o.instrument = &b->instrument;
    b->rc = lang_parse("case.f", text, strlen(text), b->loader, &b->tree, &b->remarks);
    if (b->rc == 0)
        b->rc = script_compile(b->tree, &b->o, &b->script, &b->remarks, &b->err);
    return b->rc;
}

/* All that was said, as a person sees it; the caller frees it. */
static inline char *script_box_remarks(const struct script_box *b)
{
    struct text text;
    text_init(&text);
    lang_remarks_text(&b->remarks, &text);
    char *s = text_take(&text);
    assert_non_null(s);
    return s;
}

#endif
