#include "cli/cli.h"
#include "cli/console.h"
#include "cli/stopping.h"
#include "cli/study_values.h"
#include "cli/watchdog.h"

#include "base/units.h"
#include "fileset/site.h"

#include <errno.h>
#include <string.h>

struct clean_values {
    bool kept;
    uint64_t stall_ns;
};

static const struct option clean_options[] = {
    {.name = "kept",
     .kind = OPTION_FLAG,
     .at = offsetof(struct clean_values, kept),
     .help = "also what --keep left on purpose; by ID one of them is removed without it"},
    {.name = "stall",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = offsetof(struct clean_values, stall_ns),
     .min = STALL_MIN_NS,
     .max = STALL_MAX_NS,
     .initial = "30s",
     .help = "an operation older than this is named and ends the program"},
};
static const struct option_table clean_table = OPTION_TABLE("What", clean_options);

static const struct option_table *const tables[] = {&clean_table, &output_quiet_table, NULL};

struct cleaning {
    const char *target;
    const char *id; /* NULL: all that may go */
    bool kept;
    struct site_watch watch;
    unsigned removed;
    bool stayed; /* something had to stay that was meant to go */
    bool failed;
};

static void on_progress(void *ctx, const struct site_removed *so_far)
{
    const char *id = ctx;
    struct text what, numbers;
    if (!console_line_due())
        return;
    text_init(&what);
    text_init(&numbers);
    text_addf(&what, "removing " SITE_PREFIX "%s", id);
    text_addf(&numbers, "%llu files, %llu directories", (unsigned long long)so_far->files,
              (unsigned long long)so_far->dirs);
    console_line(what.s, numbers.s);
    text_fini(&numbers);
    text_fini(&what);
}

static void print_removed(struct cleaning *c, const char *id, const struct site_removed *r,
                          const char *verb)
{
    char bytes[UNITS_PRINT_MAX];
    struct text text;
    text_init(&text);
    text_addf(&text, "%s " SITE_PREFIX "%s: %llu file%s, %llu director%s", verb, id,
              (unsigned long long)r->files, r->files == 1 ? "" : "s", (unsigned long long)r->dirs,
              r->dirs == 1 ? "y" : "ies");
    if (r->bytes > 0)
        text_addf(&text, ", %s", units_print_bytes(bytes, r->bytes));
    if (r->left > 0)
        text_addf(&text, "; %llu left that are not loadline's", (unsigned long long)r->left);
    text_add(&text, "\n");
    if (console_out(&text) < 0)
        c->failed = true;
    text_fini(&text);
}

static void remove_one(struct cleaning *c, const char *id)
{
    struct err err = {0};
    struct site *site = NULL;
    struct site_shape shape = {.lengths = 0};
    struct site_removed removed = {0};
    char name[SITE_ID_MAX];
    memcpy(name, id, sizeof(name));
    int rc = site_open(c->target, &c->watch, &site, &err);
    if (rc < 0)
        goto out;
    rc = site_adopt(site, id, &shape, &err);
    if (rc < 0)
        goto out;
    rc = site_remove(site, &shape, NULL, &removed, stopping_flag(), on_progress, name, &err);
    console_line_clear();
    if (rc >= 0 || removed.files > 0 || removed.dirs > 0)
        print_removed(c, id, &removed, rc < 0 ? "removed part of" : "removed");
out:
    if (rc >= 0) {
        c->removed++;
    } else {
        c->stayed = true;
        console_error("%s", err.text);
    }
    site_shape_fini(&shape);
    site_close(site);
}

/* Why a directory is left alone; NULL when it is to be removed. */
static const char *reason_to_stay(const struct cleaning *c, const struct site_found *f)
{
    if (f->marker == SITE_UNMARKED)
        return "it has no marker that can be read, so nothing says that loadline made it";
    if (f->marker == SITE_BROKEN_MARKER)
        return "its marker is broken, so nothing says what loadline made in it";
    if (f->marker == SITE_NEWER_MARKER)
        return f->why.text;
    if (f->live == SITE_LIVE_YES)
        return "a running loadline is using it";
    if (f->live == SITE_LIVE_UNKNOWN && !c->id)
        return "whether its run is over cannot be seen from here; its id removes it";
    if (f->shape.kept && !c->kept && !c->id)
        return "it was kept on purpose; --kept or its id removes it";
    return NULL;
}

