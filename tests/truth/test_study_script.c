/* study.h: scripts made by hand, in virtual time and on real files. */
#include "truth/scripts.h"

#include <errno.h>
#include <ftw.h>

#define FILES      40u
#define FILE_BYTES 8192u

/* What the sink was told, one line each. */
static struct {
    char lines[8192];
    char commands[256];
    unsigned periods;
    uint64_t period_samples;
} heard;

static void on_tell(void *ctx, const char *text)
{
    size_t len = strlen(heard.lines);
    (void)ctx;
    snprintf(heard.lines + len, sizeof heard.lines - len, "%s\n", text);
}

static int on_shell(void *ctx, const char *command, struct err *err)
{
    size_t len = strlen(heard.commands);
    (void)ctx;
    snprintf(heard.commands + len, sizeof heard.commands - len, "%s;", command);
    return strcmp(command, "no shell") == 0 ? err_set(err, -EAGAIN, "no shell for it") : 0;
}

static void on_period(void *ctx, const struct result *so_far)
{
    (void)ctx;
    heard.periods++;
    heard.period_samples = result_line_find(so_far, "flowop1")->sum.samples;
}

static int open_told(void **state)
{
    memset(&heard, 0, sizeof heard);
    *state = told_open();
    return 0;
}

static int close_told(void **state)
{
    told_close(*state);
    return 0;
}

static void in_virtual_time(struct told *t)
{
    snprintf(t->address, sizeof t->address, "fault:null:?latency=fixed:1ms&clock=virtual");
}

struct asked {
    struct hand *hand;
    unsigned scripts;
    unsigned repeats;
    unsigned more_each; /* script after script */
    bool adopt;
};

static int script_rc(struct told *t, const struct asked *asked, struct err *err)
{
    struct study_sink sink = told_sink(t);
    struct script *script[4];
    unsigned repeats[4];
    for (unsigned i = 0; i < asked->scripts; i++) {
        script[i] = &asked->hand[i].script;
        repeats[i] = asked->repeats + i * asked->more_each;
    }
    const struct script_wish wish = {.kind = "run",
                                     .script = script,
                                     .scripts = asked->scripts,
                                     .repeats = repeats,
                                     .cache = STUDY_CACHE_KEEP,
                                     .adopt = asked->adopt};
    sink.tell = on_tell;
    sink.shell = on_shell;
    sink.period = on_period;
    return study_script(&t->common, &wish, &sink, err);
}

static void runs(struct told *t, struct hand *hand)
{
    const struct asked asked = {.hand = hand, .scripts = 1, .repeats = 1};
    struct err err = {0};
    if (script_rc(t, &asked, &err) < 0)
        fail_msg("%s", err.text);
}

static const char *word(const struct result *r, const char *key)
{
    const char *value = result_fact_get(&r->options, key);
    if (!value)
        fail_msg("no option %s", key);
    return value;
}

static const struct hand_flowop stat_for_a_second = {
    .op = OP_STAT, .type = "statfile", .use = FILESET_USE_STAT, .time_ns = SEC_NS};
static const struct hand_flowop read_for_a_moment = {
    .op = OP_READ, .type = "readwholefile", .use = FILESET_USE_OPEN, .time_ns = 50 * MS_NS};

