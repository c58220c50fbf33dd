#include "result/study_file_priv.h"

#include "base/digest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DUMP_FLAGS (JSON_COMPACT | JSON_SORT_KEYS)

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "no memory for a study's file");
}

static int dump(const json_t *obj, struct text *out, struct err *err)
{
    char *bytes = json_dumps(obj, DUMP_FLAGS);
    if (!bytes)
        return no_memory(err);
    text_add(out, bytes);
    free(bytes);
    return out->failed ? no_memory(err) : 0;
}

static int load(const struct text *json, json_t **out, struct err *err)
{
    json_error_t at;
    json_t *obj = json_loadb(json->s, json->len, JSON_REJECT_DUPLICATES, &at);
    if (!obj)
        return err_set(err, -EINVAL, "not JSON: %s", at.text);
    *out = obj;
    return 0;
}

bool study_state_known(const char *state)
{
    static const char *const known[] = {"done", "incomplete", "invalid"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(state, known[i]) == 0)
            return true;
    }
    return false;
}

int study_head_print(const struct study_head *head, struct text *out, struct err *err)
{
    json_t *obj = NULL;
    int rc = result_print_shape(&study_head_shape, head, &obj, err);
    if (rc < 0)
        return rc;
    if (json_object_set_new(obj, "format", json_string(STUDY_FILE_FORMAT)) < 0 ||
        json_object_set_new(obj, "schema", json_integer(STUDY_FILE_SCHEMA)) < 0)
        rc = no_memory(err);
    else
        rc = dump(obj, out, err);
    json_decref(obj);
    return rc;
}

/* The seal of all that came before and of the tail without it. */
static int seal_of(const json_t *tail, const struct text *sealed, char seal[DIGEST_HEX_MAX],
                   struct err *err)
{
    struct text all;
    text_init(&all);
    text_add_bytes(&all, sealed->s, sealed->len);
    int rc = sealed->failed ? no_memory(err) : dump(tail, &all, err);
    if (rc == 0)
        digest_sha256(all.s, all.len, seal);
    text_fini(&all);
    return rc;
}

int study_tail_print(const struct study_tail *tail, const struct text *sealed, struct text *out,
                     struct err *err)
{
    char seal[DIGEST_HEX_MAX];
    json_t *obj = NULL;
    int rc = result_print_shape(&study_tail_shape, tail, &obj, err);
    if (rc < 0)
        return rc;
    rc = seal_of(obj, sealed, seal, err);
    if (rc == 0 && json_object_set_new(obj, "seal", json_string(seal)) < 0)
        rc = no_memory(err);
    if (rc == 0)
        rc = dump(obj, out, err);
    json_decref(obj);
    return rc;
}

static int check_schema(const json_t *head, struct err *err)
{
    const char *format = json_string_value(json_object_get(head, "format"));
    const json_t *schema = json_object_get(head, "schema");
    json_int_t number = json_integer_value(schema);
    if (!format || strcmp(format, STUDY_FILE_FORMAT) != 0 || !json_is_integer(schema) || number < 1)
        return err_set(err, -EINVAL, "it is not that of a loadline study");
    if (number > STUDY_FILE_SCHEMA)
        return err_set(err, -EPROTO,
                       "written with schema %lld, this loadline knows up to %d: use a newer one",
                       (long long)number, STUDY_FILE_SCHEMA);
    return 0;
}

/* Part of names of files, of what people type, and of tables on a terminal. */
static int check_word(const char *key, const char *word, struct err *err)
{
    size_t len = 0;
    while (islower((unsigned char)word[len]) || isdigit((unsigned char)word[len]))
        len++;
    return len > 0 && !word[len] ? 0 : err_set(err, -EINVAL, "%s: no letters a-z and digits", key);
}

static int read_head(json_t *obj, struct study_head *out, struct text *sealed, struct err *err)
{
    int rc = check_schema(obj, err);
    if (rc == 0)
        rc = dump(obj, sealed, err);
    if (rc < 0)
        return rc;
    json_object_del(obj, "format");
    json_object_del(obj, "schema");
    rc = result_read_shape(&study_head_shape, obj, out, err);
    if (rc == 0)
        rc = check_word("id", out->id, err);
    return rc == 0 ? check_word("kind", out->kind, err) : rc;
}

int study_head_parse(const struct text *json, struct study_head *out, struct text *sealed,
                     struct err *err)
{
    json_t *obj = NULL;
    int rc = load(json, &obj, err);
    if (rc == 0)
        rc = read_head(obj, out, sealed, err);
    json_decref(obj);
    return rc < 0 ? err_prefix(err, "the head") : 0;
}

static int check_seal(json_t *obj, const struct text *sealed, struct err *err)
{
    char seal[DIGEST_HEX_MAX];
    char kept[DIGEST_HEX_MAX] = "";
    const char *found = json_string_value(json_object_get(obj, "seal"));
    if (!found || strlen(found) != sizeof kept - 1)
        return err_set(err, -EBADMSG, "it has no seal");
    memcpy(kept, found, sizeof kept);
    json_object_del(obj, "seal");
    int rc = seal_of(obj, sealed, seal, err);
    if (rc == 0 && strcmp(seal, kept) != 0)
        rc = err_set(err, -EBADMSG,
                     "the seal of the file is broken: it was changed after it was "
                     "written");
    return rc;
}

int study_tail_parse(const struct text *json, const struct text *sealed, struct study_tail *out,
                     struct err *err)
{
    json_t *obj = NULL;
    int rc = load(json, &obj, err);
    if (rc == 0)
        rc = check_seal(obj, sealed, err);
    if (rc == 0)
        rc = result_read_shape(&study_tail_shape, obj, out, err);
    if (rc == 0 && !study_state_known(out->state))
        rc = err_set(err, -EINVAL, "state: none of done, incomplete, invalid");
    json_decref(obj);
    return rc < 0 ? err_prefix(err, "the tail") : 0;
}

void study_head_fini(struct study_head *head)
{
    free(head->target);
    free(head->label);
    free(head->command);
    free(head->argv);
}
