/* probe.h, watcher_priv.h: looks of the probe's own and at edges, sources that hang, fail or remember. */
#include "clk/clk.h"
#include "probe/probe.h"
#include "probe/watcher_priv.h"
#include "unit/fake_tree.h"

#include <math.h>
#include <pthread.h>

#define S    UINT64_C(1000000000)
#define HOUR (3600 * S)

struct rig {
    struct tree proc;
    struct tree sys;
    struct probe *probe;
    struct tracks tracks;
};

static void segments(struct rig *rig, unsigned long long n)
{
    char text[128];
    snprintf(text, sizeof text, "Tcp: OutSegs RetransSegs\nTcp: %llu 0\n", n);
    tree_file(&rig->proc, "net/snmp", text);
}

static void start(struct rig *rig, uint64_t period_ns)
{
    const struct probe_options options = {
        .proc = rig->proc.path, .sys = rig->sys.path, .period_ns = period_ns};
    struct err err;
    assert_int_equal(probe_start(&options, &rig->probe, &err), 0);
}

static int open_rig(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    tree_open(&rig->proc);
    tree_open(&rig->sys);
    segments(rig, 1000);
    *state = rig;
    return 0;
}

static int close_rig(void **state)
{
    struct rig *rig = *state;
    probe_stop(rig->probe);
    tracks_fini(&rig->tracks);
    tree_close(&rig->proc);
    tree_close(&rig->sys);
    free(rig);
    return 0;
}

static const struct track *sent(struct rig *rig, uint64_t from_ns, uint64_t to_ns)
{
    tracks_fini(&rig->tracks);
    assert_int_equal(probe_between(rig->probe, from_ns, to_ns, from_ns, &rig->tracks), 0);
    return tracks_find(&rig->tracks, TRACK_CLIENT, TRACK_TCP_SENT, "");
}

/* The rate lies between those that the outermost and the innermost moments give. */
static void looks_at_the_edges_give_the_rate_between_them(void **state)
{
    struct rig *rig = *state;
    start(rig, HOUR);
    uint64_t t0 = clk_monotonic_ns();
    probe_look(rig->probe);
    uint64_t t1 = clk_monotonic_ns();
    segments(rig, 6000);
    uint64_t t2 = clk_monotonic_ns();
    probe_look(rig->probe);
    uint64_t t3 = clk_monotonic_ns();
    const struct track *one = sent(rig, t0, t3);
    assert_non_null(one);
    assert_int_equal(one->n, 1);
    if (!(one->mean >= 5000e9 / (double)(t3 - t0) && one->mean <= 5000e9 / (double)(t2 - t1)))
        fail_msg("%g segments/s", one->mean);
    assert_int_equal(rig->tracks.first_ns, 0);
    char notes[64];
    probe_notes(rig->probe, notes, sizeof notes);
    assert_string_equal(notes, "");
}

static void a_window_without_looks_has_tracks_without_values(void **state)
{
    struct rig *rig = *state;
    start(rig, HOUR);
    probe_look(rig->probe);
    uint64_t later = clk_monotonic_ns() + HOUR;
    const struct track *one = sent(rig, later, later + 10 * S);
    assert_non_null(one);
    assert_true(isnan(one->mean) && isnan(one->peak) && one->n == 0);
    assert_int_equal(probe_between(rig->probe, later, later, later, &rig->tracks), -EINVAL);
}

static void a_value_is_as_long_as_the_period_and_a_long_window_has_longer_ones(void **state)
{
    struct rig *rig = *state;
    start(rig, S);
    uint64_t later = clk_monotonic_ns() + HOUR;
    sent(rig, later, later + 10 * S);
    assert_int_equal(rig->tracks.period_ns, S);
    sent(rig, later, later + S / 5);
    assert_int_equal(rig->tracks.period_ns, S / 5);
    sent(rig, later, later + 512 * S);
    assert_int_equal(rig->tracks.period_ns, 2 * S);
}

/* Whoever asks does not meet the probe's own looks halfway; a thread sanitizer watches. */
static void it_looks_by_itself_while_others_look_and_ask(void **state)
{
    struct rig *rig = *state;
    start(rig, 1000000);
    uint64_t begin = clk_monotonic_ns();
    for (unsigned i = 0; i < 100; i++) {
        probe_look(rig->probe);
        sent(rig, begin, clk_monotonic_ns());
    }
    while (probe_cpu_ns(rig->probe) == 0)
        probe_look(rig->probe);
    const struct track *one = sent(rig, begin, clk_monotonic_ns());
    assert_true(one->mean == 0);
}

