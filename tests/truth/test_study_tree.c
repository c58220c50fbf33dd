/* study.h on real files: what dirtest and readtest report is what lies on the disk, and what cannot
 * be reported as sound is not. */
#include "truth/small_tree.h"

#define DIRS  12u /* 2 trees of 2 + 4 */
#define FILES 24u

static void keep_trees_for(struct told *t, uint64_t min_time_ns)
{
    struct tree_options o = small_tree();
    o.write_only = true;
    o.verify = false;
    o.min_time_ns = min_time_ns;
    t->common.keep = true;
    dirtest(t, &o);
    assert_int_equal(t->end, STUDY_COMPLETE);
    told_forget(t);
}

static void keep_trees(struct told *t)
{
    keep_trees_for(t, 1);
}

static int readtest(struct told *t, const struct tree_options *o, unsigned given, struct err *err)
{
    const struct study_sink sink = told_sink(t);
    return study_readtest(&t->common, o, given, &sink, err);
}

/* ---- what lies on the disk ---- */

static struct {
    uint64_t bytes;
    uint64_t files;
    uint64_t dirs;
    char last[256];
} found;

static int look(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    const char *name = path + ftw->base;
    /* Directories of the fileset: below loadline-ID, place and root. */
    found.dirs += flag == FTW_D && name[0] == 'd';
    if (flag != FTW_F || name[0] != 'f')
        return 0;
    found.files++;
    found.bytes += (uint64_t)st->st_size;
    snprintf(found.last, sizeof found.last, "%s", path);
    return 0;
}

static void look_at(const struct told *t)
{
    memset(&found, 0, sizeof found);
    assert_int_equal(nftw(t->dir.path, look, 16, FTW_PHYS), 0);
}

static void what_is_reported_lies_on_the_disk(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    uint64_t bytes = 0, files = 0, dirs = 0;
    o.write_only = true;
    o.verify = false;
    o.min_time_ns = 5 * MS_NS;
    t->common.keep = true;
    dirtest(t, &o);
    assert_int_equal(t->n, 4);
    for (unsigned i = 0; i < t->n; i++) {
        bytes += t->result[i]->bytes;
        files += t->result[i]->files;
        dirs += told_samples(t->result[i], "mkdir");
    }
    look_at(t);
    assert_int_equal(found.bytes, bytes);
    assert_int_equal(found.files, files);
    assert_int_equal(found.dirs, dirs);
}

static void every_step_is_counted(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.one_tree = true;
    o.fsync = STUDY_FSYNC_FILE;
    dirtest(t, &o);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(t->n, 8);
    for (unsigned i = 0; i < t->n; i++) {
        const struct result *r = t->result[i];
        bool writes = strcmp(r->phase, "write") == 0;
        assert_int_equal(r->run, i + 1);
        assert_int_equal(r->passes, 1);
        assert_int_equal(r->files, FILES);
        assert_int_equal(r->bytes, FILES * (uint64_t)told_option(r, "length_bytes"));
        assert_int_equal(told_samples(r, "lookup"), DIRS);
        assert_int_equal(told_samples(r, writes ? "create" : "open"), FILES);
        assert_int_equal(told_samples(r, writes ? "write" : "read"), FILES);
        assert_int_equal(told_samples(r, "close"), FILES);
        if (writes)
            assert_int_equal(told_samples(r, "fsync"), FILES);
        assert_true(r->elapsed_ns > 0);
        assert_int_equal(r->verified, !writes);
    }
}

/* 3000 bytes in chunks of 1024 are three operations and one sample. */
static void chunks_are_operations_of_one_sample(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.length_bytes = &lengths[1];
    o.lengths = 1;
    o.repeats = 1;
    dirtest(t, &o);
    assert_int_equal(result_line_find(t->result[0], "write")->sum.ops, t->result[0]->files * 3);
    assert_int_equal(result_line_find(t->result[1], "read")->sum.ops, t->result[1]->files * 3);
}

