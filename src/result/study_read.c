#include "result/study_file_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE_BYTES 65536

enum { AT_END = -1, AT_FAILURE = -2 };

struct reader {
    gzFile file; /* packed or not, zlib tells by the first bytes */
    const struct study_file_sink *sink;
    struct err *err;
    int failed; /* -errno of what could not be read */
    uint64_t total;
    unsigned runs;
    unsigned last_run;
    size_t at;
    size_t have;
    struct text part; /* the object that was read last */
    struct text sealed;
    struct study_head head;
    bool headed;
    char piece[PIECE_BYTES];
};

static int refuse(struct reader *r, int code, const char *why)
{
    r->failed = err_set(r->err, code, "%s", why);
    return AT_FAILURE;
}

/* At the end of what there is: the end, or only that of a piece of a packed file. */
static int end_of_file(struct reader *r)
{
    int code = Z_OK;
    (void)gzerror(r->file, &code);
    if (code == Z_BUF_ERROR)
        return refuse(r, -EBADMSG, "the file ends early: it was cut, or not copied whole");
    return AT_END;
}

static int unreadable(struct reader *r)
{
    int sys = errno;
    int code = Z_OK;
    const char *words = gzerror(r->file, &code);
    if (code == Z_ERRNO) {
        r->failed = err_sys(r->err, sys ? -sys : -EIO, "cannot be read");
        return AT_FAILURE;
    }
    r->failed = err_set(r->err, code == Z_MEM_ERROR ? -ENOMEM : -EBADMSG,
                        "its packing is damaged: %s", words);
    return AT_FAILURE;
}

/* A few bytes can unpack to terabytes: no file needs more than a full document for each of its runs. */
static int fill(struct reader *r)
{
    if (r->failed)
        return AT_FAILURE;
    errno = 0;
    int got = gzread(r->file, r->piece, sizeof r->piece);
    if (got < 0)
        return unreadable(r);
    if (got == 0)
        return end_of_file(r);
    r->total += (unsigned)got;
    if (r->total > (r->runs + 1ull) * RESULT_JSON_MAX)
        return refuse(r, -EFBIG, "it holds more than a study can: not a file of loadline");
    r->at = 0;
    r->have = (size_t)got;
    return 0;
}

/* The next byte, which stays; AT_END, AT_FAILURE. */
static int peek(struct reader *r)
{
    int rc = r->at < r->have ? 0 : fill(r);
    return rc < 0 ? rc : (unsigned char)r->piece[r->at];
}

/* The same behind blanks. */
static int peek_word(struct reader *r)
{
    int c;
    while ((c = peek(r)) == ' ' || c == '\n' || c == '\t' || c == '\r')
        r->at++;
    return c;
}

static int no_such_file(struct reader *r)
{
    return r->failed ? r->failed : err_set(r->err, -EINVAL, "not a file of loadline results");
}

/* Each of the letters, in this order, with blanks between where there is one in `words`. */
static bool take(struct reader *r, const char *words)
{
    for (; *words; words++) {
        if (*words != ' ' && peek(r) != *words)
            return false;
        if (*words == ' ')
            (void)peek_word(r);
        else
            r->at++;
    }
    return true;
}

/* How far an object has been read. */
struct nesting {
    unsigned depth;
    bool quoted;
    bool escaped;
};

/* Takes one byte in. Only braces outside strings count; whether it is JSON is the parser's question. */
static bool ends_object(struct nesting *n, char c)
{
    if (n->escaped)
        n->escaped = false;
    else if (n->quoted && c == '\\')
        n->escaped = true;
    else if (c == '"')
        n->quoted = !n->quoted;
    else if (!n->quoted && c == '{')
        n->depth++;
    else if (!n->quoted && c == '}')
        n->depth--;
    return n->depth == 0;
}

