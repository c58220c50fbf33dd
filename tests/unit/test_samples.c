/* samples.h: a block reaches the collector whole and once, and what was not touched costs nothing. */
#include "base/rng.h"
#include "stats/samples.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define LINES 3u

static void record(struct samples_block *block, unsigned line, uint64_t v)
{
    struct samples_line *l = &block->line[line];
    l->ops += 2;
    l->bytes += v;
    l->extra += 3;
    l->samples++;
    hist_record(&l->service, v);
    hist_record(&l->response, 2 * v);
    hist_record(&block->lateness, v / 2);
}

static size_t content_bytes(unsigned lines)
{
    return sizeof(struct samples_block) + lines * sizeof(struct samples_line);
}

static void assert_equal_content(const struct samples_block *a, const struct samples_block *b)
{
    assert_int_equal(a->lines, b->lines);
    assert_memory_equal(&a->lateness, &b->lateness, sizeof a->lateness);
    assert_memory_equal(a->line, b->line, a->lines * sizeof a->line[0]);
}

static void assert_empty(const struct samples_block *block)
{
    struct samples_block *fresh = samples_block_new(block->lines);
    assert_non_null(fresh);
    assert_equal_content(block, fresh);
    samples_block_free(fresh);
}

static void test_both_blocks_are_empty_and_apart(void **state)
{
    (void)state;
    struct samples s;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(samples_init(&s, LINES), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s.block[i]->lines, LINES);
        assert_int_equal((uintptr_t)s.block[i] % page, 0);
        assert_empty(s.block[i]);
    }
    assert_true((char *)s.block[1] >= (char *)s.block[0] + content_bytes(LINES));
    assert_true((char *)s.block[1] + content_bytes(LINES) <=
                (char *)s.block[0] + samples_bytes(LINES));
    assert_int_equal(s.map_bytes, samples_bytes(LINES));
    assert_null(samples_take(&s));
    assert_ptr_equal(samples_current(&s), s.block[0]);
    samples_fini(&s);
    samples_fini(&s);
}

static void test_no_lines_are_possible(void **state)
{
    (void)state;
    struct samples s;
    assert_int_equal(samples_init(&s, 0), 0);
    hist_record(&samples_current(&s)->lateness, 9);
    assert_true(samples_turn(&s, 1));
    assert_int_equal(hist_count(&samples_take(&s)->lateness), 1);
    samples_give(&s, samples_take(&s));
    samples_fini(&s);
}

static void test_turn_publishes_and_goes_on_in_the_other(void **state)
{
    (void)state;
    struct samples s;
    assert_int_equal(samples_init(&s, LINES), 0);
    struct samples_block *first = samples_current(&s);
    record(first, 1, 100);
    assert_true(samples_turn(&s, 5));
    struct samples_block *second = samples_current(&s);
    assert_ptr_not_equal(first, second);
    assert_int_equal(second->interval, 5);

    assert_ptr_equal(samples_take(&s), first);
    assert_ptr_equal(samples_take(&s), first);
    assert_int_equal(first->interval, 0);
    assert_int_equal(first->line[1].samples, 1);
    samples_give(&s, first);
    assert_null(samples_take(&s));
    assert_empty(first);

    assert_true(samples_turn(&s, 6));
    assert_ptr_equal(samples_take(&s), second);
    assert_int_equal(second->interval, 5);
    assert_ptr_equal(samples_current(&s), first);
    assert_int_equal(first->interval, 6);
    assert_int_equal(s.kept, 0);
    samples_fini(&s);
}

static void test_worker_keeps_filling_while_the_other_is_out(void **state)
{
    (void)state;
    struct samples s;
    assert_int_equal(samples_init(&s, LINES), 0);
    assert_true(samples_turn(&s, 1));
    struct samples_block *current = samples_current(&s);
    record(current, 0, 10);
    assert_false(samples_turn(&s, 2));
    assert_ptr_equal(samples_current(&s), current);
    record(current, 0, 20);
    assert_false(samples_turn(&s, 3));
    assert_int_equal(current->interval, 1);
    assert_int_equal(current->line[0].samples, 2);
    assert_int_equal(s.kept, 2);
    samples_give(&s, samples_take(&s));
    assert_true(samples_turn(&s, 4));
    assert_ptr_equal(samples_take(&s), current);
    assert_int_equal(s.kept, 2);
    samples_fini(&s);
}

static void test_merge_is_the_same_as_recording_all(void **state)
{
    (void)state;
    struct samples_block *one = samples_block_new(LINES);
    struct samples_block *two = samples_block_new(LINES);
    struct samples_block *both = samples_block_new(LINES);
    assert_true(one && two && both);
    struct rng rng;
    rng_seed(&rng, 1);
    for (int i = 0; i < 3000; i++) {
        unsigned line = (unsigned)rng_below(&rng, LINES - 1);
        uint64_t v = rng_next(&rng) >> (10 + rng_below(&rng, 50));
        record(i % 2 ? one : two, line, v);
        record(both, line, v);
    }
    one->interval = 7;
    two->interval = 8;
    samples_block_merge(one, two);
    assert_int_equal(one->interval, 7);
    assert_equal_content(one, both);
    samples_block_clear(one);
    assert_empty(one);
    samples_block_merge(one, both);
    assert_equal_content(one, both);
    samples_block_free(one);
    samples_block_free(two);
    samples_block_free(both);
    samples_block_free(NULL);
}

