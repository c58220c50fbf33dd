#include "unit/site_box.h"
#include "unit/until_killed.h"

#include "fileset/site_priv.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

/* The one directory found must be as said. */
static void expect_found(const char *address, const char *id, enum site_marker marker,
                         enum site_live live)
{
    struct site *site = box_site(address);
    struct site_found *found = NULL;
    struct err err = {0};
    unsigned n = 0;

    assert_int_equal(site_scan(site, &found, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_string_equal(found[0].shape.id, id);
    assert_int_equal(found[0].marker, marker);
    assert_int_equal(found[0].live, live);
    site_found_free(found, n);
    site_close(site);
}

/* begin makes the directory with a marker that says what was asked, held while in use. */
static void begin_marks_and_holds(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_found *found = NULL;
    struct err err = {0};
    unsigned n = 0;

    box_begin(site, &shape);
    assert_int_equal(box_entries_in(box->target), 2);
    assert_true(box_has(box->target, "loadline-" BOX_ID "/.loadline"));
    expect_found(box->target, BOX_ID, SITE_OURS, SITE_LIVE_YES);
    site_close(site);
    expect_found(box->target, BOX_ID, SITE_OURS, SITE_LIVE_NO);

    site = box_site(box->target);
    assert_int_equal(site_scan(site, &found, &n, &err), 0);
    assert_int_equal(found[0].shape.lengths, 2);
    assert_int_equal(found[0].shape.length_bytes[1], 4096);
    assert_int_equal(found[0].shape.spec.trees, 2);
    assert_string_equal(found[0].shape.owner.host, shape.owner.host);
    site_found_free(found, n);
    site_close(site);
}

/* A second live run is refused with id, host and pid of the first, and leaves nothing behind. */
static void two_live_runs_are_refused(void **state)
{
    struct box *box = *state;
    struct site_shape first = box_tree(BOX_ID);
    struct site_shape second = box_tree("bbbb0002");
    struct site *a = box_site(box->target);
    struct site *b = box_site(box->target);
    struct site_shape taken = {0};
    struct err err = {0};

    first.owner = (struct owner){.host = "here.example", .pid = 4711};
    box_begin(a, &first);
    assert_int_equal(site_begin(b, &second, &err), -EBUSY);
    box_expect_error(err, "loadline-" BOX_ID);
    box_expect_error(err, "here.example");
    box_expect_error(err, "4711");
    assert_int_equal(box_entries_in(box->target), 2);

    assert_int_equal(site_adopt(b, BOX_ID, &taken, &err), -EBUSY);
    box_expect_error(err, "4711");
    site_close(a);
    box_begin(b, &second);
    assert_int_equal(box_entries_in(box->target), 4);
    site_close(b);
}

/* As where a lock does not reach: it is free, and only the marker says whose the directory is. */
static void an_owner_says_what_a_free_lock_does_not(void **state)
{
    struct box *box = *state;
    struct site_shape other = box_tree("bbbb0002");
    struct site_shape taken = {0};
    struct owner parent;
    struct err err = {0};
    static const struct {
        const char *host, *boot;
        uint64_t later;
        bool kept;
        enum site_live live;
    } cases[] = {
        {NULL, NULL, 0, false, SITE_LIVE_YES},
        {NULL, NULL, 1, false, SITE_LIVE_NO},
        {NULL, NULL, 0, true, SITE_LIVE_NO},
        {"elsewhere.example", "another boot", 0, false, SITE_LIVE_UNKNOWN},
        {"elsewhere.example", "another boot", 0, true, SITE_LIVE_NO},
        {NULL, "another boot", 0, false, SITE_LIVE_UNKNOWN},
    };

    owner_of((uint64_t)getppid(), &parent);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct site *site = box_site(box->target);
        struct site_shape shape = box_tree(BOX_ID);
        struct site_removed removed;

        shape.owner = parent;
        shape.owner.started_ticks += cases[i].later;
        shape.kept = cases[i].kept;
        if (cases[i].host != NULL)
            snprintf(shape.owner.host, sizeof shape.owner.host, "%s", cases[i].host);
        if (cases[i].boot != NULL)
            snprintf(shape.owner.boot, sizeof shape.owner.boot, "%s", cases[i].boot);
        box_begin(site, &shape);
        site_close(site);
        expect_found(box->target, BOX_ID, SITE_OURS, cases[i].live);

        site = box_site(box->target);
        if (cases[i].live == SITE_LIVE_YES) {
            assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), -EBUSY);
            assert_int_equal(site_begin(site, &other, &err), -EBUSY);
            assert_int_equal(box_entries_in(box->target), 2);
            box_expect_error(err, parent.host);
            assert_int_equal(
                unlink(box_path((char[BOX_PATH]){0}, box->target, "loadline-" BOX_ID "/.loadline")),
                0);
        }
        /* By its id it can be taken over, and it keeps nobody from beginning. */
        if (site_adopt(site, BOX_ID, &taken, &err) == 0) {
            assert_int_equal(site_remove(site, &taken, NULL, &removed, NULL, NULL, NULL, &err), 0);
            site_shape_fini(&taken);
        } else {
            assert_int_equal(cases[i].live, SITE_LIVE_YES);
            assert_int_equal(rmdir(box_path((char[BOX_PATH]){0}, box->target, "loadline-" BOX_ID)),
                             0);
        }
        site_close(site);
        assert_int_equal(box_entries_in(box->target), 0);
    }
}

