#include "study/device_look_priv.h"
#include "study/io_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define DIRECT_LEAST_BYTES 512

static bool same_files(const struct site_found *found, const struct io_study *io)
{
    const struct site_shape *a = &found->shape;
    return found->marker == SITE_OURS && !found->live && a->kept &&
           strcmp(a->study, io->s.kind) == 0 && a->seed == io->s.common->seed && a->lengths == 0 &&
           a->spec.shape == FILESET_FLAT && a->spec.files == io->spec.files &&
           a->spec.size_bytes == io->spec.size_bytes &&
           a->spec.content_key == io->spec.content_key &&
           a->spec.compress_centi == io->spec.compress_centi;
}

/* Takes over files that an earlier io kept. Damaged ones are refused by name, neither measured nor
 * quietly replaced: someone kept them for a reason. */
static int adopt(struct io_study *io, const struct site_found *found, struct err *err)
{
    char target[SITE_WORD_MAX];
    int rc = site_adopt(io->s.site, found->shape.id, &io->s.shape, err);
    if (rc < 0)
        return rc;
    site_place(&io->s.shape, 0, 0, 0, io->place, sizeof io->place);
    rc = site_check_place(io->s.site, &io->s.shape, io->place, io->spec.size_bytes, err);
    if (rc < 0) {
        err_prefix(err,
                   "files kept by an earlier io do not fit their marker (loadline clean %s --kept)",
                   site_clean_word(io->s.common->target, target));
        return rc;
    }
    io->s.on_site = true;
    io->s.adopted = true;
    return 0;
}

static int look_for_kept(struct io_study *io, struct err *err)
{
    struct site_found *found = NULL;
    unsigned n = 0;
    int rc = site_scan(io->s.site, &found, &n, err);
    for (unsigned i = 0; rc == 0 && i < n && !io->s.adopted; i++)
        if (same_files(&found[i], io))
            rc = adopt(io, &found[i], err);
    site_found_free(found, n);
    return rc;
}

static int make_site(struct io_study *io, struct err *err)
{
    uint64_t room_bytes;
    int rc = study_check_space(&io->s, study_set_bytes(&io->spec), study_set_files(&io->spec), "",
                               "a smaller --size", &room_bytes, err);
    if (rc == 0)
        rc = study_shape(&io->s, &io->spec, NULL, 0, 0, 0, err);
    if (rc == 0)
        rc = site_begin(io->s.site, &io->s.shape, err);
    if (rc == 0) {
        io->s.on_site = true;
        site_place(&io->s.shape, 0, 0, 0, io->place, sizeof io->place);
    }
    return rc;
}

/* What was asked for is tried first: a run of refused ops, or of ops that bypass nothing, measures
 * nothing of what its name says. */
static int settle_direct(struct io_study *io, struct err *err)
{
    enum plan_cache *cache = &io->s.instrument.cache;
    uint64_t unit =
        io_blocks_align(io->o, STUDY_DIRECT_BYTES) ? STUDY_DIRECT_BYTES : DIRECT_LEAST_BYTES;
    int rc = site_direct_probe(io->s.site, &io->s.shape, unit, err);
    if (rc < 0)
        return rc;
    if (*cache != PLAN_CACHE_RAM)
        *cache = PLAN_CACHE_DIRECT;
    else
        study_warn(&io->s, "%s lies in this machine's memory: --direct bypasses nothing there",
                   io->s.common->target);
    return 0;
}

/* The mode of the sweep, with what this run itself asks for: direct passes the cache by in any
 * case, and a block that O_DIRECT cannot take leaves nothing that is proven. */
static int settle_cache(struct io_study *io, struct err *err)
{
    int rc = study_settle_cache(&io->s, io->o->cache, err);
    enum plan_cache *cache = &io->s.instrument.cache;
    bool by_nothing = *cache == PLAN_CACHE_UNCACHED && !study_models_cache(&io->s);
    if (rc == 0 && by_nothing && io->o->direct)
        study_warn(&io->s,
                   "%s is asked by a client without a cache: --direct bypasses nothing there",
                   io->s.common->target);
    if (rc < 0 || *cache == PLAN_CACHE_NONE || by_nothing)
        return rc;
    if (io->o->direct)
        return settle_direct(io, err);
    if (*cache == PLAN_CACHE_DIRECT && !io_blocks_align(io->o, STUDY_DIRECT_BYTES))
        *cache = PLAN_CACHE_UNVERIFIED;
    return 0;
}

