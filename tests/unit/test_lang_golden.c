/* lang.h: every tests/golden/lang/NAME.f gives exactly NAME.tree.exact, the tree as text, when it has
 * no error, and NAME.err.exact, the remarks, when it has any. BLESS=1 rewrites both. What a file loads
 * lies in tests/golden/lang/loaded. */
#include "golden/exact.h"
#include "lang/lang.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

static const char *folder(void)
{
    static char path[PATH_MAX];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/../golden/lang", (int)(slash - __FILE__), __FILE__);
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

static int load(void *ctx, const char *name, char **text, size_t *len, char **shown_as,
                struct err *err)
{
    char path[PATH_MAX];
    struct text t;
    (void)ctx;
    text_init(&t);
    snprintf(path, sizeof path, "%s/loaded/%s.f", folder(), name);
    if (!read_all(path, &t)) {
        text_fini(&t);
        return err_set(err, -ENOENT, "there is no %s.f", name);
    }
    *len = t.len;
    *text = text_take(&t);
    snprintf(path, sizeof path, "%s.f", name);
    *shown_as = strdup(path);
    return 0;
}

static const struct lang_loader loader = {.load = load};

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

static void check_comes_back(const char *printed)
{
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    struct text again;
    text_init(&again);
    if (lang_parse("again", printed, strlen(printed), NULL, &tree, &remarks) < 0) {
        lang_remarks_text(&remarks, &again);
        fail_msg("what was printed is refused: %s\n%s", again.s, printed);
    }
    lang_text(tree, &again);
    assert_string_equal(again.s, printed);
    text_fini(&again);
    lang_free(tree);
    lang_remarks_fini(&remarks);
}

static void one_case(const char *name)
{
    char path[2 * PATH_MAX], shown[PATH_MAX];
    struct text source, remarks_text, tree_text;
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    text_init(&source);
    text_init(&remarks_text);
    text_init(&tree_text);
    snprintf(path, sizeof path, "%s/%s.f", folder(), name);
    snprintf(shown, sizeof shown, "%s.f", name);
    assert_true(read_all(path, &source));
    int rc = lang_parse(shown, source.s, source.len, &loader, &tree, &remarks);
    assert_int_equal(rc, remarks.errors > 0 ? -EINVAL : 0);
    assert_true((rc == 0) == (tree != NULL));
    lang_remarks_text(&remarks, &remarks_text);
    if (tree) {
        lang_text(tree, &tree_text);
        check_comes_back(tree_text.s);
    }
    check_exact(name, "err", remarks_text.s);
    check_exact(name, "tree", tree_text.s);
    lang_free(tree);
    lang_remarks_fini(&remarks);
    text_fini(&tree_text);
    text_fini(&remarks_text);
    text_fini(&source);
}

static void every_file_gives_its_tree_and_its_remarks(void **state)
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
        cmocka_unit_test(every_file_gives_its_tree_and_its_remarks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