/* The same id twice: the directory that is there stays as it is. */
static void an_existing_directory_is_not_begun(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct err err = {0};

    box_mkdir(box->target, "loadline-" BOX_ID);
    box_write(box->target, "loadline-" BOX_ID "/thesis.tex", "dear");
    assert_int_equal(site_begin(site, &shape, &err), -EEXIST);
    box_expect_error(err, "loadline-" BOX_ID);
    assert_int_equal(box_entries_in(box->target), 2);
    site_close(site);
}

/* adopt gives the shape back, and the lock; remark changes the marker and keeps the lock. */
static void adopt_and_remark(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site_shape taken = {0};
    struct site *site = box_site(box->target);
    struct err err = {0};

    box_begin(site, &shape);
    site_close(site);
    site = box_site(box->target);
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), 0);
    assert_false(taken.kept);
    assert_int_equal(taken.seed, 5);
    for (int i = 0; i < 5; i++) {
        taken.kept = true;
        taken.trees_max = 7;
        assert_int_equal(site_remark(site, &taken, &err), 0);
        expect_found(box->target, BOX_ID, SITE_OURS, SITE_LIVE_YES);
    }
    site_shape_fini(&taken);
    site_close(site);
    assert_int_equal(box_entries_in(box->target), 2);

    site = box_site(box->target);
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), 0);
    assert_true(taken.kept);
    assert_int_equal(taken.trees_max, 7);
    site_shape_fini(&taken);
    site_close(site);
}

/* What is there in the way of a marker is refused by adopt in the way the header says, and not
 * touched. */
static void refuse(struct box *box, enum site_marker marker, int code, const char *word)
{
    struct site *site = box_site(box->target);
    struct site_shape shape = box_tree(BOX_ID);
    struct site_shape taken = {0};
    struct site_removed removed;
    struct err err = {0};
    int before = box_entries_in(box->target);

    expect_found(box->target, BOX_ID, marker, false);
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), code);
    box_expect_error(err, word);
    assert_int_equal(site_remove(site, &shape, NULL, &removed, NULL, NULL, NULL, &err), -EINVAL);
    assert_int_equal(box_entries_in(box->target), before);
    site_close(site);
}

static void unmarked_is_left_alone(void **state)
{
    struct box *box = *state;

    box_mkdir(box->target, "loadline-" BOX_ID);
    box_mkdir(box->target, "loadline-" BOX_ID "/10-r1-k01");
    box_write(box->target, "loadline-" BOX_ID "/10-r1-k01/f0", "mine");
    refuse(*state, SITE_UNMARKED, -ENOENT, "not marked as ours");
}

