/* A study's file comes back as it was written; what was cut, changed or blown up is refused, whatever
 * it is, and a plain file without its end gives what is whole. */
#include "result/study_file.h"
#include "unit/sample_result.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static char target[] = "/srv/\"a\" \xff", label[] = "rc1", command[] = "loadline io x",
            argv[] = "[]";

static const struct study_head head = {.id = "k3f9a2bc",
                                       .kind = "dirtest",
                                       .begun_wall_ns = 12345,
                                       .target = target,
                                       .label = label,
                                       .command = command,
                                       .argv = argv};

static int new_file(void)
{
    int fd = memfd_create("study", MFD_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* runs from 1; the first document is of `id`. */
static int written(bool packed, unsigned runs, const char *id, bool ended)
{
    struct study_writer *w = NULL;
    int fd = new_file();
    assert_int_equal(study_writer_open(fd, packed, &head, &w, NULL), 0);
    for (unsigned i = 1; i <= runs; i++) {
        struct result *r = sample_result(i == 1 ? id : "k3f9a2bc", i);
        char *json = NULL;
        assert_int_equal(result_seal(r, &json, NULL), 0);
        assert_int_equal(study_writer_add(w, r->seal, json, NULL), 0);
        free(json);
        result_free(r);
    }
    if (ended)
        assert_int_equal(study_writer_end(w, "done", 999, NULL), 0);
    study_writer_free(w);
    return fd;
}

struct seen {
    unsigned heads;
    unsigned runs;
    unsigned last;
    char target[64];
    char first_seal[65];
    int refuse_run; /* from the sink */
};

static int see_head(void *ctx, const struct study_head *got, struct err *err)
{
    struct seen *seen = ctx;
    (void)err;
    seen->heads++;
    assert_true(seen->heads == 1 && seen->runs == 0);
    assert_string_equal(got->kind, "dirtest");
    assert_int_equal(got->begun_wall_ns, 12345);
    snprintf(seen->target, sizeof seen->target, "%s", got->target);
    return 0;
}

static int see_run(void *ctx, struct result *r, struct err *err)
{
    struct seen *seen = ctx;
    if (seen->runs++ == 0)
        memcpy(seen->first_seal, r->seal, sizeof r->seal);
    assert_true(r->run > seen->last);
    seen->last = r->run;
    assert_non_null(r->document);
    result_free(r);
    return seen->refuse_run ? err_set(err, seen->refuse_run, "enough") : 0;
}

static int read_back(int fd, struct seen *seen, struct study_tail *tail, struct err *err)
{
    const struct study_file_sink sink = {.head = see_head, .run = see_run, .ctx = seen};
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return study_file_read(fd, &sink, tail, err);
}

static void a_study_comes_back(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        for (unsigned runs = 0; runs < 4; runs++) {
            struct seen seen = {.runs = 0};
            struct study_tail tail;
            struct err err = {0};
            int fd = written(packed, runs, "k3f9a2bc", true);
            if (read_back(fd, &seen, &tail, &err) != 0)
                fail_msg("%s", err.text);
            assert_int_equal(seen.heads, 1);
            assert_int_equal(seen.runs, runs);
            assert_string_equal(seen.target, "/srv/\"a\" \\xff");
            assert_string_equal(tail.state, "done");
            assert_int_equal(tail.ended_wall_ns, 999);
            assert_int_equal(tail.runs, runs);
            close(fd);
        }
    }
}

static char *content(int fd, size_t *len)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    *len = (size_t)st.st_size;
    char *bytes = malloc(*len + 1);
    assert_int_equal(pread(fd, bytes, *len, 0), (ssize_t)*len);
    bytes[*len] = '\0';
    return bytes;
}

static int file_of(const char *bytes, size_t len)
{
    int fd = new_file();
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    return fd;
}

static int code_of(const char *bytes, size_t len, struct seen *seen, struct study_tail *tail,
                   struct err *err)
{
    int fd = file_of(bytes, len);
    *seen = (struct seen){.runs = 0};
    *err = (struct err){0};
    int rc = read_back(fd, seen, tail, err);
    assert_true((rc == 0) == (err->text[0] == '\0'));
    close(fd);
    return rc;
}

static void assert_refused(const char *bytes, size_t len, int code, const char *word)
{
    struct seen seen;
    struct study_tail tail;
    struct err err;
    int rc = code_of(bytes, len, &seen, &tail, &err);
    if (rc != code || !strstr(err.text, word))
        fail_msg("%d (%s), not %d with \"%s\"", rc, err.text, code, word);
}

