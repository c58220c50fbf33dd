#include "verdict/caveats.h"

#include "base/flowop.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *word(const struct result_facts *facts, const char *key)
{
    const char *value = result_fact_get(facts, key);
    return value ? value : "";
}

static bool is(const struct result_facts *facts, const char *key, const char *value)
{
    return strcmp(word(facts, key), value) == 0;
}

/* The fact where it says something; "" where there is none, and for "no" and "unknown". */
static const char *claim(const struct result_facts *facts, const char *key)
{
    const char *value = word(facts, key);
    return strcmp(value, "no") == 0 || strcmp(value, "unknown") == 0 ? "" : value;
}

static const char *claim_of_either(const struct result_facts *facts, const char *key,
                                   const char *other)
{
    const char *value = claim(facts, key);
    return *value ? value : claim(facts, other);
}

static bool has_option(const struct caveat_facts *s, const char *option)
{
    const char *at = word(s->target, "mount_options");
    size_t len = strlen(option);

    while (strncmp(at, option, len) != 0 || (at[len] != '\0' && at[len] != ',')) {
        at = strchr(at, ',');
        if (!at)
            return false;
        at++;
    }
    return true;
}

/* Each writes its words and returns true where it applies. */

static bool say(struct caveat *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool say(struct caveat *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(w->words, sizeof w->words, fmt, ap);
    va_end(ap);
    return true;
}

static bool modelled(const struct caveat_facts *s, struct caveat *w)
{
    const char *name = word(s->target, "modelled");

    return *name && say(w,
                        "%.40s is a model: what such a system might answer, in time of its own. It "
                        "proves nothing about a real one, and no data were moved or kept",
                        name);
}

/* Of the drivers that choose the frequency themselves, powersave is the name of their normal way; the
 * preference says what they aim at. */
static bool governor(const struct caveat_facts *s, struct caveat *w)
{
    const char *driver = word(s->machine, "cpu_driver");
    bool chooses = strcmp(driver, "intel_pstate") == 0 || strcmp(driver, "amd-pstate-epp") == 0;

    if (*word(s->target, "modelled") || !is(s->machine, "cpu_governor", "powersave") ||
        (chooses && !is(s->machine, "cpu_preference", "power")))
        return false;
    return say(w, "powersave: the processors' clock is held low, so times of small ops and rates "
                  "from memory are partly theirs");
}

static bool compressed(const struct caveat_facts *s, struct caveat *w)
{
    const char *how = claim_of_either(s->target, "fs_compression", "device_compression");

    return *how && say(w,
                       "compression is on (%.32s): the numbers hold for content that compresses "
                       "like loadline's, which by default does not",
                       how);
}

static bool encrypted(const struct caveat_facts *s, struct caveat *w)
{
    const char *how = claim_of_either(s->target, "fs_encryption", "device_encryption");

    return *how &&
           say(w, "%.32s: ciphering on this machine's processors is part of every number", how);
}

static bool copy_on_write(const struct caveat_facts *s, struct caveat *w)
{
    return s->overwrites && is(s->target, "fs_copy_on_write", "yes") &&
           say(w,
               "%.16s writes a block that is there to a new place: overwriting scatters files, "
               "and later runs on them may be slower",
               word(s->target, "fs_type"));
}

/* What is overwritten in its place was allocated when it was laid out. */
static bool thin(const struct caveat_facts *s, struct caveat *w)
{
    const char *how = claim(s->target, "device_thin");
    bool new_places = !s->overwrites || is(s->target, "fs_copy_on_write", "yes");

    return s->writes && new_places && *how &&
           say(w,
               "%.32s: first writes allocate space below the file system; the same place written "
               "again is faster",
               how);
}

static bool volatile_cache(const struct caveat_facts *s, struct caveat *w)
{
    return s->writes && s->direct && !s->synced &&
           is(s->target, "device_write_cache", "write back") &&
           say(w, "of the device is volatile (write back): O_DIRECT writes may end there, not on "
                  "the medium");
}

static bool mounted_sync(const struct caveat_facts *s, struct caveat *w)
{
    return s->writes && (has_option(s, "sync") || has_option(s, "dirsync")) &&
           say(w, "mounted %s: %s wait for the device, whether asked to or not",
               has_option(s, "sync") ? "sync" : "dirsync",
               has_option(s, "sync") ? "writes" : "changes of directories");
}

static bool mounted_without_barriers(const struct caveat_facts *s, struct caveat *w)
{
    return s->writes && (has_option(s, "nobarrier") || has_option(s, "barrier=0")) &&
           say(w, "mounted without barriers: fsync does not flush the device's cache, so it is "
                  "faster than safe");
}

static bool mounted_journal(const struct caveat_facts *s, struct caveat *w)
{
    return s->writes && has_option(s, "data=journal") &&
           say(w, "mounted data=journal: all data are written twice");
}

static const struct {
    const char *label;
    bool (*applies)(const struct caveat_facts *s, struct caveat *w);
} rules[] = {
    {"MODELLED", modelled},
    {"governor", governor},
    {"compressed", compressed},
    {"encrypted", encrypted},
    {"copy on write", copy_on_write},
    {"thin", thin},
    {"write cache", volatile_cache},
    {"mount option", mounted_sync},
    {"mount option", mounted_without_barriers},
    {"mount option", mounted_journal},
};

_Static_assert(sizeof rules / sizeof rules[0] <= CAVEATS_MAX, "room for all of them");

static bool has_writes(const struct result *r)
{
    for (unsigned i = 0; i < r->lines; i++)
        if (flowop_writes(r->line[i].op))
            return true;
    return false;
}

struct caveat_facts caveat_facts_of(const struct result *r)
{
    const char *direct = result_fact_get(&r->options, "direct");
    const char *sync = result_fact_get(&r->options, "sync");
    bool writes = has_writes(r);
    return (struct caveat_facts){
        .target = &r->target_facts,
        .machine = &r->machine,
        .writes = writes,
        .overwrites = writes && result_fact_get(&r->options, "length_bytes") == NULL,
        .direct = strcmp(r->cache.mode, "direct") == 0 || (direct && strcmp(direct, "yes") == 0),
        .synced = sync && strcmp(sync, "none") != 0,
    };
}

unsigned caveats_of(const struct caveat_facts *of, struct caveat out[CAVEATS_MAX])
{
    unsigned n = 0;

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        out[n].label = rules[i].label;
        n += rules[i].applies(of, &out[n]);
    }
    return n;
}
