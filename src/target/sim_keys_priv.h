/* target/sim_keys_priv.h — the keys of a profile, and the values that are written for them.
 * Shape    one table (sim_keys.c): section, key, kind of value, where it goes, bounds. sim_key_find looks one up,
 *          sim_value_take (sim_values.c) reads a value of its kind into its place.
 * Units    as sim_profile_priv.h.
 * Limits   a bound is of the number as it is kept.
 * Errors   -EINVAL with words: what was given, what is accepted. No file and line: the caller's.
 * Threads  constant.
 * Source   tests/unit/test_sim_profile.c. */
#ifndef LOADLINE_TARGET_SIM_KEYS_PRIV_H
#define LOADLINE_TARGET_SIM_KEYS_PRIV_H

#include "target/sim_profile_priv.h"

enum sim_value {
    SIM_VALUE_TITLE,
    SIM_VALUE_COUNT,   /* unsigned */
    SIM_VALUE_SEED,    /* uint64_t */
    SIM_VALUE_BYTES,   /* uint64_t */
    SIM_VALUE_SHORT,   /* uint32_t of bytes */
    SIM_VALUE_NS,      /* uint64_t */
    SIM_VALUE_TIME,    /* struct sim_time */
    SIM_VALUE_LINE,    /* bit/s, uint64_t */
    SIM_VALUE_RATE,    /* bytes/s, uint64_t */
    SIM_VALUE_PS,      /* for a byte, uint64_t */
    SIM_VALUE_SMALL,   /* struct sim_cost: small_bytes and small_ps */
    SIM_VALUE_COSTS,   /* struct sim_cost: op_ns of the kind in the key */
    SIM_VALUE_THINKS,  /* struct sim_client: think of the kind in the key */
    SIM_VALUE_SHARE,   /* ppm, uint32_t */
    SIM_VALUE_SWITCH,  /* bool */
    SIM_VALUE_SPREAD,  /* enum sim_spread */
    SIM_VALUE_REPLACE, /* enum sim_replace */
    SIM_VALUE_RAID,    /* enum sim_raid */
};

struct sim_key {
    const char *section; /* "" at the top */
    const char *key;     /* "cpu.KIND": any kind of op, or "*" for those that are not named */
    enum sim_value value;
    size_t at; /* in struct sim_profile; of section "protocol" in struct sim_protocol */
    uint64_t low;
    uint64_t high;
};

/* Sections that have lines of their own form. */
#define SIM_SECTION_PRESENT "present"
#define SIM_SECTION_RIG     "rig"

/* The i-th; NULL behind the last. */
const struct sim_key *sim_key_at(unsigned i);
/* Its number, or -EINVAL with the nearest one. *op is the kind in the key: OP_KINDS for "*". */
__attribute__((warn_unused_result)) int sim_key_find(const char *section, const char *key,
                                                     enum op_kind *op, struct err *err);
bool sim_section_is(const char *section);
/* -EINVAL with the nearest one. */
int sim_section_unknown(const char *section, struct err *err);

/* `at` is the struct that key->at counts in; `op` as sim_key_find left it. */
__attribute__((warn_unused_result)) int sim_value_take(const struct sim_key *key, enum op_kind op,
                                                       void *at, const char *value,
                                                       struct err *err);

/* ---- words within values (sim_text.c) ---- */

#define SIM_WORD_MAX 64

int sim_text_bad(struct err *err, const char *value, const char *accepted);
/* Cuts off the word before the next blank; false at the end, or when it is too long. */
bool sim_text_word(const char **text, char word[SIM_WORD_MAX]);
/* Cuts text at `at`; false when there is none, or a part is empty or too long. */
bool sim_text_split(const char *text, const char *at, char left[SIM_WORD_MAX], const char **right);
/* "12.5%" to ppm. */
__attribute__((warn_unused_result)) int sim_share_parse(const char *text, uint64_t *out_ppm,
                                                        struct err *err);
__attribute__((warn_unused_result)) int sim_time_parse(const char *text, struct sim_time *out,
                                                       struct err *err);

/* ---- the profile ---- */

/* Sets a key of a section, of [protocol NAME] with the protocol's number; its number is returned. */
__attribute__((warn_unused_result)) int sim_profile_key(struct sim_profile *p, const char *section,
                                                        unsigned protocol, const char *key,
                                                        const char *value, struct err *err);
/* A shipped one by its name, or the file of that name. */
__attribute__((warn_unused_result)) int sim_profile_open(const char *name, struct sim_profile *out,
                                                         struct err *err);
/* The protocol of that name, or -1. */
int sim_protocol_find(const struct sim_profile *p, const char *name);

/* What shall go wrong, as an address says it: 1 when `name` is no fault. */
__attribute__((warn_unused_result)) int sim_fault_take(struct sim_faults *faults, const char *name,
                                                       const char *value, struct err *err);

/* Their names; NULL behind the last. */
const char *sim_fault_name(unsigned i);

#endif
