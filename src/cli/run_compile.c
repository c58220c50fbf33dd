#include "cli/run_compile.h"

#include "cli/cli.h"
#include "cli/console.h"
#include "cli/say_remarks.h"
#include "cli/workload.h"

#include "study/study.h"
#include "target/catalog.h"
#include "target/destroy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *environment(const char *name)
{
    return getenv(name);
}

/* What a study may take when nobody says how much. */
static uint64_t quarter_of_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 4 : 0;
}

int run_compile_begin(struct run_compile *c, const char *target, const struct study_values *study,
                      const char *destroy, struct err *err)
{
    const struct target_table *table;
    const char *rest;
    int rc = target_find(target, &table, &rest, err);
    if (rc == 0)
        rc = target_caps_of(target, &c->caps, err);
    if (rc == 0)
        rc = target_check_destroy(destroy, target, &c->caps, err);
    if (rc == 0)
        rc = study_check_resolve((enum study_resolve)study->resolve, target, &c->caps, err);
    if (rc < 0)
        return rc;
    c->instrument.resolve_always = study->resolve == STUDY_RESOLVE_EVERY_TIME;
    snprintf(c->instrument.scheme, sizeof c->instrument.scheme, "%s", table->scheme);
    c->options.target = target;
    c->options.caps = &c->caps;
    c->options.instrument = &c->instrument;
    c->options.seed = study->seed;
    c->options.environment = environment;
    c->options.max_memory_bytes =
        study->max_memory_bytes > 0 ? study->max_memory_bytes : quarter_of_memory();
    return 0;
}

/* What is wrong with the file is told as compilers tell it, and what is not heeded once. */
static int compile(struct run_compile *c, struct workload *workload, struct script **out)
{
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    struct err err = {0};
    const struct lang_loader loader = workload_loader(workload);
    int rc = lang_parse(workload->path, workload->text, workload->len, &loader, &tree, &remarks);
    c->options.name = workload->name;
    if (rc == 0)
        rc = script_compile(tree, &c->options, out, &remarks, &err);
    say_remarks(&remarks);
    if (rc < 0 && remarks.errors == 0)
        console_error("%s: %s", workload->path, err.code ? err.text : err_name(rc));
    lang_remarks_fini(&remarks);
    lang_free(tree);
    return rc;
}

int run_compile_of_suite(struct run_compile *c, const char *suite, const char *word,
                         struct script **out, struct err *err)
{
    struct workload workload = {0};
    int rc = workload_open(&workload, word, suite, err);
    if (rc < 0)
        return rc;
    rc = compile(c, &workload, out);
    workload_close(&workload);
    return rc;
}

int run_compile_workload(struct run_compile *c, const char *word, struct script **out)
{
    struct err err = {0};
    int rc = run_compile_of_suite(c, NULL, word, out, &err);
    if (rc < 0 && err.code)
        console_error("%s", err.text);
    return rc;
}

int run_compile_show(struct script *const *scripts, unsigned n)
{
    struct text text;
    text_init(&text);
    for (unsigned i = 0; i < n; i++)
        script_text(scripts[i], &text);
    int rc = console_show(&text);
    text_fini(&text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}
