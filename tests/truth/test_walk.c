/* engine/walk_priv.h: a tree taken as listed: every file once, in the order of the listings, and what
 * is not as the plan has it is told. The kernel says which files were opened (inotify). */
#include "truth/trees.h"

#include <dirent.h>
#include <sys/inotify.h>

#define DIRS_MAX 64
#define SEEN_MAX 512

static struct truth_dir dir;

static int make_tree(void **state)
{
    const struct fileset_spec spec = tree_small(TREE_PIECE + 7);
    struct measured m;
    (void)state;
    truth_dir_make(&dir);
    truth_run(&m, tree_write(&spec), dir.path);
    assert_int_equal(m.out.errors, 0);
    truth_fini(&m);
    return 0;
}

static int remove_tree(void **state)
{
    (void)state;
    truth_dir_remove(&dir);
    return 0;
}

static void path_of(char path[128], const char *below)
{
    snprintf(path, 128, "%s/%s", dir.path, below);
}

static void walk(struct measured *m, const char *address)
{
    const struct fileset_spec spec = tree_small(TREE_PIECE + 7);
    truth_run(m, tree_walk(&spec, 1024), address);
    assert_int_equal(m->out.end, ENGINE_DONE);
}

/* ---- what the kernel saw ---- */

struct seen {
    int fd;
    int watch[DIRS_MAX];
    char dir[DIRS_MAX][64]; /* below the place, "/" behind it */
    unsigned dirs;
    char file[SEEN_MAX][80];
    unsigned files;
};

/* Files in the order in which a program that reads the listings meets them. */
static void list_files(struct seen *want, const char *below)
{
    char path[128];
    path_of(path, below);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        char next[80];
        if (e->d_name[0] == '.')
            continue;
        snprintf(next, sizeof next, "%.60s%.12s%s", below, e->d_name,
                 e->d_type == DT_DIR ? "/" : "");
        if (e->d_type == DT_DIR) {
            list_files(want, next);
        } else {
            snprintf(want->file[want->files++], sizeof want->file[0], "%s", next);
        }
    }
    closedir(d);
}

static void watch_dirs(struct seen *seen, const char *below)
{
    char path[128];
    path_of(path, below);
    seen->watch[seen->dirs] = inotify_add_watch(seen->fd, path, IN_OPEN);
    assert_true(seen->watch[seen->dirs] >= 0);
    snprintf(seen->dir[seen->dirs++], sizeof seen->dir[0], "%s", below);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        char next[80];
        if (e->d_type != DT_DIR || e->d_name[0] == '.')
            continue;
        snprintf(next, sizeof next, "%.60s%.12s/", below, e->d_name);
        watch_dirs(seen, next);
    }
    closedir(d);
}

static void take_event(struct seen *seen, const struct inotify_event *event)
{
    if (event->len == 0 || event->mask & IN_ISDIR)
        return;
    for (unsigned i = 0; i < seen->dirs; i++) {
        if (seen->watch[i] != event->wd)
            continue;
        char below[sizeof seen->dir[0]]; /* gcc takes the two arrays of `seen` for one */
        memcpy(below, seen->dir[i], sizeof below);
        snprintf(seen->file[seen->files++], sizeof seen->file[0], "%.63s%.15s", below, event->name);
    }
}

