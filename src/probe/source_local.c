#include "probe/local_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BYTES  16384
#define MOST_BYTES   (16u << 20)
#define FACTS_MAX    4096
#define LIST_STEP    64
#define NOT_A_NUMBER -1e300

static bool more_text(struct local *l)
{
    size_t room = l->room ? 2 * l->room : FIRST_BYTES;
    char *text = room <= MOST_BYTES ? realloc(l->text, room) : NULL;

    if (text) {
        l->text = text;
        l->room = room;
    }
    return text != NULL;
}

/* Files of these trees have no size beforehand. */
static char *read_all(struct local *l, int fd)
{
    size_t len = 0;
    ssize_t got = 1;

    while (got > 0) {
        if (len + 1 >= l->room && !more_text(l))
            return NULL;
        got = read(fd, l->text + len, l->room - 1 - len);
        if (got > 0)
            len += (size_t)got;
    }
    if (got < 0)
        return NULL;
    l->text[len] = '\0';
    return l->text;
}

static char *read_named(struct local *l, const char *root, const char *name)
{
    char path[2 * LOCAL_PATH];
    char *text = NULL;
    int fd;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", root, name) >= sizeof path)
        return NULL;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    text = read_all(l, fd);
    close(fd);
    return text;
}

char *local_read(struct local *l, const char *root, const char *fmt, ...)
{
    char name[LOCAL_PATH];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    return read_named(l, root, name);
}

static double number_of(struct local *l, const char *root, const char *name)
{
    char *text = read_named(l, root, name), *end = text;
    double number = text ? strtod(text, &end) : 0;

    return end == text ? NOT_A_NUMBER : number;
}

double local_number(struct local *l, const char *root, double otherwise, const char *fmt, ...)
{
    char name[LOCAL_PATH];
    va_list ap;
    double number;

    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    number = number_of(l, root, name);
    return number == NOT_A_NUMBER ? otherwise : number;
}

static bool more_facts(struct local *l)
{
    if (l->facts % LIST_STEP != 0)
        return true;
    struct local_fact *more =
        l->facts < FACTS_MAX ? realloc(l->fact, (l->facts + LIST_STEP) * sizeof *more) : NULL;

    if (more)
        l->fact = more;
    return more != NULL;
}

/* NULL: no room for it. */
static struct local_fact *fact_named(struct local *l, const char *name)
{
    unsigned i = l->fact_at;

    if (i >= l->facts || strcmp(l->fact[i].name, name) != 0)
        for (i = 0; i < l->facts && strcmp(l->fact[i].name, name) != 0;)
            i++;
    if (i == l->facts) {
        if (!more_facts(l))
            return NULL;
        l->fact[l->facts] = (struct local_fact){0};
        snprintf(l->fact[l->facts++].name, sizeof l->fact->name, "%s", name);
    }
    l->fact_at = i + 1;
    return &l->fact[i];
}

double local_fact(struct local *l, const char *root, double otherwise, const char *fmt, ...)
{
    char name[sizeof l->fact->name];
    va_list ap;
    struct local_fact *fact;

    va_start(ap, fmt);
    int len = vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    fact = (size_t)len < sizeof name ? fact_named(l, name) : NULL;
    if (!fact)
        return otherwise;
    if (fact->look == 0 || l->look - fact->look >= LOCAL_FACT_LOOKS) {
        fact->number = number_of(l, root, name);
        fact->look = l->look;
    }
    return fact->number == NOT_A_NUMBER ? otherwise : fact->number;
}

bool local_idle(struct local *l, enum track_kind kind, const char *name, double done)
{
    for (unsigned i = 0; i < l->bases; i++)
        if (l->base[i].kind == kind && strcmp(l->base[i].name, name) == 0)
            return done == l->base[i].done;
    if (l->bases % LIST_STEP == 0) {
        struct local_base *more =
            l->bases < TRACKS_MAX ? realloc(l->base, (l->bases + LIST_STEP) * sizeof *more) : NULL;
        if (!more)
            return false;
        l->base = more;
    }
    struct local_base *base = &l->base[l->bases++];
    *base = (struct local_base){.kind = kind, .done = done};
    snprintf(base->name, sizeof base->name, "%s", name);
    return true;
}

struct sight *local_put(struct local *l, enum track_kind kind, enum sight_form form,
                        const char *name)
{
    return sights_put(l->out, TRACK_CLIENT, kind, form, name);
}

char *local_line(char **at)
{
    char *line = *at;

    if (!line || *line == '\0')
        return NULL;
    *at = strchr(line, '\n');
    if (*at)
        *(*at)++ = '\0';
    return line;
}

char *local_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    size_t len = strcspn(word, " \t");

    *at = word + len;
    if (**at)
        *(*at)++ = '\0';
    return len ? word : NULL;
}

unsigned local_numbers(char **at, double *out, unsigned most)
{
    unsigned n = 0;

    for (char *end = *at; n < most; n++, *at = end) {
        out[n] = strtod(*at, &end);
        if (end == *at)
            break;
    }
    return n;
}

static int look(void *ctx, struct sights *out, struct err *err)
{
    struct local *l = ctx;

    (void)err;
    l->look++;
    l->fact_at = 0;
    l->out = out;
    if (l->look % LOCAL_FACT_LOOKS == 1)
        look_caps(l);
    look_processors(l);
    look_disks(l);
    look_ports(l);
    look_tcp(l);
    look_rdma(l);
    look_memory(l);
    look_pressure(l);
    look_mounts(l);
    look_throttled(l);
    look_tasks(l);
    return out->failed ? -ENOMEM : 0;
}

static void close_local(void *ctx)
{
    struct local *l = ctx;

    free(l->text);
    free(l->fact);
    free(l->base);
    free(l->tasks.tid);
    free(l);
}

int source_local_open(const char *proc, const char *sys, struct probe_source *out, struct err *err)
{
    struct local *l;
    const char *roots[] = {proc ? proc : "/proc", sys ? sys : "/sys"};

    for (unsigned i = 0; i < 2; i++) {
        if (strlen(roots[i]) >= LOCAL_PATH)
            return err_set(err, -ENAMETOOLONG, "%.40s…: a longer path than the probe takes",
                           roots[i]);
        if (access(roots[i], R_OK | X_OK) < 0)
            return err_set(err, -errno, "%s: cannot be read, and it is what the probe reads",
                           roots[i]);
    }
    l = calloc(1, sizeof *l);
    if (!l)
        return err_set(err, -ENOMEM, "no memory for the probe");
    snprintf(l->proc, sizeof l->proc, "%s", roots[0]);
    snprintf(l->sys, sizeof l->sys, "%s", roots[1]);
    *out =
        (struct probe_source){.name = "this machine", .look = look, .close = close_local, .ctx = l};
    return 0;
}
