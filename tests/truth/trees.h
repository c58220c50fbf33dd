/* truth/trees.h — plans that write and read a tree of real files, as the tree test does.
 * Shape    tree_write, tree_read → truth_run under a truth_dir; roots are made in setup, directories
 *          and files in the body.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_TREES_H
#define LOADLINE_TRUTH_TREES_H

#include "truth/truth.h"

#define TREE_PIECE 4096u

/* 2 trees of 3 + 9 directories, 2 files in each: 24 directories, 48 files. */
static inline struct fileset_spec tree_small(uint64_t size_bytes)
{
    return (struct fileset_spec){.shape = FILESET_TREE,
                                 .trees = 2,
                                 .levels = 2,
                                 .branches = 3,
                                 .files = 2,
                                 .size_bytes = size_bytes,
                                 .content_key = 99};
}

static inline uint16_t tree_line(struct plan_builder *b, enum op_kind op)
{
    return plan_add_line(b, op_kind_name(op), (uint16_t)op, false);
}

static inline struct plan_builder *tree_begin(const struct fileset_spec *spec)
{
    struct plan_builder *b = plan_new(2001);
    assert_non_null(b);
    plan_window(b, &(struct plan_window){.interval_ns = 20 * MS_NS});
    plan_add_set(b, spec);
    return b;
}

/* files of the directory, then the next directory; both picks end the section when exhausted. */
static inline void tree_close_loops(struct plan_builder *b, uint32_t pick_file, uint32_t files)
{
    t_add(b, t_loop(pick_file, files, 0));
    uint32_t last = t_add(b, t_loop(0, 0, 1));
    plan_step_to(b, 0, last + 1);
    plan_step_to(b, pick_file, last + 1);
    plan_end_section(b);
}

static inline void tree_add_whole(struct plan_builder *b, enum op_kind op, bool verify)
{
    struct plan_step step = t_op(op, tree_line(b, op), 1);
    step.whole = true;
    step.verify = verify;
    step.io_bytes = TREE_PIECE;
    t_add(b, step);
}

static inline struct plan_builder *tree_write(const struct fileset_spec *spec)
{
    struct plan_builder *b = tree_begin(spec);
    plan_begin_group(b, "write", spec->trees, 1);
    t_add(b, t_pick(PLAN_UNIT_ROOT, PLAN_ORDER_OWN, 2));
    t_add(b, t_op(OP_MKDIR, PLAN_NO_LINE, 2));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, t_pick(PLAN_UNIT_DIR, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_MKDIR, tree_line(b, OP_MKDIR), 0));
    t_add(b, t_op(OP_LOOKUP, tree_line(b, OP_LOOKUP), 0));
    uint32_t pick_file = t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 1));
    t_add(b, t_op(OP_CREATE, tree_line(b, OP_CREATE), 1));
    tree_add_whole(b, OP_WRITE, false);
    t_add(b, t_op(OP_CLOSE, tree_line(b, OP_CLOSE), 1));
    tree_close_loops(b, pick_file, spec->files);
    plan_end_section(b);
    return b;
}

static inline struct plan_builder *tree_read(const struct fileset_spec *spec, bool verify)
{
    struct plan_builder *b = tree_begin(spec);
    struct plan_step open = t_op(OP_OPEN, tree_line(b, OP_OPEN), 1);
    open.op_flags = OP_FLAG_READ;
    plan_begin_group(b, "read", spec->trees, 1);
    plan_end_section(b);
    t_add(b, t_pick(PLAN_UNIT_DIR, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_LOOKUP, tree_line(b, OP_LOOKUP), 0));
    uint32_t pick_file = t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 1));
    t_add(b, open);
    tree_add_whole(b, OP_READ, verify);
    t_add(b, t_op(OP_CLOSE, tree_line(b, OP_CLOSE), 1));
    tree_close_loops(b, pick_file, spec->files);
    plan_end_section(b);
    return b;
}

/* Lists each directory into pieces of list_bytes, and goes by what it finds there. */
static inline struct plan_builder *tree_walk(const struct fileset_spec *spec, uint64_t list_bytes)
{
    struct plan_builder *b = tree_begin(spec);
    struct plan_step open = t_op(OP_OPEN, tree_line(b, OP_OPEN), 1);
    struct plan_step list = t_op(OP_READDIR, tree_line(b, OP_READDIR), 0);
    open.op_flags = OP_FLAG_READ;
    list.io_bytes = list_bytes;
    plan_begin_group(b, "walk", spec->trees, 1);
    plan_end_section(b);
    t_add(b, t_pick(PLAN_UNIT_ROOT, PLAN_ORDER_OWN, 0));
    uint32_t look = t_add(b, t_op(OP_LOOKUP, tree_line(b, OP_LOOKUP), 0));
    t_add(b, list);
    uint32_t pick_dir = t_add(b, t_pick(PLAN_UNIT_DIR, PLAN_ORDER_LISTED, 0));
    t_add(b, t_loop(look, 0, 0));
    uint32_t pick_file = t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_LISTED, 1));
    t_add(b, open);
    tree_add_whole(b, OP_READ, true);
    t_add(b, t_op(OP_CLOSE, tree_line(b, OP_CLOSE), 1));
    uint32_t last = t_add(b, t_loop(pick_dir, 0, 0));
    plan_step_to(b, pick_dir, pick_file);
    plan_step_to(b, pick_file, 0);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
    plan_end_section(b);
    return b;
}

#endif