/* Takes bytes of this piece until the object ends or the piece does. */
static bool take_piece(struct reader *r, struct nesting *n)
{
    size_t from = r->at;
    bool ended = false;
    while (r->at < r->have && !ended)
        ended = ends_object(n, r->piece[r->at++]);
    text_add_bytes(&r->part, r->piece + from, r->at - from);
    return ended;
}

/* An object into r->part. 1 it is there, 0 the file ended before, -errno. */
static int take_object(struct reader *r, size_t max)
{
    struct nesting n = {.depth = 0};
    text_clear(&r->part);
    if (peek_word(r) != '{')
        return r->failed ? r->failed : peek(r) == AT_END ? 0 : no_such_file(r);
    while (!take_piece(r, &n)) {
        if (r->part.failed)
            return err_set(r->err, -ENOMEM, "no memory for a document");
        if (r->part.len > max)
            return err_set(r->err, -EFBIG, "a document of more than %zu bytes", max);
        if (peek(r) < 0)
            return r->failed;
    }
    return r->part.failed ? err_set(r->err, -ENOMEM, "no memory for a document") : 1;
}

static int check_run(struct reader *r, const struct result *run)
{
    if (!r->headed)
        return 0;
    if (strcmp(run->study_id, r->head.id) != 0)
        return err_set(r->err, -EBADMSG, "a run of study %s in the file of %s", run->study_id,
                       r->head.id);
    if (run->run <= r->last_run)
        return err_set(r->err, -EBADMSG, "run %u stands behind run %u", run->run, r->last_run);
    return 0;
}

static int give_run(struct reader *r)
{
    struct result *run = NULL;
    int rc = result_parse(r->part.s, r->part.len, &run, r->err);
    if (rc == 0)
        rc = check_run(r, run);
    if (rc < 0) {
        result_free(run);
        return err_prefix(r->err, "result %u", r->runs + 1);
    }
    r->last_run = run->run;
    r->runs++;
    if (r->headed)
        text_add(&r->sealed, run->seal);
    return r->sink->run(r->sink->ctx, run, r->err);
}

/* Behind '['. 1 the list is whole, 0 the file ended in it, -errno. */
static int take_results(struct reader *r)
{
    if (peek_word(r) == ']') {
        r->at++;
        return 1;
    }
    for (;;) {
        int rc = take_object(r, RESULT_JSON_MAX);
        if (rc <= 0)
            return rc;
        rc = give_run(r);
        if (rc < 0)
            return rc;
        int c = peek_word(r);
        if (c == AT_END)
            return 0;
        if (c != ',' && c != ']')
            return no_such_file(r);
        r->at++;
        if (c == ']')
            return 1;
    }
}

static int expect_end(struct reader *r)
{
    int c = peek_word(r);
    return r->failed ? r->failed : c == AT_END ? 0 : no_such_file(r);
}

static int take_head(struct reader *r)
{
    int rc = take_object(r, STUDY_PART_MAX);
    if (rc <= 0)
        return rc < 0 ? rc : no_such_file(r);
    rc = study_head_parse(&r->part, &r->head, &r->sealed, r->err);
    r->headed = rc == 0;
    if (rc == 0)
        rc = r->sink->head(r->sink->ctx, &r->head, r->err);
    if (rc == 0 && !take(r, " , \"results\" : ["))
        rc = no_such_file(r);
    return rc;
}

/* 1 it is there, 0 missing, -errno. */
static int take_tail(struct reader *r, struct study_tail *tail)
{
    if (!take(r, " , \"tail\" : "))
        return r->failed ? r->failed : peek(r) == AT_END ? 0 : no_such_file(r);
    int rc = take_object(r, STUDY_PART_MAX);
    if (rc <= 0)
        return rc;
    rc = study_tail_parse(&r->part, &r->sealed, tail, r->err);
    if (rc == 0 && tail->runs != r->runs)
        rc = err_set(r->err, -EBADMSG, "%u runs where %u should be", r->runs, tail->runs);
    if (rc == 0 && !take(r, " }"))
        rc = no_such_file(r);
    if (rc == 0)
        rc = expect_end(r);
    return rc == 0 ? 1 : rc;
}