static void nothing_is_left(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    dirtest(t, &o);
    assert_int_equal(told_entries(t), 0);
}

/* A row is one length and phase; its repeats have one plan, as many trees, and what they wrote. */
static void rows_are_whole(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.min_time_ns = 5 * MS_NS;
    dirtest(t, &o);
    assert_int_equal(t->rows, 4);
    for (unsigned i = 0; i < t->rows; i++)
        assert_int_equal(t->row_n[i], 2);
    for (unsigned i = 0; i < t->rows; i++) {
        assert_string_equal(t->row_first[i]->phase, i % 2 ? "read" : "write");
        assert_int_equal(told_option(t->row_first[i], "length_bytes"), lengths[i / 2]);
    }
    for (unsigned i = 0; i < t->n; i++) {
        const struct result *a = t->result[i];
        for (unsigned j = i + 1; j < t->n; j++) {
            const struct result *b = t->result[j];
            if (told_option(a, "row") != told_option(b, "row") || strcmp(a->phase, b->phase) != 0)
                continue;
            assert_string_equal(a->plan_hash, b->plan_hash);
            assert_int_equal(a->passes, b->passes);
            assert_true(told_option(a, "repeat") < told_option(b, "repeat"));
        }
    }
    assert_true(t->result[0]->passes == told_option(t->result[0], "trees"));
    assert_true(t->result[1]->passes >= told_option(t->result[1], "trees"));
}

static void a_short_row_gets_more_trees(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.lengths = 1;
    o.repeats = 1;
    o.min_time_ns = 3600ull * SEC_NS;
    dirtest(t, &o);
    assert_int_equal(t->result[0]->passes, 16);
    assert_int_equal(t->result[0]->files, 16 * FILES);
    assert_int_equal(t->result[1]->passes, 256);
}

/* Files whose write failed were counted, since they are closed too. */
static void a_file_that_was_not_written_does_not_count(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    char address[512];
    o.one_tree = true;
    o.write_only = true;
    o.verify = false;
    o.threads = 1;
    o.lengths = 1;
    o.repeats = 1;
    snprintf(address, sizeof address, "fault:%s?error=EIO@write:3", t->common.target);
    t->common.target = address;
    dirtest(t, &o);
    assert_int_equal(t->n, 1);
    assert_int_equal(result_line_find(t->result[0], "close")->sum.samples, FILES / 2);
    assert_int_equal(t->result[0]->files, FILES / 2 - 1);
}

/* The witnesses of the cache are asked for all that is read, or are said not to be known. */
static void reads_carry_their_cache_proof(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.cache = STUDY_CACHE_KEEP;
    o.one_tree = true;
    dirtest(t, &o);
    for (unsigned i = 0; i < t->n; i++) {
        const struct result *r = t->result[i];
        bool reads = strcmp(r->phase, "read") == 0;
        assert_string_equal(r->cache.mode, "keep");
        assert_int_equal(r->cache.applies, reads);
        if (!reads)
            continue;
        assert_true(r->cache.resident_known);
        assert_int_equal(r->cache.asked_bytes, r->bytes);
        /* Just written and not given up: all of it is still there. */
        assert_int_equal(r->cache.resident_bytes, r->bytes);
    }
}

/* ---- readtest ---- */