/* Nothing is made on a device and nothing marked: it is there, and its bytes are as they are. */
static int settle_device(struct io_study *io, struct err *err)
{
    int rc = study_settle_device(&io->s, io->o->cache, err);
    if (rc == 0 && io->o->direct)
        io->s.instrument.cache = PLAN_CACHE_DIRECT;
    return rc;
}

static int settle_site(struct io_study *io, struct err *err)
{
    int rc = look_for_kept(io, err);
    if (rc == 0 && !io->s.adopted)
        rc = make_site(io, err);
    return rc == 0 ? settle_cache(io, err) : rc;
}

static int check_plans(const struct io_study *io, struct err *err)
{
    struct plan *plan = NULL;
    int rc = io_plan_run(&io->s, io->o, &io->spec, &plan, err);
    if (rc == 0)
        rc = study_check_memory(&io->s, plan, 0, err);
    plan_free(plan);
    return rc;
}

/* Said before anything is made there. */
static int check_direct(const struct io_study *io, struct err *err)
{
    unsigned align = io->s.caps.direct_align_bytes;
    if (!io->o->direct || align == 0 || io_blocks_align(io->o, align))
        return 0;
    return err_set(err, -EINVAL,
                   "--direct with blocks of %" PRIu64
                   " bytes: on %s direct I/O is of multiples of %u "
                   "bytes; larger blocks, or leave --direct out",
                   io_block_least(io->o), io->s.common->target, align);
}

static int begin(struct io_study *io, struct err *err)
{
    const struct io_options *o = io->o;
    io->spec = (struct fileset_spec){.shape = FILESET_FLAT,
                                     .trees = 1,
                                     .files = io_file_count(o),
                                     .content_key = 1,
                                     .compress_centi = o->compress_centi};
    int rc = check_direct(io, err);
    io->s.gauge.own_clock = io->s.caps.own_clock;
    if (rc == 0)
        rc = io_file_bytes(o, &io->spec.size_bytes, err);
    if (rc == 0)
        rc = fileset_spec_check(&io->spec, err);
    if (rc == 0)
        rc = io->s.caps.one_file ? settle_device(io, err) : settle_site(io, err);
    if (rc == 0)
        study_tell_caveats(&io->s, o->read_percent < 100, o->read_percent < 100,
                           o->sync != IO_SYNC_NONE);
    if (rc == 0)
        rc = check_plans(io, err);
    return rc == 0 ? io_announce(io, err) : rc;
}

static int lay_out(struct io_study *io, struct err *err)
{
    struct engine_outcome out = {0};
    struct plan *plan = NULL;
    char text[ERR_TEXT_MAX];
    if (io->s.adopted || io->s.caps.keeps_nothing || io->s.caps.one_file)
        return 0;
    study_say(&io->s, 0, "laying out %" PRIu32 " files", io->spec.files);
    int rc = site_make_place(io->s.site, io->place, err);
    if (rc == 0)
        rc = io_plan_layout(&io->s, &io->spec, &plan, err);
    if (rc == 0)
        rc = study_engine(&io->s, plan, io->place, &out, err);
    if (rc == 0)
        study_judge(&io->s, plan, &out, true);
    /* What could not be laid out cannot be measured. */
    if (rc == 0 && out.errors > 0) {
        study_error_text(&io->s, plan, &out.error[0], text, sizeof text);
        rc = err_set(err, out.error[0].code, "laying out: %s", text);
    }
    engine_outcome_fini(&out);
    study_drop_plan(&io->s, plan);
    return rc;
}

static int deliver(struct io_study *io, struct study_run *run, struct err *err)
{
    struct result *r = NULL;
    int rc = study_result(&io->s, run, &r, err);
    if (rc < 0)
        return rc;
    rc = io_put_options(io, run->plan, &r->options);
    if (rc < 0) {
        result_free(r);
        return err_set(err, rc, "no memory for a result");
    }
    return study_deliver(&io->s, r, &io->row, err);
}

