#include "cli/tree_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TREE(member) offsetof(struct tree_values, member)

static const char *const fsync_words[] = {"none", "file", "end", NULL};

static const struct option shape_options[] = {
    {.name = "threads",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = TREE(threads),
     .min = 1,
     .max = 65536,
     .initial = "16",
     .given = TREE_GIVEN_THREADS,
     .help = "threads, each in a tree of its own"},
    {.name = "levels",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = TREE(levels),
     .min = 1,
     .max = 16,
     .initial = "3",
     .given = TREE_GIVEN_LEVELS,
     .help = "levels of directories below the root of a tree"},
    {.name = "branches",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = TREE(branches),
     .min = 1,
     .max = 1024,
     .initial = "4",
     .given = TREE_GIVEN_BRANCHES,
     .help = "directories in each directory, down to the last level"},
    {.name = "files",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = TREE(files),
     .min = 1,
     .max = 1 << 20,
     .initial = "4",
     .given = TREE_GIVEN_FILES,
     .help = "files in each directory but the root"},
    {.name = "lengths",
     .arg = "LIST|A..B",
     .kind = OPTION_OWN_PARSER,
     .at = TREE(lengths),
     .parse = length_list_parse,
     .accepts = LENGTH_LIST_ACCEPTS,
     .initial = "2..1536k",
     .given = TREE_GIVEN_LENGTHS,
     .help = "file lengths, a row each: 2,4k,1m, or A..B for those in between of the forty of "
             "2001"},
    {.name = "repeat",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = TREE(repeats),
     .min = 1,
     .max = 1000,
     .initial = "3",
     .given = TREE_GIVEN_REPEATS,
     .help = "measurements of each row"},
};
const struct option_table tree_shape_table = OPTION_TABLE("Tree", shape_options);
const struct option_table tree_found_shape_table = {.title = "Tree, checked against what is found",
                                                    .option = shape_options,
                                                    .n = sizeof(shape_options) /
                                                         sizeof(shape_options[0]),
                                                    .otherwise = "as written"};

static const struct option write_options[] = {
    {.name = "fsync",
     .kind = OPTION_WORD,
     .at = TREE(fsync),
     .words = fsync_words,
     .initial = "none",
     .help = "file: each file before it is closed; end: the whole file system once; both timed"},
    {.name = "write-only",
     .kind = OPTION_FLAG,
     .at = TREE(write_only),
     .help = "do not read the trees back"},
    {.name = "keep",
     .kind = OPTION_FLAG,
     .at = TREE(keep),
     .help = "leave the trees for a later readtest; `loadline clean --kept` removes them"},
};
const struct option_table tree_write_table = OPTION_TABLE("Writing", write_options);

static const struct option until_options[] = {
    {.name = "until-ci",
     .arg = "PERCENT",
     .kind = OPTION_OWN_PARSER,
     .at = TREE(until_frac),
     .parse = until_ci_parse,
     .accepts = UNTIL_CI_ACCEPTS,
     .otherwise = "as many as --repeat says",
     .given = GIVEN_UNTIL,
     .help = "repeat each row, five times at least, until its ± is no larger"},
    {.name = "max-repeat",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = TREE(max_repeats),
     .min = TREE_UNTIL_MIN,
     .max = 1000,
     .initial = "30",
     .given = GIVEN_MAX_REPEAT,
     .help = "but no more often than this"},
};
const struct option_table tree_until_table = OPTION_TABLE(NULL, until_options);