static void what_cannot_be_begun_is_refused_in_words(void **state)
{
    struct rig *rig = *state;
    struct probe_options options = {.proc = "/no/such/proc", .sys = rig->sys.path};
    struct err err;
    assert_int_equal(probe_start(&options, &rig->probe, &err), -ENOENT);
    assert_null(rig->probe);
    options = (struct probe_options){
        .proc = rig->proc.path, .sys = rig->sys.path, .server_csv = "/no/such/file.csv"};
    assert_int_equal(probe_start(&options, &rig->probe, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such/file.csv"));
}

struct server {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool hangs;
    unsigned asked;
    unsigned closed;
};

static int answer(void *ctx, struct sights *out, struct err *err)
{
    struct server *s = ctx;
    pthread_mutex_lock(&s->lock);
    unsigned asked = ++s->asked;
    pthread_cond_broadcast(&s->changed);
    while (s->hangs)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    if (asked < 3)
        return err_set(err, -ETIMEDOUT, "no answer in 2 s");
    out->at_ns = 100 * S + asked * S;
    sights_put(out, TRACK_SERVER, TRACK_LINK, SIGHT_COUNTED, "eth0")->value = asked * 0.5;
    return 0;
}

static void close_server(void *ctx)
{
    ((struct server *)ctx)->closed++;
}

static struct watcher *watch(const struct probe_source *source)
{
    struct watcher *w;
    struct err err;
    assert_int_equal(watcher_new(source, HOUR, &w, &err), 0);
    return w;
}

static void wait_asked(struct server *s, unsigned times)
{
    pthread_mutex_lock(&s->lock);
    while (s->asked < times)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static void set_hangs(struct server *s, bool hangs)
{
    pthread_mutex_lock(&s->lock);
    s->hangs = hangs;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static const struct look_window window = {
    .from_ns = 103 * S, .to_ns = 104 * S, .zero_ns = 103 * S, .values = 1};

static void a_server_that_hangs_is_waited_for_so_long_and_no_longer(void **state)
{
    struct rig *rig = *state;
    struct server s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, .hangs = true};
    const struct probe_source source = {"server metrics", answer, NULL, close_server, &s};
    struct watcher *w = watch(&source);
    char note[128];

    wait_asked(&s, 1);
    assert_int_equal(watcher_between(w, &window, clk_monotonic_ns() + 1000000, &rig->tracks), 0);
    assert_int_equal(rig->tracks.n, 0);
    set_hangs(&s, false);
    watcher_want(w);
    wait_asked(&s, 2);
    assert_int_equal(watcher_between(w, &window, UINT64_MAX, &rig->tracks), 0);
    watcher_note(w, note, sizeof note);
    assert_string_equal(note, "server metrics: no answer in 2 s, 2 times");
    for (unsigned i = 3; i <= 4; i++) {
        watcher_want(w);
        wait_asked(&s, i);
    }
    assert_int_equal(watcher_between(w, &window, UINT64_MAX, &rig->tracks), 0);
    assert_int_equal(rig->tracks.n, 1);
    assert_true(rig->tracks.track[0].mean == 0.5);
    watcher_free(w);
    assert_int_equal(s.closed, 1);
}

static int remember(void *ctx, uint64_t from_ns, uint64_t to_ns, struct looks *out, struct err *err)
{
    const bool *lost = ctx;
    struct sights s = {0};
    int rc = 0;
    if (*lost)
        return err_set(err, -EINVAL, "line 7 has no time");
    out->period_ns = to_ns - from_ns;
    for (unsigned i = 0; i < 2 && rc == 0; i++) {
        sights_clear(&s);
        s.at_ns = i ? to_ns : from_ns;
        sights_put(&s, TRACK_SERVER, TRACK_LINK, SIGHT_LEVEL, "eth0")->value = 1 + i;
        rc = looks_keep(out, &s, false);
    }
    sights_fini(&s);
    return rc;
}

static void a_source_that_remembers_is_asked_when_the_window_is_over(void **state)
{
    struct rig *rig = *state;
    bool lost = false;
    const struct probe_source source = {"server series", NULL, remember, NULL, &lost};
    struct watcher *w = watch(&source);
    char note[128];

    watcher_want(w);
    assert_int_equal(watcher_between(w, &window, UINT64_MAX, &rig->tracks), 0);
    assert_true(rig->tracks.track[0].mean == 1.5);
    watcher_note(w, note, sizeof note);
    assert_string_equal(note, "");
    lost = true;
    assert_int_equal(watcher_between(w, &window, UINT64_MAX, &rig->tracks), 0);
    watcher_note(w, note, sizeof note);
    assert_string_equal(note, "server series: line 7 has no time, once");
    watcher_free(w);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(looks_at_the_edges_give_the_rate_between_them),
        TEST(a_window_without_looks_has_tracks_without_values),
        TEST(a_value_is_as_long_as_the_period_and_a_long_window_has_longer_ones),
        TEST(it_looks_by_itself_while_others_look_and_ask),
        TEST(what_cannot_be_begun_is_refused_in_words),
        TEST(a_server_that_hangs_is_waited_for_so_long_and_no_longer),
        TEST(a_source_that_remembers_is_asked_when_the_window_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
