/* Every workload in tests/golden/wml (commands, values, sets) and tests/golden/flow (flowops)
 * compiles to the script beside it, or is refused with the words beside it, to the letter. BLESS=1
 * in the environment rewrites them.
 *   NAME.f            the workload
 *   NAME.options      optional, a line each: dialect=sun|1.4|1.5, time=SECONDS, warmup=SECONDS,
 *                     memory=BYTES, target=ADDRESS, device=BYTES, scheme=NAME, system,
 *                     or $name=value
 *   NAME.plan.exact   what was said and the whole script; or
 *   NAME.err.exact    what was said, and no script */
#include "golden/exact.h"
#include "script_box.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define CASES_MAX   512
#define OPTIONS_MAX 32
#define LINE_MAX_   256

struct options {
    char line[OPTIONS_MAX][LINE_MAX_];
    unsigned n;
    const char *set[OPTIONS_MAX];
};

static const char *folder; /* in tests/golden */

static void case_path(char path[PATH_MAX], const char *name, const char *suffix)
{
    const char *dir = getenv("SOURCE_DIR");
    snprintf(path, PATH_MAX, "%s/tests/golden/%s/%s%s", dir ? dir : ".", folder, name, suffix);
}

static bool blessing(void)
{
    const char *bless = getenv("BLESS");
    return bless && strcmp(bless, "1") == 0;
}

static char *read_all(const char *path)
{
    struct text text;
    char chunk[4096];
    size_t got;
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    text_init(&text);
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        text_add_bytes(&text, chunk, got);
    fclose(file);
    char *s = text_take(&text);
    assert_non_null(s);
    return s;
}

static void take_option(struct script_box *b, const char *line, struct options *all)
{
    const char *value = strchr(line, '=');
    value = value ? value + 1 : "";
    if (line[0] == '$') {
        all->set[b->o.sets++] = line + 1;
        b->o.set = all->set;
    } else if (strcmp(line, "system") == 0) {
        b->o.allow_system = true;
    } else if (strncmp(line, "dialect=", 8) == 0) {
        b->o.dialect = strcmp(value, "sun") == 0   ? SCRIPT_DIALECT_SUN
                       : strcmp(value, "1.4") == 0 ? SCRIPT_DIALECT_14
                                                   : SCRIPT_DIALECT_15;
    } else if (strncmp(line, "time=", 5) == 0) {
        b->o.time_ns = strtoull(value, NULL, 10) * 1000000000u;
    } else if (strncmp(line, "warmup=", 7) == 0) {
        b->o.warmup_ns = strtoull(value, NULL, 10) * 1000000000u;
    } else if (strncmp(line, "memory=", 7) == 0) {
        b->o.max_memory_bytes = strtoull(value, NULL, 10);
    } else if (strncmp(line, "target=", 7) == 0) {
        b->o.target = value;
    } else if (strncmp(line, "scheme=", 7) == 0) {
        snprintf(b->instrument.scheme, sizeof b->instrument.scheme, "%s", value);
    } else if (strncmp(line, "device=", 7) == 0) {
        b->caps.one_file = true;
        b->caps.file_bytes = strtoull(value, NULL, 10);
    } else {
        fail_msg("unknown option %s", line);
    }
}

static void read_options(struct script_box *b, const char *name, struct options *all)
{
    char path[PATH_MAX];
    case_path(path, name, ".options");
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    while (all->n < OPTIONS_MAX && fgets(all->line[all->n], LINE_MAX_, file)) {
        all->line[all->n][strcspn(all->line[all->n], "\n")] = '\0';
        take_option(b, all->line[all->n], all);
        all->n++;
    }
    fclose(file);
}

static void check_case(const char *name)
{
    struct script_box b;
    struct options options = {.n = 0};
    char path[PATH_MAX];
    char wanted[PATH_MAX];
    script_box_init(&b);
    read_options(&b, name, &options);
    case_path(path, name, ".f");
    char *source = read_all(path);
    assert_non_null(source);
    int rc = script_box_compile(&b, source);
    struct text text;
    text_init(&text);
    lang_remarks_text(&b.remarks, &text);
    if (rc == 0)
        script_text(b.script, &text);
    else
        assert_true(rc == -EINVAL || rc == -EOPNOTSUPP);
    snprintf(wanted, sizeof wanted, "../%s/%s.%s", folder, name, rc == 0 ? "plan" : "err");
    exact(wanted, text.s);
    case_path(path, name, rc == 0 ? ".err.exact" : ".plan.exact");
    if (blessing())
        remove(path);
    if (access(path, F_OK) == 0)
        fail_msg("%s is there as well", path);
    text_fini(&text);
    free(source);
    script_box_fini(&b);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_folder(const char *which)
{
    static char *name[CASES_MAX];
    unsigned n = 0;
    char path[PATH_MAX];
    folder = which;
    case_path(path, "", "");
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        size_t len = strlen(e->d_name);
        if (len > 2 && strcmp(e->d_name + len - 2, ".f") == 0) {
            assert_true(n < CASES_MAX);
            name[n] = strndup(e->d_name, len - 2);
            assert_non_null(name[n++]);
        }
    }
    closedir(dir);
    assert_true(n > 0);
    qsort(name, n, sizeof name[0], by_name);
    for (unsigned i = 0; i < n; i++) {
        check_case(name[i]);
        free(name[i]);
    }
}

static void each_workload_is_what_stands_beside_it(void **state)
{
    (void)state;
    check_folder("wml");
}

static void each_flowop_is_the_steps_beside_it(void **state)
{
    (void)state;
    check_folder("flow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_workload_is_what_stands_beside_it),
        cmocka_unit_test(each_flowop_is_the_steps_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