static size_t real_pages(void *map, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char resident[4096];
    size_t n = 0;
    assert_true(bytes / page <= sizeof resident);
    assert_int_equal(mincore(map, bytes, resident), 0);
    for (size_t i = 0; i < bytes / page; i++)
        n += resident[i] & 1;
    return n;
}

/* 80 lines are 12 MiB: with huge pages, or cleared by hand, they would be real. */
static void test_untouched_lines_cost_no_memory(void **state)
{
    (void)state;
    struct samples s;
    assert_int_equal(samples_init(&s, 80), 0);
    record(samples_current(&s), 40, 100000);
    assert_true(real_pages(s.block[0], s.map_bytes) <= 10);
    samples_fini(&s);
}

/* Everything but the heads of lateness and of line 0 is made read-only: a write there ends this
 * program. */
static void test_give_and_merge_write_only_what_was_touched(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct samples s;
    assert_int_equal(samples_init(&s, LINES), 0);
    char *base = (void *)s.block[0];
    size_t head = offsetof(struct samples_block, line) / page * page;
    size_t service_end = offsetof(struct samples_block, line) +
                         offsetof(struct samples_line, service.n) + 256 * sizeof(uint64_t);
    size_t after = (service_end + page - 1) / page * page;
    assert_int_equal(mprotect(base + page, head - page, PROT_READ), 0);
    assert_int_equal(mprotect(base + after, samples_bytes(LINES) / 2 - after, PROT_READ), 0);

    struct samples_block *other = samples_block_new(LINES);
    assert_non_null(other);
    other->line[0].samples = 1;
    hist_record(&other->line[0].service, 200);
    samples_block_merge(samples_current(&s), other);
    assert_int_equal(hist_count(&samples_current(&s)->line[0].service), 1);
    assert_true(samples_turn(&s, 1));
    samples_give(&s, samples_take(&s));
    assert_empty(s.block[0]);
    samples_block_free(other);
    samples_fini(&s);
}

#define RECORDS  100000u
#define PER_TURN 3u

struct worker {
    struct samples samples;
    atomic_bool done;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct rng rng;
    rng_seed(&rng, 5);
    uint64_t interval = 0;
    for (unsigned i = 0; i < RECORDS; i++) {
        record(samples_current(&w->samples), i % LINES, rng_below(&rng, 1u << 20));
        if (i % PER_TURN == 0)
            (void)samples_turn(&w->samples, ++interval);
    }
    atomic_store(&w->done, true);
    return NULL;
}

static void expect_all(struct samples_block *expected)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (unsigned i = 0; i < RECORDS; i++)
        record(expected, i % LINES, rng_below(&rng, 1u << 20));
}

/* Returns the number of blocks taken. */
static unsigned collect(struct worker *w, struct samples_block *total)
{
    unsigned taken = 0;
    uint64_t last = 0;
    for (bool done = false; !done;) {
        done = atomic_load(&w->done);
        struct samples_block *block = samples_take(&w->samples);
        if (!block)
            continue;
        assert_true(taken == 0 || block->interval > last);
        last = block->interval;
        samples_block_merge(total, block);
        samples_give(&w->samples, block);
        taken++;
    }
    return taken;
}

static void test_collector_gets_everything_once(void **state)
{
    (void)state;
    static struct worker w;
    struct samples_block *total = samples_block_new(LINES);
    struct samples_block *expected = samples_block_new(LINES);
    pthread_t thread;
    assert_true(total && expected);
    assert_int_equal(samples_init(&w.samples, LINES), 0);
    assert_int_equal(pthread_create(&thread, NULL, work, &w), 0);
    unsigned taken = collect(&w, total);
    assert_int_equal(pthread_join(thread, NULL), 0);
    unsigned turns = (RECORDS + PER_TURN - 1) / PER_TURN;
    assert_true(taken > 0);
    assert_int_equal(taken + w.samples.kept, turns);
    samples_block_merge(total, samples_current(&w.samples));
    expect_all(expected);
    assert_equal_content(total, expected);
    samples_fini(&w.samples);
    samples_block_free(total);
    samples_block_free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_blocks_are_empty_and_apart),
        cmocka_unit_test(test_no_lines_are_possible),
        cmocka_unit_test(test_turn_publishes_and_goes_on_in_the_other),
        cmocka_unit_test(test_worker_keeps_filling_while_the_other_is_out),
        cmocka_unit_test(test_merge_is_the_same_as_recording_all),
        cmocka_unit_test(test_untouched_lines_cost_no_memory),
        cmocka_unit_test(test_give_and_merge_write_only_what_was_touched),
        cmocka_unit_test(test_collector_gets_everything_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
