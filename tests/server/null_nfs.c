/* An NFSv3 server that keeps nothing, for tests and measurements of the client.
 *   null_nfs [--port N] [--ipv6] [--io-max BYTES] [--file-bytes N] [rude options]
 * Prints its port, then serves NFS, MOUNT and the portmapper on it until it gets SIGTERM. */
#include "nfs/null_server.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static struct null_server *server;

static void stop(int signal)
{
    (void)signal;
    null_server_stop(server);
}

struct asked {
    uint16_t port;
    bool ipv6;
    uint32_t io_max;
    uint64_t file_bytes;
};

static int usage(void)
{
    fprintf(stderr, "null_nfs [--port N] [--ipv6] [--io-max BYTES] [--file-bytes N]\n");
    return 1;
}

static int parse(int argc, char **argv, struct asked *a)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'},
        {"ipv6", no_argument, NULL, '6'},
        {"io-max", required_argument, NULL, 'i'},
        {"file-bytes", required_argument, NULL, 'f'},
        {NULL, 0, NULL, 0},
    };

    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'p':
            a->port = (uint16_t)strtoul(optarg, NULL, 10);
            break;
        case '6':
            a->ipv6 = true;
            break;
        case 'i':
            a->io_max = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'f':
            a->file_bytes = strtoull(optarg, NULL, 10);
            break;
        default:
            return usage();
        }
    }
    return optind == argc ? 0 : usage();
}

int main(int argc, char **argv)
{
    struct responder plain = responder_plain(0);
    struct asked a = {.io_max = plain.io_max, .file_bytes = plain.file_bytes};
    struct err err = {0};

    if (parse(argc, argv, &a) != 0)
        return 1;
    if (null_server_open(a.port, a.ipv6, &server, &err) < 0) {
        fprintf(stderr, "null_nfs: %s\n", err.text);
        return 1;
    }

    struct responder *r = null_server_responder(server);

    r->io_max = a.io_max;
    r->file_bytes = a.file_bytes;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop}, NULL);
    printf("%u\n", null_server_port(server));
    fflush(stdout);

    int rc = null_server_run(server, &err);

    if (rc < 0)
        fprintf(stderr, "null_nfs: %s\n", err.text);
    null_server_close(server);
    return rc < 0;
}
