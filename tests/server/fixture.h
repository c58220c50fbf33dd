/* server/fixture.h — where the servers of the fixture are, for tests in C.
 * Shape    server_target("ext4", …) after the fixture "servers" is up (tests/server/fixture.py).
 * Errors   end the test: without a server nothing is proved.      Threads  any. */
#ifndef LOADLINE_SERVER_FIXTURE_H
#define LOADLINE_SERVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SERVER_ADDRESS_MAX 256

struct server_target {
    char address[SERVER_ADDRESS_MAX];   /* nfs://… */
    char directory[SERVER_ADDRESS_MAX]; /* the same files from here; "-": nowhere */
};

static inline struct server_target server_target(const char *name)
{
    struct server_target found;
    char path[4096], line[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/server/targets", getenv("BUILD_DIR"));
    file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s is not there: run by ctest, which starts the servers", path);
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = line, *word = strsep(&rest, " ");
        if (strcmp(word, name) != 0)
            continue;
        snprintf(found.address, sizeof found.address, "%s", strsep(&rest, " "));
        snprintf(found.directory, sizeof found.directory, "%s", strsep(&rest, "\n"));
        fclose(file);
        return found;
    }
    fclose(file);
    fail_msg("no server is called %s", name);
    abort();
}

#endif
