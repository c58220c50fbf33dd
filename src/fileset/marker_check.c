/* What a marker may say, written or read. */
#include "fileset/site_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* These words are printed on terminals. */
static bool printable(const char *s, size_t room)
{
    size_t n = strnlen(s, room);

    for (size_t i = 0; i < n; i++) {
        if (s[i] < 0x20 || s[i] > 0x7e)
            return false;
    }
    return n < room;
}

static int check_words(const struct site_shape *shape, struct err *err)
{
    if (strnlen(shape->id, sizeof shape->id) == sizeof shape->id || !site_id_ok(shape->id))
        return err_set(err, -EINVAL, "id is not %d letters or digits", SITE_ID_LEN);
    if (shape->study[0] == '\0' || !printable(shape->study, sizeof shape->study))
        return err_set(err, -EINVAL, "study is not 1 to %zu printable characters",
                       sizeof shape->study - 1);
    return 0;
}

static int check_owner(const struct owner *owner, struct err *err)
{
    if (!printable(owner->host, sizeof owner->host))
        return err_set(err, -EINVAL, "host is not up to %zu printable characters",
                       sizeof owner->host - 1);
    if (!printable(owner->boot, sizeof owner->boot))
        return err_set(err, -EINVAL, "boot is not up to %zu printable characters",
                       sizeof owner->boot - 1);
    if (!printable(owner->pid_space, sizeof owner->pid_space))
        return err_set(err, -EINVAL, "pid_space is not up to %zu printable characters",
                       sizeof owner->pid_space - 1);
    return 0;
}

int site_check_range(const char *name, uint64_t value, uint64_t min, uint64_t max, struct err *err)
{
    if (value >= min && value <= max)
        return 0;
    return err_set(err, -EINVAL, "%s is %" PRIu64 ", accepted are %" PRIu64 " to %" PRIu64, name,
                   value, min, max);
}

static int check_set(const struct site_set *set, struct err *err)
{
    const char *name = set->name;
    int rc;

    if (name[0] == '\0' || !printable(name, sizeof set->name) || strchr(name, '/') != NULL ||
        strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return err_set(err, -EINVAL,
                       "the name of a set is not that of a directory in 1 to %zu printable ASCII "
                       "characters",
                       sizeof set->name - 1);
    rc = site_check_range("serial_most", set->serial_most, 0, SITE_SERIAL_MAX, err);
    return rc < 0 ? rc : site_check_range("levels", set->levels, 0, GROWN_DEPTH_MAX + 1, err);
}

static int check_sets_of(const char digest[65], struct err *err)
{
    size_t n = strspn(digest, "0123456789abcdef");

    if (digest[0] == '\0' || (n == 64 && digest[n] == '\0'))
        return 0;
    return err_set(err, -EINVAL, "sets_of is not a digest of 64 hexadecimal digits");
}

static int check_sets(const struct site_shape *shape, struct err *err)
{
    int rc = site_check_range("sets", shape->sets, 1, SITE_SETS_MAX, err);

    if (rc == 0)
        rc = check_sets_of(shape->sets_of, err);
    for (unsigned i = 0; rc == 0 && i < shape->sets; i++) {
        rc = check_set(&shape->set[i], err);
        for (unsigned k = 0; rc == 0 && k < i; k++) {
            if (strcmp(shape->set[k].name, shape->set[i].name) == 0)
                rc = err_set(err, -EINVAL, "two sets are named %s", shape->set[i].name);
        }
    }
    return rc;
}

static int check_lengths(const struct site_shape *shape, struct err *err)
{
    struct fileset_spec spec = shape->spec;
    int rc = fileset_spec_check(&spec, err);

    if (rc == 0 && spec.shape == FILESET_GROWN)
        rc = err_set(err, -EINVAL, "a grown set without a name in sets");
    for (unsigned i = 0; rc == 0 && i < shape->lengths; i++) {
        spec.size_bytes = shape->length_bytes[i];
        rc = site_check_range("a length", spec.size_bytes, 0, SITE_LENGTH_MAX, err);
        if (rc == 0)
            rc = fileset_spec_check(&spec, err);
    }
    return rc;
}

int site_shape_check(const struct site_shape *shape, struct err *err)
{
    uint64_t min = shape->lengths > 0;
    uint64_t most = shape->sets > 0 ? 0 : SITE_COUNT_MAX; /* of what only lengths have */
    int rc = check_words(shape, err);

    if (rc == 0)
        rc = site_check_range("lengths", shape->lengths, 0, most > 0 ? SITE_LENGTHS_MAX : 0, err);
    if (rc == 0)
        rc = site_check_range("repeats", shape->repeats, min, most, err);
    if (rc == 0)
        rc = site_check_range("trees_max", shape->trees_max, min, most, err);
    if (rc == 0)
        rc = check_owner(&shape->owner, err);
    if (rc == 0)
        rc = site_check_range("pid", shape->owner.pid, 0, SITE_PID_MAX, err);
    if (rc == 0)
        rc = site_check_range("pid_started_ticks", shape->owner.started_ticks, 0, INT64_MAX, err);
    if (rc == 0)
        rc = site_check_range("made_wall_ns", shape->made_wall_ns, 0, INT64_MAX, err);
    if (rc == 0)
        rc = shape->sets > 0 ? check_sets(shape, err) : check_lengths(shape, err);
    return rc;
}
