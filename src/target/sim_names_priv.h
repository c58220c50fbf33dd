/* target/sim_names_priv.h — the namespace of a modelled server: directories, files, sizes, and the content of small files.
 * Shape    things have numbers; 0 is the root. Every call is immediate: what it costs in time is sim_route's. Open
 *          files are handles; a file without a name stays as long as one is open.
 * Units    bytes.
 * Limits   10 million files at ≤ 96 bytes each, names of up to 40 bytes included. Content is kept of files whose
 *          name began with a dot when they were empty, as long as they do not grow beyond SIM_KEPT_BYTES: markers
 *          of ours. Of others only the size, and reading gives what the buffer had.
 * Errors   -ENOENT, -EEXIST, -ENOTDIR, -EISDIR, -ENOTEMPTY, -EINVAL, -ENAMETOOLONG, -ENOMEM, -EBADF, -EFBIG, -ESTALE,
 *          as a file system.
 * Threads  single owner.
 * Source   tests/unit/test_sim_names.c, tests/conform (contract, namespace). */
#ifndef LOADLINE_TARGET_SIM_NAMES_PRIV_H
#define LOADLINE_TARGET_SIM_NAMES_PRIV_H

#include "target/target.h"

#define SIM_ROOT       0
#define SIM_KEPT_BYTES (256u << 10)

struct sim_names;

__attribute__((warn_unused_result)) int sim_names_new(struct sim_names **out);
void sim_names_free(struct sim_names *n);

/* The thing's number (≥ 0), or -errno. */
int64_t sim_names_look(const struct sim_names *n, uint32_t dir, const char *leaf);
int64_t sim_names_make(struct sim_names *n, uint32_t dir, const char *leaf, enum target_type type);
/* `gone` is set to the file's number + 1 when its bytes go too (no handle is open), else 0. */
int sim_names_unlink(struct sim_names *n, uint32_t dir, const char *leaf, uint32_t *gone);
int sim_names_rmdir(struct sim_names *n, uint32_t dir, const char *leaf);
int sim_names_rename(struct sim_names *n, uint32_t dir, const char *leaf, const char *to,
                     uint32_t *gone);
int sim_names_stat(const struct sim_names *n, uint32_t thing, struct target_stat *out);
/* struct target_dirent, as OP_READDIR: bytes, 0 at the end, -EINVAL with no room for one. In the order in which
 * things came into the directory; what is there all the while is listed once, whatever comes and goes. */
int64_t sim_names_list(const struct sim_names *n, uint32_t dir, uint64_t cookie, void *buf,
                       uint64_t len);

/* Open files are counted, so that unlink knows. */
void sim_names_hold(struct sim_names *n, uint32_t file);
void sim_names_drop(struct sim_names *n, uint32_t file, uint32_t *gone);

uint64_t sim_names_size(const struct sim_names *n, uint32_t file);
void sim_names_resize(struct sim_names *n, uint32_t file, uint64_t size);
/* Bytes read or written as far as they are kept; grows the file. Number of bytes, or -errno. `buf` NULL: there is no
 * content, only a length. */
int64_t sim_names_read(const struct sim_names *n, uint32_t file, void *buf, uint64_t off,
                       uint64_t len);
int64_t sim_names_write(struct sim_names *n, uint32_t file, const void *buf, uint64_t off,
                        uint64_t len);

uint64_t sim_names_bytes(const struct sim_names *n); /* of all files: for free space */
uint64_t sim_names_files(const struct sim_names *n);

#endif