static void broken_markers_are_left_alone(void **state)
{
    struct box *box = *state;
    struct site_shape other = box_tree("cccc0003");
    char path[BOX_PATH];
    char *text = NULL;

    box_mkdir(box->target, "loadline-" BOX_ID);
    box_write(box->target, "loadline-" BOX_ID "/.loadline", "shopping list");
    refuse(box, SITE_BROKEN_MARKER, -EINVAL, "JSON");

    /* The beginning of a marker, but the directory is in use. */
    box_write(box->target, "loadline-" BOX_ID "/.loadline", "{\n  \"format\": \"loadline marker\"");
    box_write(box->target, "loadline-" BOX_ID "/notes", "");
    refuse(box, SITE_BROKEN_MARKER, -EINVAL, "JSON");

    assert_int_equal(site_shape_print(&other, &text), 0);
    box_write(box->target, "loadline-" BOX_ID "/.loadline", text);
    refuse(box, SITE_BROKEN_MARKER, -EINVAL, "marker of loadline-cccc0003");

    /* A good marker, but behind a symlink. */
    box_write(box->target, "marker", text);
    box_path(path, box->target, "loadline-" BOX_ID "/.loadline");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("../marker", path), 0);
    refuse(box, SITE_BROKEN_MARKER, -EINVAL, "regular");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0);
    refuse(box, SITE_BROKEN_MARKER, -EINVAL, "regular");
    free(text);
}

/* It was called broken, and alone in its directory even a start that may be removed. */
static void a_newer_marker_is_left_alone(void **state)
{
    struct box *box = *state;

    box_mkdir(box->target, "loadline-" BOX_ID);
    box_write(box->target, "loadline-" BOX_ID "/.loadline",
              "{\n  \"format\": \"loadline marker\", \"version\": 7, \"new\": {}}");
    refuse(box, SITE_NEWER_MARKER, -EINVAL, "written by a newer loadline (marker version 7");
}

/* A symlink named like ours is not a directory of ours, wherever it leads. */
static void a_linked_directory_is_not_ours(void **state)
{
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct site_found *found = NULL;
    struct site_shape taken = {0};
    struct err err = {0};
    char path[BOX_PATH];
    unsigned n = 99;

    assert_int_equal(symlink("../outside", box_path(path, box->target, "loadline-" BOX_ID)), 0);
    box_mkdir(box->target, "loadline-main");
    box_mkdir(box->target, "loadline-" BOX_ID "0");
    box_write(box->target, "loadline-dddd0004", "a file");
    assert_int_equal(site_scan(site, &found, &n, &err), 0);
    assert_int_equal(n, 0);
    site_found_free(found, n);
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), -ENOTDIR);
    assert_int_equal(site_adopt(site, "../aaaa0", &taken, &err), -EINVAL);
    assert_int_equal(site_adopt(site, "eeee0005", &taken, &err), -ENOENT);
    site_close(site);
}

static void unfinished_is_removed(const struct box *box)
{
    struct site *site = box_site(box->target);
    struct site_shape taken = {0};
    struct site_removed removed;
    struct err err = {0};

    expect_found(box->target, BOX_ID, SITE_UNFINISHED, false);
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), 0);
    assert_int_equal(taken.lengths, 0);
    assert_int_equal(site_remove(site, &taken, NULL, &removed, NULL, NULL, NULL, &err), 0);
    assert_int_equal(removed.left, 0);
    assert_int_equal(box_entries_in(box->target), 0);
    site_close(site);
}

/* Whatever a start that was killed can leave behind can be taken over and removed. */
static void an_interrupted_start_is_removable(void **state)
{
    static const char *const name[] = {"loadline-" BOX_ID "/.loadline",
                                       "loadline-" BOX_ID "/.loadline.new"};
    static const char *const text[] = {"", "{\n  \"for",
                                       "{\n  \"format\": \"loadline marker\",\n  \"version\": 1,"};
    struct box *box = *state;

    box_mkdir(box->target, "loadline-" BOX_ID);
    unfinished_is_removed(box);
    for (size_t i = 0; i < 2; i++) {
        for (size_t t = 0; t < 3; t++) {
            box_mkdir(box->target, "loadline-" BOX_ID);
            box_write(box->target, name[i], text[t]);
            unfinished_is_removed(box);
        }
    }
}

/* Of an unfinished directory nothing but beginnings of a marker is removed: what comes into it
 * after it was taken over stays. */
static void only_markers_leave_an_unfinished_directory(void **state)
{
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct site_shape taken = {0};
    struct site_removed removed;
    struct err err = {0};

    box_mkdir(box->target, "loadline-" BOX_ID);
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), 0);
    box_mkdir(box->target, "loadline-" BOX_ID "/files");
    assert_int_equal(site_remove(site, &taken, NULL, &removed, NULL, NULL, NULL, &err), -ENOTEMPTY);
    assert_int_equal(box_entries_in(box->target), 2);
    site_close(site);

    box_write(box->target, "loadline-" BOX_ID "/.loadline.new", "");
    refuse(box, SITE_UNMARKED, -ENOENT, "not marked as ours");
}

