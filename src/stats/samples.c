#include "stats/samples.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t block_bytes(unsigned lines)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = sizeof(struct samples_block) + lines * sizeof(struct samples_line);
    return (bytes + page - 1) / page * page;
}

/* Zero pages that cost nothing until they are written. Huge pages are declined: one sample would
 * make 2 MiB of them real, in every worker. */
static void *map_blocks(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    (void)madvise(map, bytes, MADV_NOHUGEPAGE);
    return map;
}

size_t samples_bytes(unsigned lines)
{
    return 2 * block_bytes(lines);
}

int samples_init(struct samples *s, unsigned lines)
{
    size_t bytes = samples_bytes(lines);
    char *map = map_blocks(bytes);
    if (!map)
        return -ENOMEM;
    s->block[0] = (void *)map;
    s->block[1] = (void *)(map + block_bytes(lines));
    s->block[0]->lines = lines;
    s->block[1]->lines = lines;
    atomic_init(&s->published, NULL);
    s->current = 0;
    s->kept = 0;
    s->map_bytes = bytes;
    return 0;
}

void samples_fini(struct samples *s)
{
    if (s->map_bytes)
        munmap(s->block[0], s->map_bytes);
    s->block[0] = NULL;
    s->block[1] = NULL;
    s->map_bytes = 0;
}

bool samples_turn(struct samples *s, uint64_t next_interval)
{
    if (atomic_load_explicit(&s->published, memory_order_acquire)) {
        s->kept++;
        return false;
    }
    struct samples_block *full = samples_current(s);
    s->current ^= 1;
    samples_current(s)->interval = next_interval;
    atomic_store_explicit(&s->published, full, memory_order_release);
    return true;
}

struct samples_block *samples_take(struct samples *s)
{
    return atomic_load_explicit(&s->published, memory_order_acquire);
}

void samples_give(struct samples *s, struct samples_block *block)
{
    samples_block_clear(block);
    atomic_store_explicit(&s->published, NULL, memory_order_release);
}

struct samples_block *samples_block_new(unsigned lines)
{
    struct samples_block *block = map_blocks(block_bytes(lines));
    if (block)
        block->lines = lines;
    return block;
}

void samples_block_free(struct samples_block *block)
{
    if (block)
        munmap(block, block_bytes(block->lines));
}

/* Writing zero to a page that was never touched would make it real; hist_clear knows as well. */
static void line_clear(struct samples_line *line)
{
    if (line->ops | line->bytes | line->extra | line->samples) {
        line->ops = 0;
        line->bytes = 0;
        line->extra = 0;
        line->samples = 0;
    }
    hist_clear(&line->service);
    hist_clear(&line->response);
}

void samples_block_clear(struct samples_block *block)
{
    block->interval = 0;
    hist_clear(&block->lateness);
    for (unsigned i = 0; i < block->lines; i++)
        line_clear(&block->line[i]);
}

static void line_merge(struct samples_line *into, const struct samples_line *from)
{
    if (from->ops | from->bytes | from->extra | from->samples) {
        into->ops += from->ops;
        into->bytes += from->bytes;
        into->extra += from->extra;
        into->samples += from->samples;
    }
    hist_merge(&into->service, &from->service);
    hist_merge(&into->response, &from->response);
}

void samples_line_subtract(struct samples_line *from, const struct samples_line *part)
{
    from->ops -= part->ops;
    from->bytes -= part->bytes;
    from->extra -= part->extra;
    from->samples -= part->samples;
    hist_subtract(&from->service, &part->service);
    hist_subtract(&from->response, &part->response);
}

void samples_block_merge(struct samples_block *into, const struct samples_block *from)
{
    hist_merge(&into->lateness, &from->lateness);
    for (unsigned i = 0; i < into->lines && i < from->lines; i++)
        line_merge(&into->line[i], &from->line[i]);
}
