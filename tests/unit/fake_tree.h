/* tests/unit/fake_tree.h — a directory made to look like /proc or /sys.
 * Shape    tree_open → tree_file, tree_link … → tree_close. Directories on the way are made. */
#ifndef LOADLINE_TESTS_FAKE_TREE_H
#define LOADLINE_TESTS_FAKE_TREE_H

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TREE_PATH 256

struct tree {
    char path[64];
};

static inline void tree_open(struct tree *t)
{
    snprintf(t->path, sizeof t->path, "/tmp/loadline-tree-XXXXXX");
    assert_non_null(mkdtemp(t->path));
}

static inline int tree_remove_one(const char *path, const struct stat *st, int flag,
                                  struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static inline void tree_close(struct tree *t)
{
    assert_int_equal(nftw(t->path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void tree_place(const struct tree *t, const char *name, char path[TREE_PATH])
{
    assert_true((size_t)snprintf(path, TREE_PATH, "%s/%s", t->path, name) < TREE_PATH);
    for (char *at = path + strlen(t->path) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
}

static inline void tree_file(const struct tree *t, const char *name, const char *text)
{
    char path[TREE_PATH];
    FILE *file;

    tree_place(t, name, path);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void tree_link(const struct tree *t, const char *name, const char *to)
{
    char path[TREE_PATH];

    tree_place(t, name, path);
    assert_int_equal(symlink(to, path), 0);
}

#endif
