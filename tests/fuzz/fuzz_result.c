/* Whatever the bytes are, reading a result ends, and what was read prints, reads and prints alike.
 * No input gets past the seal by chance: the document is read a second time without one. */
#include "fuzz/fuzz.h"
#include "result/result_priv.h"

#include <stdlib.h>
#include <string.h>

static void print_again(struct result *r)
{
    char *first = NULL;
    char *second = NULL;
    struct result *again = NULL;
    FUZZ_CHECK(result_seal(r, &first, NULL) == 0);
    FUZZ_CHECK(result_parse(first, strlen(first), &again, NULL) == 0);
    FUZZ_CHECK(result_seal(again, &second, NULL) == 0);
    FUZZ_CHECK(strcmp(first, second) == 0);
    free(first);
    free(second);
    result_free(again);
}

static void read_unsealed(const char *json, size_t size)
{
    json_t *doc = json_loadb(json, size, JSON_REJECT_DUPLICATES, NULL);
    struct result *r = NULL;
    struct err err;
    json_object_del(doc, "schema");
    json_object_del(doc, "seal");
    if (doc && result_read(doc, &r, &err) == 0)
        print_again(r);
    else
        FUZZ_CHECK(r == NULL);
    result_free(r);
    json_decref(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *json = (const char *)data;
    struct result *r = NULL;
    struct err err;
    if (result_parse(json, size, &r, &err) == 0)
        print_again(r);
    else
        FUZZ_CHECK(r == NULL);
    result_free(r);
    read_unsealed(json, size);
    return 0;
}
