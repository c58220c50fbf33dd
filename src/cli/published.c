#include "cli/published.h"

#include "base/digest.h"
#include "base/text.h"
#include "report/report.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRS  1344
#define FILES 5376

const char *published_name(unsigned index)
{
    for (unsigned i = 0; i < published_rows; i++) {
        bool first = i == 0 || strcmp(published_row[i].name, published_row[i - 1].name) != 0;
        if (first && index-- == 0)
            return published_row[i].name;
    }
    return NULL;
}

bool published_is(const char *name)
{
    for (unsigned i = 0; i < published_rows; i++)
        if (strcmp(published_row[i].name, name) == 0)
            return true;
    return false;
}

static int put_shape(struct result *r, const struct published_row *row)
{
    static const char *const words[][2] = {
        {"threads", "16"},
        {"levels", "3"},
        {"branches", "4"},
        {"files_per_dir", "4"},
        {"repeat", "1"},
        {"repeats", "1"},
        {"not_stated", "chunk, content, sync, client cache"},
    };
    struct result_facts *options = &r->options;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof words / sizeof words[0]; i++)
        rc = result_fact_put(options, words[i][0], words[i][1], "");
    if (rc == 0)
        rc = result_fact_putf(options, "dirs", "", "%d", DIRS);
    if (rc == 0)
        rc = result_fact_putf(options, "files", "", "%d", FILES);
    if (rc == 0)
        rc = result_fact_putf(options, "length_bytes", "bytes", "%u", row->length_bytes);
    return rc;
}

static int put_words(struct result *r, const struct published_row *row)
{
    struct text plan;
    text_init(&plan);
    text_addf(
        &plan,
        "published 2001 %s: threads 16 levels 3 branches 4 files 4 length %u; chunk, content, "
        "sync and client cache are not stated\n",
        row->phase, row->length_bytes);
    if (!plan.failed) {
        digest_sha256(plan.s, plan.len, r->workload_hash);
        memcpy(r->plan_hash, r->workload_hash, sizeof r->plan_hash);
    }
    r->plan_text = text_take(&plan);
    r->target = strdup(row->system);
    r->system = strdup(row->system);
    r->label = strdup("");
    r->software = strdup("");
    r->reason = strdup("");
    return r->plan_text && r->target && r->system && r->label && r->software && r->reason ? 0
                                                                                          : -ENOMEM;
}

/* How many operations moved the bytes is not known, nor how long each of them took. */
static int put_line(struct result *r, const char *phase)
{
    r->line = calloc(1, sizeof *r->line);
    if (!r->line)
        return -ENOMEM;
    r->lines = 1;
    snprintf(r->line->name, sizeof r->line->name, "%s", phase);
    snprintf(r->line->op, sizeof r->line->op, "%s", phase);
    r->line->sum.bytes = r->bytes;
    return 0;
}

static int result_of(const struct published_row *row, unsigned run, struct result **out)
{
    struct result *r = result_new();
    if (!r)
        return -ENOMEM;
    snprintf(r->study_id, sizeof r->study_id, "%s", row->name);
    snprintf(r->study, sizeof r->study, "dirtest");
    snprintf(r->phase, sizeof r->phase, "%s", row->phase);
    snprintf(r->tool_version, sizeof r->tool_version, "published 2001");
    r->run = run;
    r->state = RESULT_COMPLETE;
    r->passes = 1;
    r->files = FILES;
    r->bytes = (uint64_t)FILES * row->length_bytes;
    r->elapsed_ns = (uint64_t)row->elapsed_ms * 1000000;
    r->window_close_ns = r->elapsed_ns;
    r->cache.applies = strcmp(row->phase, "read") == 0;
    snprintf(r->cache.mode, sizeof r->cache.mode, "not stated");
    int rc = put_words(r, row);
    if (rc == 0)
        rc = put_line(r, row->phase);
    if (rc == 0)
        rc = put_shape(r, row);
    if (rc < 0)
        result_free(r);
    else
        *out = r;
    return rc;
}

int published_load(const char *name, struct result ***out, unsigned *n)
{
    struct result **list = calloc(published_rows, sizeof(struct result *));
    unsigned found = 0;
    int rc = list ? 0 : -ENOMEM;
    for (unsigned i = 0; rc == 0 && i < published_rows; i++) {
        if (strcmp(published_row[i].name, name) != 0)
            continue;
        rc = result_of(&published_row[i], found + 1, &list[found]);
        found += rc == 0;
    }
    if (rc < 0) {
        store_results_free(list, found);
        return rc;
    }
    *out = list;
    *n = found;
    return 0;
}

static bool comes_out(const struct published_row *row)
{
    char space[48];
    report_classic_space(space, sizeof space, FILES, row->length_bytes);
    return strcmp(space, row->space_kib) == 0 &&
           report_classic_kib_per_s(FILES, row->length_bytes, row->elapsed_ms) == row->kib_per_s;
}

unsigned published_recompute(const struct published_row **differs)
{
    unsigned same = 0;
    *differs = NULL;
    for (unsigned i = 0; i < published_rows; i++) {
        if (comes_out(&published_row[i]))
            same++;
        else if (!*differs)
            *differs = &published_row[i];
    }
    return same;
}
