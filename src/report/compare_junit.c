#include "base/shown.h"
#include "report/compare_forms_priv.h"

#include <string.h>

/* XML 1.0 holds no control characters, not even as entities. */
static void add_xml(struct text *out, const char *s)
{
    static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    static const char special[] = "<>&\"'";
    char shown[SHOWN_MAX];

    for (size_t len; (len = shown_next(s, shown)) > 0; s += len) {
        const char *at = strchr(special, *s);

        text_add(out, at ? entity[at - special] : shown);
    }
}

static void attribute(struct text *out, const char *name, const char *value)
{
    text_addf(out, " %s=\"", name);
    add_xml(out, value);
    text_add(out, "\"");
}

/* What a judgement is in the file: the exit status of the program says the same. */
static const char *element(enum gate_word word, enum compare_undecided undecided)
{
    static const char *const cannot[] = {"error", "skipped", "failure"};

    if (word == GATE_CANNOT)
        return cannot[undecided];
    return word == GATE_FAIL ? "failure" : NULL;
}

static unsigned count(const struct compare_pair *pair, enum compare_undecided undecided,
                      const char *name)
{
    unsigned n = 0;

    for (unsigned i = 0; i < pair->judged; i++) {
        const char *is = element(pair->judgement[i].word, undecided);

        n += is && strcmp(is, name) == 0;
    }
    return n;
}

static void put_case(struct text *out, const struct compare_pair *pair,
                     const struct gate_judgement *judgement, enum compare_undecided undecided)
{
    const char *is = element(judgement->word, undecided);

    text_add(out, "    <testcase");
    attribute(out, "classname", pair->comparison.b.name);
    text_add(out, " name=\"");
    add_xml(out, judgement->row->name);
    text_add(out, ": ");
    add_xml(out, judgement->gate->text);
    text_add(out, "\"");
    if (!is) {
        text_add(out, "/>\n");
        return;
    }
    text_addf(out, "><%s", is);
    attribute(out, "message", judgement->why);
    if (strcmp(is, "skipped") != 0)
        attribute(out, "type", report_gate_word(judgement->word));
    text_add(out, "/></testcase>\n");
}

static void put_suite(struct text *out, const struct compare_pair *pair,
                      enum compare_undecided undecided)
{
    const struct comparison *c = &pair->comparison;

    text_add(out, "  <testsuite name=\"");
    add_xml(out, c->b.name);
    text_add(out, " against ");
    add_xml(out, c->a.name);
    text_addf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n", pair->judged,
              count(pair, undecided, "failure"), count(pair, undecided, "error"),
              count(pair, undecided, "skipped"));
    for (unsigned i = 0; i < pair->judged; i++)
        put_case(out, pair, &pair->judgement[i], undecided);
    text_add(out, "  </testsuite>\n");
}

void report_compare_junit(struct text *out, const struct compare_pair *pair, unsigned pairs,
                          enum compare_undecided undecided)
{
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (unsigned i = 0; i < pairs; i++)
        put_suite(out, &pair[i], undecided);
    text_add(out, "</testsuites>\n");
}