static void readtest_reads_what_was_kept(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    keep_trees(t);
    if (readtest(t, &o, 0, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(t->n, 4);
    assert_int_equal(t->intent.write_bytes, 0);
    for (unsigned i = 0; i < t->n; i++) {
        assert_string_equal(t->result[i]->study, "readtest");
        assert_int_equal(t->result[i]->bytes,
                         t->result[i]->files * (uint64_t)told_option(t->result[i], "length_bytes"));
        assert_true(t->result[i]->verified);
    }
    assert_int_equal(told_entries(t), 1);
}

static void readtest_says_how_to_make_a_tree(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    assert_int_equal(readtest(t, &o, 0, &err), -ENOENT);
    told_says(err.text, "dirtest --keep");
    assert_int_equal(t->begun, 0);
}

/* A tree whose marker was lost was as good as not there. */
static void readtest_names_what_it_cannot_believe(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    char path[256], inside[300];
    snprintf(path, sizeof path, "%s/loadline-abcd2345", t->dir.path);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(inside, sizeof inside, "%s/4096-r1-k01", path);
    assert_int_equal(mkdir(inside, 0777), 0);
    assert_int_equal(readtest(t, &o, 0, &err), -ENOENT);
    told_says(err.text, "loadline-abcd2345 is not taken for one: it has no marker");
    told_says(err.text, "dirtest --keep");
    assert_int_equal(rmdir(inside), 0);
    assert_int_equal(rmdir(path), 0);
}

static void readtest_refuses_another_shape_by_name(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    static const uint64_t other[] = {3000, 77};
    struct err err = {0};
    keep_trees(t);
    o.threads = 3;
    assert_int_equal(readtest(t, &o, TREE_GIVEN_THREADS, &err), -EINVAL);
    told_says(err.text, "--threads 2");
    told_says(err.text, "3 was given");
    o.length_bytes = other;
    assert_int_equal(readtest(t, &o, TREE_GIVEN_LENGTHS, &err), -EINVAL);
    told_says(err.text, "77");
    t->common.seed++;
    assert_int_equal(readtest(t, &o, TREE_GIVEN_SEED, &err), -EINVAL);
    told_says(err.text, "--seed");
    assert_int_equal(t->begun, 0);
}

static void a_missing_file_is_refused_by_name(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    keep_trees(t);
    look_at(t);
    assert_int_equal(unlink(found.last), 0);
    assert_int_equal(readtest(t, &o, 0, &err), -ENOENT);
    told_says(err.text, found.last);
}

static void flip_byte(const char *path, off_t at)
{
    unsigned char byte;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* One bit of one file: the run is void and says where. */
static void a_flipped_bit_voids_the_run(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    keep_trees(t);
    look_at(t);
    struct stat st;
    assert_int_equal(stat(found.last, &st), 0);
    flip_byte(found.last, st.st_size - 1);
    o.one_tree = true; /* no pilot: the wrong byte is met in a run */
    assert_int_equal(readtest(t, &o, 0, &err), 0);
    assert_int_equal(t->end, STUDY_INVALID);
    const struct result *last = t->result[t->n - 1];
    char place[64];
    snprintf(place, sizeof place, "offset %lld", (long long)st.st_size - 1);
    assert_int_equal(last->state, RESULT_VOID);
    told_says(last->reason, place);
    told_says(last->reason, found.last + strlen(t->dir.path) + 1);
    told_says(t->reason, place);
}

/* The file f0 in directory d0 of the first root of the sixteenth tree of a row. */
static void file_of_tree_16(const struct told *t, char path[256])
{
    DIR *dir = opendir(t->dir.path);
    char site[64] = "";
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        if (strncmp(e->d_name, "loadline-", 9) == 0)
            snprintf(site, sizeof site, "%.63s", e->d_name);
    closedir(dir);
    snprintf(path, 256, "%s/%s/3000-r1-k16/t00/d0/f0", t->dir.path, site);
}

static void every_tree_of_a_row_is_read(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    char path[256];
    keep_trees_for(t, 3600ull * SEC_NS);
    file_of_tree_16(t, path);
    flip_byte(path, 0);
    assert_int_equal(readtest(t, &o, 0, &err), 0);
    assert_int_equal(t->end, STUDY_INVALID);
    assert_int_equal(t->result[t->n - 1]->passes, 16);
    told_says(t->reason, "3000-r1-k16/t00/d0/f0: wrong byte at offset 0");
}

/* How many trees a row has is seen from what is there; that must not hide what is gone. */
static void a_file_missing_in_the_last_tree_is_refused_too(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    char path[256];
    keep_trees_for(t, 3600ull * SEC_NS);
    file_of_tree_16(t, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(readtest(t, &o, 0, &err), -ENOENT);
    told_says(err.text, path);
    assert_int_equal(t->begun, 0);
}

/* ---- when things go wrong ---- */

static void errors_mark_the_run_and_the_study(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.one_tree = true;
    o.verify = false;
    told_faults(t, "error=EIO@write:5");
    dirtest(t, &o);
    assert_int_equal(t->end, STUDY_INVALID);
    assert_int_equal(t->n, 8);
    const struct result *r = t->result[0];
    assert_int_equal(r->errors, 1);
    assert_string_equal(r->error[0].op, "write");
    assert_string_equal(r->error[0].code, "EIO");
    assert_int_equal(result_error_count(r), 1);
    assert_int_equal(told_samples(r, "write"), FILES - 1);
}

/* A full disk fails every further run: what there is stays, and the study ends. */
static void a_full_disk_ends_the_study(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.one_tree = true;
    o.verify = false;
    told_faults(t, "error=ENOSPC@write:5");
    dirtest(t, &o);
    assert_int_equal(t->end, STUDY_INCOMPLETE);
    told_says(t->reason, "ENOSPC");
    assert_int_equal(t->n, 1);
    assert_int_equal(t->result[0]->state, RESULT_INCOMPLETE);
    assert_int_equal(t->rows, 1);
    assert_int_equal(told_entries(t), 0);
}

/* Likewise a quota; which one is said where the target tells. */
static void a_used_up_quota_ends_the_study(void **state)
{
    static const char *const faults[][2] = {
        {"error=EDQUOT@write:5", "EDQUOT: a quota of user, group or project is used up"},
        {"error=EDQUOT@write:5&quota=16m", "EDQUOT: the quota of fault is used up"},
        /* One that leaves this much was not the one that was met. */
        {"error=EDQUOT@write:5&quota=1g", "EDQUOT: a quota of user, group or project is used up"},
    };
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.one_tree = true;
    o.verify = false;
    for (size_t i = 0; i < TRUTH_COUNT(faults); i++) {
        told_faults(t, faults[i][0]);
        dirtest(t, &o);
        assert_int_equal(t->end, STUDY_INCOMPLETE);
        told_says(t->reason, faults[i][1]);
        assert_int_equal(t->n, 1);
        assert_int_equal(t->result[0]->state, RESULT_INCOMPLETE);
        assert_int_equal(told_entries(t), 0);
        told_forget(t);
    }
}

static void a_quota_too_small_is_refused_before_anything_is_written(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    told_faults(t, "quota=8k");
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -EDQUOT);
    told_says(err.text, "not enough quota: ");
    told_says(err.text, "the quota of fault leaves 8 KiB");
    assert_int_equal(t->begun, 0);
    assert_int_equal(told_entries(t), 0);
}

static void a_stop_keeps_what_was_measured(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    t->stop_after = 3;
    dirtest(t, &o);
    assert_int_equal(t->end, STUDY_INCOMPLETE);
    assert_string_equal(t->reason, "stopped");
    assert_int_equal(t->n, 3);
    assert_int_equal(t->rows, 3);
    for (unsigned i = 0; i < t->rows; i++)
        assert_int_equal(t->row_n[i], 1);
    assert_int_equal(told_entries(t), 0);
}

/* Half a sweep that was to be kept is left, but not offered to readtest. */
static void a_stopped_tree_is_not_kept(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    t->stop_after = 1;
    t->common.keep = true;
    dirtest(t, &o);
    assert_int_equal(told_entries(t), 1);
    told_says(t->warned, "loadline clean");
    told_forget(t);
    assert_int_equal(readtest(t, &o, 0, &err), -ENOENT);
}

static void a_sink_that_does_not_begin_ends_it(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    t->begun_rc = -EDOM;
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -EDOM);
    assert_int_equal(t->n, 0);
    assert_int_equal(t->ended, 0);
    assert_int_equal(told_entries(t), 0);
}

/* A result that cannot be kept is an error even when others were: nothing is lost in silence. */
/* With --keep an empty directory stayed, marked, of a study that had measured nothing. */
static void nothing_measured_is_nothing_kept(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    t->common.keep = true;
    t->begun_rc = -EIO;
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -EIO);
    assert_int_equal(told_entries(t), 0);
}

/* "writes 1.03 MiB in all" was said of null:. */
static void what_keeps_nothing_is_announced_so(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.verify = false;
    t->common.target = "null:";
    dirtest(t, &o);
    assert_int_equal(t->intent.write_bytes, 0);
    assert_int_equal(t->intent.peak_bytes, 0);
    assert_int_equal(t->intent.files, 0);
    assert_int_equal(t->intent.about_ns, 0);
}

static void a_sink_that_cannot_keep_ends_it(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    t->run_done_rc = -EDOM;
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -EDOM);
    told_says(err.text, "cannot keep");
    assert_int_equal(t->n, 1);
    assert_int_equal(told_entries(t), 0);
}