static const struct option read_options[] = {
    {.name = "min-time",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = TREE(min_time_ns),
     .min = 1000000,
     .max = 3600000000000,
     .initial = "1s",
     .given = GIVEN_MIN_TIME,
     .help = "a repeat takes as many trees (16 at most) or reading passes as last this long"},
    {.name = "chunk",
     .arg = "SIZE",
     .kind = OPTION_BYTES,
     .at = TREE(chunk_bytes),
     .min = 1,
     .max = 1 << 30,
     .initial = "1m",
     .help = "largest single read or write"},
    {.name = "client-cache",
     .kind = OPTION_WORD,
     .at = TREE(cache),
     .words = cache_words,
     .initial = "drop",
     .given = GIVEN_CACHE,
     .help = "drop: files leave this machine's page cache before they are read; keep: they are "
             "read from wherever they are, as in 2001"},
    {.name = "verify",
     .kind = OPTION_FLAG,
     .at = TREE(verify),
     .help = "check every byte read, inside the timed part"},
    {.name = "walk",
     .kind = OPTION_FLAG,
     .at = TREE(walk),
     .help = "read what the directories list, in that order, and time the listing too; without it "
             "files are opened by names that are known"},
    {.name = "classic",
     .kind = OPTION_FLAG,
     .at = TREE(classic),
     .help = "the table of 2001: one tree a row, --client-cache keep"},
};
const struct option_table tree_read_table = OPTION_TABLE("Measuring", read_options);

static const struct option resume_options[] = {
    {.name = "resume",
     .arg = "ID|LABEL",
     .kind = OPTION_TEXT,
     .at = TREE(resume),
     .min = 1,
     .max = 200,
     .given = OPTION_INSTEAD_OF_ARGS,
     .help = "go on with a study that was interrupted: its own targets and options, and only "
             "what is missing"},
};
const struct option_table tree_resume_table = OPTION_TABLE("Going on", resume_options);

static int check_until(const struct tree_values *v, unsigned given, struct err *err)
{
    if ((given & GIVEN_MAX_REPEAT) && !(given & GIVEN_UNTIL))
        return err_set(err, -EINVAL, "--max-repeat is the end of --until-ci, which is not there");
    if (!(given & GIVEN_UNTIL))
        return 0;
    if (given & TREE_GIVEN_REPEATS)
        return err_set(
            err, -EINVAL,
            "--until-ci finds the number of repeats itself: leave out --repeat, or bound "
            "it with --max-repeat");
    if (v->classic)
        return err_set(err, -EINVAL, "--classic prints no ±: leave out --until-ci");
    return 0;
}

static int check(const struct tree_values *v, unsigned given, struct err *err)
{
    int rc = check_until(v, given, err);
    if (rc < 0)
        return rc;
    if (v->write_only && v->verify)
        return err_set(err, -EINVAL,
                       "--verify checks what is read, and --write-only reads nothing");
    if (v->write_only && v->walk)
        return err_set(err, -EINVAL, "--walk is a way to read, and --write-only reads nothing");
    if (!v->classic)
        return 0;
    if ((given & GIVEN_CACHE) && v->cache == STUDY_CACHE_DROP)
        return err_set(
            err, -EINVAL,
            "--classic reads through this machine's cache: leave out --client-cache drop");
    if (given & GIVEN_MIN_TIME)
        return err_set(err, -EINVAL, "--classic times one tree: leave out --min-time");
    return 0;
}

int tree_values_take(const struct tree_values *v, unsigned given, struct tree_options *out,
                     struct err *err)
{
    int rc = check(v, given, err);
    if (rc < 0)
        return rc;
    *out = (struct tree_options){
        .threads = (uint32_t)v->threads,
        .levels = (uint32_t)v->levels,
        .branches = (uint32_t)v->branches,
        .files = (uint32_t)v->files,
        .length_bytes = v->lengths.bytes,
        .lengths = v->lengths.n,
        .repeats = (unsigned)(v->until_frac > 0 ? v->max_repeats : v->repeats),
        .until_frac = v->until_frac,
        .min_time_ns = v->min_time_ns,
        .chunk_bytes = v->chunk_bytes,
        .fsync = (enum study_fsync)v->fsync,
        .cache = v->classic ? STUDY_CACHE_KEEP : (enum study_client_cache)v->cache,
        .write_only = v->write_only,
        .verify = v->verify,
        .walk = v->walk,
        .one_tree = v->classic,
    };
    return 0;
}
