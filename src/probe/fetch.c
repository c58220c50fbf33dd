#include "probe/fetch_priv.h"

#include "probe/probe.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MS  (PROBE_ANSWER_S * 1000L)
#define FIRST_ROOM (64u << 10)

struct fetch {
    CURL *curl;
    char *text;
    size_t len;
    size_t room;
    bool too_large;
};

static CURLcode ready;

static void begin(void)
{
    ready = curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* Fewer bytes taken than came is how curl is told to end it. */
static size_t take(char *data, size_t one, size_t n, void *ctx)
{
    struct fetch *f = ctx;
    size_t len = one * n;

    if (len > FETCH_BYTES_MAX - f->len) {
        f->too_large = true;
        return 0;
    }
    if (f->len + len > f->room) {
        size_t room = f->room > 0 ? f->room : FIRST_ROOM;

        while (room < f->len + len)
            room *= 2;
        char *grown = realloc(f->text, room);
        if (grown == NULL)
            return 0;
        f->text = grown;
        f->room = room;
    }
    memcpy(f->text + f->len, data, len);
    f->len += len;
    return len;
}

static int check_address(const char *url, struct err *err)
{
    CURLU *parts = curl_url();
    char *scheme = NULL, *user = NULL;
    int rc = 0;

    if (parts == NULL)
        return err_set(err, -ENOMEM, "no memory to ask a server");
    if (curl_url_set(parts, CURLUPART_URL, url, 0) != CURLUE_OK ||
        curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0))
        rc = err_set(err, -EINVAL,
                     "\"%.100s\" is no address of metrics; give one such as "
                     "http://HOST:9100/metrics",
                     url);
    else if (curl_url_get(parts, CURLUPART_USER, &user, 0) == CURLUE_OK)
        rc = err_set(err, -EINVAL,
                     "the address of the metrics has a name or password in it, which would be in "
                     "every result");
    curl_free(scheme);
    curl_free(user);
    curl_url_cleanup(parts);
    return rc;
}

static bool set_up(struct fetch *f, const char *url)
{
    CURL *c = f->curl;

    return curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_MAXREDIRS, (long)FETCH_REDIRECTS) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, ANSWER_MS) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "") == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_USERAGENT, "loadline") == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_WRITEDATA, f) == CURLE_OK;
}

int fetch_new(const char *url, struct fetch **out, struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct fetch *f;
    int rc = check_address(url, err);

    if (rc < 0)
        return rc;
    pthread_once(&once, begin);
    f = calloc(1, sizeof *f);
    if (f != NULL && ready == CURLE_OK)
        f->curl = curl_easy_init();
    if (f == NULL || f->curl == NULL || !set_up(f, url)) {
        fetch_free(f);
        return err_set(err, -ENOMEM, "no memory to ask a server");
    }
    *out = f;
    return 0;
}

void fetch_free(struct fetch *f)
{
    if (f == NULL)
        return;
    curl_easy_cleanup(f->curl);
    free(f->text);
    free(f);
}

static int failed(const struct fetch *f, CURLcode code, struct err *err)
{
    if (f->too_large)
        return err_set(err, -EFBIG, "an answer of more than %u MiB", FETCH_BYTES_MAX >> 20);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return err_set(err, -ETIMEDOUT, "no answer in %d s", PROBE_ANSWER_S);
    if (code == CURLE_COULDNT_CONNECT)
        return err_set(err, -ECONNREFUSED, "nobody answers there");
    if (code == CURLE_TOO_MANY_REDIRECTS)
        return err_set(err, -EPROTO, "sent elsewhere more than %d times", FETCH_REDIRECTS);
    return err_set(err, code == CURLE_PARTIAL_FILE ? -EPROTO : -EIO, "%s",
                   curl_easy_strerror(code));
}

int fetch_get(struct fetch *f, const char **text, size_t *len, struct err *err)
{
    long status = 0;

    f->len = 0;
    f->too_large = false;
    CURLcode code = curl_easy_perform(f->curl);
    if (code != CURLE_OK)
        return failed(f, code, err);
    curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return err_set(err, -EPROTO, "the server says %ld", status);
    *text = f->text != NULL ? f->text : "";
    *len = f->len;
    return 0;
}
