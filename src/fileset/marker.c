/* The marker is read back from a place where anyone may have written: every value is bounded before
 * it is used, and what cannot be believed makes the whole marker broken. */
#include "fileset/site.h"

#include "base/text.h"
#include "fileset/site_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKER_FORMAT "loadline marker"

/* A shape without sets is written as ever, so that whoever came before sets can still remove it. */
#define VERSION_LENGTHS 1
#define VERSION_SETS    2

/* Every marker begins like this; the beginning of it is the beginning of a marker. */
static const char signature[] = "{\n  \"format\": \"" MARKER_FORMAT "\"";

bool site_marker_begins(const char *text, size_t len)
{
    size_t n = len < sizeof signature - 1 ? len : sizeof signature - 1;

    return n == 0 || memcmp(text, signature, n) == 0;
}

void site_shape_fini(struct site_shape *shape)
{
    free(shape->length_bytes);
    shape->length_bytes = NULL;
    shape->lengths = 0;
    free(shape->set);
    shape->set = NULL;
    shape->sets = 0;
}

/* ---- printing ---- */

/* JSON numbers are safe up to 2^53 in most readers, so 64 random bits are a word. */
static json_t *word_of(uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static json_t *lengths_of(const struct site_shape *shape)
{
    json_t *list = json_array();

    for (unsigned i = 0; list != NULL && i < shape->lengths; i++) {
        if (json_array_append_new(list, json_integer((json_int_t)shape->length_bytes[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *sets_of(const struct site_shape *shape)
{
    json_t *list = json_array();

    for (unsigned i = 0; list != NULL && i < shape->sets; i++) {
        const struct site_set *set = &shape->set[i];
        json_t *one = json_pack("{s:s, s:I, s:I}", "name", set->name, "serial_most",
                                (json_int_t)set->serial_most, "levels", (json_int_t)set->levels);

        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* Both begin with the signature. */
static json_t *one_of_lengths(const struct site_shape *shape)
{
    const struct fileset_spec *spec = &shape->spec;
    const struct owner *owner = &shape->owner;

    return json_pack(
        "{s:s, s:i, s:s, s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:b, s:I, "
        "s:s, s:s, s:s, s:I, s:I, s:I}",
        "format", MARKER_FORMAT, "version", VERSION_LENGTHS, "id", shape->id, "study", shape->study,
        "seed", word_of(shape->seed), "shape", spec->shape == FILESET_TREE ? "tree" : "flat",
        "trees", (json_int_t)spec->trees, "levels", (json_int_t)spec->levels, "branches",
        (json_int_t)spec->branches, "files", (json_int_t)spec->files, "size_bytes",
        (json_int_t)spec->size_bytes, "content_key", word_of(spec->content_key), "length_bytes",
        lengths_of(shape), "repeats", (json_int_t)shape->repeats, "trees_max",
        (json_int_t)shape->trees_max, "kept", (int)shape->kept, "made_wall_ns",
        (json_int_t)shape->made_wall_ns, "host", owner->host, "boot", owner->boot, "pid_space",
        owner->pid_space, "pid", (json_int_t)owner->pid, "pid_started_ticks",
        (json_int_t)owner->started_ticks, "compress_centi", (json_int_t)spec->compress_centi);
}

static json_t *one_of_sets(const struct site_shape *shape)
{
    const struct owner *owner = &shape->owner;

    return json_pack("{s:s, s:i, s:s, s:s, s:o, s:s, s:o, s:s, s:b, s:I, s:s, s:s, s:s, s:I, s:I}",
                     "format", MARKER_FORMAT, "version", VERSION_SETS, "id", shape->id, "study",
                     shape->study, "seed", word_of(shape->seed), "shape", "sets", "sets",
                     sets_of(shape), "sets_of", shape->sets_of, "kept", (int)shape->kept,
                     "made_wall_ns", (json_int_t)shape->made_wall_ns, "host", owner->host, "boot",
                     owner->boot, "pid_space", owner->pid_space, "pid", (json_int_t)owner->pid,
                     "pid_started_ticks", (json_int_t)owner->started_ticks);
}

int site_shape_print(const struct site_shape *shape, char **out)
{
    struct text text;
    json_t *root = NULL;
    char *dump = NULL;
    int rc = site_shape_check(shape, NULL);

    text_init(&text);
    if (rc < 0)
        goto out;
    rc = -ENOMEM;
    root = shape->sets > 0 ? one_of_sets(shape) : one_of_lengths(shape);
    if (root == NULL)
        goto out;
    dump = json_dumps(root, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    if (dump == NULL)
        goto out;
    text_add(&text, dump);
    text_add(&text, "\n");
    if (!text.failed) {
        *out = text_take(&text);
        rc = 0;
    }
out:
    free(dump);
    json_decref(root);
    text_fini(&text);
    return rc;
}

/* ---- parsing ---- */

static int get_number(const json_t *root, const char *key, uint64_t max, uint64_t *out,
                      struct err *err)
{
    const json_t *value = json_object_get(root, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return err_set(err, -EINVAL, "%s is missing or not a number from 0", key);
    *out = (uint64_t)json_integer_value(value);
    return site_check_range(key, *out, 0, max, err);
}

static int get_u32(const json_t *root, const char *key, uint32_t *out, struct err *err)
{
    uint64_t value = 0;
    int rc = get_number(root, key, UINT32_MAX, &value, err);

    if (rc == 0)
        *out = (uint32_t)value;
    return rc;
}

static int get_text(const json_t *root, const char *key, char *out, size_t room, struct err *err)
{
    const json_t *value = json_object_get(root, key);

    if (!json_is_string(value) || json_string_length(value) >= room ||
        strlen(json_string_value(value)) != json_string_length(value))
        return err_set(err, -EINVAL, "%s is missing or not a text of up to %zu bytes", key,
                       room - 1);
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

/* The inverse of word_of, and of nothing else. */
static int get_word(const json_t *root, const char *key, uint64_t *out, struct err *err)
{
    char text[24];
    char again[24];
    int rc = get_text(root, key, text, sizeof text, err);

    if (rc < 0)
        return rc;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64, *out);
    if (errno != 0 || strcmp(text, again) != 0)
        return err_set(err, -EINVAL, "%s is not a number of 64 bits in a text", key);
    return 0;
}

static int get_lengths(const json_t *root, struct site_shape *shape, struct err *err)
{
    const json_t *list = json_object_get(root, "length_bytes");
    size_t n = json_array_size(list);

    if (!json_is_array(list) || n > SITE_LENGTHS_MAX)
        return err_set(err, -EINVAL, "length_bytes is missing or not a list of up to %d",
                       SITE_LENGTHS_MAX);
    if (n == 0)
        return 0;
    shape->length_bytes = calloc(n, sizeof *shape->length_bytes);
    if (shape->length_bytes == NULL)
        return err_set(err, -ENOMEM, "no memory for %zu lengths", n);
    shape->lengths = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return err_set(err, -EINVAL, "length_bytes holds what is not a number from 0");
        shape->length_bytes[i] = (uint64_t)json_integer_value(value);
    }
    return 0;
}

static int get_spec(const json_t *root, struct fileset_spec *spec, struct err *err)
{
    char shape[8];
    int rc = get_text(root, "shape", shape, sizeof shape, err);

    if (rc == 0 && strcmp(shape, "tree") != 0 && strcmp(shape, "flat") != 0)
        rc = err_set(err, -EINVAL, "shape is neither tree nor flat");
    if (rc < 0)
        return rc;
    spec->shape = shape[0] == 't' ? FILESET_TREE : FILESET_FLAT;
    rc = get_u32(root, "trees", &spec->trees, err);
    if (rc == 0)
        rc = get_u32(root, "levels", &spec->levels, err);
    if (rc == 0)
        rc = get_u32(root, "branches", &spec->branches, err);
    if (rc == 0)
        rc = get_u32(root, "files", &spec->files, err);
    if (rc == 0)
        rc = get_number(root, "size_bytes", INT64_MAX, &spec->size_bytes, err);
    if (rc == 0)
        rc = get_word(root, "content_key", &spec->content_key, err);
    /* Markers of before content could compress do not have it. */
    if (rc == 0 && json_object_get(root, "compress_centi") != NULL)
        rc = get_u32(root, "compress_centi", &spec->compress_centi, err);
    return rc;
}

static int get_set(const json_t *root, struct site_set *set, struct err *err)
{
    uint64_t levels = 0;
    int rc = get_text(root, "name", set->name, sizeof set->name, err);

    if (rc == 0)
        rc = get_number(root, "serial_most", SITE_SERIAL_MAX, &set->serial_most, err);
    if (rc == 0)
        rc = get_number(root, "levels", GROWN_DEPTH_MAX + 1, &levels, err);
    set->levels = (unsigned)levels;
    return rc;
}

static int get_sets(const json_t *root, struct site_shape *shape, struct err *err)
{
    const json_t *list = json_object_get(root, "sets");
    size_t n = json_array_size(list);
    char words[8];
    int rc = get_text(root, "shape", words, sizeof words, err);

    if (rc == 0 && strcmp(words, "sets") != 0)
        rc = err_set(err, -EINVAL, "shape is not sets");
    if (rc == 0 && (n == 0 || n > SITE_SETS_MAX))
        rc = err_set(err, -EINVAL, "sets is missing or not a list of 1 to %d", SITE_SETS_MAX);
    if (rc == 0)
        rc = get_text(root, "sets_of", shape->sets_of, sizeof shape->sets_of, err);
    if (rc < 0)
        return rc;
    shape->set = calloc(n, sizeof *shape->set);
    if (shape->set == NULL)
        return err_set(err, -ENOMEM, "no memory for %zu sets", n);
    shape->sets = (unsigned)n;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = get_set(json_array_get(list, i), &shape->set[i], err);
    return rc;
}

static int get_head(const json_t *root, uint64_t *version, struct err *err)
{
    char format[32];
    int rc = get_text(root, "format", format, sizeof format, err);

    if (rc == 0 && strcmp(format, MARKER_FORMAT) != 0)
        rc = err_set(err, -EINVAL, "format is not \"" MARKER_FORMAT "\"");
    if (rc == 0)
        rc = get_number(root, "version", INT64_MAX, version, err);
    if (rc == 0 && *version > VERSION_SETS)
        rc = err_set(err, -EPROTONOSUPPORT,
                     "written by a newer loadline (marker version %" PRIu64
                     ", this one knows versions up to %d)",
                     *version, VERSION_SETS);
    if (rc == 0 && *version < VERSION_LENGTHS)
        rc = err_set(err, -EINVAL, "version %" PRIu64 ", this loadline knows versions %d to %d",
                     *version, VERSION_LENGTHS, VERSION_SETS);
    return rc;
}

static int get_owner(const json_t *root, struct owner *owner, struct err *err)
{
    int rc = get_text(root, "host", owner->host, sizeof owner->host, err);

    if (rc == 0)
        rc = get_text(root, "boot", owner->boot, sizeof owner->boot, err);
    if (rc == 0)
        rc = get_text(root, "pid_space", owner->pid_space, sizeof owner->pid_space, err);
    if (rc == 0)
        rc = get_number(root, "pid", SITE_PID_MAX, &owner->pid, err);
    if (rc == 0)
        rc = get_number(root, "pid_started_ticks", INT64_MAX, &owner->started_ticks, err);
    return rc;
}

static int get_study(const json_t *root, struct site_shape *shape, struct err *err)
{
    int rc = get_text(root, "id", shape->id, sizeof shape->id, err);

    if (rc == 0)
        rc = get_text(root, "study", shape->study, sizeof shape->study, err);
    if (rc == 0)
        rc = get_word(root, "seed", &shape->seed, err);
    if (rc == 0)
        rc = get_number(root, "made_wall_ns", INT64_MAX, &shape->made_wall_ns, err);
    if (rc == 0 && !json_is_boolean(json_object_get(root, "kept")))
        rc = err_set(err, -EINVAL, "kept is missing or not true or false");
    shape->kept = json_is_true(json_object_get(root, "kept"));
    return rc;
}

static int get_places(const json_t *root, struct site_shape *shape, struct err *err)
{
    int rc = get_spec(root, &shape->spec, err);

    if (rc == 0)
        rc = get_u32(root, "repeats", &shape->repeats, err);
    if (rc == 0)
        rc = get_u32(root, "trees_max", &shape->trees_max, err);
    return rc < 0 ? rc : get_lengths(root, shape, err);
}

int site_shape_parse(const char *text, size_t len, struct site_shape *out, struct err *err)
{
    struct site_shape shape = {0};
    json_error_t where;
    json_t *root = NULL;
    uint64_t version = 0;
    int rc = 0;

    if (len > SITE_MARKER_BYTES) {
        rc = err_set(err, -EINVAL, "longer than %d bytes", SITE_MARKER_BYTES);
        goto out;
    }
    root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
    if (!json_is_object(root)) {
        rc = err_set(err, -EINVAL, "not a JSON object");
        goto out;
    }
    rc = get_head(root, &version, err);
    if (rc == 0)
        rc = get_study(root, &shape, err);
    if (rc == 0)
        rc = get_owner(root, &shape.owner, err);
    if (rc == 0)
        rc = version == VERSION_SETS ? get_sets(root, &shape, err) : get_places(root, &shape, err);
    if (rc == 0)
        rc = site_shape_check(&shape, err);
out:
    if (rc == 0)
        *out = shape;
    else
        site_shape_fini(&shape);
    json_decref(root);
    return rc;
}
