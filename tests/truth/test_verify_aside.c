/* check_priv.h: on an asynchronous target what was read is compared by helpers, and nothing is missed by it. */
#include "truth/trees.h"
#include "unit/worker_rig.h"

#define PIECE      65536u
#define FILE_BYTES 100001u

static struct plan_builder *reads(const struct fileset_spec *spec)
{
    struct plan_builder *b = tree_begin(spec);
    struct plan_step open = t_op(OP_OPEN, tree_line(b, OP_OPEN), 1);
    struct plan_step read = t_op(OP_READ, tree_line(b, OP_READ), 1);
    open.op_flags = OP_FLAG_READ;
    read.whole = read.verify = true;
    read.io_bytes = PIECE;
    plan_begin_group(b, "read", spec->trees, 1);
    plan_end_section(b);
    t_add(b, t_pick(PLAN_UNIT_DIR, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_LOOKUP, tree_line(b, OP_LOOKUP), 0));
    uint32_t pick_file = t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 1));
    t_add(b, open);
    t_add(b, read);
    t_add(b, t_op(OP_CLOSE, tree_line(b, OP_CLOSE), 1));
    tree_close_loops(b, pick_file, spec->files);
    plan_end_section(b);
    return b;
}

struct tree {
    struct fileset_spec spec;
    struct truth_dir dir;
    char address[80];
};

static void tree_make(struct tree *t)
{
    struct measured m;
    t->spec = tree_small(FILE_BYTES);
    truth_dir_make(&t->dir);
    truth_run(&m, tree_write(&t->spec), t->dir.path);
    assert_int_equal(m.out.end, ENGINE_DONE);
    truth_fini(&m);
    snprintf(t->address, sizeof t->address, "uring:%s", t->dir.path);
}

static void flip(const struct tree *t, const char *file, off_t at)
{
    char path[120];
    unsigned char byte;
    snprintf(path, sizeof path, "%s/%s", t->dir.path, file);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void what_is_right_passes(void **state)
{
    (void)state;
    struct tree t;
    struct measured m;
    tree_make(&t);
    for (unsigned workers = 1; workers <= 2; workers++) {
        truth_run_job(&m, reads(&t.spec), t.address, (struct engine_job){.workers = workers});
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_int_equal(engine_error_count(&m.out), 0);
        assert_int_equal(truth_line(&m, "read")->bytes, fileset_spec_bytes(&t.spec));
        assert_int_equal(truth_line(&m, "close")->ops, fileset_spec_files(&t.spec));
        truth_fini(&m);
    }
    truth_dir_remove(&t.dir);
}

/* In the first piece, in the second, and in the very last byte of the run. */
static void a_wrong_byte_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        off_t at;
    } wrong[] = {{"t00/d0/f0", 0}, {"t01/d2/d1/f1", 70000}, {"t01/d2/d2/f1", FILE_BYTES - 1}};
    struct tree t;
    struct measured m;
    tree_make(&t);
    for (unsigned i = 0; i < TRUTH_COUNT(wrong); i++) {
        flip(&t, wrong[i].file, wrong[i].at);
        truth_run(&m, reads(&t.spec), t.address);
        assert_int_equal(m.out.end, ENGINE_MISMATCH);
        assert_true(m.out.mismatch.found);
        assert_string_equal(m.out.mismatch.path, wrong[i].file);
        assert_int_equal(m.out.mismatch.off, wrong[i].at);
        truth_fini(&m);
        flip(&t, wrong[i].file, wrong[i].at);
    }
    truth_dir_remove(&t.dir);
}

/* CHECK_HERE_BYTES: less than that is compared at once, and so is everything where there is no helper. */
static void what_is_little_is_compared_at_once(void **state)
{
    (void)state;
    struct tree t = {.spec = tree_small(FILE_BYTES)};
    struct rig rig;
    rig_begin(&rig, tree_write(&t.spec));
    assert_int_equal(content_open(&rig.run.content, 1, 0), 0);
    rig_set_up(&rig, 0, 1);
    struct worker *w = rig.worker;
    struct stream *s = &w->stream[0];
    struct slot slot = {.size = FILE_BYTES};
    struct check check = {.asked = false};
    unsigned char *buf = calloc(1, FILE_BYTES);
    assert_non_null(buf);
    s->buf = buf;
    s->wait.check = &check;
    check_note(w, s, &slot, CHECK_HERE_BYTES);
    assert_true(w->mismatch.found); /* no helpers: found here and now */
    assert_false(check.asked);
    w->mismatch.found = false;
    rig.run.sync->hogs = (struct hogs *)(void *)&rig; /* is not looked into */
    check_note(w, s, &slot, CHECK_HERE_BYTES - 1);
    assert_true(w->mismatch.found && !check.asked);
    w->mismatch.found = false;
    check_note(w, s, &slot, CHECK_HERE_BYTES);
    assert_true(!w->mismatch.found && check.asked);
    rig.run.sync->hogs = NULL;
    s->wait.check = NULL;
    free(buf);
    rig_fini(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_passes),
        cmocka_unit_test(a_wrong_byte_is_named),
        cmocka_unit_test(what_is_little_is_compared_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
