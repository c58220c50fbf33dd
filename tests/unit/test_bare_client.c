/* The bare client asks the server for exactly the calls that it is told to, and says what it could not. */
#include "nfs/bare_client.h"
#include "nfs/null_server.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define OPENING_CALLS 2 /* MNT, LOOKUP */

static struct null_server *server;
static pthread_t thread;

static void *serve(void *arg)
{
    struct err err;
    return null_server_run(arg, &err) < 0 ? arg : NULL;
}

static int begin(void **state)
{
    struct err err = {0};
    (void)state;
    return null_server_open(0, false, &server, &err) < 0 ||
           pthread_create(&thread, NULL, serve, server) != 0;
}

static int end(void **state)
{
    (void)state;
    null_server_stop(server);
    pthread_join(thread, NULL);
    null_server_close(server);
    return 0;
}

static struct bare_client_job job_of(uint32_t block, bool write, unsigned depth)
{
    return (struct bare_client_job){.port = null_server_port(server),
                                    .export = "/export",
                                    .file = "f0",
                                    .file_bytes = 1 << 30,
                                    .block = block,
                                    .write = write,
                                    .depth = depth,
                                    .seed = 1};
}

static void count(uint32_t block, bool write, unsigned depth)
{
    const struct bare_client_job job = job_of(block, write, depth);
    uint64_t before = null_server_calls(server);
    struct bare_client *c = NULL;
    struct err err = {0};

    assert_int_equal(bare_client_open(&job, &c, &err), 0);
    assert_int_equal(null_server_calls(server) - before, OPENING_CALLS);
    assert_int_equal(bare_client_run(c, 1000, &err), 0);
    assert_int_equal(null_server_calls(server) - before, OPENING_CALLS + 1000);
    assert_int_equal(bare_client_run(c, 7, &err), 0);
    assert_int_equal(null_server_calls(server) - before, OPENING_CALLS + 1007);
    bare_client_close(c);
}

static void reads_are_as_many_as_asked(void **state)
{
    (void)state;
    count(1, false, 1);
    count(1, false, 32);
    count(4096, false, 32);
    count(1 << 20, false, 3);
}

static void writes_are_as_many_as_asked(void **state)
{
    (void)state;
    count(1, true, 32);
    count(4095, true, 32);
    count(1 << 20, true, 3);
}

static void what_is_refused_is_told(void **state)
{
    struct bare_client_job job = job_of(1, false, 1);
    struct bare_client *c = NULL;
    struct err err = {0};

    (void)state;
    job.file = "status-13";
    assert_int_equal(bare_client_open(&job, &c, &err), -EPROTO);
    assert_null(c);
    job.file = "f0";
    job.export = "/status-13";
    assert_int_equal(bare_client_open(&job, &c, &err), -EPROTO);
    job.port = 1; /* nobody listens there */
    assert_int_equal(bare_client_open(&job, &c, &err), -ECONNREFUSED);
    assert_non_null(strstr(err.text, "port 1"));
}

static void a_server_that_ends_is_an_error(void **state)
{
    struct bare_client_job job = job_of(1, false, 1);
    struct bare_client *c = NULL;
    struct err err = {0};

    assert_int_equal(bare_client_open(&job, &c, &err), 0);
    assert_int_equal(end(state), 0);
    assert_true(bare_client_run(c, 1, &err) < 0);
    bare_client_close(c);
    assert_int_equal(begin(state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_as_many_as_asked),
        cmocka_unit_test(writes_are_as_many_as_asked),
        cmocka_unit_test(what_is_refused_is_told),
        cmocka_unit_test(a_server_that_ends_is_an_error),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
