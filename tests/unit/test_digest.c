/* digest.h: SHA-256 as published (FIPS 180-4 examples; NIST CAVP SHA256ShortMsg). */
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_published_examples_hold(void **state)
{
    (void)state;
    static const struct {
        const char *message;
        const char *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
         "mnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char hex[DIGEST_HEX_MAX];
        assert_ptr_equal(digest_sha256(cases[i].message, strlen(cases[i].message), hex), hex);
        assert_string_equal(hex, cases[i].digest);
    }
}

static void a_million_letters_hold(void **state)
{
    (void)state;
    char *message = malloc(1000000);
    assert_non_null(message);
    memset(message, 'a', 1000000);
    char hex[DIGEST_HEX_MAX];
    assert_string_equal(digest_sha256(message, 1000000, hex),
                        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(message);
}

static void zero_bytes_count(void **state)
{
    (void)state;
    char one[DIGEST_HEX_MAX];
    char two[DIGEST_HEX_MAX];
    assert_string_not_equal(digest_sha256("\0", 1, one), digest_sha256("\0\0", 2, two));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_examples_hold),
        cmocka_unit_test(a_million_letters_hold),
        cmocka_unit_test(zero_bytes_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
