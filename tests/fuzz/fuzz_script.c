/* script_compile under any text that parses: no crash, no hang; an error leaves words and no
 * script; what is accepted holds a frozen plan for each run, and is written down the same each
 * time. */
#include "fuzz/fuzz.h"
#include "lang/lang.h"
#include "script/script.h"
#include "target/target.h"

#include <errno.h>
#include <string.h>

#define MEMORY_BYTES 4000000

static void check_script(const struct script *script)
{
    unsigned runs = 0;
    FUZZ_CHECK(script->dialect != SCRIPT_DIALECT_AUTO);
    FUZZ_CHECK(script->steps <= SCRIPT_STEPS_MAX && script->sets <= SCRIPT_SETS_MAX);
    for (unsigned i = 0; i < script->steps; i++) {
        const struct script_step *step = &script->step[i];
        runs += step->kind == SCRIPT_RUN;
        FUZZ_CHECK((step->kind == SCRIPT_RUN) == (step->plan != NULL));
        FUZZ_CHECK(step->kind != SCRIPT_SHELL);
        if (step->kind == SCRIPT_MAKE || step->kind == SCRIPT_REMOVE)
            FUZZ_CHECK(step->n > 0 && step->first + step->n <= script->sets);
    }
    FUZZ_CHECK(runs == script->runs);
}

static void check_same(const struct script *a, const struct script *b)
{
    struct text first, second;
    text_init(&first);
    text_init(&second);
    script_text(a, &first);
    script_text(b, &second);
    FUZZ_CHECK(strcmp(first.s, second.s) == 0);
    text_fini(&first);
    text_fini(&second);
}

static struct script *compile(const struct lang_tree *tree, const struct script_options *o)
{
    struct lang_remarks remarks = {0};
    struct script *script = NULL;
    struct err err = {0};
    int rc = script_compile(tree, o, &script, &remarks, &err);
    FUZZ_CHECK(rc == 0 || rc == -EINVAL || rc == -EOPNOTSUPP);
    FUZZ_CHECK((rc == 0) == (script != NULL));
    FUZZ_CHECK((rc == 0) == (remarks.errors == 0) && (rc == 0 || err.code != 0));
    lang_remarks_fini(&remarks);
    return script;
}

static void describe(const struct lang_tree *tree)
{
    struct text usage, variables;
    text_init(&usage);
    text_init(&variables);
    FUZZ_CHECK(script_describe(tree, &usage, &variables) == 0);
    text_fini(&usage);
    text_fini(&variables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    bool device = size > 0 && data[size - 1] == 'd';
    const struct target_caps caps = {.op_kinds = UINT32_MAX,
                                     .blocking = true,
                                     .one_file = device,
                                     .file_bytes = device ? 1 << 30 : 0};
    const struct plan_instrument instrument = {.scheme = "posix"};
    const struct script_options options = {.name = "fuzz",
                                           .seed = 1,
                                           .target = "/t",
                                           .caps = &caps,
                                           .instrument = &instrument,
                                           .max_memory_bytes = MEMORY_BYTES};
    if (lang_parse("fuzz", (const char *)data, size, NULL, &tree, &remarks) == 0) {
        struct script *script = compile(tree, &options);
        struct script *again = compile(tree, &options);
        FUZZ_CHECK((script != NULL) == (again != NULL));
        if (script && again) {
            check_script(script);
            check_same(script, again);
        }
        script_free(script);
        script_free(again);
        describe(tree);
    }
    lang_free(tree);
    lang_remarks_fini(&remarks);
    return 0;
}
