#include "base/shown.h"
#include "base/text.h"
#include "base/units.h"
#include "verdict/compare_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_TOLD 3

bool compare_run_is_good(const struct result *r)
{
    return r->state == RESULT_COMPLETE && r->errors == 0;
}

static unsigned bad_runs(const struct row *row)
{
    unsigned bad = 0;

    for (unsigned i = 0; i < row->n; i++)
        bad += !compare_run_is_good(row->run[i].result);
    return bad;
}

bool compare_can_spare(const struct row *a)
{
    return a->n - bad_runs(a) >= CHANGE_RUNS_MIN;
}

bool compare_is_bookkeeping(const char *key)
{
    static const char *const keys[] = {"repeat",
                                       "repeats",
                                       "until_ci_frac",
                                       "row",
                                       "side",
                                       "trees",
                                       "passes",
                                       "min_time_ns",
                                       "warmup_asked_ns", /* warmup_ns is what was done */
                                       "reused_files",
                                       "read_id",
                                       "removed_before_files",
                                       "removed_before_age_s"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static bool whole_number(const char *value, uint64_t *out)
{
    return units_parse_count(value, out, NULL) == 0;
}

/* Where two decimals would hide a difference the number is told whole. */
static void bytes_words(uint64_t bytes, char *buf, size_t room)
{
    char words[UNITS_PRINT_MAX];
    uint64_t back;

    if (units_parse_bytes(units_print_bytes(words, bytes), &back, NULL) == 0 && back == bytes)
        snprintf(buf, room, "%s", words);
    else
        snprintf(buf, room, "%" PRIu64 " B", bytes);
}

void compare_fact_words(const struct result_fact *fact, char *buf, size_t room)
{
    char words[UNITS_PRINT_MAX];
    uint64_t number;

    if (strcmp(fact->unit, "bytes") == 0 && whole_number(fact->value, &number))
        bytes_words(number, buf, room);
    else if (strcmp(fact->unit, "ns") == 0 && whole_number(fact->value, &number))
        snprintf(buf, room, "%s", units_print_ns(words, number));
    else
        snprintf(buf, room, "%s%s%s", fact->value, fact->unit[0] ? " " : "", fact->unit);
}

/* ---- another workload ---- */

static const struct result_fact *fact_of(const struct result_facts *facts, const char *key)
{
    for (unsigned i = 0; i < facts->n; i++)
        if (strcmp(facts->fact[i].key, key) == 0)
            return &facts->fact[i];
    return NULL;
}

static void tell_option(struct text *out, unsigned told, const struct result_fact *a,
                        const struct result_fact *b)
{
    char words_a[64], words_b[64];

    compare_fact_words(a, words_a, sizeof words_a);
    compare_fact_words(b, words_b, sizeof words_b);
    if (strcmp(words_a, words_b) == 0) {
        snprintf(words_a, sizeof words_a, "%s", a->value);
        snprintf(words_b, sizeof words_b, "%s", b->value);
    }
    text_addf(out, "%s %s %s against %s", told > 0 ? "," : ":", a->key, words_a, words_b);
}

/* Returns how many options differ. */
static unsigned tell_options(struct text *out, const struct result *a, const struct result *b)
{
    unsigned told = 0;

    for (unsigned i = 0; i < a->options.n; i++) {
        const struct result_fact *fact = &a->options.fact[i];
        const struct result_fact *other = fact_of(&b->options, fact->key);
        if (compare_is_bookkeeping(fact->key) || !other || strcmp(fact->value, other->value) == 0)
            continue;
        if (told < OPTIONS_TOLD)
            tell_option(out, told, fact, other);
        told++;
    }
    if (told > OPTIONS_TOLD)
        text_addf(out, " and %u more", told - OPTIONS_TOLD);
    return told;
}

/* Published results leave out what would make them comparable with others. */
static const char *not_stated(const struct row_pair *pair)
{
    const char *a = result_fact_get(&pair->a->run[0].result->options, "not_stated");
    const char *b = result_fact_get(&pair->b->run[0].result->options, "not_stated");

    return a ? a : b;
}

static void tell_workload(struct text *out, const struct row_pair *pair)
{
    const struct result *a = pair->a->run[0].result;
    const struct result *b = pair->b->run[0].result;

    const char *unsaid = not_stated(pair);
    if (unsaid) {
        text_addf(out, "whether they ask the same is not known; not stated: %s", unsaid);
        return;
    }
    text_add(out, "another workload");
    unsigned told = tell_options(out, a, b);
    if (a->seed != b->seed && told == 0)
        text_clear(out);
    if (a->seed != b->seed)
        text_addf(out, "%sanother seed: %" PRIu64 " against %" PRIu64, told > 0 ? ", " : "",
                  a->seed, b->seed);
    else if (told == 0)
        text_addf(out, ": hash %.8s against %.8s", a->workload_hash, b->workload_hash);
}

/* ---- bad runs ---- */

static void tell_bad(struct text *out, const char *side, const struct row *row)
{
    for (unsigned i = 0; i < row->n; i++) {
        const struct result *r = row->run[i].result;
        if (compare_run_is_good(r))
            continue;
        text_add_shown_cut(out, side, COMPARE_NAME_CUT);
        text_addf(out, ": %u of %u runs bad; %.15s.%u ", bad_runs(row), row->n, r->study_id,
                  r->run);
        if (r->state == RESULT_VOID)
            text_addf(out, "is void");
        else if (r->errors > 0)
            text_addf(out, "has %" PRIu64 " errors (%s %s)", result_error_count(r), r->error[0].op,
                      r->error[0].code);
        else
            text_addf(out, "is incomplete: %s", r->reason ? r->reason : "");
        return;
    }
}

static unsigned modelled_runs(const struct row *row)
{
    unsigned modelled = 0;

    for (unsigned i = 0; i < row->n; i++)
        modelled += result_modelled(row->run[i].result) != NULL;
    return modelled;
}

/* What a model might do says neither that a system has become better nor how much its runs differ. */
static bool tell_model(const struct comparison *c, const struct row_pair *pair, struct text *out)
{
    unsigned a = modelled_runs(pair->a), b = modelled_runs(pair->b);
    bool mixed_a = a > 0 && a < pair->a->n;
    bool mixed_b = b > 0 && b < pair->b->n;

    if (mixed_a || mixed_b) {
        text_add_shown_cut(out, mixed_a ? c->a.name : c->b.name, COMPARE_NAME_CUT);
        text_add(out, " has runs of a model and of a system");
    } else if ((a > 0) != (b > 0)) {
        text_add_shown_cut(out, a > 0 ? c->a.name : c->b.name, COMPARE_NAME_CUT);
        text_add(out, " is a model, ");
        text_add_shown_cut(out, a > 0 ? c->b.name : c->a.name, COMPARE_NAME_CUT);
        text_add(out, " is not");
    }
    return out->len > 0;
}

static void tell(const struct comparison *c, const struct row_pair *pair, struct text *out)
{
    const char *a = c->a.name, *b = c->b.name;

    if (!pair->a || !pair->b) {
        text_add(out, "not in ");
        text_add_shown_cut(out, pair->a ? b : a, COMPARE_NAME_CUT);
    } else if (tell_model(c, pair, out)) {
        return;
    } else if (!pair->a->one_workload || !pair->b->one_workload) {
        text_add_shown_cut(out, pair->a->one_workload ? b : a, COMPARE_NAME_CUT);
        text_add(out, " has runs of several workloads");
    } else if (strcmp(pair->a->workload_hash, pair->b->workload_hash) != 0) {
        tell_workload(out, pair);
    } else if (bad_runs(pair->a) > 0 && !compare_can_spare(pair->a)) {
        tell_bad(out, a, pair->a);
    } else if (bad_runs(pair->b) > 0) {
        tell_bad(out, b, pair->b);
    }
}

void compare_put_reason(char reason[COMPARE_REASON_MAX], const struct text *words)
{
    struct text cut;

    text_init(&cut);
    text_add_shown_cut(&cut, words->s, COMPARE_REASON_MAX - sizeof "…");
    snprintf(reason, COMPARE_REASON_MAX, "%s", cut.s);
    text_fini(&cut);
}

bool compare_reason(const struct comparison *c, const struct row_pair *pair,
                    struct compare_row *out)
{
    struct text text;

    text_init(&text);
    tell(c, pair, &text);
    compare_put_reason(out->reason, &text);
    out->comparable = text.len == 0;
    if (out->comparable)
        out->left_out = bad_runs(pair->a);
    text_fini(&text);
    return out->comparable;
}
