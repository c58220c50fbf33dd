/* A directory to play in, and what the tests of sites ask of it by plain libc calls. */
#ifndef LOADLINE_TESTS_SITE_BOX_H
#define LOADLINE_TESTS_SITE_BOX_H

#include "fileset/site.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define BOX_ID   "aaaa0001"
#define BOX_PATH 512

struct box {
    char path[BOX_PATH]; /* outer directory */
    char target[BOX_PATH];
    char outside[BOX_PATH]; /* beside the target, with files of tempting names */
};

static inline const char *box_path(char buf[BOX_PATH], const char *dir, const char *name)
{
    assert_true((size_t)snprintf(buf, BOX_PATH, "%s/%s", dir, name) < BOX_PATH);
    return buf;
}

static inline void box_write(const char *dir, const char *name, const char *text)
{
    char path[BOX_PATH];
    FILE *file = fopen(box_path(path, dir, name), "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void box_mkdir(const char *dir, const char *name)
{
    char path[BOX_PATH];

    assert_int_equal(mkdir(box_path(path, dir, name), 0777), 0);
}

static inline bool box_has(const char *dir, const char *name)
{
    char path[BOX_PATH];
    struct stat st;

    return lstat(box_path(path, dir, name), &st) == 0;
}

static inline void box_expect_text(const char *dir, const char *name, const char *right)
{
    char path[BOX_PATH];
    char text[256] = "";
    FILE *file = fopen(box_path(path, dir, name), "rb");

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, right);
}

static int box_entries;

static inline int box_count(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)path, (void)st, (void)flag, (void)ftw;
    box_entries++;
    return 0;
}

static inline int box_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

/* Everything below dir, dir not counted. */
static inline int box_entries_in(const char *dir)
{
    box_entries = 0;
    assert_int_equal(nftw(dir, box_count, 16, FTW_PHYS), 0);
    return box_entries - 1;
}

static inline struct box *box_open_in(const char *parent)
{
    struct box *box = calloc(1, sizeof *box);

    assert_non_null(box);
    box_path(box->path, parent, "site-box-XXXXXX");
    assert_non_null(mkdtemp(box->path));
    box_mkdir(box->path, "target");
    box_mkdir(box->path, "outside");
    box_path(box->target, box->path, "target");
    box_path(box->outside, box->path, "outside");
    box_write(box->outside, "f0", "not yours");
    box_write(box->outside, "f1", "nor this");
    box_mkdir(box->outside, "d0");
    box_write(box->outside, "d0/f0", "nor that");
    return box;
}

static inline void box_expect_outside_whole(const struct box *box)
{
    assert_int_equal(box_entries_in(box->outside), 4);
    box_expect_text(box->outside, "f0", "not yours");
    box_expect_text(box->outside, "f1", "nor this");
    box_expect_text(box->outside, "d0/f0", "nor that");
}

static inline void box_close(struct box *box)
{
    box_expect_outside_whole(box);
    nftw(box->path, box_unlink, 16, FTW_PHYS | FTW_DEPTH);
    free(box);
}

static inline int box_setup(void **state)
{
    *state = box_open_in(".");
    return 0;
}

static inline int box_teardown(void **state)
{
    box_close(*state);
    return 0;
}

static uint64_t box_lengths[] = {10, 4096};

/* 2 trees, 6 directories and 12 files in each; made by a process that is gone. */
static inline struct site_shape box_tree(const char *id)
{
    struct site_shape shape = {
        .study = "dirtest",
        .seed = 5,
        .spec = {.shape = FILESET_TREE, .trees = 2, .levels = 2, .branches = 2, .files = 2},
        .lengths = 2,
        .length_bytes = box_lengths,
        .repeats = 3,
        .trees_max = 4};

    owner_of((uint64_t)getpid(), &shape.owner);
    shape.owner.started_ticks++;
    snprintf(shape.id, sizeof shape.id, "%s", id);
    return shape;
}

static inline struct site *box_site(const char *address)
{
    struct site *site = NULL;
    struct err err = {0};

    if (site_open(address, NULL, &site, &err) != 0)
        fail_msg("%s", err.text);
    return site;
}

static inline void box_begin(struct site *site, const struct site_shape *shape)
{
    struct err err = {0};

    if (site_begin(site, shape, &err) != 0)
        fail_msg("%s", err.text);
}

static inline void box_fill_dir(const char *path, const struct fileset_spec *spec, unsigned level,
                                uint64_t length)
{
    char name[BOX_PATH];
    char below[BOX_PATH];

    for (uint32_t f = 0; level > 0 && f < spec->files; f++) {
        snprintf(name, sizeof name, "f%u", f);
        box_write(path, name, "");
        assert_int_equal(truncate(box_path(below, path, name), (off_t)length), 0);
    }
    for (uint32_t d = 0; level < spec->levels && d < spec->branches; d++) {
        snprintf(name, sizeof name, "d%u", d);
        box_mkdir(path, name);
        box_fill_dir(box_path(below, path, name), spec, level + 1, length);
    }
}

/* Makes a place and all that the shape puts into it; its path on this machine in `path`. */
static inline void box_fill(const struct box *box, struct site *site,
                            const struct site_shape *shape, uint64_t length, unsigned repeat,
                            unsigned tree, char path[BOX_PATH])
{
    char place[64];
    char name[BOX_PATH];
    char root[BOX_PATH];
    struct err err = {0};

    site_place(shape, length, repeat, tree, place, sizeof place);
    if (site_make_place(site, place, &err) != 0)
        fail_msg("%s", err.text);
    box_path(path, box->target, place);
    for (uint32_t t = 0; shape->spec.shape == FILESET_TREE && t < shape->spec.trees; t++) {
        snprintf(name, sizeof name, "t%02u", t);
        box_mkdir(path, name);
        box_fill_dir(box_path(root, path, name), &shape->spec, 0, length);
    }
    for (uint32_t f = 0; shape->spec.shape == FILESET_FLAT && f < shape->spec.files; f++) {
        snprintf(name, sizeof name, "f%u", f);
        box_write(path, name, "");
    }
}

#define box_expect_error(err, word)                                                                \
    do {                                                                                           \
        if (strstr((err).text, word) == NULL)                                                      \
            fail_msg("'%s' does not say '%s'", (err).text, word);                                  \
    } while (0)

#endif
