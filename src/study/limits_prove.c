/* Which runs, changed in one thing, may say what stops a row. */
#include "study/limits_priv.h"

#include <inttypes.h>
#include <stdio.h>

/* Half of it must still be more than what every op costs anyway. */
#define SIZE_LEAST_BYTES 1024

static bool halves_clients(uint32_t streams, uint32_t clients)
{
    return clients / 2 >= LIMITS_CLIENTS_LEAST && clients % 2 == 0 && streams >= clients;
}

static bool halves_size(const struct limits_where *where, uint64_t io_bytes)
{
    bool fits = !where->direct || where->block_bytes == 0 || io_bytes / 2 % where->block_bytes == 0;
    return io_bytes / 2 >= SIZE_LEAST_BYTES && io_bytes % 2 == 0 && fits;
}

unsigned limits_changes(const struct limits_row *row, const struct limits_where *where,
                        uint32_t streams, uint32_t clients,
                        struct limits_change out[LIMITS_CHANGES_MAX])
{
    uint64_t io_bytes = limits_row_io(row, where);
    unsigned n = 0;
    if (row->latency) /* one op at a time: nothing is to be full */
        return 0;
    if (halves_clients(streams, clients)) {
        out[n] = (struct limits_change){.clients = clients / 2, .io_bytes = io_bytes};
        snprintf(out[n].changed, sizeof out[n].changed, "clients=%" PRIu32, out[n].clients);
        n++;
    }
    if (halves_size(where, io_bytes)) {
        out[n] = (struct limits_change){.clients = clients, .io_bytes = io_bytes / 2};
        snprintf(out[n].changed, sizeof out[n].changed, "io_bytes=%" PRIu64, out[n].io_bytes);
        n++;
    }
    return n;
}
