/* target/posix_quota.c: what quotas leave, from answers as quotactl(2) gives them. */
#include "target/posix_priv.h"

#include <fcntl.h>
#include <linux/quota.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define KIB   1024u
#define NOW_S 1000000u

/* The answers by type; valid 0: the kernel refuses. */
struct answers {
    struct if_dqblk q[MAXQUOTAS];
    uint32_t asked_id[MAXQUOTAS];
    unsigned asked;
};

static int answer(void *ctx, int type, uint32_t id, struct if_dqblk *out)
{
    struct answers *a = ctx;

    a->asked_id[type] = id;
    a->asked++;
    if (a->q[type].dqb_valid == 0)
        return -ESRCH;
    *out = a->q[type];
    return 0;
}

static struct target_space ask(struct answers *a, bool project)
{
    const struct posix_quota_source source = {
        .get = answer, .ctx = a, .id = {1000, 100, 7}, .applies = {true, true, project}};
    struct target_space space = {.total_bytes = 1 << 30, .free_bytes = 1 << 29};

    posix_quota_apply(&source, NOW_S, &space);
    return space;
}

static struct if_dqblk of_bytes(uint64_t hard_kib, uint64_t used_bytes)
{
    return (struct if_dqblk){
        .dqb_bhardlimit = hard_kib, .dqb_curspace = used_bytes, .dqb_valid = QIF_ALL};
}

static void expect(const struct target_quota *quota, const char *of, uint64_t left)
{
    assert_string_equal(quota->of, of);
    assert_int_equal(quota->left, left);
}

static void no_quota_is_no_limit(void **state)
{
    struct answers a = {0};
    struct target_space space = ask(&a, true);

    (void)state;
    assert_int_equal(a.asked, 3);
    expect(&space.quota_bytes, "", 0);
    expect(&space.quota_files, "", 0);
    /* There, but unlimited. */
    a.q[USRQUOTA] = of_bytes(0, 5 * KIB);
    space = ask(&a, true);
    expect(&space.quota_bytes, "", 0);
}

static void what_is_left_is_the_limit_less_what_is_used(void **state)
{
    struct answers a = {.q[USRQUOTA] = of_bytes(10, 4 * KIB + 1)};
    struct target_space space = ask(&a, false);

    (void)state;
    expect(&space.quota_bytes, "user 1000", 6 * KIB - 1);
    expect(&space.quota_files, "", 0);
    a.q[USRQUOTA] = of_bytes(10, 11 * KIB); /* root may have gone beyond it */
    space = ask(&a, false);
    expect(&space.quota_bytes, "user 1000", 0);
}

static void the_tightest_quota_is_named(void **state)
{
    struct answers a = {.q = {of_bytes(100, 0), of_bytes(50, 0), of_bytes(20, 0)}};
    struct target_space space;

    (void)state;
    a.q[USRQUOTA].dqb_ihardlimit = 30;
    a.q[GRPQUOTA].dqb_ihardlimit = 90;
    a.q[GRPQUOTA].dqb_curinodes = 10;
    space = ask(&a, true);
    expect(&space.quota_bytes, "project 7", 20 * KIB);
    expect(&space.quota_files, "user 1000", 30);
    space = ask(&a, false);
    expect(&space.quota_bytes, "group 100", 50 * KIB);
    assert_int_equal(a.asked_id[USRQUOTA], 1000);
    assert_int_equal(a.asked_id[GRPQUOTA], 100);
}

/* It may be passed until its time of grace is over. */
static void a_soft_limit_binds_after_its_grace(void **state)
{
    struct answers a = {.q[GRPQUOTA] = of_bytes(100, 60 * KIB)};
    struct target_space space;

    (void)state;
    a.q[GRPQUOTA].dqb_bsoftlimit = 50;
    a.q[GRPQUOTA].dqb_btime = NOW_S + 1;
    space = ask(&a, false);
    expect(&space.quota_bytes, "group 100", 40 * KIB);
    a.q[GRPQUOTA].dqb_btime = NOW_S;
    space = ask(&a, false);
    expect(&space.quota_bytes, "group 100", 0);
    a.q[GRPQUOTA].dqb_curspace = 50 * KIB - 1;
    space = ask(&a, false);
    expect(&space.quota_bytes, "group 100", 50 * KIB + 1);
}

static void what_the_answer_does_not_vouch_for_is_not_used(void **state)
{
    struct answers a = {.q[USRQUOTA] = of_bytes(10, 4 * KIB)};
    struct target_space space;

    (void)state;
    a.q[USRQUOTA].dqb_ihardlimit = 5;
    a.q[USRQUOTA].dqb_valid = QIF_BLIMITS | QIF_ILIMITS | QIF_INODES;
    space = ask(&a, false);
    expect(&space.quota_bytes, "", 0);
    expect(&space.quota_files, "user 1000", 5);
}

/* No quota is in force in a directory of ours, and none may be told. */
static void this_machine_can_be_asked(void **state)
{
    struct target_space space = {.free_bytes = 1};
    int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    assert_true(fd >= 0);
    posix_quota(fd, &space);
    close(fd);
    expect(&space.quota_bytes, "", 0);
    expect(&space.quota_files, "", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_quota_is_no_limit),
        cmocka_unit_test(what_is_left_is_the_limit_less_what_is_used),
        cmocka_unit_test(the_tightest_quota_is_named),
        cmocka_unit_test(a_soft_limit_binds_after_its_grace),
        cmocka_unit_test(what_the_answer_does_not_vouch_for_is_not_used),
        cmocka_unit_test(this_machine_can_be_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