/* Wherever a packed file is cut it is refused: zlib knows where it ends. */
static void a_cut_packed_file_is_refused(void **state)
{
    (void)state;
    size_t len = 0;
    int fd = written(true, 2, "k3f9a2bc", true);
    char *bytes = content(fd, &len);
    for (size_t cut = 0; cut < len; cut += cut < 40 || cut + 40 > len ? 1 : 37) {
        struct seen seen;
        struct study_tail tail;
        struct err err;
        if (code_of(bytes, cut, &seen, &tail, &err) == 0)
            fail_msg("taken though cut at %zu of %zu", cut, len);
    }
    assert_refused(bytes, len - 1, -EBADMSG, "the file ends early");
    free(bytes);
    close(fd);
}

/* Any byte of a packed file; by its first bit, since those behind the end of what is packed mean nothing. */
static void a_damaged_packed_file_is_refused(void **state)
{
    (void)state;
    size_t len = 0;
    int fd = written(true, 1, "k3f9a2bc", true);
    char *bytes = content(fd, &len);
    for (size_t at = 10; at<len; at += at + 16> len ? 1 : 29) {
        struct seen seen;
        struct study_tail tail;
        struct err err;
        bytes[at] ^= 0x01;
        if (code_of(bytes, len, &seen, &tail, &err) == 0)
            fail_msg("taken though byte %zu of %zu was changed", at, len);
        bytes[at] ^= 0x01;
    }
    free(bytes);
    close(fd);
}

/* What a killed study has left: the runs that are whole, and no word of how it ended. */
static void a_plain_file_without_its_end_gives_what_is_whole(void **state)
{
    (void)state;
    size_t len = 0;
    int fd = written(false, 3, "k3f9a2bc", true);
    char *bytes = content(fd, &len);
    const char *results = strstr(bytes, "[\n{");
    size_t from = (size_t)(results - bytes) + 1;
    unsigned last = 0;
    assert_non_null(results);
    for (size_t cut = from; cut + 3 < len; cut += 97) {
        struct seen seen;
        struct study_tail tail;
        struct err err;
        if (code_of(bytes, cut, &seen, &tail, &err) != 0)
            fail_msg("cut at %zu of %zu: %s", cut, len, err.text);
        assert_string_equal(tail.state, "");
        assert_int_equal(tail.runs, seen.runs);
        assert_in_range(seen.runs, last, last + 1);
        last = seen.runs;
    }
    assert_int_equal(last, 3);
    assert_refused(bytes, from - 4, -EINVAL, "not a file of loadline results");
    free(bytes);
    close(fd);
    fd = written(false, 2, "k3f9a2bc", false);
    struct seen seen = {.runs = 0};
    struct study_tail tail;
    assert_int_equal(read_back(fd, &seen, &tail, NULL), 0);
    assert_int_equal(tail.runs, 2);
    close(fd);
}

static void replace(char *bytes, const char *what, const char *with)
{
    char *at = strstr(bytes, what);
    assert_non_null(at);
    assert_int_equal(strlen(what), strlen(with));
    memcpy(at, with, strlen(with));
}

static void assert_edit_refused(const char *what, const char *with, int code, const char *word)
{
    size_t len = 0;
    int fd = written(false, 2, "k3f9a2bc", true);
    char *bytes = content(fd, &len);
    replace(bytes, what, with);
    assert_refused(bytes, len, code, word);
    free(bytes);
    close(fd);
}

static void what_was_changed_is_refused(void **state)
{
    (void)state;
    assert_edit_refused("\"rc1\"", "\"rc2\"", -EBADMSG, "the seal of the file is broken");
    assert_edit_refused("\"state\":\"done\"", "\"state\":\"dead\"", -EBADMSG, "seal of the file");
    assert_edit_refused("\"passes\":3", "\"passes\":4", -EBADMSG, "result 1: ");
    assert_edit_refused("\"schema\":1", "\"schema\":7", -EPROTO,
                        "the head: written with schema 7, this loadline knows up to 1");
    assert_edit_refused("\"format\":\"loadline", "\"format\":\"boatline", -EINVAL, "not that of a");
    assert_edit_refused("\"id\":\"k3f9a2bc\"", "\"id\":\"../9a2bc\"", -EINVAL, "id: no letters");
    /* It was printed as it is, also what a terminal obeys. */
    assert_edit_refused("\"kind\":\"dirtest\"", "\"kind\":\"\\u001b2\"", -EINVAL,
                        "kind: no letters");
    assert_edit_refused("\"id\":\"k3f9a2bc\"", "\"id\":\"k3f9a2bd\"", -EBADMSG,
                        "a run of study k3f9a2bc in the file of k3f9a2bd");
    assert_edit_refused("],\n\"tail\"", "]\n,\"tale\"", -EINVAL, "not a file of loadline results");
}

