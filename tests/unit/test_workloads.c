/* Of the files in workloads/ each begins with its name and what it is, says what can be set in it, parses without a
 * remark, and compiles with its defaults. What they come to is in tests/golden/workloads/list.exact. */
#include "base/units.h"
#include "golden/exact.h"
#include "unit/script_box.h"

#include "target/catalog.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#define WORKLOADS_MAX 100

struct shipped {
    char name[64];
    struct text text;
};

static struct shipped shipped[WORKLOADS_MAX];
static unsigned n;

/* Of workloads/; freed by the caller. */
static char *path_of(const char *name)
{
    struct text path;
    const char *slash = strrchr(__FILE__, '/');
    text_init(&path);
    text_add_bytes(&path, __FILE__, (size_t)(slash - __FILE__));
    text_addf(&path, "/../../workloads/%s", name);
    return text_take(&path);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct shipped *)a)->name, ((const struct shipped *)b)->name);
}

static void read_one(struct shipped *w, const char *file)
{
    char *path = path_of(file);
    snprintf(w->name, sizeof w->name, "%.*s", (int)(strlen(file) - 2), file);
    text_init(&w->text);
    exact_read(path, &w->text);
    free(path);
}

static int read_all(void **state)
{
    (void)state;
    char *path = path_of("");
    DIR *dir = opendir(path);
    free(path);
    if (!dir)
        return -1;
    for (struct dirent *entry; n < WORKLOADS_MAX && (entry = readdir(dir));)
        if (strlen(entry->d_name) > 2 && strcmp(strrchr(entry->d_name, '.'), ".f") == 0)
            read_one(&shipped[n++], entry->d_name);
    closedir(dir);
    qsort(shipped, n, sizeof *shipped, by_name);
    return 0;
}

static int forget_all(void **state)
{
    (void)state;
    for (unsigned i = 0; i < n; i++)
        text_fini(&shipped[i].text);
    return 0;
}

static void all_that_people_know_are_there(void **state)
{
    static const char *const names[] = {"varmail",
                                        "oltp",
                                        "fileserver",
                                        "webserver",
                                        "webproxy",
                                        "videoserver",
                                        "copyfiles",
                                        "createfiles",
                                        "deletefiles",
                                        "makedirs",
                                        "removedirs",
                                        "listdirs",
                                        "openfiles",
                                        "filemicro_statfile",
                                        "randomread",
                                        "randomwrite",
                                        "randomrw",
                                        "singlestreamread",
                                        "singlestreamwrite",
                                        "fivestreamread",
                                        "fivestreamwrite",
                                        "multistreamread",
                                        "multistreamwrite",
                                        "mongo",
                                        "netsfs",
                                        "networkfs",
                                        "tpcso",
                                        "varmail-2008",
                                        "oltp-2008"};
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct shipped wanted;
        snprintf(wanted.name, sizeof wanted.name, "%s", names[i]);
        if (!bsearch(&wanted, shipped, n, sizeof *shipped, by_name))
            fail_msg("there is no %s", names[i]);
    }
    assert_int_equal(n, 56);
}

static bool begins_as_it_should(const struct shipped *w)
{
    struct text head;
    text_init(&head);
    text_addf(&head, "# %s: ", w->name);
    bool named = strncmp(w->text.s, head.s, head.len) == 0;
    text_fini(&head);
    return named && strcspn(w->text.s, "\n") <= 100 &&
           strstr(w->text.s, "\n# SPDX-License-Identifier: Apache-2.0\n#\n") &&
           strstr(w->text.s, "\n# Source: ");
}

static void each_says_what_it_is(void **state)
{
    (void)state;
    for (unsigned i = 0; i < n; i++)
        if (!begins_as_it_should(&shipped[i]))
            fail_msg("%s does not begin as it should", shipped[i].name);
}