/* Two streams, an op of 1 ms each. */
static void a_run_is_a_result_with_what_was_asked(void **state)
{
    struct told *t = *state;
    struct script_variable variable = {.name = (char[]){"nfiles"}, .value = (char[]){"40"}};
    struct hand h;
    in_virtual_time(t);
    hand_begin(&h, t, (char[]){"statty"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    h.script.variable = &variable;
    h.script.variables = 1;
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &stat_for_a_second);
    runs(t, &h);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(t->n, 1);
    assert_int_equal(t->rows, 1);
    const struct result *r = t->result[0];
    assert_string_equal(r->study, "run");
    assert_string_equal(r->phase, "");
    /* One that is done as the window closes lies behind it. */
    assert_int_equal(told_samples(r, "flowop1"), 2 * 999);
    assert_string_equal(r->line[0].op, "statfile");
    assert_int_equal(r->elapsed_ns, SEC_NS);
    assert_string_equal(word(r, "workload"), "statty");
    assert_string_equal(word(r, "ended"), "time");
    assert_string_equal(word(r, "dialect"), "1.5");
    assert_string_equal(word(r, "mode"), "timeout");
    assert_string_equal(word(r, "var_nfiles"), "40");
    assert_int_equal(told_option(r, "streams"), 2);
    assert_int_equal(told_option(r, "script"), 1);
    assert_int_equal(told_option(r, "script_run"), 1);
    hand_free(&h);
}

static void steps_are_told_in_their_order(void **state)
{
    static const char *const order[] = {("set1 populated: 40 files, avg. dir. width = 4, "
                                         "avg. dir. depth = 2.7, 0 leafdirs, 0.312MB total size"),
                                        "Running...", "between", "Running..."};
    struct told *t = *state;
    struct hand h;
    in_virtual_time(t);
    hand_begin(&h, t, (char[]){"statty"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &stat_for_a_second);
    hand_step(&h, SCRIPT_ECHO)->text = (char[]){"between"};
    hand_step(&h, SCRIPT_SLEEP)->ns =
        3600ull * SEC_NS; /* on a clock of the target's own no time at all */
    hand_step(&h, SCRIPT_SHELL)->text = (char[]){"date"};
    hand_step(&h, SCRIPT_FLUSH);
    hand_run(&h, &stat_for_a_second);
    runs(t, &h);
    const char *at = heard.lines;
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = strstr(at, order[i]);
        if (!at)
            fail_msg("'%s' is not told where it should be:\n%s", order[i], heard.lines);
        at += strlen(order[i]);
    }
    assert_string_equal(heard.commands, "date;");
    assert_int_equal(t->n, 2);
    assert_int_equal(t->rows, 2);
    assert_int_equal(told_option(t->result[1], "script_run"), 2);
    hand_free(&h);
}

static void a_shell_that_cannot_be_had_ends_the_study(void **state)
{
    struct told *t = *state;
    struct hand h;
    const struct asked asked = {.hand = &h, .scripts = 1, .repeats = 1};
    struct err err = {0};
    in_virtual_time(t);
    hand_begin(&h, t, (char[]){"statty"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_step(&h, SCRIPT_SHELL)->text = (char[]){"no shell"};
    hand_run(&h, &stat_for_a_second);
    assert_int_equal(script_rc(t, &asked, &err), -EAGAIN);
    assert_int_equal(t->n, 0);
    hand_free(&h);
}

static void repeats_of_several_scripts_are_rows(void **state)
{
    struct told *t = *state;
    struct hand h[2];
    const struct asked asked = {.hand = h, .scripts = 2, .repeats = 3};
    struct err err = {0};
    in_virtual_time(t);
    for (unsigned i = 0; i < 2; i++) {
        hand_begin(&h[i], t, i ? (char[]){"second"} : (char[]){"first"});
        hand_set(&h[i], (char[]){"set1"}, FILES, FILE_BYTES);
        hand_sets_step(&h[i], SCRIPT_MAKE, 0, 1);
        hand_run(&h[i], &stat_for_a_second);
    }
    if (script_rc(t, &asked, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->n, 6);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->row_n[0], 3);
    assert_int_equal(t->row_n[1], 3);
    for (unsigned i = 0; i < 6; i++) {
        assert_string_equal(word(t->result[i], "workload"), i < 3 ? "first" : "second");
        assert_int_equal(told_option(t->result[i], "script"), 1 + i / 3);
        assert_int_equal(told_option(t->result[i], "repeat"), 1 + i % 3);
        assert_string_equal(t->result[i]->plan_hash, t->result[i / 3 * 3]->plan_hash);
    }
    hand_free(&h[0]);
    hand_free(&h[1]);
}

static void sums_so_far_are_told_at_each_period(void **state)
{
    struct told *t = *state;
    struct hand_flowop f = stat_for_a_second;
    struct hand h;
    in_virtual_time(t);
    f.period_ns = 250 * MS_NS;
    hand_begin(&h, t, (char[]){"statty"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &f);
    runs(t, &h);
    assert_true(heard.periods >= 3);
    assert_true(heard.period_samples >= 1000 && heard.period_samples <= 2000);
    hand_free(&h);
}

static void sets_of_all_scripts_count_as_memory(void **state)
{
    struct told *t = *state;
    struct hand h[2];
    struct asked asked = {.hand = h, .scripts = 1, .repeats = 1};
    struct err err = {0};
    in_virtual_time(t);
    t->common.max_memory_bytes = 1500000000;
    for (unsigned i = 0; i < 2; i++) {
        hand_begin(&h[i], t, (char[]){"statty"});
        hand_set(&h[i], (char[]){"set1"}, FILES, FILE_BYTES)->memory_bytes = 1000000000;
        hand_sets_step(&h[i], SCRIPT_MAKE, 0, 1);
        hand_run(&h[i], &stat_for_a_second);
    }
    assert_int_equal(script_rc(t, &asked, &err), 0);
    asked.scripts = 2;
    assert_int_equal(script_rc(t, &asked, &err), -ENOMEM);
    hand_free(&h[0]);
    hand_free(&h[1]);
}

/* ---- on real files ---- */

static void each_script_has_repeats_of_its_own(void **state)
{
    struct told *t = *state;
    struct hand h[2];
    const struct asked asked = {.hand = h, .scripts = 2, .repeats = 2, .more_each = 1};
    struct err err = {0};
    for (unsigned i = 0; i < 2; i++) {
        hand_begin(&h[i], t, i ? (char[]){"second"} : (char[]){"first"});
        hand_set(&h[i], (char[]){"set1"}, FILES, FILE_BYTES)->written = i > 0;
        h[i].script.bytes = FILES * FILE_BYTES;
        hand_sets_step(&h[i], SCRIPT_MAKE, 0, 1);
        hand_run(&h[i], &read_for_a_moment);
    }
    if (script_rc(t, &asked, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->n, 5);
    assert_int_equal(t->row_n[0], 2);
    assert_int_equal(t->row_n[1], 3);
    assert_int_equal(told_option(t->result[0], "repeats"), 2);
    assert_int_equal(told_option(t->result[4], "repeats"), 3);
    /* What is written is made anew for each. */
    assert_int_equal(t->intent.write_bytes, (1 + 3) * FILES * FILE_BYTES);
    assert_int_equal(t->intent.peak_bytes, FILES * FILE_BYTES);
    hand_free(&h[0]);
    hand_free(&h[1]);
}

static struct {
    unsigned files;
    unsigned wrong;
} found;

static int look(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    bool numbered = path[ftw->base] == '0' && strlen(path + ftw->base) == 8;
    if (flag == FTW_F && numbered) {
        found.files++;
        found.wrong += st->st_size != FILE_BYTES;
    }
    return 0;
}

static void look_at(struct told *t, const struct result *r)
{
    (void)r;
    memset(&found, 0, sizeof found);
    assert_int_equal(nftw(t->dir.path, look, 16, FTW_PHYS), 0);
}

static void filesets_are_made_and_removed(void **state)
{
    struct told *t = *state;
    struct hand h;
    t->at_run = look_at;
    hand_begin(&h, t, (char[]){"reader"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &read_for_a_moment);
    runs(t, &h);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(found.files, FILES);
    assert_int_equal(found.wrong, 0);
    const struct result *r = t->result[0];
    assert_int_equal(r->bytes, told_samples(r, "flowop1") * FILE_BYTES);
    assert_int_equal(result_error_count(r), 0);
    assert_true(r->cache.applies);
    assert_int_equal(told_entries(t), 0);
    hand_free(&h);
}

static void a_set_is_removed_where_the_script_says_so(void **state)
{
    struct told *t = *state;
    struct hand h;
    t->at_run = look_at;
    hand_begin(&h, t, (char[]){"reader"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_set(&h, (char[]){"set2"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 2);
    hand_sets_step(&h, SCRIPT_REMOVE, 1, 1);
    hand_run(&h, &read_for_a_moment);
    runs(t, &h);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(found.files, FILES);
    assert_int_equal(told_entries(t), 0);
    hand_free(&h);
}

/* What was deleted in one repeat is there again in the next. */
static void a_written_set_is_made_anew_for_each_repeat(void **state)
{
    struct told *t = *state;
    const struct hand_flowop unlink = {.op = OP_UNLINK,
                                       .type = "deletefile",
                                       .use = FILESET_USE_DELETE,
                                       .time_ns = 10ull * SEC_NS};
    struct hand h;
    const struct asked asked = {.hand = &h, .scripts = 1, .repeats = 2};
    struct err err = {0};
    hand_begin(&h, t, (char[]){"deleter"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES)->written = true;
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &unlink);
    if (script_rc(t, &asked, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->n, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(told_samples(t->result[i], "flowop1"), FILES);
        assert_string_equal(word(t->result[i], "ended"), "ran out");
        assert_int_equal(t->result[i]->state, RESULT_INCOMPLETE);
    }
    assert_int_equal(t->end, STUDY_INCOMPLETE);
    assert_int_equal(told_entries(t), 0);
    hand_free(&h);
}

static void kept_sets_are_used_again(void **state)
{
    struct told *t = *state;
    struct hand h;
    t->at_run = look_at;
    t->common.keep = true;
    hand_begin(&h, t, (char[]){"reader"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &read_for_a_moment);
    runs(t, &h);
    assert_string_equal(word(t->result[0], "reused_files"), "no");
    assert_int_equal(told_entries(t), 1);
    told_forget(t);
    runs(t, &h);
    assert_string_equal(word(t->result[0], "reused_files"), "yes");
    assert_int_equal(t->intent.write_bytes, 0);
    assert_int_equal(told_entries(t), 1);
    assert_int_equal(found.files, FILES);
    /* Of several only the last one's would be left. */
    const struct asked two = {.hand = (struct hand[]){h, h}, .scripts = 2, .repeats = 1};
    struct err err = {0};
    assert_int_equal(script_rc(t, &two, &err), -EINVAL);
    assert_non_null(strstr(err.text, "one workload, not of 2"));
    /* Another seed grows other sets. */
    told_forget(t);
    t->common.keep = false;
    t->common.seed++;
    runs(t, &h);
    assert_string_equal(word(t->result[0], "reused_files"), "no");
    assert_int_equal(told_entries(t), 1);
    hand_free(&h);
}

static void make_tree_of_others(const struct told *t)
{
    char path[300];
    snprintf(path, sizeof path, "%s/set1", t->dir.path);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/set1/00000001", t->dir.path);
    assert_int_equal(mkdir(path, 0755), 0);
    for (unsigned i = 1; i <= 3; i++) {
        snprintf(path, sizeof path, "%s/set1/00000001/%08u", t->dir.path, i);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
        assert_true(fd >= 0);
        assert_int_equal(ftruncate(fd, FILE_BYTES), 0);
        close(fd);
    }
}

static void a_tree_of_others_is_read_as_it_is(void **state)
{
    struct told *t = *state;
    struct hand h;
    t->at_run = look_at;
    make_tree_of_others(t);
    hand_begin(&h, t, (char[]){"reader"});
    hand_set_at(&h, "/", (char[]){"set1"}, FILES, FILE_BYTES)->reuse = true;
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &read_for_a_moment);
    runs(t, &h);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_string_equal(word(t->result[0], "reused_files"), "yes");
    assert_int_equal(result_error_count(t->result[0]), 0);
    assert_int_equal(found.files, 3);
    told_says(t->warned, "set1 holds 3 files; the workload says 40");
    look_at(t, NULL);
    assert_int_equal(found.files, 3);
    assert_int_equal(told_entries(t), 1);
    hand_free(&h);
}

static void a_set_to_be_reused_is_made_where_there_is_none(void **state)
{
    struct told *t = *state;
    struct hand h;
    t->at_run = look_at;
    hand_begin(&h, t, (char[]){"reader"});
    hand_set_at(&h, "/", (char[]){"set1"}, FILES, FILE_BYTES)->reuse = true;
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &read_for_a_moment);
    runs(t, &h);
    assert_string_equal(word(t->result[0], "reused_files"), "no");
    assert_int_equal(found.files, FILES);
    assert_int_equal(told_entries(t), 0);
    hand_free(&h);
}

static void a_tree_of_others_is_not_written_to_unasked(void **state)
{
    struct told *t = *state;
    struct hand h;
    struct asked asked = {.hand = &h, .scripts = 1, .repeats = 1};
    struct hand_flowop f = read_for_a_moment;
    struct err err = {0};
    f.op = OP_WRITE;
    f.type = "writewholefile";
    make_tree_of_others(t);
    hand_begin(&h, t, (char[]){"writer"});
    struct script_set *set = hand_set_at(&h, "/", (char[]){"set1"}, FILES, FILE_BYTES);
    set->reuse = set->written = true;
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &f);
    assert_int_equal(script_rc(t, &asked, &err), -EACCES);
    told_says(err.text, "--adopt");
    assert_int_equal(t->begun, 0);
    assert_int_equal(told_entries(t), 1);
    asked.adopt = true;
    if (script_rc(t, &asked, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->n, 1);
    assert_int_equal(result_error_count(t->result[0]), 0);
    assert_int_equal(told_entries(t), 1);
    hand_free(&h);
}

/* What cannot be made is not measured. */
static void a_set_that_cannot_be_made_is_an_error(void **state)
{
    struct told *t = *state;
    struct hand h;
    const struct asked asked = {.hand = &h, .scripts = 1, .repeats = 1};
    struct err err = {0};
    told_faults(t, "error=ENOSPC@write:20");
    hand_begin(&h, t, (char[]){"reader"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &read_for_a_moment);
    assert_int_equal(script_rc(t, &asked, &err), -ENOSPC);
    told_says(err.text, "set1: write of");
    assert_int_equal(t->n, 0);
    assert_int_equal(told_entries(t), 0);
    hand_free(&h);
}

static void a_stop_leaves_the_runs_that_were_made(void **state)
{
    struct told *t = *state;
    struct hand h;
    const struct asked asked = {.hand = &h, .scripts = 1, .repeats = 5};
    struct err err = {0};
    t->stop_after = 2;
    hand_begin(&h, t, (char[]){"reader"});
    hand_set(&h, (char[]){"set1"}, FILES, FILE_BYTES);
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &read_for_a_moment);
    assert_int_equal(script_rc(t, &asked, &err), 0);
    assert_int_equal(t->n, 2);
    assert_int_equal(t->row_n[0], 2);
    assert_int_equal(t->end, STUDY_INCOMPLETE);
    assert_int_equal(told_entries(t), 0);
    hand_free(&h);
}

static void a_script_that_runs_nothing_is_refused(void **state)
{
    struct told *t = *state;
    struct hand h;
    const struct asked asked = {.hand = &h, .scripts = 1, .repeats = 1};
    struct err err = {0};
    hand_begin(&h, t, (char[]){"idle"});
    hand_step(&h, SCRIPT_ECHO)->text = (char[]){"hello"};
    /* Usage was right. And a time may well have been given: the compiler says what is missing. */
    assert_int_equal(script_rc(t, &asked, &err), -ENODATA);
    assert_string_equal(err.text, "idle runs nothing");
    assert_int_equal(told_entries(t), 0);
    hand_free(&h);
}

#define told_test(f) cmocka_unit_test_setup_teardown(f, open_told, close_told)

int main(void)
{
    const struct CMUnitTest tests[] = {
        told_test(a_run_is_a_result_with_what_was_asked),
        told_test(steps_are_told_in_their_order),
        told_test(a_shell_that_cannot_be_had_ends_the_study),
        told_test(repeats_of_several_scripts_are_rows),
        told_test(sets_of_all_scripts_count_as_memory),
        told_test(each_script_has_repeats_of_its_own),
        told_test(sums_so_far_are_told_at_each_period),
        told_test(filesets_are_made_and_removed),
        told_test(a_set_is_removed_where_the_script_says_so),
        told_test(a_written_set_is_made_anew_for_each_repeat),
        told_test(kept_sets_are_used_again),
        told_test(a_tree_of_others_is_read_as_it_is),
        told_test(a_set_to_be_reused_is_made_where_there_is_none),
        told_test(a_tree_of_others_is_not_written_to_unasked),
        told_test(a_set_that_cannot_be_made_is_an_error),
        told_test(a_stop_leaves_the_runs_that_were_made),
        told_test(a_script_that_runs_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
