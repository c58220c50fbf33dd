#include "target/sim_shipped.h"

#include "target/sim_shipped_priv.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool sim_shipped(unsigned i, const char **name, const char **text)
{
    *name = sim_shipped_row[i].name;
    *text = (const char *)sim_shipped_row[i].text;
    return *name != NULL;
}

const char *sim_shipped_text(const char *name)
{
    const char *known;
    const char *text;

    for (unsigned i = 0; sim_shipped(i, &known, &text); i++) {
        if (strcmp(known, name) == 0)
            return text;
    }
    return NULL;
}

char *sim_shipped_title(const char *text, char *buf, unsigned room)
{
    static const char key[] = "\ntitle = ";
    const char *line = strstr(text, key);
    const char *title = line != NULL ? line + strlen(key) : "";

    snprintf(buf, room, "%.*s", (int)strcspn(title, "#\n"), title);
    return buf;
}
