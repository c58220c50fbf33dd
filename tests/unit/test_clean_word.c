/* The command that is given as advice cleans what was measured, and survives a shell. */
#include "fileset/site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void faults_are_left_out_and_blanks_quoted(void **state)
{
    static const struct {
        const char *address;
        const char *word;
    } cases[] = {
        {"/mnt/filer", "/mnt/filer"},
        {"/mnt/my filer", "'/mnt/my filer'"},
        {"/mnt/what?", "'/mnt/what?'"}, /* no fault's options */
        {"fault:/mnt/filer?hang=op:7", "/mnt/filer"},
        {"fault:fault:/mnt/filer?hang=op:7?seed=1", "/mnt/filer"},
    };
    char buf[SITE_WORD_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(site_clean_word(cases[i].address, buf), cases[i].word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_left_out_and_blanks_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
