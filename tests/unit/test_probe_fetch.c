/* fetch_priv.h and the source of a server's metrics: what a server that hangs, lies or tells something else makes of a
 * look. The server is one of the test's own. */
#include "probe/fetch_priv.h"
#include "probe/probe_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
#define ENDS    "Connection: close\r\n\r\n"
#define DRIP_MS 50

struct server {
    int listening;
    pthread_t thread;
    atomic_bool stop;
    atomic_uint asked;
    char url[80];
};

/* false: the other side has gone. */
static bool sent(int fd, const char *text)
{
    return send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

/* Says nothing, or one byte now and then, until the other side goes. */
static void keep_waiting(struct server *s, int fd, const char *drip)
{
    char byte;

    for (struct pollfd p = {fd, POLLIN, 0}; !atomic_load(&s->stop);) {
        if (poll(&p, 1, DRIP_MS) > 0 && recv(fd, &byte, 1, 0) <= 0)
            return;
        if (*drip != '\0' && !sent(fd, drip))
            return;
    }
}

static void never_end(struct server *s, int fd)
{
    static char much[1 << 16];

    memset(much, '#', sizeof much - 1);
    while (!atomic_load(&s->stop) && sent(fd, much))
        ;
}

static void answer(struct server *s, int fd, const char *path)
{
    char text[400];
    unsigned n = atomic_fetch_add(&s->asked, 1);

    if (strcmp(path, "/good") == 0) {
        snprintf(text, sizeof text,
                 HEAD ENDS "# TYPE node_zfs_arc_hits untyped\nnode_zfs_arc_hits %u\n", 100 * n);
        sent(fd, text);
    } else if (strcmp(path, "/elsewhere") == 0) {
        snprintf(text, sizeof text, "HTTP/1.1 302 Found\r\nLocation: /good\r\n" ENDS);
        sent(fd, text);
    } else if (strcmp(path, "/round") == 0) {
        sent(fd, "HTTP/1.1 302 Found\r\nLocation: /round\r\n" ENDS);
    } else if (strcmp(path, "/file") == 0) {
        sent(fd, "HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\n" ENDS);
    } else if (strcmp(path, "/html") == 0) {
        sent(fd, HEAD ENDS "<!DOCTYPE html>\n<title>It works</title>\n");
    } else if (strcmp(path, "/other") == 0) {
        sent(fd, HEAD ENDS "go_goroutines 12\nprocess_open_fds 3\n");
    } else if (strcmp(path, "/short") == 0) {
        sent(fd, HEAD "Content-Length: 1000\r\n" ENDS "node_zfs_arc_hits 1\n");
    } else if (strcmp(path, "/empty") == 0) {
        sent(fd, HEAD ENDS);
    } else if (strcmp(path, "/hang") == 0) {
        keep_waiting(s, fd, "");
    } else if (strcmp(path, "/drip") == 0 && sent(fd, HEAD ENDS)) {
        keep_waiting(s, fd, "#");
    } else if (strcmp(path, "/large") == 0 && sent(fd, HEAD ENDS)) {
        never_end(s, fd);
    } else {
        sent(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n" ENDS);
    }
}

static void *serve(void *ctx)
{
    struct server *s = ctx;

    while (!atomic_load(&s->stop)) {
        char request[1000] = "", path[40] = "";
        int fd = accept(s->listening, NULL, NULL);

        if (fd < 0)
            continue;
        if (recv(fd, request, sizeof request - 1, 0) > 0 && sscanf(request, "GET %39s", path) == 1)
            answer(s, fd, path);
        close(fd);
    }
    return NULL;
}

static void start(struct server *s)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    *s = (struct server){.listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    assert_int_equal(bind(s->listening, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s->listening, 8), 0);
    assert_int_equal(getsockname(s->listening, (struct sockaddr *)&at, &len), 0);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%u", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void end(struct server *s)
{
    atomic_store(&s->stop, true);
    shutdown(s->listening, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listening);
}

static char *at(const struct server *s, const char *path, char url[120])
{
    snprintf(url, 120, "%s%s", s->url, path);
    return url;
}

/* What a source says of what is there when it is opened. */
static void assert_refused(struct server *s, const char *path, int code, const char *words)
{
    struct probe_source source;
    struct err err = {0};
    char url[120];

    int rc = source_metrics_open(at(s, path, url), &source, &err);
    if (rc != code || err.code != code || strstr(err.text, words) == NULL)
        fail_msg("%s: %d, %s", path, rc, err.text);
    assert_non_null(strstr(err.text, url));
}

static void a_source_is_asked_again_and_again(void **state)
{
    (void)state;
    struct server server;
    struct probe_source source;
    struct err err = {0};
    char url[120];

    start(&server);
    if (source_metrics_open(at(&server, "/good", url), &source, &err) < 0)
        fail_msg("%s", err.text);
    for (unsigned i = 1; i <= 3; i++) {
        struct sights sights = {0};

        assert_int_equal(source.look(source.ctx, &sights, &err), 0);
        assert_int_equal(sights.n, 1);
        assert_int_equal(sights.sight[0].kind, TRACK_CACHE_HITS);
        assert_true(sights.sight[0].value == 100 * i);
        sights_fini(&sights);
    }
    source.close(source.ctx);
    end(&server);
}

static void what_is_no_metrics_is_refused_in_words(void **state)
{
    (void)state;
    struct server server;

    start(&server);
    assert_refused(&server, "/html", -EINVAL, "line 1 is no metric: <!DOCTYPE html>");
    assert_refused(&server, "/other", -EINVAL, "2 metrics, and none of a processor");
    assert_refused(&server, "/empty", -EINVAL, "0 metrics");
    assert_refused(&server, "/nowhere", -EPROTO, "the server says 404");
    assert_refused(&server, "/short", -EPROTO, "");
    assert_refused(&server, "/round", -EPROTO, "sent elsewhere more than 3 times");
    assert_refused(&server, "/file", -EIO, "");
    assert_refused(&server, "/large", -EFBIG, "an answer of more than 16 MiB");
    end(&server);
}

static void one_that_hangs_holds_up_nobody(void **state)
{
    (void)state;
    struct server server;

    start(&server);
    assert_refused(&server, "/hang", -ETIMEDOUT, "no answer in 2 s");
    assert_refused(&server, "/drip", -ETIMEDOUT, "no answer in 2 s");
    end(&server);
}

static void a_server_that_has_gone_is_a_gap(void **state)
{
    (void)state;
    struct server server;
    struct probe_source source;
    struct sights sights = {0};
    struct err err = {0};
    char url[120];

    start(&server);
    assert_int_equal(source_metrics_open(at(&server, "/good", url), &source, &err), 0);
    end(&server);
    assert_int_equal(source.look(source.ctx, &sights, &err), -ECONNREFUSED);
    assert_non_null(strstr(err.text, "nobody answers there"));
    assert_int_equal(sights.n, 0);
    sights_fini(&sights);
    source.close(source.ctx);
}

static void one_redirect_is_followed(void **state)
{
    (void)state;
    struct server server;
    struct probe_source source;
    struct sights sights = {0};
    struct err err = {0};
    char url[120];

    start(&server);
    if (source_metrics_open(at(&server, "/elsewhere", url), &source, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(source.look(source.ctx, &sights, &err), 0);
    assert_int_equal(sights.n, 1);
    assert_int_equal(sights.sight[0].kind, TRACK_CACHE_HITS);
    sights_fini(&sights);
    source.close(source.ctx);
    end(&server);
}

static void an_address_that_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        const char *words;
    } wrong[] = {
        {"", "is no address of metrics"},
        {"filer:9100/metrics", "is no address of metrics"},
        {"file:///etc/passwd", "is no address of metrics"},
        {"http://", "is no address of metrics"},
        {"http://me:secret@filer/metrics", "a name or password in it"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct probe_source source;
        struct err err = {0};

        assert_int_equal(source_metrics_open(wrong[i].url, &source, &err), -EINVAL);
        if (strstr(err.text, wrong[i].words) == NULL || strstr(err.text, "secret") != NULL)
            fail_msg("%s: %s", wrong[i].url, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_is_asked_again_and_again),
        cmocka_unit_test(what_is_no_metrics_is_refused_in_words),
        cmocka_unit_test(one_that_hangs_holds_up_nobody),
        cmocka_unit_test(a_server_that_has_gone_is_a_gap),
        cmocka_unit_test(one_redirect_is_followed),
        cmocka_unit_test(an_address_that_cannot_be_asked_is_refused),
    };
    /* What a developer's shell sends through a proxy is not what is tested. */
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
