#include "lang/lang.h"

#include "base/shown.h"

#include <stdlib.h>
#include <string.h>

void lang_remarks_fini(struct lang_remarks *r)
{
    for (unsigned i = 0; i < r->n; i++)
        free(r->remark[i].text);
    for (unsigned i = 0; i < r->files; i++)
        free(r->file[i]);
    free(r->remark);
    free(r->file);
    *r = (struct lang_remarks){0};
}

/* Where the next remark goes. An error takes the place of the last warning when there is no other:
 * what stops a file must not be hidden behind what does not. */
static struct lang_remark *place_for(struct lang_remarks *r, bool warning)
{
    if (r->n < LANG_REMARKS_MAX)
        return &r->remark[r->n++];
    r->more++;
    if (warning)
        return NULL;
    for (unsigned i = r->n; i > 0; i--) {
        struct lang_remark *at = &r->remark[i - 1];
        if (!at->warning)
            continue;
        free(at->text);
        memmove(at, at + 1, (r->n - i) * sizeof *at);
        return &r->remark[r->n - 1];
    }
    return NULL;
}

__attribute__((format(printf, 4, 0))) static void
add(struct lang_remarks *r, bool warning, struct lang_pos at, const char *fmt, va_list ap)
{
    struct text raw, clean;
    if (!r->remark)
        r->remark = calloc(LANG_REMARKS_MAX, sizeof *r->remark);
    r->errors += !warning;
    struct lang_remark *remark = r->remark ? place_for(r, warning) : NULL;
    r->failed |= !r->remark;
    if (!remark)
        return;
    text_init(&raw);
    text_init(&clean);
    text_addv(&raw, fmt, ap);
    text_add_shown(&clean, raw.s);
    clean.failed |= raw.failed;
    *remark = (struct lang_remark){.warning = warning, .at = at, .text = text_take(&clean)};
    r->failed |= !remark->text;
    text_fini(&raw);
}

void lang_error(struct lang_remarks *r, struct lang_pos at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(r, false, at, fmt, ap);
    va_end(ap);
}

void lang_warn(struct lang_remarks *r, struct lang_pos at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(r, true, at, fmt, ap);
    va_end(ap);
}

static bool before(const struct lang_remark *a, const struct lang_remark *b)
{
    if (a->at.file != b->at.file)
        return a->at.file < b->at.file;
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line;
    return a->at.column < b->at.column;
}

static void add_line(const struct lang_remarks *r, const struct lang_remark *remark,
                     struct text *out)
{
    if (remark->at.file < r->files) {
        text_add_shown(out, r->file[remark->at.file]);
        if (remark->at.line > 0)
            text_addf(out, ":%u:%u", remark->at.line, remark->at.column);
        text_add(out, ": ");
    }
    text_addf(out, "%s: %s\n", remark->warning ? "warning" : "error",
              remark->text ? remark->text : "out of memory");
}

void lang_remarks_text(const struct lang_remarks *r, struct text *out)
{
    const struct lang_remark *sorted[LANG_REMARKS_MAX];
    for (unsigned i = 0; i < r->n; i++) {
        unsigned at = i;
        for (; at > 0 && before(&r->remark[i], sorted[at - 1]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &r->remark[i];
    }
    for (unsigned i = 0; i < r->n; i++)
        add_line(r, sorted[i], out);
    if (r->more > 0)
        text_addf(out, "and %u more\n", r->more);
}
