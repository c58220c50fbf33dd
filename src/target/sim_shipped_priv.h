/* target/sim_shipped_priv.h — the table that cmake/workloads.cmake makes of profiles/.
 * Shape    a constant table by name, with a row of NULLs behind the last.     Threads  constant. */
#ifndef LOADLINE_TARGET_SIM_SHIPPED_PRIV_H
#define LOADLINE_TARGET_SIM_SHIPPED_PRIV_H

struct sim_shipped_row {
    const char *name;
    const unsigned char *text; /* ends with a NUL */
    unsigned len;
};

extern const struct sim_shipped_row sim_shipped_row[];

#endif
