/* specs 11 to 13, step.h: every tests/golden/flow/NAME.f gives exactly NAME.plan.exact, the script as
 * text, when it can be run, and NAME.err.exact, the remarks, when there are any. BLESS=1 rewrites both.
 * A first line "# dialect 1.4" asks for that dialect by name. */
#include "golden/exact.h"
#include "lang/lang.h"
#include "script/script.h"
#include "target/catalog.h"
#include "target/target.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

static const char *folder(void)
{
    static char path[PATH_MAX];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/../golden/flow", (int)(slash - __FILE__), __FILE__);
    return path;
}

static bool read_all(const char *path, struct text *out)
{
    char chunk[4096];
    size_t got;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        text_add_bytes(out, chunk, got);
    fclose(file);
    return true;
}

static void check_exact(const char *name, const char *kind, const char *got)
{
    char path[2 * PATH_MAX];
    struct text wanted;
    const char *bless = getenv("BLESS");
    snprintf(path, sizeof path, "%s/%s.%s.exact", folder(), name, kind);
    if (bless && strcmp(bless, "1") == 0) {
        if (*got)
            exact_write(path, got);
        else
            unlink(path);
        return;
    }
    text_init(&wanted);
    if (!read_all(path, &wanted) && *got)
        fail_msg("no %s; BLESS=1 writes it:\n%s", path, got);
    if (strcmp(wanted.s, got) != 0)
        fail_msg("%s: line %u differs; now it is\n%s", path, exact_first_difference(wanted.s, got),
                 got);
    text_fini(&wanted);
}

static enum script_dialect dialect_of(const char *source)
{
    static const struct {
        const char *line;
        enum script_dialect dialect;
    } known[] = {
        {"# dialect sun\n", SCRIPT_DIALECT_SUN},
        {"# dialect 1.4\n", SCRIPT_DIALECT_14},
        {"# dialect 1.5\n", SCRIPT_DIALECT_15},
    };
    for (unsigned i = 0; i < 3; i++)
        if (strncmp(source, known[i].line, strlen(known[i].line)) == 0)
            return known[i].dialect;
    return SCRIPT_DIALECT_AUTO;
}

static void compile(const char *name, const struct lang_tree *tree, enum script_dialect dialect,
                    struct lang_remarks *remarks, struct text *plan)
{
    static const struct plan_instrument instrument = {.scheme = "posix", .cache = PLAN_CACHE_KEEP};
    struct target_caps caps;
    struct err err = {0};
    struct script *script = NULL;
    assert_int_equal(target_caps_of("/", &caps, &err), 0);
    caps.handles_max = 0;
    const struct script_options options = {.name = name,
                                           .dialect = dialect,
                                           .seed = 1,
                                           .target = "/x",
                                           .caps = &caps,
                                           .instrument = &instrument};
    int rc = script_compile(tree, &options, &script, remarks, &err);
    if (rc == 0)
        script_text(script, plan);
    else if (remarks->errors == 0)
        fail_msg("%s: %d, %s, and no remark", name, rc, err.text);
    script_free(script);
}

static void one_case(const char *name)
{
    char path[2 * PATH_MAX], shown[PATH_MAX];
    struct text source, said, plan;
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    text_init(&source);
    text_init(&said);
    text_init(&plan);
    snprintf(path, sizeof path, "%s/%s.f", folder(), name);
    snprintf(shown, sizeof shown, "%s.f", name);
    assert_true(read_all(path, &source));
    if (lang_parse(shown, source.s, source.len, NULL, &tree, &remarks) == 0)
        compile(name, tree, dialect_of(source.s), &remarks, &plan);
    lang_remarks_text(&remarks, &said);
    check_exact(name, "err", said.s);
    check_exact(name, "plan", plan.s);
    lang_free(tree);
    lang_remarks_fini(&remarks);
    text_fini(&plan);
    text_fini(&said);
    text_fini(&source);
}

static void every_file_gives_its_plan_and_its_remarks(void **state)
{
    unsigned n = 0;
    (void)state;
    DIR *dir = opendir(folder());
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t len = strlen(entry->d_name);
        if (len < 3 || strcmp(entry->d_name + len - 2, ".f") != 0)
            continue;
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(len - 2), entry->d_name);
        one_case(name);
        n++;
    }
    closedir(dir);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_gives_its_plan_and_its_remarks),
    };
    return cmocka_run_group_tests_name("flow_golden", tests, NULL, NULL);
}
