#include "cli/cli.h"
#include "cli/console.h"
#include "cli/overhead_note.h"
#include "cli/published.h"
#include "cli/results_db.h"
#include "cli/study_values.h"

#include <string.h>

#define URING "uring:"

static const struct option_table *const tables[] = {&output_db_table, NULL};

static void add_line(struct text *out, const char *what, double ns, const char *unit)
{
    text_addf(out, "  %-44s %8.1f %s\n", what, ns, unit);
}

static int print_overhead(const struct overhead *o)
{
    struct text text;
    text_init(&text);
    text_addf(&text, "What loadline itself costs on this machine\n  %s\n", o->machine);
    add_line(&text, "reading the clock", o->clock_read_ns, "ns");
    add_line(&text, "recording into a histogram", o->hist_record_ns, "ns");
    add_line(&text, "operation through the null target", o->null_op_ns, "ns CPU");
    add_line(&text, "1-byte pread in a bare loop", o->posix_bare_ns, "ns CPU");
    add_line(&text, "1-byte pread through the engine", o->posix_op_ns, "ns CPU");
    if (o->posix_op_ns >= o->posix_bare_ns)
        add_line(&text, "added by loadline to an operation", o->posix_op_ns - o->posix_bare_ns,
                 "ns CPU");
    else
        text_add(&text, "  added by loadline to an operation     too little to measure here\n");
    int rc = console_out(&text);
    text_fini(&text);
    return rc;
}

/* ---- the ways to a target that are not posix ---- */

#define NFS_DEPTH 32

static void add_pair(struct text *out, const char *bare, const char *engine,
                     const struct overhead_pair *pair)
{
    add_line(out, bare, pair->bare_ns, "ns CPU");
    add_line(out, engine, pair->op_ns, "ns CPU");
}

static int nfs_text(struct text *out, struct err *err)
{
    struct overhead_pair byte, page;
    int rc = study_overhead_nfs(1, NFS_DEPTH, &byte, err);
    if (rc == 0)
        rc = study_overhead_nfs(4096, NFS_DEPTH, &page, err);
    if (rc < 0)
        return rc;
    text_addf(out, "What loadline's own NFS client costs on this machine, %d READs at once\n",
              NFS_DEPTH);
    add_pair(out, "1-byte READ in a bare loop of send and recv",
             "1-byte READ through client and engine", &byte);
    add_pair(out, "4 KiB READ in a bare loop of send and recv",
             "4 KiB READ through client and engine", &page);
    return 0;
}

static int uring_text(const char *directory, struct text *out, struct err *err)
{
    struct overhead_pair pair;
    int rc = study_overhead_uring(directory, &pair, err);
    if (rc < 0)
        return rc;
    text_addf(out, "What loadline itself costs by io_uring, one read at a time\n");
    add_pair(out, "1-byte pread in a bare loop", "1-byte read by io_uring through the engine",
             &pair);
    return 0;
}

static int run_way(const char *way)
{
    struct text text;
    struct err err = {0};
    int rc;
    text_init(&text);
    if (strcmp(way, "nfs:") == 0)
        rc = nfs_text(&text, &err);
    else
        rc = uring_text(way + strlen(URING), &text, &err);
    if (rc < 0)
        console_error("%s", err.text);
    else
        rc = console_out(&text);
    text_fini(&text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

static bool is_way(const char *word)
{
    return strcmp(word, "nfs:") == 0 ||
           (strncmp(word, URING, strlen(URING)) == 0 && word[strlen(URING)] == '/');
}

/* ---- the arithmetic ---- */

static int run_published(void)
{
    const struct published_row *differs;
    unsigned same = published_recompute(&differs);
    struct text text;
    text_init(&text);
    text_addf(&text, "%u of %u published rows recomputed\n", same, published_rows);
    int rc = console_show(&text);
    text_fini(&text);
    if (differs)
        console_error("%s, %s of %u bytes comes out otherwise", differs->name, differs->phase,
                      differs->length_bytes);
    return rc < 0 ? CLI_COULD_NOT_RUN : differs ? CLI_NOT_VALID : CLI_DONE;
}

/* ---- the command ---- */

static int save(const char *db, const struct overhead *o, struct err *err)
{
    struct store *store = NULL;
    int rc = results_db_open(db, &store, err);
    if (rc >= 0)
        rc = overhead_note_save(store, o, err);
    store_close(store);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&output}};
    struct overhead o;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (strcmp(parsed.args[0], "published") == 0 && parsed.n_args == 1)
        return run_published();
    if (strcmp(parsed.args[0], "overhead") != 0) {
        console_error("selftest %s: there are overhead and published, which stands alone",
                      parsed.args[0]);
        return CLI_USAGE;
    }
    if (parsed.args[1] != NULL && !is_way(parsed.args[1])) {
        console_error(
            "selftest overhead \"%s\": there are nfs: or uring:/DIR, no host for the one, an "
            "absolute path for the other",
            parsed.args[1]);
        return CLI_USAGE;
    }
    if (parsed.args[1] != NULL)
        return run_way(parsed.args[1]);
    int rc = overhead_measure(&o, &err);
    if (rc >= 0 && !results_db_none(output.db))
        rc = save(output.db, &o, &err);
    if (rc < 0)
        console_error("%s", err.text);
    else
        rc = print_overhead(&o);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

const struct command cmd_selftest = {
    .name = "selftest",
    .brief = "what loadline itself costs on this machine",
    .summary = "Measures what loadline itself costs on this machine, and keeps it for later "
               "results to quote. With nfs: or uring:/DIR behind it: what that way to a target "
               "costs beside a bare loop of the same calls, for this moment only; nfs: on a server "
               "of loadline's own. published: whether the rows of 2001 come out as they were "
               "printed then.",
    .args = "overhead [nfs:|uring:/DIR] | published",
    .lacks = "what to test is missing: overhead or published",
    .args_min = 1,
    .args_max = 2,
    .example = {"loadline selftest overhead", "loadline selftest overhead nfs:"},
    .tables = tables,
    .run = run,
};
