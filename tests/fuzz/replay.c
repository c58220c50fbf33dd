/* Runs a fuzz target over every file of its corpus, so that each compiler and sanitizer sees in
 * every test run what the fuzzer once found.   replay CORPUS */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int replay_stream(FILE *file)
{
    size_t room = 1 << 16;
    size_t size = 0;
    uint8_t *data = malloc(room);
    while (data && !feof(file) && !ferror(file)) {
        if (size == room) {
            room *= 2;
            uint8_t *more = realloc(data, room);
            if (!more) {
                free(data);
                return -ENOMEM;
            }
            data = more;
        }
        size += fread(data + size, 1, room - size, file);
    }
    if (!data || ferror(file)) {
        free(data);
        return data ? -EIO : -ENOMEM;
    }
    /* Exactly as long as the input: a read past its end is seen by the sanitizers. */
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) {
        memcpy(exact, data, size);
        (void)LLVMFuzzerTestOneInput(exact, size);
    }
    free(data);
    free(exact);
    return exact ? 0 : -ENOMEM;
}

static int replay_file(const char *corpus, const char *name)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", corpus, name) >= sizeof path) {
        return -ENAMETOOLONG;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return -errno;
    }
    /* Named before it runs: a crash says nothing afterwards. */
    printf("%s\n", name);
    fflush(stdout);
    int rc = replay_stream(file);
    fclose(file);
    return rc;
}

int main(int argc, char **argv)
{
    const char *corpus = argc == 2 ? argv[1] : "";
    DIR *dir = opendir(corpus);
    if (!dir) {
        fprintf(stderr, "replay: no corpus \"%s\": %s\n", corpus, strerror(errno));
        return 1;
    }
    int files = 0;
    int failures = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        int rc = replay_file(corpus, entry->d_name);
        if (rc < 0) {
            fprintf(stderr, "replay: %s: %s\n", entry->d_name, strerror(-rc));
            failures++;
        }
        files++;
    }
    closedir(dir);
    printf("%d inputs replayed\n", files);
    return files > 0 && failures == 0 ? 0 : 1;
}
