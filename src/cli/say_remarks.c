#include "cli/say_remarks.h"

#include "cli/console.h"

#include <string.h>

void say_remarks(const struct lang_remarks *remarks)
{
    struct text text;
    text_init(&text);
    lang_remarks_text(remarks, &text);
    for (const char *line = text.s; !text.failed && *line;) {
        size_t len = strcspn(line, "\n");
        console_say("%.*s", (int)len, line);
        line += len + (line[len] == '\n');
    }
    if (text.failed || remarks->failed)
        console_error("out of memory for what is wrong with the file");
    text_fini(&text);
}
