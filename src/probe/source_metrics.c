/* A server's own metrics as a source: asked over one connection, again and again. */
#include "probe/fetch_priv.h"
#include "probe/metrics_priv.h"

#include <errno.h>
#include <stdlib.h>

struct source {
    struct fetch *fetch;
};

static int ask(struct fetch *f, struct probe_text *out, struct err *err)
{
    const char *text;
    size_t len;
    int rc = fetch_get(f, &text, &len, err);

    if (rc == 0)
        rc = probe_text_parse(text, len, out, err);
    return rc;
}

/* Metrics of something else are an answer in the right form, and say nothing of a server. */
static int take(const struct probe_text *text, struct sights *out, struct err *err)
{
    unsigned before = out->n;
    int rc = metrics_sights(text->metric, text->n, out);

    if (rc < 0)
        return err_set(err, rc, "no memory for metrics");
    if (out->n == before)
        return err_set(err, -EINVAL,
                       "%u metrics, and none of a processor, network, disk or cache: node_exporter "
                       "tells them",
                       text->n);
    return 0;
}

static int look(void *ctx, struct sights *out, struct err *err)
{
    struct source *s = ctx;
    struct probe_text text = {0};
    int rc = ask(s->fetch, &text, err);

    if (rc == 0)
        rc = take(&text, out, err);
    probe_text_free(&text);
    return rc;
}

static void close_source(void *ctx)
{
    struct source *s = ctx;

    fetch_free(s->fetch);
    free(s);
}

int source_metrics_open(const char *url, struct probe_source *out, struct err *err)
{
    struct source *s = calloc(1, sizeof *s);
    struct sights once = {0};
    int rc = s != NULL ? fetch_new(url, &s->fetch, err)
                       : err_set(err, -ENOMEM, "no memory to ask a server");

    if (rc == 0 && (rc = look(s, &once, err)) < 0)
        err_prefix(err, "%s", url);
    sights_fini(&once);
    if (rc < 0) {
        if (s != NULL)
            close_source(s);
        return rc;
    }
    *out = (struct probe_source){
        .name = "server metrics", .look = look, .close = close_source, .ctx = s};
    return 0;
}