static void clean_found(struct cleaning *c, const struct site_found *f)
{
    const char *why = reason_to_stay(c, f);
    if (!why) {
        remove_one(c, f->shape.id);
        return;
    }
    const struct owner *owner = &f->shape.owner;
    if (f->marker == SITE_OURS && f->live != SITE_LIVE_NO)
        console_warn(SITE_PREFIX "%s (host %s, pid %llu) stays: %s", f->shape.id, owner->host,
                     (unsigned long long)owner->pid, why);
    else
        console_warn(SITE_PREFIX "%s stays: %s", f->shape.id, why);
    if (c->id || f->marker == SITE_BROKEN_MARKER || f->marker == SITE_NEWER_MARKER ||
        f->live == SITE_LIVE_UNKNOWN)
        c->stayed = true;
}

/* The directories of all sides of a study, by its id; one by its own. */
static bool is_meant(const struct cleaning *c, const char *id)
{
    char of_side[SITE_ID_MAX];
    bool meant = !c->id;
    for (unsigned side = 1; !meant && side <= SITE_SIDES_MAX; side++) {
        site_side_id(c->id, side, of_side);
        meant = strcmp(of_side, id) == 0;
    }
    return meant;
}

static int clean(struct cleaning *c, struct err *err)
{
    struct site *site = NULL;
    struct site_found *found = NULL;
    unsigned n = 0, met = 0;
    int rc = site_open(c->target, &c->watch, &site, err);
    if (rc < 0)
        return rc;
    rc = site_scan(site, &found, &n, err);
    site_close(site);
    if (rc < 0)
        return rc;
    for (unsigned i = 0; i < n && !atomic_load(stopping_flag()); i++) {
        if (!is_meant(c, found[i].shape.id))
            continue;
        met++;
        clean_found(c, &found[i]);
    }
    site_found_free(found, n);
    if (c->id && met == 0)
        return err_set(err, -ENOENT, "no " SITE_PREFIX "%s under %s", c->id, c->target);
    return 0;
}

static int status_of(const struct cleaning *c)
{
    if (atomic_load(stopping_flag()))
        return CLI_NOT_VALID;
    if (c->stayed || c->failed)
        return CLI_COULD_NOT_RUN;
    if (c->removed == 0)
        console_note("nothing to remove under %s", c->target);
    return CLI_DONE;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct clean_values values = {.kept = false};
    struct output_values output = {.quiet = false};
    struct options_parsed parsed = {.values = {&values, &output}};
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    struct cleaning c = {.target = parsed.args[0], .id = parsed.args[1], .kept = values.kept};
    if (c.id && strncmp(c.id, SITE_PREFIX, strlen(SITE_PREFIX)) == 0)
        c.id += strlen(SITE_PREFIX);
    console_open(output.quiet);
    stopping_begin();
    struct watchdog dog = {0};
    int rc = watchdog_begin(&dog, &c.watch, &c.target, 1, values.stall_ns);
    if (rc < 0)
        err_set(&err, rc, "no thread to watch over what does not return: %s", err_name(rc));
    if (rc == 0)
        rc = clean(&c, &err);
    watchdog_end(&dog);
    if (rc < 0) {
        console_error("%s", err.text);
        return cli_status(rc, watchdog_saw_ops(&c.watch));
    }
    return status_of(&c);
}

const struct command cmd_clean = {
    .name = "clean",
    .brief = "remove what killed studies left on a target",
    .summary = "Removes what studies that were killed left on the target: exactly what their "
               "markers say they can have made, and nothing that is in use.",
    .args = "TARGET [ID]",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = 2,
    .example = {"loadline clean /mnt/filer", "loadline clean /mnt/filer k3m9xw2p"},
    .tables = tables,
    .run = run,
};
