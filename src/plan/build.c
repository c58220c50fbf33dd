#include "plan/build.h"
#include "plan/plan_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum section { SECTION_NONE, SECTION_SETUP, SECTION_BODY, SECTION_TEARDOWN };

struct plan_builder {
    struct plan *plan;
    enum section section;
    uint32_t section_start;
    int failed; /* first failure, -errno; reported by plan_freeze */
    char why[160];
};

static void fail(struct plan_builder *b, int code, const char *why)
{
    if (b->failed)
        return;
    b->failed = code;
    snprintf(b->why, sizeof b->why, "%s", why);
}

/* Room for one more element; arrays double, so their room is the next power of two of n. */
static void *grow(struct plan_builder *b, void *array, unsigned n, unsigned max, size_t size,
                  const char *what)
{
    if (n >= max) {
        char why[160];
        snprintf(why, sizeof why, "a plan holds at most %u %s", max, what);
        fail(b, -EINVAL, why);
        return NULL;
    }
    if (n != 0 && (n & (n - 1)) != 0)
        return array;
    void *more = realloc(array, (n == 0 ? 1 : 2 * (size_t)n) * size);
    if (!more)
        fail(b, -ENOMEM, "no memory for the plan");
    return more;
}

struct plan_builder *plan_new(uint64_t seed)
{
    struct plan_builder *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->plan = calloc(1, sizeof *b->plan);
    if (!b->plan) {
        free(b);
        return NULL;
    }
    b->plan->seed = seed;
    b->plan->sync_line = PLAN_NO_LINE;
    return b;
}

void plan_drop(struct plan_builder *b)
{
    if (!b)
        return;
    plan_free(b->plan);
    free(b);
}

void plan_instrument(struct plan_builder *b, const struct plan_instrument *instrument)
{
    b->plan->instrument = *instrument;
}

void plan_window(struct plan_builder *b, const struct plan_window *window)
{
    b->plan->window = *window;
}

uint16_t plan_add_set(struct plan_builder *b, const struct fileset_spec *spec)
{
    struct plan *plan = b->plan;
    struct fileset_spec *all =
        grow(b, plan->set, plan->sets, PLAN_SETS_MAX, sizeof *all, "filesets");
    if (!all)
        return 0;
    plan->set = all;
    plan->set[plan->sets] = *spec;
    return (uint16_t)plan->sets++;
}

uint16_t plan_add_line(struct plan_builder *b, const char *name, uint16_t op, bool open_loop)
{
    struct plan *plan = b->plan;
    for (unsigned i = 0; i < plan->lines; i++)
        if (strncmp(plan->line[i].name, name, PLAN_NAME_MAX - 1) == 0)
            return (uint16_t)i;
    struct plan_line *line =
        grow(b, plan->line, plan->lines, PLAN_LINES_MAX, sizeof *line, "lines");
    if (!line)
        return 0;
    plan->line = line;
    line += plan->lines;
    memset(line, 0, sizeof *line);
    snprintf(line->name, sizeof line->name, "%s", name);
    line->op = op;
    line->open_loop = open_loop;
    return (uint16_t)plan->lines++;
}

uint16_t plan_add_schedule(struct plan_builder *b, const struct plan_schedule *schedule)
{
    struct plan *plan = b->plan;
    struct plan_schedule *all =
        grow(b, plan->schedule, plan->schedules, PLAN_GROUPS_MAX, sizeof *all, "schedules");
    if (!all)
        return 0;
    plan->schedule = all;
    all[plan->schedules] = *schedule;
    return (uint16_t)plan->schedules++;
}

void plan_line_type(struct plan_builder *b, uint16_t line, const char *type)
{
    if (line < b->plan->lines)
        snprintf(b->plan->line[line].type, sizeof b->plan->line[line].type, "%s", type);
}

void plan_line_open_loop(struct plan_builder *b, uint16_t line)
{
    if (line < b->plan->lines)
        b->plan->line[line].open_loop = true;
}

uint16_t plan_add_draw(struct plan_builder *b, const struct draw *draw)
{
    struct plan *plan = b->plan;
    struct draw *all = grow(b, plan->draw, plan->draws, PLAN_OBJECTS_MAX, sizeof *all, "draws");
    if (!all)
        return 0;
    plan->draw = all;
    all[plan->draws] = *draw;
    return (uint16_t)++plan->draws;
}

uint16_t plan_add_event(struct plan_builder *b)
{
    if (b->plan->events == PLAN_OBJECTS_MAX) {
        fail(b, -EINVAL, "a plan holds at most 4096 events");
        return 0;
    }
    return (uint16_t)b->plan->events++;
}

uint16_t plan_add_semaphore(struct plan_builder *b, uint64_t credits)
{
    struct plan *plan = b->plan;
    struct plan_semaphore *all =
        grow(b, plan->semaphore, plan->semaphores, PLAN_OBJECTS_MAX, sizeof *all, "semaphores");
    if (!all)
        return 0;
    plan->semaphore = all;
    all[plan->semaphores].credits = credits;
    return (uint16_t)plan->semaphores++;
}

uint16_t plan_add_text(struct plan_builder *b, const char *text)
{
    struct plan *plan = b->plan;
    for (unsigned i = 0; i < plan->texts; i++)
        if (strcmp(plan->text[i], text) == 0)
            return (uint16_t)i;
    char **all = grow(b, plan->text, plan->texts, PLAN_OBJECTS_MAX, sizeof *all, "texts");
    if (!all)
        return 0;
    plan->text = all;
    all[plan->texts] = strdup(text);
    if (!all[plan->texts]) {
        fail(b, -ENOMEM, "no memory for the plan");
        return 0;
    }
    return (uint16_t)plan->texts++;
}

