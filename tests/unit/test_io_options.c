/* study/io_options.h: what cannot be asked, and how what is asked is written. */
#include "study/io_options.h"

#include "target/target.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct io_options good(void)
{
    return (struct io_options){.read_percent = 70,
                               .blocks = 1,
                               .block = {{8192, 100}},
                               .streams = 2,
                               .size_bytes = 1 << 20,
                               .time_ns = 1};
}

static void refused(const struct io_options *o, const char *words)
{
    struct err err = {0};
    assert_int_equal(io_options_check(o, &err), -EINVAL);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

static void accepted(const struct io_options *o)
{
    struct err err = {0};
    if (io_options_check(o, &err) < 0)
        fail_msg("%s", err.text);
}

static void clients_share_streams_out_evenly(void **state)
{
    const struct target_caps kernel = {.one_file = false};
    const struct target_caps own = {.uncached = true};
    const struct target_caps nothing = {.keeps_nothing = true};
    struct io_options o = good();
    struct err err = {0};
    (void)state;
    o.streams = 6;
    o.clients = 3;
    accepted(&o);
    assert_int_equal(io_options_fit(&o, &own, &err), 0);
    assert_int_equal(io_options_fit(&o, &nothing, &err), 0);
    assert_int_equal(io_options_fit(&o, &kernel, &err), -EINVAL);
    assert_non_null(strstr(err.text, "--clients 3: this target is asked by the kernel"));
    o.streams = 7;
    refused(&o, "--clients 3 with --streams");
    o.streams = 3000003;
    refused(&o, "would be 3000003");
    o.clients = 1;
    refused(&o, "--streams 3000003: accepted are 1 to 1000000");
}

static void a_target_says_what_is_left_open(void **state)
{
    const struct target_caps device = {.one_file = true, .file_bytes = 1 << 19};
    const struct target_caps directory = {.one_file = false};
    struct io_options o = good();
    struct err err = {0};
    (void)state;
    assert_int_equal(io_options_fit(&o, &directory, &err), 0);
    assert_int_equal(o.size_bytes, 1 << 20);
    assert_int_equal(io_options_fit(&o, &device, &err), -EINVAL);
    assert_string_equal(err.text, "--size 1 MiB: the device has 512 KiB");
    o.size_bytes = 0;
    o.files = 2;
    assert_int_equal(io_options_fit(&o, &device, &err), -EINVAL);
    assert_string_equal(err.text, "--files 2: a block device is one file");
    o.files = 0;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(io_options_fit(&o, &device, &err), 0);
        assert_int_equal(o.files, 1);
        assert_int_equal(o.size_bytes, 1 << 19);
    }
    o = good();
    o.size_bytes = 0;
    assert_int_equal(io_options_fit(&o, &directory, &err), 0);
    assert_int_equal(o.files, 0);
    assert_int_equal(o.size_bytes, 1 << 30);
}

static void blocks_that_cannot_be(void **state)
{
    struct io_options o = good();
    (void)state;
    accepted(&o);
    o.blocks = 0;
    refused(&o, "1 to 8 sizes");
    o = good();
    o.block[0].percent = 99;
    refused(&o, "add up to 99 per cent");
    o.blocks = 2;
    o.block[1] = (struct io_block){8192, 1};
    refused(&o, "8 KiB stands there twice");
    o.block[1] = (struct io_block){0, 1};
    refused(&o, "--block 0");
    o.block[1] = (struct io_block){1000, 1};
    accepted(&o);
    o.direct = true;
    refused(&o, "--direct with --block 1000 B");
}

static void choices_that_cannot_be(void **state)
{
    struct io_options o = good();
    (void)state;
    o.dist = (struct io_dist){.where = IO_ZIPF, .skew = NAN};
    refused(&o, "--dist zipf");
    o.dist = (struct io_dist){.where = IO_HOT, .hot_ops = 90};
    refused(&o, "--dist hot");
    o = good();
    o.arrival = IO_POISSON;
    refused(&o, "--arrival needs --rate");
    o.rate_per_s = 1;
    accepted(&o);
    o.sync = IO_SYNC_FULL;
    accepted(&o);
    o.read_percent = 100;
    refused(&o, "--sync full with --read 100");
    o = good();
    o.compress_centi = 109;
    refused(&o, "1.1:1 to 10:1");
    o = good();
    o.until_ci_frac = 0.05;
    o.max_repeats = 4;
    refused(&o, "--until-ci needs at least 5 runs");
    o.max_repeats = 5;
    accepted(&o);
    o.repeats = 6;
    refused(&o, "--repeat 6: more than --max-repeat 5");
}

static void written_as_it_is_typed(void **state)
{
    char buf[IO_WORDS_MAX];
    struct io_options o = good();
    (void)state;
    assert_string_equal(io_blocks_text(buf, &o), "8k");
    o.blocks = 3;
    o.block[0] = (struct io_block){512, 10};
    o.block[1] = (struct io_block){3 << 19, 60};
    o.block[2] = (struct io_block){1 << 30, 30};
    assert_string_equal(io_blocks_text(buf, &o), "512:10,1536k:60,1g:30");
    assert_int_equal(io_block_least(&o), 512);
    assert_int_equal(io_block_most(&o), 1 << 30);
    assert_true(io_blocks_align(&o, 512));
    assert_false(io_blocks_align(&o, 4096));
    assert_string_equal(io_dist_text(buf, &(struct io_dist){.where = IO_SEQ}), "seq");
    assert_string_equal(io_dist_text(buf, &(struct io_dist){.where = IO_ZIPF, .skew = 1.25}),
                        "zipf:1.25");
    assert_string_equal(
        io_dist_text(buf, &(struct io_dist){.where = IO_HOT, .hot_ops = 80, .hot_blocks = 5}),
        "hot:80/5");
}

static void the_longest_mix_fits(void **state)
{
    char buf[IO_WORDS_MAX];
    struct io_options o = good();
    (void)state;
    o.blocks = IO_BLOCKS_MAX;
    for (unsigned i = 0; i < IO_BLOCKS_MAX; i++)
        o.block[i] = (struct io_block){UINT64_MAX - i, 10};
    io_blocks_text(buf, &o);
    assert_true(strlen(buf) < IO_WORDS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_share_streams_out_evenly),
        cmocka_unit_test(a_target_says_what_is_left_open),
        cmocka_unit_test(blocks_that_cannot_be),
        cmocka_unit_test(choices_that_cannot_be),
        cmocka_unit_test(written_as_it_is_typed),
        cmocka_unit_test(the_longest_mix_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
