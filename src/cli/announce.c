#include "cli/announce.h"

#include "cli/console.h"

#include "base/text.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNTED_MAX 32

static const char *counted_files(char buf[COUNTED_MAX], uint64_t n)
{
    snprintf(buf, COUNTED_MAX, "%llu file%s", (unsigned long long)n, n == 1 ? "" : "s");
    return buf;
}

static const char *verb(const struct study_intent *intent)
{
    return intent->reads_too ? "reads and overwrites" : "overwrites";
}

/* Files that are overwritten for a minute take many times what they hold. */
static void announce_overwriting(const struct study_intent *intent)
{
    char size[UNITS_PRINT_MAX], time[UNITS_PRINT_MAX], all[UNITS_PRINT_MAX], files[COUNTED_MAX];
    struct text words;
    counted_files(files, intent->files);
    text_init(&words);
    if (intent->write_bytes > intent->peak_bytes)
        text_addf(&words, "lays out %s in all, at most %s in %s at once, and %s %s",
                  units_print_bytes(all, intent->write_bytes),
                  units_print_bytes(size, intent->peak_bytes), files, verb(intent),
                  intent->files == 1 ? "it" : "them");
    else if (intent->write_bytes > 0)
        text_addf(&words, "lays out %s in %s, then %s %s",
                  units_print_bytes(size, intent->write_bytes), files, verb(intent),
                  intent->files == 1 ? "it" : "them");
    else
        text_addf(&words, "%s %s in %s kept earlier", verb(intent),
                  units_print_bytes(size, intent->peak_bytes), files);
    text_addf(&words, " for %s", units_print_ns(time, intent->overwrite_ns));
    if (intent->overwrite_bytes > 0)
        text_addf(&words, ": about %s written", units_print_bytes(all, intent->overwrite_bytes));
    else
        text_add(&words, ", as fast as the target takes it");
    console_note("  %s", words.s);
    text_fini(&words);
}

/* What was on it is gone, however long that takes. */
static void announce_device(const struct study_intent *intent)
{
    char size[UNITS_PRINT_MAX], time[UNITS_PRINT_MAX];
    console_note("  %s the device, %s%s%s", verb(intent),
                 units_print_bytes(size, intent->peak_bytes),
                 intent->overwrite_ns > 0 ? ", for " : "",
                 intent->overwrite_ns > 0 ? units_print_ns(time, intent->overwrite_ns) : "");
}

static void announce_writing(const struct study_intent *intent)
{
    char all[UNITS_PRINT_MAX], peak[UNITS_PRINT_MAX], files[COUNTED_MAX];
    if (intent->files == 0 && intent->peak_bytes > 0)
        announce_device(intent);
    else if (intent->overwrite_ns > 0)
        announce_overwriting(intent);
    else if (intent->write_bytes > 0)
        console_note("  writes %s in all, at most %s in %s at once",
                     units_print_bytes(all, intent->write_bytes),
                     units_print_bytes(peak, intent->peak_bytes),
                     counted_files(files, intent->files));
    else
        console_note("  writes nothing");
}

char *announce_targets(const struct study_intent *intent)
{
    struct text text;
    text_init(&text);
    text_add(&text, intent->target);
    for (unsigned i = 0; i < intent->more_targets; i++)
        text_addf(&text, ", %s", intent->more_target[i]);
    return text_take(&text);
}

void announce_study(const struct study_intent *intent, bool kept)
{
    char about[UNITS_PRINT_MAX];
    char *targets = announce_targets(intent);
    console_note("study %s: loadline %s %s%s%s%s", intent->id, intent->kind,
                 intent->workload ? intent->workload : "", intent->workload ? " " : "",
                 targets ? targets : intent->target, kept ? "" : ", kept nowhere (--db none)");
    free(targets);
    announce_writing(intent);
    if (intent->own_clock)
        console_note("  in time of the target's own: it passes as fast as this machine reckons");
    if (intent->about_ns > 0)
        console_note("  takes about %s", units_print_ns(about, intent->about_ns));
}