/* Behind '{ "head" :'. */
static int read_study(struct reader *r, struct study_tail *tail)
{
    struct study_tail found = {.runs = 0};
    int rc = take_head(r);
    if (rc < 0)
        return rc;
    rc = take_results(r);
    if (rc > 0)
        rc = take_tail(r, &found);
    if (rc == 0)
        found = (struct study_tail){.runs = r->runs};
    if (rc >= 0)
        *tail = found;
    return rc < 0 ? rc : 0;
}

static int read_list(struct reader *r, struct study_tail *tail)
{
    r->at++;
    int rc = take_results(r);
    if (rc == 0)
        return r->failed ? r->failed : err_set(r->err, -EINVAL, "the list of results does not end");
    if (rc > 0)
        rc = expect_end(r);
    if (rc == 0 && r->runs == 0)
        rc = no_such_file(r);
    *tail = (struct study_tail){.runs = r->runs};
    return rc;
}

/* Behind '{ "results" :': what `limits` prints, its runs and then what was made of them. */
static int read_answer(struct reader *r, struct study_tail *tail)
{
    int rc = take(r, " [") ? take_results(r) : no_such_file(r);
    if (rc <= 0)
        return rc < 0 ? rc : err_set(r->err, -EINVAL, "the list of results does not end");
    if (!take(r, " , \"ceilings\" : ["))
        return no_such_file(r);
    for (int c = peek_word(r); c == '{' || c == ','; c = peek_word(r)) {
        r->at += c == ',';
        rc = take_object(r, RESULT_JSON_MAX);
        if (rc <= 0)
            return rc < 0 ? rc : no_such_file(r);
    }
    *tail = (struct study_tail){.runs = r->runs};
    return take(r, "] }") && r->runs > 0 ? expect_end(r) : no_such_file(r);
}

static int read_one(struct reader *r, struct study_tail *tail)
{
    int rc = take_object(r, RESULT_JSON_MAX);
    if (rc == 0)
        return err_set(r->err, -EINVAL, "the file ends inside a result");
    if (rc > 0)
        rc = give_run(r);
    if (rc == 0)
        rc = expect_end(r);
    *tail = (struct study_tail){.runs = r->runs};
    return rc;
}

/* The first piece is looked into without taking anything of it. */
static bool begins(struct reader *r, const char *words)
{
    size_t at = r->at;
    bool is = take(r, words);
    if (!is)
        r->at = at;
    return is;
}

static int read_any(struct reader *r, struct study_tail *tail)
{
    int c = peek_word(r);
    if (c == '[')
        return read_list(r, tail);
    if (c != '{')
        return no_such_file(r);
    if (begins(r, "{ \"results\" :"))
        return read_answer(r, tail);
    return begins(r, "{ \"head\" :") ? read_study(r, tail)
           : r->failed               ? r->failed
                                     : read_one(r, tail);
}

/* gzclose closes what it was given. */
static gzFile unpack_from(int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    gzFile file = own >= 0 ? gzdopen(own, "rb") : NULL;
    if (!file && own >= 0)
        close(own);
    return file;
}

int study_file_read(int fd, const struct study_file_sink *sink, struct study_tail *tail,
                    struct err *err)
{
    struct err own = {0};
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(err, -ENOMEM, "no memory to read a file");
    r->sink = sink;
    r->err = err ? err : &own;
    text_init(&r->part);
    text_init(&r->sealed);
    r->file = unpack_from(fd);
    int rc = r->file ? read_any(r, tail) : err_set(r->err, -ENOMEM, "no memory to read a file");
    if (r->file)
        (void)gzclose(r->file);
    text_fini(&r->part);
    text_fini(&r->sealed);
    study_head_fini(&r->head);
    free(r);
    return rc;
}
