#include "base/owner.h"
#include "unit/until_killed.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A process is told from a later one with its number, and only what is certain is said. */
static void an_owner_is_known_from_a_later_process(void **state)
{
    (void)state;
    struct owner me;
    owner_of((uint64_t)getpid(), &me);
    assert_true(me.started_ticks > 0);
    assert_int_equal(owner_life(&me), OWNER_LIVE);
    struct owner other = me;
    other.started_ticks++; /* the number was given to another process */
    assert_int_equal(owner_life(&other), OWNER_GONE);
    other.pid = INT32_MAX; /* above what a kernel gives */
    assert_int_equal(owner_life(&other), OWNER_GONE);
    other = me;
    other.boot[0] = other.boot[0] == '0' ? '1' : '0';
    assert_int_equal(owner_life(&other), OWNER_OTHER_BOOT);
    other.host[0] ^= 1;
    assert_int_equal(owner_life(&other), OWNER_UNKNOWN);
    other = me;
    other.host[0] ^= 1; /* this boot, under the name it had before */
    assert_int_equal(owner_life(&other), OWNER_LIVE);
    other = me;
    other.pid_space[0] ^= 1;
    assert_int_equal(owner_life(&other), OWNER_UNKNOWN);
    assert_int_equal(owner_life(&(struct owner){.pid = 0}), OWNER_UNKNOWN);
}

/* A process that has ended is listed until its parent asks for its status. */
static void who_has_ended_is_gone(void **state)
{
    (void)state;
    struct owner child;
    siginfo_t end;
    pid_t parent = getpid();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        until_killed(parent);
    owner_of((uint64_t)pid, &child);
    assert_int_equal(owner_life(&child), OWNER_LIVE);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT), 0);
    assert_int_equal(owner_life(&child), OWNER_GONE);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Neither what a process is called nor what it uses moves the time it was started at. */
static void the_start_of_a_process_is_read_past_its_name(void **state)
{
    (void)state;
    struct owner before;
    struct owner after;
    char name[16] = "";
    owner_of((uint64_t)getpid(), &before);
    size_t len = 64u << 20;
    void *more = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(more, MAP_FAILED);
    assert_int_equal(prctl(PR_GET_NAME, name), 0);
    assert_int_equal(prctl(PR_SET_NAME, "a) R 1 (b 2"), 0);
    owner_of((uint64_t)getpid(), &after);
    assert_int_equal(prctl(PR_SET_NAME, name), 0);
    munmap(more, len);
    assert_int_equal(before.started_ticks, after.started_ticks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_owner_is_known_from_a_later_process),
        cmocka_unit_test(who_has_ended_is_gone),
        cmocka_unit_test(the_start_of_a_process_is_read_past_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