/* "#   $name  what", or "set \$name=<" of a usage line. */
static bool explains(const struct shipped *w, const char *variable)
{
    struct text comment, usage;
    text_init(&comment);
    text_init(&usage);
    text_addf(&comment, "\n#   $%s ", variable);
    text_addf(&usage, "\nusage \"set \\$%s=<", variable);
    bool found = strstr(w->text.s, comment.s) || strstr(w->text.s, usage.s);
    text_fini(&comment);
    text_fini(&usage);
    return found;
}

static void each_parses_without_a_remark(void **state)
{
    (void)state;
    for (unsigned i = 0; i < n; i++) {
        struct lang_remarks remarks = {0};
        struct lang_tree *tree = NULL;
        struct text said;
        const struct text *text = &shipped[i].text;
        int rc = lang_parse(shipped[i].name, text->s, text->len, NULL, &tree, &remarks);
        text_init(&said);
        lang_remarks_text(&remarks, &said);
        assert_string_equal(said.s, "");
        assert_int_equal(rc, 0);
        for (unsigned j = 0; j < tree->commands; j++)
            if (tree->command[j].kind == LANG_SET && !explains(&shipped[i], tree->command[j].name))
                fail_msg("%s does not explain $%s", shipped[i].name, tree->command[j].name);
        text_fini(&said);
        lang_free(tree);
        lang_remarks_fini(&remarks);
    }
}

static void add_row(const struct shipped *w, const struct script_box *b, struct text *out)
{
    static const char *const dialect[] = {"auto", "sun", "1.4", "1.5"};
    char bytes[UNITS_PRINT_MAX];
    char *said = script_box_remarks(b);
    text_addf(out, "%s: dialect %s, %u sets, %llu files of %s, %u runs\n%s", w->name,
              dialect[b->script->dialect], b->script->sets, (unsigned long long)b->script->files,
              units_print_bytes(bytes, b->script->bytes), b->script->runs, said);
    free(said);
}

static bool draws_about(const struct plan *plan, double mean)
{
    for (unsigned i = 0; i < plan->draws; i++)
        if (plan->draw[i].kind == DRAW_GAMMA && draw_mean(&plan->draw[i]) == mean)
            return true;
    return false;
}

/* The mean was a number, so with fewer files than the default all were used alike. */
static void few_files_are_used_much_of_any_number(void **state)
{
    static const struct {
        const char *name, *set;
        double mean;
    } cases[] = {{"netsfs", "nfiles=1000", 500},
                 {"networkfs", "nfiles=1000", 5000},
                 {"randomfileaccess", "nfiles=300", 150}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shipped wanted;
        struct script_box b;
        snprintf(wanted.name, sizeof wanted.name, "%s", cases[i].name);
        const struct shipped *w = bsearch(&wanted, shipped, n, sizeof *shipped, by_name);
        script_box_init(&b);
        b.o.set = &cases[i].set;
        b.o.sets = 1;
        assert_int_equal(script_box_compile(&b, w->text.s), 0);
        assert_true(draws_about(b.script->step[b.script->steps - 1].plan, cases[i].mean));
        script_box_fini(&b);
    }
}

static void each_compiles_with_its_defaults(void **state)
{
    struct text out;
    (void)state;
    text_init(&out);
    for (unsigned i = 0; i < n; i++) {
        struct script_box b;
        struct err err = {0};
        script_box_init(&b);
        assert_int_equal(target_caps_of(b.o.target, &b.caps, &err), 0);
        b.o.name = shipped[i].name;
        if (script_box_compile(&b, shipped[i].text.s) < 0)
            fail_msg("%s: %s%s", shipped[i].name, script_box_remarks(&b), b.err.text);
        assert_int_equal(b.script->runs, 1);
        add_row(&shipped[i], &b, &out);
        script_box_fini(&b);
    }
    exact("../workloads/list", out.s);
    text_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_people_know_are_there),
        cmocka_unit_test(each_says_what_it_is),
        cmocka_unit_test(each_parses_without_a_remark),
        cmocka_unit_test(each_compiles_with_its_defaults),
        cmocka_unit_test(few_files_are_used_much_of_any_number),
    };
    return cmocka_run_group_tests(tests, read_all, forget_all);
}
