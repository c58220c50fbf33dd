#include "study/study_math_priv.h"

#include "base/rng.h"

#define BLOCK_BYTES      4096u
#define MS               1000000u
#define SMALL_FILE_BYTES 16384u

/* A fast local disk: with it k, and so the space, is never guessed too small. */
static const struct tree_pace fast_pace = {.file_ns = 15000, .byte_ns = 0.6};

static uint64_t mul_sat(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add_sat(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t study_round_up(uint64_t value, uint64_t multiple)
{
    uint64_t rest = value % multiple;
    return rest == 0 ? value : add_sat(value, multiple - rest);
}

static unsigned times_for(uint64_t min_time_ns, uint64_t elapsed_ns, unsigned most)
{
    if (elapsed_ns == 0)
        return most;
    uint64_t k = min_time_ns / elapsed_ns + (min_time_ns % elapsed_ns != 0);
    if (k < 1)
        return 1;
    return k > most ? most : (unsigned)k;
}

unsigned study_trees_for(uint64_t min_time_ns, uint64_t elapsed_ns)
{
    return times_for(min_time_ns, elapsed_ns, STUDY_TREES_MAX);
}

unsigned study_passes_for(uint64_t min_time_ns, uint64_t first_ns, uint64_t second_ns)
{
    return times_for(min_time_ns, second_ns > 0 ? second_ns : first_ns, STUDY_PASSES_MAX);
}

uint64_t study_set_bytes(const struct fileset_spec *spec)
{
    uint64_t dirs = fileset_spec_dirs(spec) + spec->trees;
    return add_sat(mul_sat(fileset_spec_files(spec), study_round_up(spec->size_bytes, BLOCK_BYTES)),
                   mul_sat(dirs, BLOCK_BYTES));
}

uint64_t study_set_files(const struct fileset_spec *spec)
{
    return fileset_spec_files(spec) + fileset_spec_dirs(spec) + spec->trees + 1;
}

uint64_t study_room_bytes(const struct target_space *space)
{
    uint64_t reserve = space->total_bytes / 20;
    uint64_t room = space->free_bytes > reserve ? space->free_bytes - reserve : 0;
    return study_quota_binds(&space->quota_bytes, room) ? space->quota_bytes.left : room;
}

uint64_t study_room_files(const struct target_space *space)
{
    bool binds = study_quota_binds(&space->quota_files, space->free_files);
    return binds ? space->quota_files.left : space->free_files;
}

bool study_quota_binds(const struct target_quota *quota, uint64_t room)
{
    return quota->of[0] != '\0' && quota->left < room;
}

unsigned study_trees_fit(unsigned want, uint64_t room_bytes, uint64_t each_bytes)
{
    uint64_t fit = each_bytes == 0 ? want : room_bytes / each_bytes;
    if (fit < 1)
        return 1;
    return fit < want ? (unsigned)fit : want;
}

uint64_t study_content_key(uint64_t length_bytes, unsigned repeat, unsigned tree)
{
    return mix64_pair(mix64_pair(length_bytes, repeat), tree);
}

uint64_t study_interval_ns(uint64_t measure_ns)
{
    uint64_t want = measure_ns / 20;
    if (want < 100 * MS)
        return 100 * MS;
    return want > 1000 * MS ? 1000 * MS : want;
}

void tree_pace_learn(struct tree_pace *pace, uint64_t files, uint64_t bytes, uint64_t wall_ns)
{
    if (files == 0)
        return;
    if (bytes / files < SMALL_FILE_BYTES) {
        pace->file_ns = (double)wall_ns / (double)files;
        return;
    }
    double of_bytes = (double)wall_ns - pace->file_ns * (double)files;
    if (of_bytes > 0)
        pace->byte_ns = of_bytes / (double)bytes;
    else
        pace->file_ns = (double)wall_ns / (double)files;
}

double tree_pace_ns(const struct tree_pace *pace, uint64_t files, uint64_t bytes)
{
    return pace->file_ns * (double)files + pace->byte_ns * (double)bytes;
}

unsigned tree_pace_trees(const struct tree_pace *pace, const struct tree_options *options,
                         uint64_t files, uint64_t length_bytes)
{
    if (options->one_tree)
        return 1;
    /* Writing, preparing and reading take about a third each. */
    double part = tree_pace_ns(pace, files, mul_sat(files, length_bytes)) / 3;
    return study_trees_for(options->min_time_ns, (uint64_t)part + 1);
}

static unsigned pilots(const struct tree_options *options)
{
    return options->one_tree ? 0 : 1;
}

double tree_pace_cycles(unsigned trees, unsigned passes)
{
    /* A further pass prepares and reads, and writes nothing. */
    return passes > trees ? trees + (passes - trees) * 2 / 3.0 : trees;
}

uint64_t tree_pace_row_ns(const struct tree_pace *pace, const struct tree_options *options,
                          uint64_t files, uint64_t length_bytes)
{
    double each_ns = tree_pace_ns(pace, files, mul_sat(files, length_bytes));
    /* Writing is timed into this machine's cache, and only the time between waits for the disk. */
    unsigned trees = tree_pace_trees(&fast_pace, options, files, length_bytes);
    unsigned passes = trees;
    if (!options->one_tree && !options->write_only)
        passes = study_passes_for(options->min_time_ns, (uint64_t)(each_ns / 3) + 1, 0);
    double cycles = pilots(options) * tree_pace_cycles(1, 2) +
                    tree_pace_cycles(trees, passes) * options->repeats;
    return (uint64_t)(cycles * each_ns);
}

void tree_need_of(const struct tree_options *options, const struct fileset_spec *spec, bool keep,
                  struct tree_need *out)
{
    uint64_t files = fileset_spec_files(spec);
    uint64_t inodes = study_set_files(spec);
    uint64_t least_trees = keep ? options->repeats : 1;

    *out = (struct tree_need){0};
    for (unsigned i = 0; i < options->lengths; i++) {
        struct fileset_spec one = *spec;
        one.size_bytes = options->length_bytes[i];
        uint64_t each = study_set_bytes(&one);
        uint64_t trees =
            pilots(options) + (uint64_t)options->repeats *
                                  tree_pace_trees(&fast_pace, options, files, one.size_bytes);
        uint64_t payload = mul_sat(files, one.size_bytes);

        out->write_bytes = add_sat(out->write_bytes, mul_sat(trees, payload));
        out->all_bytes = add_sat(out->all_bytes, mul_sat(trees, each));
        out->all_files = add_sat(out->all_files, mul_sat(trees, inodes));
        out->all_objects = add_sat(out->all_objects, mul_sat(trees, files));
        uint64_t least = mul_sat(least_trees, each);
        if (keep) {
            out->least_bytes = add_sat(out->least_bytes, least);
            out->least_files = add_sat(out->least_files, mul_sat(least_trees, inodes));
        } else if (least > out->least_bytes) {
            out->least_bytes = least;
            out->least_files = inodes;
        }
    }
}

unsigned tree_lengths_2001(uint64_t *out_bytes, unsigned room)
{
    unsigned n = 0;
    for (unsigned k = 1; k <= 20; k++) {
        uint64_t pair[2] = {1ull << k, 3ull << (k - 1)};
        for (unsigned i = 0; i < 2; i++, n++)
            if (n < room)
                out_bytes[n] = pair[i];
    }
    return n;
}
