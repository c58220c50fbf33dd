/* target.h, what each op kind means, on every target of this machine that keeps files. */
#include "namespace.h"

int main(void)
{
    static struct rig_case cases[] = {
        {"%s"}, {"fault:%s"}, {"fault:%s?error=EIO@op:1000000"}, {"uring:%s"}, {"fault:uring:%s"}};
    const size_t n = RIG_COUNT(cases);

    return rig_run("namespace", namespace_tests, RIG_COUNT(namespace_tests), cases, n) +
           rig_run("behind", namespace_behind_tests, RIG_COUNT(namespace_behind_tests), cases, n) +
           rig_run("kernel", namespace_kernel_tests, RIG_COUNT(namespace_kernel_tests), cases, n);
}
