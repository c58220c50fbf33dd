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

/* Of tests/golden/lang; freed by the caller. */
static char *path_of(const char *folder, const char *name, const char *suffix)
{
    struct text path;
    const char *slash = strrchr(__FILE__, '/');
    text_init(&path);
    text_add_bytes(&path, __FILE__, (size_t)(slash - __FILE__));
    text_addf(&path, "/../golden/lang/%s%s%s", folder, name, suffix);
    char *s = text_take(&path);
    assert_non_null(s);
    return s;
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
    char *path = path_of("loaded/", name, ".f");
    struct text t;
    (void)ctx;
    text_init(&t);
    bool there = read_all(path, &t);
    free(path);
    if (!there)
        return err_set(err, -ENOENT, "there is no %s.f", name);
    *len = t.len;
    *text = text_take(&t);
    text_addf(&t, "%s.f", name);
    *shown_as = text_take(&t);
    return 0;
}

static const struct lang_loader loader = {.load = load};

static void compare_exact(const char *path, const char *got)
{
    struct text wanted;
    text_init(&wanted);
    if (!read_all(path, &wanted) && *got)
        fail_msg("no %s; BLESS=1 writes it:\n%s", path, got);
    if (strcmp(wanted.s, got) != 0)
        fail_msg("%s: line %u differs; now it is\n%s", path, exact_first_difference(wanted.s, got),
                 got);
    text_fini(&wanted);
}

static void check_exact(const char *name, const char *suffix, const char *got)
{
    char *path = path_of("", name, suffix);
    const char *bless = getenv("BLESS");
    if (!bless || strcmp(bless, "1") != 0)
        compare_exact(path, got);
    else if (*got)
        exact_write(path, got);
    else
        unlink(path);
    free(path);
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
    char shown[256 + 2];
    char *path = path_of("", name, ".f");
    struct text source, remarks_text, tree_text;
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    text_init(&source);
    text_init(&remarks_text);
    text_init(&tree_text);
    snprintf(shown, sizeof shown, "%s.f", name);
    assert_true(read_all(path, &source));
    free(path);
    int rc = lang_parse(shown, source.s, source.len, &loader, &tree, &remarks);
    assert_int_equal(rc, remarks.errors > 0 ? -EINVAL : 0);
    assert_true((rc == 0) == (tree != NULL));
    lang_remarks_text(&remarks, &remarks_text);
    if (tree) {
        lang_text(tree, &tree_text);
        check_comes_back(tree_text.s);
    }
    check_exact(name, ".err.exact", remarks_text.s);
    check_exact(name, ".tree.exact", tree_text.s);
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
    char *path = path_of("", "", "");
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t len = strlen(entry->d_name);
        if (len < 3 || strcmp(entry->d_name + len - 2, ".f") != 0)
            continue;
        entry->d_name[len - 2] = '\0';
        one_case(entry->d_name);
        n++;
    }
    closedir(dir);
    free(path);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_gives_its_tree_and_its_remarks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
