#include "study/study_priv.h"

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

static void read_word(const char *path, char *buf, size_t room)
{
    FILE *f = fopen(path, "re");
    buf[0] = '\0';
    if (!f)
        return;
    if (!fgets(buf, (int)room, f))
        buf[0] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
    fclose(f);
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

static void read_cpu(struct machine *m)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
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
static void name_hypervisor(struct machine *m)
{
    char name[32];
    if (!m->hypervisor[0])
        return;
    read_word("/sys/class/dmi/id/sys_vendor", name, sizeof name);
    if (name[0])
        snprintf(m->hypervisor, sizeof m->hypervisor, "%s", name);
}

static unsigned cpus_allowed(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
}

void machine_read(struct machine *m)
{
    struct utsname name;
    *m = (struct machine){0};
    if (uname(&name) == 0) {
        snprintf(m->hostname, sizeof m->hostname, "%s", name.nodename);
        snprintf(m->kernel, sizeof m->kernel, "%s", name.release);
        snprintf(m->arch, sizeof m->arch, "%.32s", name.machine);
    }
    read_cpu(m);
    name_hypervisor(m);
    read_word("/sys/devices/system/clocksource/clocksource0/current_clocksource", m->clocksource,
              sizeof m->clocksource);
    read_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", m->cpu_governor,
              sizeof m->cpu_governor);
    m->cpus = cpus_allowed();
    m->cpus_online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    m->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    m->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * m->page_bytes;
    if (getloadavg(&m->load_1m, 1) != 1)
        m->load_1m = -1;
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
    machine_read(&m);
    snprintf(buf, room, "%u x %s, Linux %.24s%s", m.cpus_online,
             m.cpu_model[0] ? m.cpu_model : m.arch, m.kernel, optimised() ? "" : ", not optimised");
}