static void take_events(struct seen *seen)
{
    _Alignas(struct inotify_event) char buf[16384];
    for (ssize_t n; (n = read(seen->fd, buf, sizeof buf)) > 0;) {
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *event = (const void *)(buf + at);
            take_event(seen, event);
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
}

/* Of one tree: the streams of the two run side by side. */
static void assert_same_order(const struct seen *seen, const struct seen *want, const char *tree)
{
    unsigned at = 0, files = 0;
    for (unsigned i = 0; i < want->files; i++) {
        if (strncmp(want->file[i], tree, strlen(tree)) != 0)
            continue;
        while (at < seen->files && strncmp(seen->file[at], tree, strlen(tree)) != 0)
            at++;
        assert_true(at < seen->files);
        assert_string_equal(want->file[i], seen->file[at++]);
        files++;
    }
    assert_int_equal(files, 24);
}

static void every_file_is_read_once_in_the_order_listed(void **state)
{
    (void)state;
    static struct seen seen, want;
    struct measured m;
    list_files(&want, "t00/");
    list_files(&want, "t01/");
    seen.fd = inotify_init1(IN_NONBLOCK);
    assert_true(seen.fd >= 0);
    watch_dirs(&seen, "t00/");
    watch_dirs(&seen, "t01/");
    take_events(&seen);
    walk(&m, dir.path);
    take_events(&seen);
    close(seen.fd);
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(seen.files, 48);
    assert_same_order(&seen, &want, "t00/");
    assert_same_order(&seen, &want, "t01/");
    truth_fini(&m);
}

static void counts_are_those_of_the_tree(void **state)
{
    (void)state;
    struct measured m;
    walk(&m, dir.path);
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(truth_line(&m, "lookup")->samples, 2 + 24);
    assert_int_equal(truth_line(&m, "readdir")->samples, 2 + 24);
    assert_int_equal(truth_line(&m, "readdir")->ops, 2 * (2 + 24)); /* the last one finds the end */
    assert_int_equal(truth_line(&m, "readdir")->bytes, 0);
    assert_int_equal(truth_line(&m, "open")->samples, 48);
    assert_int_equal(truth_line(&m, "read")->samples, 48);
    assert_int_equal(truth_line(&m, "read")->bytes, 48 * (TREE_PIECE + 7));
    assert_int_equal(truth_line(&m, "close")->samples, 48);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* More than a piece holds: the listing goes on behind its last entry. */
static void a_large_directory_is_listed_in_pieces(void **state)
{
    (void)state;
    const struct fileset_spec spec = {.shape = FILESET_TREE,
                                      .trees = 1,
                                      .levels = 1,
                                      .branches = 2,
                                      .files = 700,
                                      .size_bytes = 3,
                                      .content_key = 5};
    struct truth_dir large;
    struct measured m;
    truth_dir_make(&large);
    truth_run(&m, tree_write(&spec), large.path);
    truth_fini(&m);
    truth_run(&m, tree_walk(&spec, 1024), large.path);
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(truth_line(&m, "readdir")->samples, 3);
    assert_true(truth_line(&m, "readdir")->ops > 2 * 700 * 24 / 1024);
    assert_int_equal(truth_line(&m, "read")->samples, 1400);
    truth_fini(&m);
    truth_dir_remove(&large);
}

/* ---- what is not as the plan has it ---- */

static const struct engine_error *error_of(const struct measured *m, int code)
{
    for (unsigned i = 0; i < m->out.errors; i++)
        if (m->out.error[i].op == OP_READDIR && m->out.error[i].code == code)
            return &m->out.error[i];
    fail_msg("no error %d of readdir", code);
    return NULL;
}

static void strangers_are_told_and_not_read(void **state)
{
    (void)state;
    struct measured m;
    char path[128];
    path_of(path, "t00/d1/stran\nger");
    assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0644)), 0);
    path_of(path, "t00/f0"); /* a root holds none */
    assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0644)), 0);
    path_of(path, "t01/d2/d1/d0"); /* no directory lies that deep */
    assert_int_equal(mkdir(path, 0755), 0);
    walk(&m, dir.path);
    assert_int_equal(m.out.errors, 1);
    assert_int_equal(error_of(&m, -EUCLEAN)->count, 3);
    assert_int_equal(truth_line(&m, "read")->samples, 48);
    truth_fini(&m);
    path_of(path, "t00/f0");
    assert_int_equal(unlink(path), 0);
    path_of(path, "t01/d2/d1/d0");
    assert_int_equal(rmdir(path), 0);
    walk(&m, dir.path);
    assert_string_equal(error_of(&m, -EUCLEAN)->first_path, "t00/d1/stran\\x0ager");
    truth_fini(&m);
}

static void what_is_missing_or_of_another_kind_is_told(void **state)
{
    (void)state;
    struct measured m;
    char path[128];
    path_of(path, "t01/d0/f1");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("f0", path), 0);
    walk(&m, dir.path);
    assert_int_equal(m.out.errors, 2);
    assert_string_equal(error_of(&m, -EUCLEAN)->first_path, "t01/d0/f1");
    assert_string_equal(error_of(&m, -ENOENT)->first_path, "t01/d0/f1");
    assert_int_equal(error_of(&m, -ENOENT)->count, 1);
    assert_int_equal(truth_line(&m, "read")->samples, 47);
    truth_fini(&m);
}

/* What cannot be listed is not walked; the rest is. */
static void a_listing_that_fails_is_an_error_and_the_walk_goes_on(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_TREE, .trees = 1, .levels = 2, .branches = 2, .files = 2, .size_bytes = 3};
    struct truth_dir small;
    struct measured m;
    char address[128];
    truth_dir_make(&small);
    truth_run(&m, tree_write(&spec), small.path);
    truth_fini(&m);
    snprintf(address, sizeof address, "fault:%s?error=EIO@readdir:3", small.path);
    truth_run(&m, tree_walk(&spec, 1024), address);
    assert_int_equal(m.out.errors, 1);
    assert_int_equal(error_of(&m, -EIO)->count, 1);
    assert_int_equal(truth_line(&m, "readdir")->samples, 7 - 1 - 2); /* it, and what lies below */
    assert_int_equal(truth_line(&m, "read")->samples, 2 * (6 - 3));
    truth_fini(&m);
    truth_dir_remove(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_file_is_read_once_in_the_order_listed, make_tree,
                                        remove_tree),
        cmocka_unit_test_setup_teardown(counts_are_those_of_the_tree, make_tree, remove_tree),
        cmocka_unit_test(a_large_directory_is_listed_in_pieces),
        cmocka_unit_test_setup_teardown(strangers_are_told_and_not_read, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(what_is_missing_or_of_another_kind_is_told, make_tree,
                                        remove_tree),
        cmocka_unit_test(a_listing_that_fails_is_an_error_and_the_walk_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
