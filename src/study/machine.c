#include "study/machine_priv.h"
#include "study/study_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define QUOTE(x)    #x
#define QUOTE_OF(x) QUOTE(x)

/* __OPTIMIZE__ quotes as its value where the compiler defines it, else as its own name. */
static bool optimised(void)
{
    return strcmp(QUOTE_OF(__OPTIMIZE__), "1") == 0;
}

static void this_clocks(void *ctx, struct clk_moment *out)
{
    (void)ctx;
    clk_moment_read(out);
}

const struct study_view *machine_view(const struct study_view *given)
{
    static const struct study_view this_machine = {
        .proc = "/proc", .sys = "/sys", .clocks = this_clocks};
    return given ? given : &this_machine;
}

void machine_word(const char *root, const char *name, char *buf, size_t room)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "re");
    buf[0] = '\0';
    if (!f)
        return;
    if (!fgets(buf, (int)room, f))
        buf[0] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
    fclose(f);
}

long long machine_number(const char *root, const char *name, long long otherwise)
{
    char word[32], *end;
    machine_word(root, name, word, sizeof word);
    long long number = strtoll(word, &end, 10);
    return word[0] != '\0' && *end == '\0' ? number : otherwise;
}

/* The value of "key : value"; NULL when the line has another key. */
static char *value_of(char *line, const char *key)
{
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0)
        return NULL;
    char *colon = strchr(line + len, ':');
    if (!colon || strspn(line + len, " \t") != (size_t)(colon - line - (ptrdiff_t)len))
        return NULL;
    char *value = colon + 1 + strspn(colon + 1, " \t");
    value[strcspn(value, "\n")] = '\0';
    return value;
}

static void read_cpu(const struct study_view *view, struct machine *m)
{
    char path[512];
    char *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/cpuinfo", view->proc);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    while (getline(&line, &room, f) > 0) {
        char *value = value_of(line, "model name");
        if (value && !m->cpu_model[0])
            snprintf(m->cpu_model, sizeof m->cpu_model, "%s", value);
        value = value_of(line, "flags");
        if (value && strstr(value, " hypervisor"))
            snprintf(m->hypervisor, sizeof m->hypervisor, "unnamed");
        if (value)
            break;
    }
    free(line);
    fclose(f);
}

/* The processor says that there is a hypervisor; the firmware's names say which. */
static void name_hypervisor(const struct study_view *view, struct machine *m)
{
    char name[32];
    if (!m->hypervisor[0])
        return;
    machine_word(view->sys, "class/dmi/id/sys_vendor", name, sizeof name);
    if (name[0])
        snprintf(m->hypervisor, sizeof m->hypervisor, "%s", name);
}

static unsigned cpus_allowed(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
}

#define CPU  "devices/system/cpu/"
#define FREQ CPU "cpu0/cpufreq/"

static int is_node(const struct dirent *entry)
{
    return strncmp(entry->d_name, "node", 4) == 0 && isdigit((unsigned char)entry->d_name[4]);
}

static unsigned count_nodes(const struct study_view *view)
{
    struct dirent **node = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/devices/system/node", view->sys);
    int n = scandir(path, &node, is_node, NULL);
    for (int i = 0; i < n; i++)
        free(node[i]);
    free(node);
    return n > 0 ? (unsigned)n : 0;
}

static int read_boost(const struct study_view *view)
{
    long long no_turbo = machine_number(view->sys, CPU "intel_pstate/no_turbo", -1);
    if (no_turbo >= 0)
        return no_turbo == 0;
    return (int)machine_number(view->sys, CPU "cpufreq/boost", -1);
}

/* What the processor is sold for. The highest frequency is that only where it cannot be boosted. */
static uint64_t read_nominal_khz(const struct study_view *view, int boost)
{
    long long khz = machine_number(view->sys, FREQ "base_frequency", 0);
    if (khz <= 0)
        khz = 1000 * machine_number(view->sys, CPU "cpu0/acpi_cppc/nominal_freq", 0);
    if (khz <= 0 && boost == 0)
        khz = machine_number(view->sys, FREQ "cpuinfo_max_freq", 0);
    return khz > 0 ? (uint64_t)khz : 0;
}

