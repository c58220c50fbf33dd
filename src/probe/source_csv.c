/* Series in a file as a source: read anew for each window, since an appliance may go on writing to it. */
#include "probe/appliance_priv.h"
#include "probe/probe_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S   1000000000ll
#define AHEAD_WORD "# ahead "
#define FILE_MAX   (256ll << 20)

struct source {
    char *path;
    struct csv_table table;
    int64_t ahead_ns; /* of the appliance's clock before this machine's */
    double value[CSV_COLUMNS_MAX];
};

/* Told of every row, in the file's order. */
struct reader {
    struct source *source;
    int (*row)(struct reader *r, int64_t wall_ns, struct err *err);
    unsigned line;
    bool has_header;
    unsigned rows;
    int64_t last_wall_ns;
    /* Of a window. */
    uint64_t from_ns;
    uint64_t to_ns;
    int64_t mono_less_wall_ns;
    struct sights before; /* the last look before the window */
    bool behind;          /* the one after it is kept */
    struct looks *out;
    uint64_t first_ns;
    uint64_t last_ns;
    unsigned kept; /* there are fewer when it was full */
};

static int take_line(struct reader *r, char *line, struct err *err)
{
    struct source *s = r->source;
    int64_t wall_ns = 0;
    int rc;

    r->line++;
    line[strcspn(line, "\r\n")] = '\0';
    if (strncmp(line, AHEAD_WORD, strlen(AHEAD_WORD)) == 0)
        return csv_ahead_parse(line + strlen(AHEAD_WORD), &s->ahead_ns, err);
    if (*line == '#' || line[strspn(line, " \t")] == '\0')
        return 0;
    if (!r->has_header) {
        r->has_header = true;
        return csv_header_parse(line, &s->table, err);
    }
    rc = csv_row_parse(&s->table, line, &wall_ns, s->value, err);
    if (rc == 0 && r->rows > 0 && wall_ns <= r->last_wall_ns)
        rc = err_set(err, -EINVAL, "the time is not after that of the row before");
    r->rows++;
    r->last_wall_ns = wall_ns;
    return rc == 0 && r->row != NULL ? r->row(r, wall_ns - s->ahead_ns, err) : rc;
}

/* The last line may be one that is being written: without its end it does not count. */
static int read_lines(struct reader *r, FILE *file, struct err *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len = 0;
    int64_t bytes = 0;
    int rc = 0;

    while (rc == 0 && (len = getline(&line, &room, file)) > 0) {
        bytes += len;
        if (bytes > FILE_MAX)
            rc = err_set(err, -EFBIG, "more than %lld MiB", FILE_MAX >> 20);
        else if (strlen(line) < (size_t)len)
            rc = err_set(err, -EINVAL, "a NUL is no text");
        else if (line[len - 1] == '\n' || r->rows == 0)
            rc = take_line(r, line, err);
        if (rc < 0)
            err_prefix(err, "%s:%u", r->source->path, r->line);
    }
    if (rc == 0 && ferror(file))
        rc = err_sys(err, -errno, "%s", r->source->path);
    free(line);
    return rc;
}

static int read_file(struct reader *r, struct err *err)
{
    FILE *file = fopen(r->source->path, "re");
    int rc;

    if (file == NULL)
        return err_sys(err, -errno, "%s", r->source->path);
    rc = read_lines(r, file, err);
    if (rc == 0 && !r->has_header)
        rc = err_set(err, -EINVAL, "%s: there is nothing in it", r->source->path);
    fclose(file);
    return rc;
}

/* ---- a window ---- */

/* The machine's two clocks differ by what they do now. */
static int64_t mono_less_wall_ns(void)
{
    struct timespec mono, wall;

    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(CLOCK_REALTIME, &wall);
    return (mono.tv_sec - wall.tv_sec) * NS_PER_S + (mono.tv_nsec - wall.tv_nsec);
}

static void fill(const struct source *s, uint64_t at_ns, struct sights *out)
{
    sights_clear(out);
    out->at_ns = at_ns;
    for (unsigned i = 0; i < s->table.n; i++) {
        const struct csv_column *column = &s->table.column[i];

        if (isnan(s->value[i]))
            continue;
        struct sight *one = sights_put(out, TRACK_SERVER, column->kind, SIGHT_LEVEL, column->name);
        one->capacity = column->capacity;
        one->value = s->value[i];
    }
}

static int keep(struct reader *r, const struct sights *sights, struct err *err)
{
    int rc = looks_keep(r->out, sights, false);

    if (rc < 0)
        return err_set(err, rc, "no room for the series");
    r->first_ns = r->first_ns > 0 ? r->first_ns : sights->at_ns;
    r->last_ns = sights->at_ns;
    r->kept++;
    return 0;
}

static int take_row(struct reader *r, int64_t wall_ns, struct err *err)
{
    int64_t at = wall_ns + r->mono_less_wall_ns;
    uint64_t at_ns = at > 0 ? (uint64_t)at : 0;
    struct sights now = {0};
    int rc = 0;

    if (at_ns == 0 || r->behind)
        return 0;
    if (at_ns <= r->from_ns) {
        fill(r->source, at_ns, &r->before);
        return 0;
    }
    if (r->before.n > 0)
        rc = keep(r, &r->before, err);
    sights_clear(&r->before);
    fill(r->source, at_ns, &now);
    r->behind = at_ns >= r->to_ns;
    if (rc == 0)
        rc = keep(r, &now, err);
    sights_fini(&now);
    return rc;
}

static int recall(void *ctx, uint64_t from_ns, uint64_t to_ns, struct looks *out, struct err *err)
{
    struct reader r = {.source = ctx,
                       .row = take_row,
                       .from_ns = from_ns,
                       .to_ns = to_ns,
                       .mono_less_wall_ns = mono_less_wall_ns(),
                       .out = out};
    int rc = read_file(&r, err);

    sights_fini(&r.before);
    if (rc == 0 && r.kept < 2)
        rc = err_set(err, -ENODATA, "no two rows in the window");
    if (rc == 0)
        out->period_ns = (r.last_ns - r.first_ns) / (r.kept - 1);
    return rc;
}

static void close_source(void *ctx)
{
    struct source *s = ctx;

    free(s->path);
    free(s);
}

int source_csv_open(const char *path, struct probe_source *out, struct err *err)
{
    struct source *s = calloc(1, sizeof *s);
    struct reader r = {.source = s};
    int rc;

    if (s == NULL || (s->path = strdup(path)) == NULL)
        rc = err_set(err, -ENOMEM, "no memory for series");
    else
        rc = read_file(&r, err);
    if (rc < 0) {
        if (s != NULL)
            close_source(s);
        return rc;
    }
    *out = (struct probe_source){
        .name = "server series", .recall = recall, .close = close_source, .ctx = s};
    return 0;
}
