/* A server that is away when a target or a session is opened once more, as studies do all the time, is
 * waited for like one that goes away in the middle of a run; the first time it is an error. */
#include "conform/rig.h"
#include "nfs/null_server.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define ADDRESS_MAX 128
#define WAIT_NS     30000000000ull

struct away {
    struct null_server *server;
    pthread_t thread;
    uint16_t port;
    char address[ADDRESS_MAX];
};

static void *serve(void *arg)
{
    struct err err;
    return null_server_run(arg, &err) < 0 ? arg : NULL;
}

static void go_up(struct away *a)
{
    struct err err = {0};
    if (null_server_open(a->port, false, &a->server, &err) < 0)
        fail_msg("%s", err.text);
    a->port = null_server_port(a->server);
    snprintf(a->address, sizeof a->address, "nfs://127.0.0.1:%u/export?mountport=%u", a->port,
             a->port);
    assert_int_equal(pthread_create(&a->thread, NULL, serve, a->server), 0);
}

static void go_down(struct away *a)
{
    null_server_stop(a->server);
    pthread_join(a->thread, NULL);
    null_server_close(a->server);
}

static int open_it(const char *address, struct rig *r, struct err *err)
{
    const char *rest;
    assert_int_equal(target_find(address, &r->table, &rest, err), 0);
    return r->table->open(rest, &r->target, err);
}

static void note_outages(void *ctx, const char *key, const char *value, const char *unit)
{
    (void)unit;
    if (strcmp(key, "outages") == 0)
        *(unsigned long *)ctx = strtoul(value, NULL, 10);
}

static uint64_t soon_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec + WAIT_NS;
}

static void the_first_time_it_is_an_error(void **state)
{
    struct away a = {.port = 0};
    struct rig r = {.table = NULL};
    struct err err = {0};

    (void)state;
    go_up(&a);
    go_down(&a);
    assert_true(open_it(a.address, &r, &err) < 0);
    go_up(&a);
    assert_int_equal(open_it(a.address, &r, &err), 0);
    r.table->close(r.target);
    go_down(&a);
    /* What was known of it is forgotten with the last that had it open. */
    assert_true(open_it(a.address, &r, &err) < 0);
}

static void another_address_is_another_server(void **state)
{
    struct away a = {.port = 0};
    struct rig first = {.table = NULL}, other = {.table = NULL};
    char address[ADDRESS_MAX + 16];
    struct err err = {0};

    (void)state;
    go_up(&a);
    assert_int_equal(open_it(a.address, &first, &err), 0);
    go_down(&a);
    snprintf(address, sizeof address, "%s&rsize=4k", a.address);
    assert_true(open_it(address, &other, &err) < 0);
    first.table->close(first.target);
}

static void afterwards_it_is_waited_for(void **state)
{
    struct away a = {.port = 0};
    struct rig first = {.table = NULL}, again = {.table = NULL};
    struct op op = {.kind = OP_STAT, .node = TARGET_NODE_ROOT, .leaf = "f0"}, *done = &op;
    struct session_spec spec = rig_spec(1);
    unsigned long outages = 0;
    struct target_sink sink = {note_outages, &outages};
    struct err err = {0};

    (void)state;
    go_up(&a);
    assert_int_equal(open_it(a.address, &first, &err), 0);
    go_down(&a);
    assert_int_equal(open_it(a.address, &again, &err), 0);
    if (again.table->session_open(again.target, &spec, &again.session, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(again.table->submit(again.session, &done, 1), 1);
    assert_int_equal(again.table->reap(again.session, &done, 0, 1, 0), 0);
    go_up(&a);
    assert_int_equal(again.table->reap(again.session, &done, 1, 1, soon_ns()), 1);
    assert_int_equal(op.res, 0);
    again.table->counters(again.target, &sink);
    assert_int_equal(outages, 1);
    again.table->session_close(again.session);
    again.table->close(again.target);
    first.table->close(first.target);
    go_down(&a);
}

static void note_outage_ns(void *ctx, const char *key, const char *value, const char *unit)
{
    (void)unit;
    if (strcmp(key, "outage_ns") == 0)
        *(unsigned long *)ctx = strtoul(value, NULL, 10);
}

/* Its last stretch was added to counts that had been read already. */
static void an_outage_counts_up_to_the_end_of_its_session(void **state)
{
    const struct timespec stretch = {.tv_nsec = 50000000};
    struct away a = {.port = 0};
    struct rig r = {.table = NULL};
    struct op op = {.kind = OP_STAT, .node = TARGET_NODE_ROOT, .leaf = "f0"}, *done = &op;
    struct session_spec spec = rig_spec(1);
    unsigned long before = 0, after = 0;
    struct target_sink sink = {note_outage_ns, &before};
    struct err err = {0};

    (void)state;
    go_up(&a);
    assert_int_equal(open_it(a.address, &r, &err), 0);
    assert_int_equal(r.table->session_open(r.target, &spec, &r.session, &err), 0);
    go_down(&a);
    assert_int_equal(r.table->submit(r.session, &done, 1), 1);
    while (before == 0) {
        assert_int_equal(r.table->reap(r.session, &done, 0, 1, 0), 0);
        r.table->counters(r.target, &sink);
    }
    nanosleep(&stretch, NULL);
    r.table->session_close(r.session);
    sink.ctx = &after;
    r.table->counters(r.target, &sink);
    assert_true(after >= before + 50000000);
    r.table->close(r.target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_time_it_is_an_error),
        cmocka_unit_test(another_address_is_another_server),
        cmocka_unit_test(afterwards_it_is_waited_for),
        cmocka_unit_test(an_outage_counts_up_to_the_end_of_its_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
