/* cli/wml_session.h — what was typed to `loadline wml` so far, as one workload text that grows.
 * Shape    wml_goes_on says whether more lines belong to a chunk; wml_session_take parses a chunk with
 *          all that came before and says what to do; after WML_MEASURE and its run comes
 *          wml_session_done. What was done once, or was wrong, is blanked in the text, so that
 *          lines are counted as they were typed. What acts (echo, system, sleep, warmup, fsflush,
 *          create, shutdown, stats) belongs to the next run alone.
 * Errors   all is said on stderr; WML_WRONG: the chunk was dropped.
 * Threads  single owner.
 * Source   tests/cli/test_wml.py. */
#ifndef LOADLINE_CLI_WML_SESSION_H
#define LOADLINE_CLI_WML_SESSION_H

#include "base/text.h"
#include "lang/lang.h"

struct wml_range {
    size_t from;
    size_t to;
};

struct wml_session {
    const char *source; /* as remarks name it */
    struct text text;
    struct wml_range last; /* of the chunk that was taken last */
    unsigned waiting;      /* chunks that act at the next run */
    struct wml_range *wait;
    bool by_hand;   /* `create processes` waits, nothing measured it yet */
    char *workload; /* name of the file that was loaded last; NULL */
    char *dir;      /* what `set $dir=` said last; NULL */
};

enum wml_what { WML_KEPT, WML_WRONG, WML_MEASURE, WML_QUIT };

/* Of WML_MEASURE: the whole that is to be compiled, and remarks to compile it with. */
struct wml_parsed {
    struct lang_tree *tree;
    struct lang_remarks remarks;
};
void wml_parsed_fini(struct wml_parsed *parsed);

void wml_session_init(struct wml_session *s, const char *source);
void wml_session_fini(struct wml_session *s);

/* A brace or quote is open, a comma is last, or a block is still to come. */
bool wml_goes_on(const char *chunk, size_t len);

/* `chunk` ends with a newline. */
enum wml_what wml_session_take(struct wml_session *s, const char *chunk, size_t len,
                               struct wml_parsed *parsed);

/* The measuring chunk goes; with it, when it `ran`, what waited for it. */
void wml_session_done(struct wml_session *s, bool ran);

#endif