void plan_quit(struct plan_builder *b, enum plan_quit quit)
{
    b->plan->quit = quit;
}

void plan_sync_at_end(struct plan_builder *b, uint16_t line)
{
    b->plan->sync_at_end = true;
    b->plan->sync_line = line;
}

void plan_touched(struct plan_builder *b, uint64_t block_bytes)
{
    b->plan->touched_bytes = block_bytes;
}

void plan_begin_group(struct plan_builder *b, const char *name, uint32_t streams, uint32_t clients)
{
    struct plan *plan = b->plan;
    if (b->section != SECTION_NONE)
        fail(b, -EINVAL, "a group began before the last one was complete");
    struct plan_group *group =
        grow(b, plan->group, plan->groups, PLAN_GROUPS_MAX, sizeof *group, "groups");
    if (!group)
        return;
    plan->group = group;
    group += plan->groups++;
    memset(group, 0, sizeof *group);
    snprintf(group->name, sizeof group->name, "%s", name);
    group->streams = streams;
    group->clients = clients;
    group->processes = 1;
    group->io_priority = -1;
    group->setup = plan->steps;
    b->section = SECTION_SETUP;
    b->section_start = plan->steps;
}

/* NULL: something failed before, and it may be this group. */
static struct plan_group *last_group(struct plan_builder *b)
{
    return b->failed ? NULL : &b->plan->group[b->plan->groups - 1];
}

void plan_group_processes(struct plan_builder *b, uint32_t first, uint32_t n)
{
    struct plan_group *group = last_group(b);
    if (!group)
        return;
    group->process = first;
    group->processes = n;
    if (first + n > b->plan->processes)
        b->plan->processes = first + n;
}

void plan_group_manners(struct plan_builder *b, int nice, int io_priority)
{
    struct plan_group *group = last_group(b);
    if (!group)
        return;
    group->nice = (int8_t)nice;
    group->io_priority = (int8_t)io_priority;
}

void plan_group_pool(struct plan_builder *b, uint64_t bytes)
{
    struct plan_group *group = last_group(b);
    if (group)
        group->pool_bytes = bytes;
}

void plan_group_detached(struct plan_builder *b, uint32_t most)
{
    struct plan_group *group = last_group(b);
    if (group)
        group->detached = most;
}

uint16_t plan_add_counter(struct plan_builder *b, bool bytes, bool process)
{
    struct plan_group *group = last_group(b);
    if (!group)
        return 0;
    if (group->counters == PLAN_COUNTERS_MAX) {
        fail(b, -EINVAL, "a group holds at most 64 counters");
        return 0;
    }
    group->counter[group->counters].bytes = bytes;
    group->counter[group->counters].process = process;
    return (uint16_t)group->counters++;
}

uint32_t plan_here(const struct plan_builder *b)
{
    return b->plan->steps - b->section_start;
}

uint32_t plan_add_step(struct plan_builder *b, const struct plan_step *step)
{
    struct plan *plan = b->plan;
    if (b->section == SECTION_NONE)
        fail(b, -EINVAL, "a step stands outside a group");
    struct plan_step *all = grow(b, plan->step, plan->steps, PLAN_STEPS_MAX, sizeof *all, "steps");
    if (!all)
        return 0;
    plan->step = all;
    all[plan->steps] = *step;
    return plan->steps++ - b->section_start;
}

void plan_step_to(struct plan_builder *b, uint32_t step, uint32_t to)
{
    uint32_t at = b->section_start + step;
    if (at < b->plan->steps)
        b->plan->step[at].to = to;
    else
        fail(b, -EINVAL, "a jump is set on a step that does not exist");
}

void plan_step_skip(struct plan_builder *b, uint32_t step, uint32_t skip)
{
    uint32_t at = b->section_start + step;
    if (at < b->plan->steps)
        b->plan->step[at].skip = skip;
    else
        fail(b, -EINVAL, "a jump is set on a step that does not exist");
}

void plan_end_section(struct plan_builder *b)
{
    const struct plan_step end = {.kind = PLAN_END};
    struct plan *plan = b->plan;
    plan_add_step(b, &end);
    if (b->failed)
        return;
    for (uint32_t i = b->section_start; i < plan->steps; i++) {
        plan->step[i].to += b->section_start;
        plan->step[i].skip += b->section_start;
        if (plan->step[i].to >= plan->steps || plan->step[i].skip >= plan->steps)
            fail(b, -EINVAL, "a jump leaves its section");
    }
    b->section_start = plan->steps;
    struct plan_group *group = &plan->group[plan->groups - 1];
    switch (b->section) {
    case SECTION_SETUP:
        group->body = plan->steps;
        b->section = SECTION_BODY;
        break;
    case SECTION_BODY:
        group->teardown = plan->steps;
        b->section = SECTION_TEARDOWN;
        break;
    default:
        b->section = SECTION_NONE;
    }
}

int plan_freeze(struct plan_builder *b, const struct target_caps *caps, struct plan **out,
                struct err *err)
{
    struct plan *plan = b->plan;
    int rc = b->failed;
    if (rc < 0)
        err_set(err, rc, "%s", b->why);
    else if (b->section != SECTION_NONE)
        rc = err_set(err, -EINVAL, "the last group of the plan is not complete");
    else
        rc = plan_check(plan, caps, err);
    if (rc == 0)
        rc = plan_hash(plan, err);
    if (rc == 0) {
        *out = plan;
        b->plan = NULL;
    }
    plan_drop(b);
    return rc;
}