static void the_study_needs_no_sink(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    const struct study_sink none = {0};
    struct err err = {0};
    if (study_dirtest(&t->common, &o, &none, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(told_entries(t), 0);
}

static void senseless_wishes_are_refused(void **state)
{
    struct told *t = *state;
    const struct study_sink sink = told_sink(t);
    const uint64_t twice[] = {5, 5}, zero[] = {0};
    struct tree_options o = small_tree();
    struct err err = {0};
    o.length_bytes = twice;
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -EINVAL);
    told_says(err.text, "twice");
    o.length_bytes = zero;
    o.lengths = 1;
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -EINVAL);
    o = small_tree();
    o.write_only = true;
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -EINVAL);
    told_says(err.text, "verified");
    o = small_tree();
    t->common.max_memory_bytes = 1;
    assert_int_equal(study_dirtest(&t->common, &o, &sink, &err), -ENOMEM);
    told_says(err.text, "--max-memory");
    assert_int_equal(t->begun, 0);
    assert_int_equal(told_entries(t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        told_test(what_is_reported_lies_on_the_disk),
        told_test(every_step_is_counted),
        told_test(chunks_are_operations_of_one_sample),
        told_test(nothing_is_left),
        told_test(rows_are_whole),
        told_test(a_short_row_gets_more_trees),
        told_test(a_file_that_was_not_written_does_not_count),
        told_test(reads_carry_their_cache_proof),
        told_test(readtest_reads_what_was_kept),
        told_test(readtest_says_how_to_make_a_tree),
        told_test(readtest_names_what_it_cannot_believe),
        told_test(readtest_refuses_another_shape_by_name),
        told_test(a_missing_file_is_refused_by_name),
        told_test(a_flipped_bit_voids_the_run),
        told_test(every_tree_of_a_row_is_read),
        told_test(a_file_missing_in_the_last_tree_is_refused_too),
        told_test(errors_mark_the_run_and_the_study),
        told_test(a_full_disk_ends_the_study),
        told_test(a_used_up_quota_ends_the_study),
        told_test(a_quota_too_small_is_refused_before_anything_is_written),
        told_test(a_stop_keeps_what_was_measured),
        told_test(a_stopped_tree_is_not_kept),
        told_test(a_sink_that_does_not_begin_ends_it),
        told_test(a_sink_that_cannot_keep_ends_it),
        told_test(nothing_measured_is_nothing_kept),
        told_test(what_keeps_nothing_is_announced_so),
        told_test(the_study_needs_no_sink),
        told_test(senseless_wishes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
