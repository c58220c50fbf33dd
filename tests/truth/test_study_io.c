/* study.h: the plain mix on real files and in virtual time, and what loadline costs. */
#include "truth/studies.h"

#define BLOCK      4096u
#define FILE_BYTES (16u * BLOCK)

static struct io_options small_mix(void)
{
    return (struct io_options){.read_percent = 50,
                               .blocks = 1,
                               .block = {{BLOCK, 100}},
                               .streams = 2,
                               .size_bytes = 2 * FILE_BYTES + 1, /* the odd byte is left out */
                               .time_ns = 60 * MS_NS,
                               .cache = STUDY_CACHE_KEEP};
}

static int open_told(void **state)
{
    *state = told_open();
    return 0;
}

static int close_told(void **state)
{
    told_close(*state);
    return 0;
}

static const struct result *io(struct told *t, const struct io_options *o)
{
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    if (study_io(&t->common, o, &sink, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->ended, 1);
    assert_int_equal(t->n, 1);
    assert_int_equal(t->rows, 1);
    return t->result[0];
}

static struct err io_refused(struct told *t, const struct io_options *o, int code)
{
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    assert_int_equal(study_io(&t->common, o, &sink, &err), code);
    assert_int_equal(t->begun, 0);
    assert_int_equal(told_entries(t), 0);
    return err;
}

static struct {
    uint64_t files;
    uint64_t wrong;
} found;

static int look(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    if (flag == FTW_F && path[ftw->base] == 'f') {
        found.files++;
        found.wrong += st->st_size != FILE_BYTES;
    }
    return 0;
}

static void look_at(const struct told *t)
{
    memset(&found, 0, sizeof found);
    assert_int_equal(nftw(t->dir.path, look, 16, FTW_PHYS), 0);
}

static void bytes_are_blocks_times_operations(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    const struct result *r = io(t, &o);
    assert_int_equal(t->end, STUDY_COMPLETE);
    uint64_t ops = told_samples(r, "read") + told_samples(r, "write");
    assert_true(told_samples(r, "read") > 0 && told_samples(r, "write") > 0);
    assert_int_equal(r->bytes, ops * BLOCK);
    assert_int_equal(r->elapsed_ns, o.time_ns);
    assert_int_equal(r->streams.n, 2);
    assert_int_equal(told_option(r, "size_bytes"), o.size_bytes);
    assert_int_equal(told_option(r, "used_bytes"), 2 * FILE_BYTES);
    assert_int_equal(told_entries(t), 0);
}

static void kept_files_are_used_again(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    t->common.keep = true;
    const struct result *r = io(t, &o);
    assert_string_equal(result_fact_get(&r->options, "reused_files"), "no");
    assert_int_equal(t->intent.write_bytes, 2 * FILE_BYTES);
    look_at(t);
    assert_int_equal(found.files, 2);
    assert_int_equal(found.wrong, 0);
    told_forget(t);
    t->common.keep = false;
    r = io(t, &o);
    assert_string_equal(result_fact_get(&r->options, "reused_files"), "yes");
    assert_int_equal(t->intent.write_bytes, 0);
    /* Without --keep the files went, though someone had kept them on purpose. */
    assert_int_equal(told_entries(t), 1);
    told_says(t->warned, "was kept by an earlier --keep and stays");
    told_says(t->warned, "--kept");
}

/* A minute of overwriting was announced as the one time the files are laid out. */
static void overwriting_is_said_before_it_begins(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    o.warmup_ns = 40 * MS_NS;
    io(t, &o);
    assert_int_equal(t->intent.overwrite_ns, 100 * MS_NS);
    assert_int_equal(t->intent.overwrite_bytes, 0);
    told_forget(t);
    o.rate_per_s = 1000;
    o.read_percent = 75;
    io(t, &o);
    assert_int_equal(t->intent.overwrite_bytes, 1000 / 10 / 4 * BLOCK);
    told_forget(t);
    o.read_percent = 100;
    io(t, &o);
    assert_int_equal(t->intent.overwrite_ns, 0);
    assert_int_equal(t->intent.overwrite_bytes, 0);
}

/* Another seed is other content, another size other files: both are laid out anew. */
static void files_that_do_not_fit_are_left_alone(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    t->common.keep = true;
    io(t, &o);
    told_forget(t);
    t->common.keep = false;
    t->common.seed++;
    const struct result *r = io(t, &o);
    assert_string_equal(result_fact_get(&r->options, "reused_files"), "no");
    assert_int_equal(told_entries(t), 1);
}

static void senseless_wishes_are_refused(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    o.size_bytes = 2 * BLOCK - 1;
    told_says(io_refused(t, &o, -EINVAL).text, "--size");
    o = small_mix();
    o.direct = true;
    o.block[0].bytes = 1000;
    told_says(io_refused(t, &o, -EINVAL).text, "512");
    o = small_mix();
    o.read_percent = 101;
    told_says(io_refused(t, &o, -EINVAL).text, "100");
    o = small_mix();
    o.time_ns = 0;
    told_says(io_refused(t, &o, -EINVAL).text, "--time");
    o = small_mix();
    o.rate_per_s = -1;
    told_says(io_refused(t, &o, -EINVAL).text, "--rate");
}

/* What cannot be laid out is not measured. */
static void a_failed_layout_is_an_error(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    o.streams = 3;
    o.size_bytes = 3 * FILE_BYTES;
    /* Of each opening of the target: the first two are the marker's and the probe's, too. */
    told_faults(t, "error=EIO@write:3");
    assert_int_equal(study_io(&t->common, &o, &sink, &err), -EIO);
    told_says(err.text, "laying out");
    assert_int_equal(t->n, 0);
    assert_int_equal(told_entries(t), 0);
    told_forget(t);
    told_faults(t, "error=EDQUOT@write:3&quota=16m");
    assert_int_equal(study_io(&t->common, &o, &sink, &err), -EDQUOT);
    told_says(err.text, "EDQUOT: the quota of fault is used up");
    assert_int_equal(told_entries(t), 0);
}

/* A quota that is met while it is measured ends it as a full disk would. */
static void a_used_up_quota_leaves_an_incomplete_run(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    o.read_percent = 0;
    /* Laying out takes 32 writes, the marker and the probe fewer. */
    told_faults(t, "error=EDQUOT@write:40");
    const struct result *r = io(t, &o);
    assert_int_equal(t->end, STUDY_INCOMPLETE);
    told_says(t->reason, "EDQUOT: a quota of user, group or project is used up");
    assert_string_equal(r->error[0].code, "EDQUOT");
    assert_int_equal(told_entries(t), 0);
}

/* In virtual time, exactly: every arrival of the window is answered or counted as unfinished. */
static void a_stall_shows_in_response(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix();
    o.streams = 1;
    o.rate_per_s = 1000;
    o.time_ns = 10ull * SEC_NS;
    snprintf(t->address, sizeof t->address, "fault:null:?stall=1s@5s&clock=virtual");
    const struct result *r = io(t, &o);
    assert_int_equal(r->arrivals, 10000);
    assert_int_equal(told_samples(r, "read") + told_samples(r, "write") + r->unfinished, 10000);
    for (unsigned i = 0; i < r->lines; i++) {
        assert_true(r->line[i].open_loop);
        assert_true(hist_quantile(&r->line[i].sum.response, 0.99) > 800 * MS_NS);
        assert_true(hist_quantile(&r->line[i].sum.service, 0.99) < MS_NS);
    }
    assert_false(r->cache.applies);
    assert_string_equal(r->cache.mode, "none");
}

static void ask_for_steady_runs(struct told *t, struct io_options *o)
{
    *o = small_mix();
    snprintf(t->address, sizeof t->address, "fault:null:?latency=fixed:1ms&clock=virtual");
}

static void repeats_are_a_row_of_results(void **state)
{
    struct told *t = *state;
    const struct study_sink sink = told_sink(t);
    struct io_options o;
    struct err err = {0};
    ask_for_steady_runs(t, &o);
    o.repeats = 3;
    assert_int_equal(study_io(&t->common, &o, &sink, &err), 0);
    assert_int_equal(t->n, 3);
    assert_int_equal(t->rows, 1);
    assert_int_equal(t->row_n[0], 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(told_option(t->result[i], "repeat"), i + 1);
        assert_int_equal(told_option(t->result[i], "repeats"), 3);
        assert_string_equal(t->result[i]->workload_hash, t->result[0]->workload_hash);
    }
}

static void a_stop_leaves_the_repeats_that_were_made(void **state)
{
    struct told *t = *state;
    const struct study_sink sink = told_sink(t);
    struct io_options o;
    struct err err = {0};
    ask_for_steady_runs(t, &o);
    o.repeats = 5;
    t->stop_after = 2;
    assert_int_equal(study_io(&t->common, &o, &sink, &err), 0);
    assert_int_equal(t->n, 2);
    assert_int_equal(t->row_n[0], 2);
    assert_int_equal(t->end, STUDY_INCOMPLETE);
}

/* Equal runs are as close as can be: five, the least that --until-ci takes. */
static void until_ci_ends_where_the_interval_is_narrow(void **state)
{
    struct told *t = *state;
    const struct study_sink sink = told_sink(t);
    struct io_options o;
    struct err err = {0};
    ask_for_steady_runs(t, &o);
    o.until_ci_frac = 0.01;
    o.max_repeats = 9;
    assert_int_equal(study_io(&t->common, &o, &sink, &err), 0);
    assert_int_equal(t->n, 5);
    assert_string_equal(t->warned, "");
}

/* Parts of a cost cannot be negative, nor can a loop around an operation cost less than nothing. */
static void overhead_is_measured_and_cleaned_up(void **state)
{
    struct told *t = *state;
    struct overhead o;
    struct err err = {0};
    if (study_overhead(t->dir.path, &o, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(o.clock_read_ns > 0);
    assert_true(o.hist_record_ns >= 0);
    assert_true(o.null_op_ns > 0 && o.null_op_ns < 1e6);
    assert_true(o.posix_op_ns > 0 && o.posix_op_ns < 1e6);
    assert_true(o.posix_bare_ns > 0 && o.posix_bare_ns < 1e6);
    told_says(o.machine, "Linux");
    assert_int_equal(told_entries(t), 0);
    assert_true(study_overhead("/nowhere/at/all", &o, &err) < 0);
    told_says(err.text, "/nowhere/at/all");
}

#define told_test(f) cmocka_unit_test_setup_teardown(f, open_told, close_told)

int main(void)
{
    const struct CMUnitTest tests[] = {
        told_test(bytes_are_blocks_times_operations),
        told_test(kept_files_are_used_again),
        told_test(overwriting_is_said_before_it_begins),
        told_test(files_that_do_not_fit_are_left_alone),
        told_test(senseless_wishes_are_refused),
        told_test(a_failed_layout_is_an_error),
        told_test(a_used_up_quota_leaves_an_incomplete_run),
        told_test(a_stall_shows_in_response),
        told_test(repeats_are_a_row_of_results),
        told_test(a_stop_leaves_the_repeats_that_were_made),
        told_test(until_ci_ends_where_the_interval_is_narrow),
        told_test(overhead_is_measured_and_cleaned_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
