/* study.h: what is said of this machine's cache, under a kernel that is made to say this or that. */
#include "truth/scripts.h"
#include "truth/studies.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>

#define BLOCK      4096u
#define FILE_BYTES (16u * BLOCK)
#define CACHESTAT  451

/* ---- the kernel, as this test wants it ---- */

static struct {
    bool blind;          /* no file has a page in the cache */
    bool all_dirty;      /* every page is there, and dirty */
    const char *device;  /* where every block device lies in /sys; NULL: where it does */
    uint64_t read_step;  /* read_bytes grows by it each time it is asked */
    bool counter_is_set; /* read_step is said instead of the truth */
    uint64_t read_bytes;
    unsigned syncs;
} kernel;

struct cache_range {
    uint64_t off;
    uint64_t len;
};

struct cache_counts {
    uint64_t cached;
    uint64_t dirty;
    uint64_t rest[3];
};

static void *real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    assert_non_null(found);
    return found;
}

/* Not with `...`: how many arguments there are depends on the call, and all are handed on. */
long kernel_call(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");

long kernel_call(long number, long a, long b, long c, long d, long e, long f)
{
    long (*next)(long, long, long, long, long, long, long);
    void *found = real("syscall");
    memcpy(&next, &found, sizeof next);
    long rc = next(number, a, b, c, d, e, f);
    if (number != CACHESTAT || c == 0)
        return rc;
    const struct cache_range *range = (const struct cache_range *)b; // NOLINT
    struct cache_counts *counts = (struct cache_counts *)c;          // NOLINT
    if (kernel.blind || kernel.all_dirty)
        *counts = (struct cache_counts){0};
    if (kernel.all_dirty)
        counts->cached = counts->dirty = (range->len + BLOCK - 1) / BLOCK;
    return kernel.blind || kernel.all_dirty ? 0 : rc;
}

int syncfs(int fd)
{
    int (*next)(int);
    void *found = real("syncfs");
    memcpy(&next, &found, sizeof next);
    kernel.syncs++;
    return next(fd);
}

char *realpath(const char *path, char *out)
{
    char *(*next)(const char *, char *);
    void *found = real("realpath");
    memcpy(&next, &found, sizeof next);
    if (!kernel.device || strncmp(path, "/sys/dev/block/", 15) != 0)
        return next(path, out);
    snprintf(out, PATH_MAX, "%s", kernel.device);
    return out;
}

static FILE *account(void)
{
    static char text[64];
    kernel.read_bytes += kernel.read_step;
    snprintf(text, sizeof text, "read_bytes: %llu\n", (unsigned long long)kernel.read_bytes);
    return fmemopen(text, strlen(text), "r");
}

FILE *fopen64(const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    void *found = real("fopen64");
    memcpy(&next, &found, sizeof next);
    return kernel.counter_is_set && strcmp(path, "/proc/self/io") == 0 ? account()
                                                                       : next(path, mode);
}

/* ---- */

static int open_told(void **state)
{
    memset(&kernel, 0, sizeof kernel);
    *state = told_open();
    return 0;
}

static int close_told(void **state)
{
    told_close(*state);
    return 0;
}

static struct io_options small_mix(enum study_client_cache cache)
{
    return (struct io_options){.read_percent = 50,
                               .blocks = 1,
                               .block = {{BLOCK, 100}},
                               .streams = 2,
                               .size_bytes = 2 * FILE_BYTES,
                               .time_ns = 60 * MS_NS,
                               .cache = cache};
}

static const struct result *io(struct told *t, const struct io_options *o)
{
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    told_forget(t);
    if (study_io(&t->common, o, &sink, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->n, 1);
    return t->result[0];
}

static struct tree_options small_tree(const uint64_t *lengths, unsigned n)
{
    return (struct tree_options){.threads = 2,
                                 .levels = 1,
                                 .branches = 1,
                                 .files = 2,
                                 .length_bytes = lengths,
                                 .lengths = n,
                                 .repeats = 2,
                                 .min_time_ns = 1,
                                 .chunk_bytes = 65536};
}

static void dirtest(struct told *t, const struct tree_options *o)
{
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    told_forget(t);
    if (study_dirtest(&t->common, o, &sink, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->end, STUDY_COMPLETE);
}

/* A mix was not asked what it left unwritten, so a run at memory speed passed for the disk's. */
static void a_mix_tells_what_is_dirty(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix(STUDY_CACHE_KEEP);
    kernel.all_dirty = true;
    const struct result *r = io(t, &o);
    assert_true(r->cache.dirty_known);
    assert_int_equal(r->cache.dirty_bytes, 2 * FILE_BYTES);
    o.read_percent = 100;
    assert_false(io(t, &o)->cache.dirty_known);
}

static const struct hand_flowop append_for_a_moment = {
    .op = OP_APPEND, .type = "appendfile", .use = FILESET_USE_OPEN, .time_ns = 50 * MS_NS};

static const struct result *append_to(struct told *t, uint64_t entries)
{
    struct hand h;
    hand_begin(&h, t, (char[]){"mine"});
    hand_set(&h, (char[]){"set1"}, entries, 0)->written = true;
    hand_sets_step(&h, SCRIPT_MAKE, 0, 1);
    hand_run(&h, &append_for_a_moment);
    struct script *const script[] = {&h.script};
    const struct script_wish wish = {.kind = "run",
                                     .script = script,
                                     .scripts = 1,
                                     .repeats = (const unsigned[]){1},
                                     .cache = STUDY_CACHE_KEEP};
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    told_forget(t);
    if (study_script(&t->common, &wish, &sink, &err) < 0)
        fail_msg("%s", err.text);
    hand_free(&h);
    assert_int_equal(t->n, 1);
    return t->result[0];
}

/* A workload file was never asked what it left dirty. All of its files is asked for, whatever they
 * were made with, as long as asking takes less time than writing out. */
static void a_workload_tells_what_is_dirty(void **state)
{
    struct told *t = *state;
    kernel.all_dirty = true;
    const struct result *r = append_to(t, 4);
    assert_true(r->bytes > 0);
    assert_true(r->cache.dirty_known);
    assert_true(r->cache.dirty_bytes >= r->bytes); /* what ended behind the window as well */
    assert_int_equal(result_fact_number(&r->own, "could_be_dirty_bytes", 0), r->cache.dirty_bytes);
    assert_false(append_to(t, 10001)->cache.dirty_known);
}

/* Nothing seen was taken for nothing there, in every mode. */
static void a_blind_witness_is_not_heard(void **state)
{
    static const enum study_client_cache modes[] = {STUDY_CACHE_DROP, STUDY_CACHE_KEEP};
    static const uint64_t length = 5000;
    struct tree_options trees = small_tree(&length, 1);
    struct told *t = *state;
    double share;

    for (size_t i = 0; i < 2; i++) {
        struct io_options o = small_mix(modes[i]);
        kernel.blind = true;
        const struct result *r = io(t, &o);
        assert_false(r->cache.resident_known);
        assert_false(r->cache.dirty_known);
        kernel.blind = false;
        assert_true(io(t, &o)->cache.resident_known);
        trees.cache = modes[i];
        kernel.blind = true;
        dirtest(t, &trees);
        for (unsigned n = 0; n < t->n; n++)
            assert_false(t->result[n]->cache.resident_known || t->result[n]->cache.dirty_known);
        kernel.blind = false;
    }
    kernel.blind = true;
    struct io_options o = small_mix(STUDY_CACHE_DROP);
    const struct result *r = io(t, &o);
    assert_string_equal(r->cache.mode, "unverified");
    assert_false(result_cache_share(r, &share));
}

/* Below a page, and where the counter does not move, the second witness was believed. */
static void the_counter_is_heard_from_a_page_up(void **state)
{
    static const uint64_t lengths[] = {2, 4095, 4096};
    struct told *t = *state;
    struct io_options o = small_mix(STUDY_CACHE_DROP);
    struct tree_options trees = small_tree(lengths, 3);

    kernel.counter_is_set = true;
    kernel.read_step = 256 * 1024; /* the length of the probe */
    assert_true(io(t, &o)->cache.device_known);
    o.block[0].bytes = 2048;
    assert_false(io(t, &o)->cache.device_known);
    dirtest(t, &trees);
    for (unsigned i = 0; i < t->n; i++)
        assert_int_equal(t->result[i]->cache.device_known,
                         strcmp(t->result[i]->phase, "read") == 0 &&
                             told_option(t->result[i], "length_bytes") == 4096);
    kernel.read_step = 0;
    o.block[0].bytes = BLOCK;
    assert_false(io(t, &o)->cache.device_known);
}

/* A loop device is read through the page cache of the machine that doubts its own cache. */
static void a_device_of_memory_proves_nothing(void **state)
{
    static const uint64_t length = 5000;
    struct tree_options trees = small_tree(&length, 1);
    struct told *t = *state;
    double share;

    kernel.device = "/nowhere/block/loop9";
    dirtest(t, &trees);
    assert_int_equal(t->n, 4);
    for (unsigned i = 0; i < t->n; i++) {
        const struct result *r = t->result[i];
        assert_string_equal(result_fact_get(&r->target_facts, "device_backed_by"),
                            "page cache of this machine (loop9)");
        assert_false(result_cache_share(r, &share));
        assert_false(r->cache.dirty_known);
    }
}

static unsigned syncs_at[TOLD_MAX];

static void note_syncs(struct told *t, const struct result *r)
{
    (void)r;
    syncs_at[t->n] = kernel.syncs;
}

/* A row began with whatever the one before had left unwritten. */
static void rows_that_write_begin_synced(void **state)
{
    static const uint64_t length = 5000;
    struct tree_options trees = small_tree(&length, 1);
    struct told *t = *state;

    trees.write_only = true;
    t->at_run = note_syncs;
    dirtest(t, &trees);
    assert_int_equal(t->n, 2);
    assert_int_equal(syncs_at[2] - syncs_at[1], 1);
    trees.cache = STUDY_CACHE_KEEP;
    dirtest(t, &trees);
    assert_int_equal(syncs_at[2] - syncs_at[1], 0);
}

/* It was a claim: what refused it ended in a run of errors. */
static void refused_direct_is_said_before_the_run(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix(STUDY_CACHE_DROP);
    const struct study_sink sink = told_sink(t);
    struct err err = {0};

    o.direct = true;
    assert_string_equal(io(t, &o)->cache.mode, "direct");
    told_forget(t);
    told_faults(t, "error=EINVAL@create:3"); /* after the marker and the probe of the cache */
    assert_int_equal(study_io(&t->common, &o, &sink, &err), -EOPNOTSUPP);
    told_says(err.text, "direct refused by ");
    assert_int_equal(t->begun, 0);
    assert_int_equal(told_entries(t), 0);
}

/* tmpfs takes O_DIRECT since Linux 6.6, and was called "direct" then. */
static void memory_stays_memory(void **state)
{
    struct told *t = *state;
    struct io_options o = small_mix(STUDY_CACHE_KEEP);
    char dir[] = "/dev/shm/truth-XXXXXX";

    assert_non_null(mkdtemp(dir));
    snprintf(t->address, sizeof t->address, "%s", dir);
    assert_string_equal(io(t, &o)->cache.mode, "ram");
    o.direct = true;
    const struct study_sink sink = told_sink(t);
    struct err err = {0};
    told_forget(t);
    int rc = study_io(&t->common, &o, &sink, &err);
    if (rc == 0) {
        assert_string_equal(t->result[0]->cache.mode, "ram");
        told_says(t->warned, "--direct bypasses nothing");
    } else {
        told_says(err.text, "direct refused by tmpfs");
    }
    assert_int_equal(rmdir(dir), 0);
}

#define told_test(f) cmocka_unit_test_setup_teardown(f, open_told, close_told)

int main(void)
{
    const struct CMUnitTest tests[] = {
        told_test(a_mix_tells_what_is_dirty),
        told_test(a_workload_tells_what_is_dirty),
        told_test(a_blind_witness_is_not_heard),
        told_test(the_counter_is_heard_from_a_page_up),
        told_test(a_device_of_memory_proves_nothing),
        told_test(rows_that_write_begin_synced),
        told_test(refused_direct_is_said_before_the_run),
        told_test(memory_stays_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
