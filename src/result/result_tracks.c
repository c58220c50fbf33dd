/* The members of tracks that no other part of a result has: words for kinds, and numbers that may not be known. */
#include "result/result_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *result_print_number(double v)
{
    return isnan(v) ? json_null() : json_real(v);
}

int result_read_number(json_t *v, double *out, struct err *err)
{
    if (!json_is_number(v) && !json_is_null(v))
        return err_set(err, -EINVAL, "neither a number nor null");
    *out = json_is_null(v) ? NAN : json_number_value(v);
    return 0;
}

int result_read_i64(json_t *v, int64_t *out, struct err *err)
{
    if (!json_is_integer(v))
        return err_set(err, -EINVAL, "not an integer");
    *out = json_integer_value(v);
    return 0;
}

int result_read_end(json_t *v, enum track_end *out, struct err *err)
{
    const char *word = json_is_string(v) ? json_string_value(v) : "";
    *out = strcmp(word, track_end_name(TRACK_SERVER)) == 0 ? TRACK_SERVER : TRACK_CLIENT;
    if (strcmp(word, track_end_name(*out)) != 0)
        return err_set(err, -EINVAL, "neither client nor server");
    return 0;
}

int result_read_kind(json_t *v, enum track_kind *out, struct err *err)
{
    if (!json_is_string(v) || track_kind_of(json_string_value(v), out) < 0)
        return err_set(err, -EINVAL, "no kind of track");
    return 0;
}

int result_print_values(const struct track *t, json_t **out, struct err *err)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (unsigned i = 0; good && i < t->n; i++)
        good = json_array_append_new(list, result_print_number((double)t->value[i])) == 0;
    if (!good) {
        json_decref(list);
        return err_set(err, -ENOMEM, "no memory for values");
    }
    *out = list;
    return 0;
}

int result_read_values(json_t *v, struct track *t, struct err *err)
{
    size_t n = json_array_size(v);
    if (!json_is_array(v) || n > TRACK_VALUES_MAX)
        return err_set(err, -EINVAL, "not a list of at most %d values", TRACK_VALUES_MAX);
    t->value = calloc(n + 1, sizeof *t->value);
    if (!t->value)
        return err_set(err, -ENOMEM, "no memory for values");
    t->n = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        double one = NAN;
        int rc = result_read_number(json_array_get(v, i), &one, err);
        if (rc < 0)
            return rc;
        t->value[i] = (float)one;
    }
    return 0;
}

/* ---- what has to agree ---- */

static bool is_share(double v)
{
    return isnan(v) || (v >= 0 && v <= 1);
}

static int check_track(const struct tracks *tracks, const struct track *t, struct err *err)
{
    const char *kind = track_kind_name(t->kind);
    bool finite = !isinf(t->mean) && !isinf(t->peak);
    for (unsigned i = 0; i < t->n; i++)
        finite &= !isinf(t->value[i]);
    if (!(t->capacity >= 0) || isinf(t->capacity))
        return err_set(err, -EINVAL, "tracks: %s \"%s\": capacity: a value that cannot be", kind,
                       t->name);
    if (!finite || !is_share(t->full_frac))
        return err_set(err, -EINVAL, "tracks: %s \"%s\": a value that cannot be", kind, t->name);
    if (tracks_find(tracks, t->end, t->kind, t->name) != t)
        return err_set(err, -EINVAL, "tracks: %s \"%s\" twice", kind, t->name);
    return 0;
}

int result_check_tracks(const struct result *r, struct err *err)
{
    int rc = 0;
    if (r->tracks.n > 0 && r->tracks.period_ns == 0)
        return err_set(err, -EINVAL, "tracks: without a period");
    for (unsigned i = 0; i < r->tracks.n && rc == 0; i++)
        rc = check_track(&r->tracks, &r->tracks.track[i], err);
    for (unsigned i = 0; i < r->marks && rc == 0; i++) {
        if (r->mark[i].text[0] == '\0')
            rc = err_set(err, -EINVAL, "marks: [%u]: no text", i);
        else if (i > 0 && r->mark[i].at_ns < r->mark[i - 1].at_ns)
            rc = err_set(err, -EINVAL, "marks: [%u]: before the one in front of it", i);
    }
    return rc;
}
