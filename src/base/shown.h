/* base/shown.h — text from outside (addresses, names of files, labels) as it may be shown.
 * Shape    text_add_shown… for people and machines, text_add_shell_word for what is to be typed,
 *          text_add_md for what stands in a line or a table's cell of Markdown.
 * Limits   control characters (C0, C1, DEL) and bytes that are no UTF-8 become \xHH; a backslash stays
 *          as it is, so that it can be read but not always be turned back.
 * Errors   those of base/text.h.                 Threads  no state.
 * Source   tests/unit/test_shown.c. */
#ifndef LOADLINE_BASE_SHOWN_H
#define LOADLINE_BASE_SHOWN_H

#include "base/text.h"

#define SHOWN_MAX 5 /* room of what one character becomes, and a NUL */

/* What the character at `s` becomes, NUL-terminated in `out`. Returns how many bytes of `s` it is of;
 * 0 at the end. */
size_t shown_next(const char *s, char out[SHOWN_MAX]);
/* Is there nothing in it that has to be replaced? */
bool shown_as_is(const char *s);

void text_add_shown(struct text *t, const char *s);
/* At most so many bytes of it, in whole characters; "…" behind them where there is more. */
void text_add_shown_cut(struct text *t, const char *s, size_t most);
/* Every character of it stands for itself in GitHub-flavoured Markdown, behind something else in its
 * line: backslashes in front of what
 * would begin a cell, code, emphasis, a link, an entity, HTML or mathematics. */
void text_add_md(struct text *t, const char *s);
/* One word for a shell, quoted where it must be. */
void text_add_shell_word(struct text *t, const char *s);

#endif
