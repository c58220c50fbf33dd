/* study/study_math_priv.h — what a study reckons: how many trees, how much space, how long.
 * Shape    numbers in, numbers out; nothing is opened or asked.
 * Units    ns, bytes, counts.
 * Limits   sums saturate at UINT64_MAX.           Threads  no state.
 * Source   tests/unit/test_study_math.c. */
#ifndef LOADLINE_STUDY_STUDY_MATH_PRIV_H
#define LOADLINE_STUDY_STUDY_MATH_PRIV_H

#include "fileset/spec.h"
#include "study/study.h"
#include "target/target.h"

/* Each tree takes its space until the sweep ends; a further pass over the same trees takes none. */
#define STUDY_TREES_MAX  16
#define STUDY_PASSES_MAX 256

/* Whole trees to write that make min_time_ns when one takes elapsed_ns: 1 … STUDY_TREES_MAX. */
unsigned study_trees_for(uint64_t min_time_ns, uint64_t elapsed_ns);
/* Likewise passes to read, 1 … STUDY_PASSES_MAX, from the last of the pilot's two: the first also
 * looks up names that later ones find in memory. second_ns 0: there was no second. */
unsigned study_passes_for(uint64_t min_time_ns, uint64_t first_ns, uint64_t second_ns);
/* What a fileset occupies, as a file system of 4 KiB blocks stores it; saturates. */
uint64_t study_set_bytes(const struct fileset_spec *spec);
/* Inodes it takes, its place included. */
uint64_t study_set_files(const struct fileset_spec *spec);
/* What may still be written so that 5 % of the file system stay free, and within quota. */
uint64_t study_room_bytes(const struct target_space *space);
uint64_t study_room_files(const struct target_space *space);
/* A quota that leaves less than the file system has. */
bool study_quota_binds(const struct target_quota *quota, uint64_t room);
/* Largest k ≤ want with `each` · k ≤ room, at least 1. */
unsigned study_trees_fit(unsigned want, uint64_t room_bytes, uint64_t each_bytes);
/* Same key, same bytes: readtest finds it again from the marker alone. */
uint64_t study_content_key(uint64_t length_bytes, unsigned repeat, unsigned tree);
/* Width of the intervals of a timed run: a twentieth of it, 0.1 to 1 s. */
uint64_t study_interval_ns(uint64_t measure_ns);
uint64_t study_round_up(uint64_t value, uint64_t multiple);

/* How long one tree takes from writing to reading back, preparation included: a line through the
 * origin of files and bytes, corrected by each tree that was done. */
struct tree_pace {
    double file_ns;
    double byte_ns;
};
void tree_pace_learn(struct tree_pace *pace, uint64_t files, uint64_t bytes, uint64_t wall_ns);
double tree_pace_ns(const struct tree_pace *pace, uint64_t files, uint64_t bytes);
/* A guess of k for a length that has not been tried. */
unsigned tree_pace_trees(const struct tree_pace *pace, const struct tree_options *options,
                         uint64_t files, uint64_t length_bytes);
/* That many trees, with so many passes of reading over them, take the time of how many trees read
 * once. */
double tree_pace_cycles(unsigned trees, unsigned passes);
/* The whole row: pilot and repeats. */
uint64_t tree_pace_row_ns(const struct tree_pace *pace, const struct tree_options *options,
                          uint64_t files, uint64_t length_bytes);

struct tree_need {
    uint64_t write_bytes; /* payload, all trees */
    uint64_t all_bytes;   /* stored, when nothing is removed before the end */
    uint64_t all_files;   /* inodes */
    uint64_t all_objects; /* files of the filesets */
    uint64_t least_bytes; /* stored, when everything that may go early goes early */
    uint64_t least_files;
};
void tree_need_of(const struct tree_options *options, const struct fileset_spec *spec, bool keep,
                  struct tree_need *out);

#endif
