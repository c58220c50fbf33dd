#include "verdict/instrument.h"

#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 256
#define WORD_MAX_BYTES 32
#define WAY_MAX_BYTES  80

static const char *line_of(const struct result *r)
{
    static const char head[] = "instrument ";
    const char *line = r->plan_text ? strstr(r->plan_text, head) : NULL;

    if (!line || (line != r->plan_text && line[-1] != '\n'))
        return NULL;
    return line + sizeof head - 1;
}

const char *instrument_word(const struct result *r, const char *word, char *buf, size_t room)
{
    const char *line = line_of(r);
    char words[LINE_MAX_BYTES];
    char *rest = words;
    size_t len = strlen(word);

    buf[0] = '\0';
    if (!line)
        return buf;
    snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "\n"), line);
    for (char *one; (one = strsep(&rest, " ")) != NULL;)
        if (strncmp(one, word, len) == 0 && one[len] == '=')
            snprintf(buf, room, "%s", one + len + 1);
    return buf;
}

static const char *way_of(const struct result *r, char buf[WAY_MAX_BYTES])
{
    static const struct {
        const char *scheme;
        const char *words;
    } known[] = {
        {"nfs", "loadline's own NFS client"},
        {"posix", "the kernel, by plain calls"},
        {"uring", "the kernel, by io_uring"},
        {"dev", "the kernel, on a block device"},
    };
    char scheme[WORD_MAX_BYTES], resolve[WORD_MAX_BYTES];
    const char *words = instrument_word(r, "scheme", scheme, sizeof scheme);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].scheme, scheme) == 0)
            words = known[i].words;
    bool walks = strcmp(instrument_word(r, "resolve", resolve, sizeof resolve), "every-time") == 0;
    snprintf(buf, WAY_MAX_BYTES, "%s%s", words, walks ? " walking to each name" : "");
    return buf;
}

bool instrument_differs(const struct result *a, const char *name_a, const struct result *b,
                        const char *name_b, char words[INSTRUMENT_WORDS_MAX])
{
    char way_a[WAY_MAX_BYTES], way_b[WAY_MAX_BYTES];
    const char *model = result_modelled(a) ? name_a : name_b;

    if (!result_modelled(a) != !result_modelled(b)) {
        snprintf(words, INSTRUMENT_WORDS_MAX,
                 "%s is a model in time of its own, %s is not: no number here says which of two "
                 "systems is "
                 "the better one",
                 model, model == name_a ? name_b : name_a);
        return true;
    }
    way_of(a, way_a);
    way_of(b, way_b);
    if (way_a[0] == '\0' || way_b[0] == '\0' || strcmp(way_a, way_b) == 0)
        return false;
    snprintf(words, INSTRUMENT_WORDS_MAX,
             "%s is asked by %s, %s by %s: a difference is in part that of the askers", name_a,
             way_a, name_b, way_b);
    return true;
}