/* Begins and fills until it is killed or an op hangs; says so when it is done. */
static void child_begins(const struct box *box, unsigned hang_at, int tell, pid_t parent)
{
    struct site_shape shape = box_tree(BOX_ID);
    char address[BOX_PATH + 64];
    struct site *site = NULL;
    char place[64];

    snprintf(address, sizeof address, "fault:%s?hang=op:%u", box->target, hang_at);
    if (site_open(address, NULL, &site, NULL) < 0 || site_begin(site, &shape, NULL) < 0)
        _exit(1);
    site_place(&shape, 10, 1, 1, place, sizeof place);
    if (site_make_place(site, place, NULL) < 0 || site_remark(site, &shape, NULL) < 0)
        _exit(2);
    if (write(tell, "x", 1) != 1)
        _exit(3);
    until_killed(parent);
}

/* A start has fewer ops than 40, so one that is to hang later is done at last, however busy the machine:
 * on one that was, none of sixty was done within 30 ms. */
static bool killed_at(const struct box *box, unsigned hang_at)
{
    const int wait_ms = hang_at < 40 ? 30 : 30000;
    struct pollfd told = {.events = POLLIN};
    int tell[2];
    int status;
    char done;
    ssize_t n;

    assert_int_equal(pipe2(tell, O_NONBLOCK), 0);
    pid_t parent = getpid();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        child_begins(box, hang_at, tell[1], parent);
    told.fd = tell[0];
    (void)poll(&told, 1, wait_ms);
    n = read(tell[0], &done, 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    close(tell[0]);
    close(tell[1]);
    return n == 1;
}

static void clean_all(const struct box *box)
{
    struct site *site = box_site(box->target);
    struct site_found *found = NULL;
    struct site_removed removed;
    struct err err = {0};
    unsigned n = 0;

    assert_int_equal(site_scan(site, &found, &n, &err), 0);
    for (unsigned i = 0; i < n; i++) {
        struct site_shape taken = {0};
        assert_int_equal(found[i].live, SITE_LIVE_NO);
        if (site_adopt(site, found[i].shape.id, &taken, &err) != 0 ||
            site_remove(site, &taken, NULL, &removed, NULL, NULL, NULL, &err) != 0)
            fail_msg("%s", err.text);
        site_shape_fini(&taken);
    }
    site_found_free(found, n);
    site_close(site);
    assert_int_equal(box_entries_in(box->target), 0);
}

/* Killed at any op of its start, a run leaves a directory that is recognised and removed. */
static void killed_anywhere_is_removable(void **state)
{
    bool done = false;
    unsigned k;

    for (k = 1; !done && k < 60; k++) {
        done = killed_at(*state, k);
        clean_all(*state);
    }
    assert_true(done);
    assert_true(k > 12);
}

/* Begins when the gate is closed, answers '1' when it may go on, and goes on until it is killed. */
static void start_at_gate(const struct box *box, int number, int gate, int answer, pid_t parent)
{
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = NULL;
    char byte;

    shape.id[0] = (char)('a' + number);
    if (site_open(box->target, NULL, &site, NULL) < 0 || read(gate, &byte, 1) != 0)
        _exit(1);
    byte = '0';
    switch (site_begin(site, &shape, NULL)) {
    case 0:
        byte = '1';
        break;
    case -EBUSY:
        break;
    default:
        byte = '?';
    }
    if (write(answer, &byte, 1) != 1)
        _exit(2);
    until_killed(parent);
}

/* Both gave way. Of those that start at once exactly one goes on; the others leave nothing. */
static void one_of_those_that_start_together_goes_on(void **state)
{
    enum { ROUNDS = 30, RUNS = 3 };
    struct box *box = *state;
    const pid_t parent = getpid();

    for (int round = 0; round < ROUNDS; round++) {
        pid_t pid[RUNS];
        int gate[2], answer[2], status;
        char said[RUNS];
        int go_on = 0;

        assert_int_equal(pipe(gate), 0);
        assert_int_equal(pipe(answer), 0);
        for (int i = 0; i < RUNS; i++) {
            pid[i] = fork();
            assert_true(pid[i] >= 0);
            if (pid[i] == 0) {
                close(gate[1]);
                start_at_gate(box, i, gate[0], answer[1], parent);
            }
        }
        close(gate[0]);
        close(gate[1]);
        close(answer[1]); /* or a child that ended would be waited for */
        for (int i = 0; i < RUNS; i++) {
            assert_int_equal(read(answer[0], &said[i], 1), 1);
            assert_int_not_equal(said[i], '?');
            go_on += said[i] == '1';
        }
        assert_int_equal(go_on, 1);
        assert_int_equal(box_entries_in(box->target), 2);
        for (int i = 0; i < RUNS; i++) {
            assert_int_equal(kill(pid[i], SIGKILL), 0);
            assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        }
        close(answer[0]);
        clean_all(box);
    }
}

/* An error at any op of its start undoes the start, or leaves what can be removed. */
static void an_error_anywhere_is_undone(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    char address[BOX_PATH + 64];
    struct err err;
    int rc = -EIO;
    unsigned k;

    for (k = 1; rc != 0 && k < 60; k++) {
        snprintf(address, sizeof address, "fault:%s?error=EIO@op:%u", box->target, k);
        struct site *site = box_site(address);
        err = (struct err){0};
        rc = site_begin(site, &shape, &err);
        if (rc != 0) {
            assert_int_equal(rc, -EIO);
            box_expect_error(err, "Input/output error");
            assert_int_equal(box_entries_in(box->target), 0);
        }
        site_close(site);
        clean_all(box);
    }
    assert_int_equal(rc, 0);
    assert_true(k > 8);
}

/* Places have the names the header gives, and only the shape's own are taken. */
static void places_are_named_by_rule(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site_shape io = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    static const char *const bad[] = {"loadline-" BOX_ID,
                                      "loadline-" BOX_ID "/",
                                      "loadline-" BOX_ID "/..",
                                      "loadline-" BOX_ID "/11-r1-k01",
                                      "loadline-" BOX_ID "/10-r4-k01",
                                      "loadline-" BOX_ID "/10-r1-k05",
                                      "loadline-" BOX_ID "/10-r1-k1",
                                      "loadline-" BOX_ID "/010-r1-k01",
                                      "loadline-" BOX_ID "/10-r1-k01/t00",
                                      "loadline-" BOX_ID "/files",
                                      "loadline-cccc0003/10-r1-k01",
                                      "outside"};
    struct site_removed removed;
    struct err err = {0};
    char place[64];

    site_place(&shape, 4096, 1, 1, place, sizeof place);
    assert_string_equal(place, "loadline-" BOX_ID "/4096-r1-k01");
    io.lengths = 0;
    site_place(&io, 4096, 1, 1, place, sizeof place);
    assert_string_equal(place, "loadline-" BOX_ID "/files");

    box_begin(site, &shape);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(site_remove(site, &shape, bad[i], &removed, NULL, NULL, NULL, &err),
                         -EINVAL);
        assert_int_equal(site_check_place(site, &shape, bad[i], 10, &err), -EINVAL);
    }
    assert_int_equal(site_make_place(site, "loadline-" BOX_ID "/4096-r1-k01", &err), 0);
    assert_int_equal(site_make_place(site, "loadline-" BOX_ID "/4096-r1-k01", &err), -EEXIST);
    assert_int_equal(site_make_place(site, "outside", &err), -EINVAL);
    assert_int_equal(site_make_place(site, "loadline-" BOX_ID "/a/b", &err), -EINVAL);
    site_close(site);
}