static void read_frequency(const struct study_view *view, struct machine *m)
{
    const char *sys = view->sys;
    machine_word(sys, FREQ "scaling_governor", m->cpu_governor, sizeof m->cpu_governor);
    machine_word(sys, FREQ "scaling_driver", m->cpu_driver, sizeof m->cpu_driver);
    machine_word(sys, FREQ "energy_performance_preference", m->cpu_preference,
                 sizeof m->cpu_preference);
    m->boost = read_boost(view);
    m->cpu_nominal_khz = read_nominal_khz(view, m->boost);
}

void machine_read(const struct study_view *view, struct machine *m)
{
    struct utsname name;
    *m = (struct machine){0};
    if (uname(&name) == 0) {
        snprintf(m->hostname, sizeof m->hostname, "%s", name.nodename);
        snprintf(m->kernel, sizeof m->kernel, "%s", name.release);
        snprintf(m->arch, sizeof m->arch, "%.32s", name.machine);
    }
    read_cpu(view, m);
    name_hypervisor(view, m);
    machine_word(view->sys, "devices/system/clocksource/clocksource0/current_clocksource",
                 m->clocksource, sizeof m->clocksource);
    read_frequency(view, m);
    m->smt = (int)machine_number(view->sys, CPU "smt/active", -1);
    m->numa_nodes = count_nodes(view);
    m->cpus = cpus_allowed();
    m->cpus_online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    m->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    m->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * m->page_bytes;
    if (getloadavg(&m->load_1m, 1) != 1)
        m->load_1m = -1;
}

static void put_on_off(struct fact_pen *pen, const char *key, int on)
{
    if (on >= 0)
        fact_word(pen, key, on ? "on" : "off");
}

static void word_if_any(struct fact_pen *pen, const char *key, const char *value)
{
    if (value[0])
        fact_word(pen, key, value);
}

int machine_facts(const struct machine *m, struct result_facts *facts)
{
    struct fact_pen pen = {.facts = facts};
    word_if_any(&pen, "hostname", m->hostname);
    word_if_any(&pen, "kernel", m->kernel);
    word_if_any(&pen, "arch", m->arch);
    word_if_any(&pen, "cpu_model", m->cpu_model);
    fact_count(&pen, "cpus", m->cpus, "");
    fact_count(&pen, "cpus_online", m->cpus_online, "");
    fact_count(&pen, "memory_bytes", m->memory_bytes, "bytes");
    fact_count(&pen, "page_bytes", m->page_bytes, "bytes");
    word_if_any(&pen, "clocksource", m->clocksource);
    word_if_any(&pen, "cpu_governor", m->cpu_governor);
    word_if_any(&pen, "cpu_driver", m->cpu_driver);
    word_if_any(&pen, "cpu_preference", m->cpu_preference);
    put_on_off(&pen, "cpu_boost", m->boost);
    if (m->cpu_nominal_khz > 0)
        fact_count(&pen, "cpu_nominal_khz", m->cpu_nominal_khz, "kHz");
    put_on_off(&pen, "smt", m->smt);
    if (m->numa_nodes > 0)
        fact_count(&pen, "numa_nodes", m->numa_nodes, "");
    fact_word(&pen, "virtualised", m->hypervisor[0] ? m->hypervisor : "no");
    if (m->load_1m >= 0)
        fact_number(&pen, "load_1m_before", m->load_1m, "");
    fact_word(&pen, "compiler", __VERSION__);
    fact_word(&pen, "build", optimised() ? "optimised" : "not optimised");
    return pen.rc;
}

void machine_line(char *buf, size_t room)
{
    struct machine m;
    machine_read(machine_view(NULL), &m);
    snprintf(buf, room, "%u x %s, Linux %.24s%s", m.cpus_online,
             m.cpu_model[0] ? m.cpu_model : m.arch, m.kernel, optimised() ? "" : ", not optimised");
}