/* All seals of its runs are good, and yet one is missing, or stands there twice. */
static void a_run_that_was_taken_out_is_missed(void **state)
{
    (void)state;
    size_t len = 0;
    int fd = written(false, 3, "k3f9a2bc", true);
    char *bytes = content(fd, &len);
    char *second = strstr(strstr(bytes, "[\n{") + 3, ",\n{");
    char *third = strstr(second + 3, ",\n{");
    assert_non_null(third);
    size_t one = (size_t)(third - second);
    char *less = strndup(bytes, len - one);
    memcpy(less + (second - bytes), third, len - (size_t)(third - bytes));
    assert_refused(less, len - one, -EBADMSG, "seal of the file is broken");
    char *twice = malloc(len + one);
    memcpy(twice, bytes, (size_t)(third - bytes));
    memcpy(twice + (third - bytes), second, len - (size_t)(second - bytes));
    assert_refused(twice, len + one, -EBADMSG, "run 2 stands behind run 2");
    free(twice);
    free(less);
    free(bytes);
    close(fd);
    fd = written(true, 2, "zzzzzzzz", true);
    struct seen seen = {.runs = 0};
    struct study_tail tail;
    struct err err = {0};
    assert_int_equal(read_back(fd, &seen, &tail, &err), -EBADMSG);
    assert_int_equal(seen.runs, 0);
    close(fd);
}

static void what_is_no_such_file_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        " ",
        "[]",
        "[",
        "{",
        "{}",
        "x",
        "[{}]",
        "{\"head\":",
        "{\"head\":{}}",
        "null",
        "{\"head\":{},\"results\":[]}",
        "\x1f\x8b",
        "\x1f\x8b\x08",
        "SQLite format 3",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct seen seen;
        struct study_tail tail;
        struct err err;
        if (code_of(wrong[i], strlen(wrong[i]), &seen, &tail, &err) == 0)
            fail_msg("taken: %s", wrong[i]);
    }
}

static void what_the_sink_says_ends_it(void **state)
{
    (void)state;
    struct seen seen = {.refuse_run = -ENOSPC};
    struct study_tail tail;
    struct err err = {0};
    int fd = written(true, 3, "k3f9a2bc", true);
    assert_int_equal(read_back(fd, &seen, &tail, &err), -ENOSPC);
    assert_string_equal(err.text, "enough");
    assert_int_equal(seen.runs, 1);
    close(fd);
}

/* A few megabytes that unpack to terabytes are not written here: to more than is allowed is enough. */
static int bomb_of(const char *begin, const char *more)
{
    int fd = new_file();
    int own = dup(fd);
    gzFile gz = gzdopen(own, "wb1");
    char piece[1 << 16];
    assert_non_null(gz);
    memset(piece, *more, sizeof piece);
    assert_true(gzwrite(gz, begin, (unsigned)strlen(begin)) > 0);
    for (unsigned i = 0; i < (RESULT_JSON_MAX >> 16) + 2; i++)
        assert_int_equal(gzwrite(gz, piece, sizeof piece), sizeof piece);
    assert_int_equal(gzclose(gz), Z_OK);
    return fd;
}

/* AddressSanitizer keeps 256 MiB of what was freed, which is no memory of ours. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1";
}

/* ThreadSanitizer keeps a shadow of several times what it watches; the other builds measure us alone. */
#ifdef __SANITIZE_THREAD__
#define SHADOWS 6
#else
#define SHADOWS 1
#endif

static void assert_bomb_is_refused(const char *begin, const char *more)
{
    struct seen seen = {.runs = 0};
    struct study_tail tail;
    struct err err = {0};
    struct rusage before, after;
    int fd = bomb_of(begin, more);
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(read_back(fd, &seen, &tail, &err), -EFBIG);
    getrusage(RUSAGE_SELF, &after);
    /* One document, held in a buffer that doubles. */
    assert_true((uint64_t)after.ru_maxrss * 1024 < SHADOWS * 3ull * RESULT_JSON_MAX);
    close(fd);
}

static void what_blows_up_is_refused(void **state)
{
    (void)state;
    assert_bomb_is_refused(" ", " ");
    assert_bomb_is_refused("[", " ");
    assert_bomb_is_refused("{\"head\":{\"id\":\"", "a");
    assert_bomb_is_refused("[{\"", "a");
    assert_bomb_is_refused("[{", "{");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_study_comes_back),
    cmocka_unit_test(a_cut_packed_file_is_refused),
    cmocka_unit_test(a_damaged_packed_file_is_refused),
    cmocka_unit_test(a_plain_file_without_its_end_gives_what_is_whole),
    cmocka_unit_test(what_was_changed_is_refused),
    cmocka_unit_test(a_run_that_was_taken_out_is_missed),
    cmocka_unit_test(what_is_no_such_file_is_refused),
    cmocka_unit_test(what_the_sink_says_ends_it),
    cmocka_unit_test(what_blows_up_is_refused),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