/* Missing, shorter and other things than files are named with both lengths. */
static void check_place_names_the_first_mismatch(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct err err = {0};
    char path[BOX_PATH];
    char file[BOX_PATH];
    char place[64];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 4096, 1, 1, path);
    site_place(&shape, 4096, 1, 1, place, sizeof place);
    assert_int_equal(site_check_place(site, &shape, place, 4096, &err), 0);
    assert_int_equal(site_check_place(site, &shape, place, 10, &err), -EUCLEAN);
    box_expect_error(err, "t00/d0/f0 has 4096 bytes, expected were 10");

    assert_int_equal(truncate(box_path(file, path, "t01/d1/d1/f1"), 4095), 0);
    assert_int_equal(site_check_place(site, &shape, place, 4096, &err), -EUCLEAN);
    box_expect_error(err, "4096-r1-k01/t01/d1/d1/f1 has 4095 bytes, expected were 4096");
    assert_int_equal(unlink(box_path(file, path, "t01/d0/f1")), 0);
    assert_int_equal(site_check_place(site, &shape, place, 4096, &err), -ENOENT);
    box_expect_error(err, "t01/d0/f1 is missing");
    assert_int_equal(symlink("f0", file), 0);
    assert_int_equal(site_check_place(site, &shape, place, 4096, &err), -EUCLEAN);
    box_expect_error(err, "t01/d0/f1 is a symbolic link, a regular file of 4096 bytes was");
    site_close(site);
}

