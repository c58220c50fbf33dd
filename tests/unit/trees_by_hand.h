/* unit/trees_by_hand.h — pieces of syntax trees, for tests that need no text.
 * Shape    expressions that make a struct lang_value, and commands from them. What they point to
 *          lives as long as the block they stand in.
 * Threads  values. */
#ifndef LOADLINE_UNIT_TREES_BY_HAND_H
#define LOADLINE_UNIT_TREES_BY_HAND_H

#include "lang/lang.h"

#define HERE ((struct lang_pos){0, __LINE__, 1})

#define INT_(n)  ((struct lang_value){.kind = LANG_INT, .at = HERE, .integer = (n)})
#define BOOL_(b) ((struct lang_value){.kind = LANG_BOOL, .at = HERE, .boolean = (b)})
#define TEXT_(s) ((struct lang_value){.kind = LANG_TEXT, .at = HERE, .text = (char[]){s}})
#define VAR_(s)  ((struct lang_value){.kind = LANG_VAR, .at = HERE, .text = (char[]){s}})
#define ENV_(s)                                                                                    \
    ((struct lang_value){.kind = LANG_VAR, .at = HERE, .text = (char[]){s}, .paren = true})
#define PART_(s, p)                                                                                \
    ((struct lang_value){.kind = LANG_VAR, .at = HERE, .text = (char[]){s}, .suffix = (char[]){p}})
#define JOIN_(...)                                                                                 \
    ((struct lang_value){.kind = LANG_JOIN,                                                        \
                         .at = HERE,                                                               \
                         .n =                                                                      \
                             sizeof(struct lang_value[]){__VA_ARGS__} / sizeof(struct lang_value), \
                         .item = (struct lang_value[]){__VA_ARGS__}})
#define ARITH_(a, o, b)                                                                            \
    ((struct lang_value){                                                                          \
        .kind = LANG_ARITH, .at = HERE, .op = (o), .n = 2, .item = (struct lang_value[]){a, b}})
#define ATTR_(n, ...)                                                                              \
    ((struct lang_attr){.name = (char[]){n}, .given = true, .at = HERE, .value = __VA_ARGS__})
#define BARE_(n) ((struct lang_attr){.name = (char[]){n}, .at = HERE})
#define LOCAL_(n, ...)                                                                             \
    ((struct lang_attr){                                                                           \
        .name = (char[]){n}, .local = true, .given = true, .at = HERE, .value = __VA_ARGS__})
#define ATTRS_(...)                                                                                \
    {                                                                                              \
        .n = sizeof(struct lang_attr[]){__VA_ARGS__} / sizeof(struct lang_attr),                   \
        .attr = (struct lang_attr[])                                                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define RANDVAR_(...)                                                                              \
    ((struct lang_value){.kind = LANG_RANDVAR, .at = HERE, .attrs = ATTRS_(__VA_ARGS__)})
#define CVAR_(...)                                                                                 \
    ((struct lang_value){.kind = LANG_CVAR, .at = HERE, .attrs = ATTRS_(__VA_ARGS__)})
#define TABLE_(...)                                                                                \
    ((struct lang_value){.kind = LANG_TABLE,                                                       \
                         .at = HERE,                                                               \
                         .rows = sizeof(struct lang_row[]){__VA_ARGS__} / sizeof(struct lang_row), \
                         .row = (struct lang_row[]){__VA_ARGS__}})
#define SET_(n, ...)                                                                               \
    ((struct lang_command){.kind = LANG_SET, .at = HERE, .name = (char[]){n}, .value = __VA_ARGS__})

#endif