static int prepare_device(struct io_study *io, struct study_run *run, struct err *err)
{
    bool keep = io->s.instrument.cache == PLAN_CACHE_KEEP;
    run->cache.resident_known &= !keep;
    return keep ? 0 : study_device_empty(&io->s, io->spec.size_bytes, &run->cache, err);
}

static int ask_dirty(struct io_study *io, struct result_cache *cache, struct err *err)
{
    if (!io->s.caps.one_file)
        return study_ask_dirty(&io->s, &io->spec, io->place, cache, err);
    cache->dirty_known &= !io->s.over;
    return cache->dirty_known ? study_device_dirty(&io->s, io->spec.size_bytes, cache, err) : 0;
}

/* Before the gate: files durable, the cache as asked, and what is known of both. */
static int prepare(struct io_study *io, struct study_run *run, struct err *err)
{
    study_cache_begin(&io->s, run);
    study_say(&io->s, io_left_ns(io), "preparing");
    if (io->s.caps.one_file)
        return prepare_device(io, run, err);
    /* Also where the cache is kept: pages stay, and what is dirty afterwards is this run's. */
    int rc = site_sync(io->s.site, err);
    if (rc == 0)
        rc = study_prepare_read(&io->s, &io->spec, io->place, run, err);
    return rc;
}

static int run(struct io_study *io, struct err *err)
{
    const struct io_options *o = io->o;
    struct study_run run = {.phase = "",
                            .reads = o->read_percent > 0,
                            .writes = o->read_percent < 100,
                            .piece_bytes = io_block_least(o)};
    struct plan *plan = NULL;

    int rc = prepare(io, &run, err);
    if (rc < 0 || study_check_stop(&io->s))
        goto out;
    if (!io->s.caps.one_file)
        study_ask_stored(&io->s, &io->spec, io->place, &run.stored);
    rc = io_plan_run(&io->s, o, &io->spec, &plan, err);
    if (rc < 0)
        goto out;
    io_say_running(io);
    rc = study_run_pass(&io->s, &run, plan, io->place, run.writes, err);
    if (rc == 0)
        rc = ask_dirty(io, &run.cache, err);
    if (rc == 0)
        rc = study_after_read(&io->s, &io->spec, io->place, &run, err);
    if (rc == 0)
        rc = deliver(io, &run, err);
out:
    study_run_fini(&io->s, &run);
    return rc;
}

/* A fault whose moment lies behind the end of the run proves nothing of what it was meant for. */
static void warn_of_faults(struct io_study *io)
{
    double fired = 0;
    for (unsigned i = 0; i < io->row.n; i++)
        fired += result_fact_number(&io->row.result[i]->counters, "faults_fired", 1);
    if (io->row.n > 0 && fired < 0.5)
        study_warn(&io->s, "none of the faults of %s happened in the window that was measured",
                   io->s.common->target);
}

static int run_all(struct io_study *io, struct err *err)
{
    int rc = 0;
    do {
        io->repeat++;
        rc = run(io, err);
    } while (rc == 0 && !study_check_stop(&io->s) && io_needs_more(io));
    warn_of_faults(io);
    study_row_done(&io->s, &io->row);
    return rc;
}

int study_io(const struct study_common *common, const struct io_options *options,
             const struct study_sink *sink, struct err *err)
{
    struct io_study io = {.o = &io.fitted, .fitted = *options};
    int rc = io_options_check(options, err);
    if (rc < 0)
        return rc;
    rc = study_open(&io.s, "io", common, sink, err);
    if (rc == 0)
        rc = io_options_fit(&io.fitted, &io.s.caps, err);
    if (rc == 0)
        rc = study_watch_begin(&io.s, err);
    if (rc == 0)
        rc = begin(&io, err);
    if (rc == 0)
        rc = lay_out(&io, err);
    if (rc == 0 && !study_check_stop(&io.s))
        rc = run_all(&io, err);
    rc = study_forgive(&io.s, rc, err);
    study_tidy(&io.s, "", 1);
    if (rc == 0)
        study_ended(&io.s);
    study_close(&io.s);
    return rc;
}