/* A tree behind a link was read as if it were the one that was kept. */
static void check_place_names_what_is_no_directory(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct err err = {0};
    char path[BOX_PATH], dir[BOX_PATH], other[BOX_PATH];
    char place[64];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 4096, 1, 1, path);
    site_place(&shape, 4096, 1, 1, place, sizeof place);
    assert_int_equal(rename(box_path(dir, path, "t00/d1"), box_path(other, path, "t00/x")), 0);
    assert_int_equal(site_check_place(site, &shape, place, 4096, &err), -ENOENT);
    box_expect_error(err, "t00/d1 is missing, a directory was expected");
    assert_int_equal(symlink("x", dir), 0);
    assert_int_equal(site_check_place(site, &shape, place, 4096, &err), -EUCLEAN);
    box_expect_error(err, "t00/d1 is a symbolic link, a directory was expected");
    assert_int_equal(unlink(dir), 0);
    assert_int_equal(mkfifo(dir, 0600), 0);
    assert_int_equal(site_check_place(site, &shape, place, 4096, &err), -EUCLEAN);
    box_expect_error(err, "t00/d1 is a pipe, socket or device");
    site_close(site);
}

/* On a target that keeps nothing everything succeeds. */
static void nothing_is_kept_on_null(void **state)
{
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site("null:");
    struct site_found *found = NULL;
    struct site_removed removed;
    struct target_space space;
    struct err err = {0};
    struct site_witness witness;
    char place[64];
    unsigned n = 99;

    (void)state;
    box_begin(site, &shape);
    site_place(&shape, 10, 1, 1, place, sizeof place);
    assert_int_equal(site_make_place(site, place, &err), 0);
    assert_int_equal(site_check_place(site, &shape, place, 10, &err), 0);
    assert_int_equal(site_remark(site, &shape, &err), 0);
    assert_int_equal(site_cache_probe(site, &shape, false, &witness, &err), 0);
    assert_int_equal(witness.cache, SITE_CACHE_NONE);
    assert_int_equal(site_direct_probe(site, &shape, 4096, &err), 0);
    assert_int_equal(site_sync(site, &err), 0);
    assert_int_equal(site_space(site, &space), 0);
    assert_int_equal(site_scan(site, &found, &n, &err), 0);
    assert_int_equal(n, 0);
    assert_int_equal(site_remove(site, &shape, NULL, &removed, NULL, NULL, NULL, &err), 0);
    site_found_free(found, n);
    site_close(site);
}

#define box_test(f) cmocka_unit_test_setup_teardown(f, box_setup, box_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(begin_marks_and_holds),
        box_test(two_live_runs_are_refused),
        box_test(an_owner_says_what_a_free_lock_does_not),
        box_test(an_existing_directory_is_not_begun),
        box_test(adopt_and_remark),
        box_test(unmarked_is_left_alone),
        box_test(broken_markers_are_left_alone),
        box_test(a_newer_marker_is_left_alone),
        box_test(one_of_those_that_start_together_goes_on),
        box_test(a_linked_directory_is_not_ours),
        box_test(an_interrupted_start_is_removable),
        box_test(only_markers_leave_an_unfinished_directory),
        box_test(killed_anywhere_is_removable),
        box_test(an_error_anywhere_is_undone),
        box_test(places_are_named_by_rule),
        box_test(check_place_names_the_first_mismatch),
        box_test(check_place_names_what_is_no_directory),
        box_test(nothing_is_kept_on_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
