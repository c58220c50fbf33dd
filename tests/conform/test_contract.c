/* target.h, submit, reap and wake, on every target of this machine. */
#include "contract.h"
#include "unit/loop_device.h"

#include "target/destroy.h"

int main(void)
{
    static struct rig_case cases[] = {
        {"%s"},
        {"posix:%s"},
        {"uring:%s"},
        {"fault:uring:%s"},
        {"null:"},
        {"fault:%s"},
        {"fault:null:"},
        {"fault:null:?clock=virtual"},
        {"fault:null:?latency=uniform:1us-50us"},
        {"fault:null:?latency=exp:20us&clock=virtual"},
        {"fault:%s?latency=fixed:1us"},
        {"fault:fault:null:?latency=fixed:1us?clock=virtual"},
        {"dev:/dev/loop"},
        {"fault:dev:/dev/loop"},
    };
    const size_t n = RIG_COUNT(cases);
    struct loop_device loop;
    struct err err = {0};
    char address[2][64];
    int failed;

    if (!loop_open(&loop, 1 << 20)) {
        print_message("[  SKIPPED ] block devices: no loop device to be had\n");
        return rig_run("contract", contract_tests, RIG_COUNT(contract_tests), cases, n - 2);
    }
    for (unsigned i = 0; i < 2; i++) {
        snprintf(address[i], sizeof address[i], "%sdev:%s", i == 0 ? "" : "fault:", loop.path);
        cases[n - 2 + i].address = address[i];
    }
    failed = rig_run("contract", contract_tests, RIG_COUNT(contract_tests), cases, n);
    if (target_allow_destroy(loop.path, &err) < 0) {
        print_message("%s\n", err.text);
        failed++;
    } else {
        failed += rig_run("contract of a device given up", contract_tests,
                          RIG_COUNT(contract_tests), &cases[n - 2], 2);
    }
    loop_close(&loop);
    return failed;
}
