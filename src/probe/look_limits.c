#include "probe/local_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS "fs/cgroup"

/* Where the control groups of one controller are mounted, and which one we are in. */
struct group {
    char mount[64]; /* below /sys/fs/cgroup: "" "unified" "blkio" "cpu,cpuacct" */
    char path[LOCAL_PATH / 2];
    bool v2;
};

static bool lists(const char *controllers, const char *wanted)
{
    size_t len = strlen(wanted);

    for (const char *at = controllers; (at = strstr(at, wanted)) != NULL; at += len)
        if ((at == controllers || at[-1] == ',') && (at[len] == '\0' || at[len] == ','))
            return true;
    return false;
}

/* "4:memory:/path", and of version 2 "0::/path". Where both are in use, a controller of version 1 is not in 2. */
static bool find_group(struct local *l, const char *controller, struct group *out)
{
    char *at = local_read(l, l->proc, "self/cgroup");
    bool found = false;

    for (char *line; (line = local_line(&at)) != NULL;) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        controllers++;
        bool v2 = controllers[0] == '\0';
        if (!(v2 ? !found : lists(controllers, controller)) || strlen(path) >= sizeof out->path)
            continue;
        snprintf(out->mount, sizeof out->mount, "%s", controllers);
        snprintf(out->path, sizeof out->path, "%s", strcmp(path, "/") == 0 ? "" : path);
        out->v2 = v2;
        found = true;
    }
    if (found && out->v2 && local_read(l, l->sys, GROUPS "/cgroup.controllers") == NULL)
        snprintf(out->mount, sizeof out->mount, "unified");
    return found;
}

/* The group that holds this one; false: this one is the highest. */
static bool go_up(struct group *g)
{
    char *slash = strrchr(g->path, '/');

    if (slash)
        *slash = '\0';
    return slash != NULL;
}

static char *read_of_group(struct local *l, const struct group *g, const char *file)
{
    return local_read(l, l->sys, GROUPS "/%s%s/%s", g->mount, g->path, file);
}

/* How often one of the groups we are in had used up its share of the processors. */
static void put_processor_limit(struct local *l)
{
    struct group g;
    double sum = 0;
    bool told = false;

    if (!find_group(l, "cpu", &g))
        return;
    do {
        const char *stat = read_of_group(l, &g, "cpu.stat");
        const char *times = stat ? strstr(stat, "nr_throttled ") : NULL;
        if (times) {
            sum += strtod(times + strlen("nr_throttled "), NULL);
            told = true;
        }
    } while (go_up(&g));
    if (told)
        local_put(l, TRACK_THROTTLED, SIGHT_COUNTED, "cgroup cpu")->value = sum;
}

/* A core with two threads tells its own twice, and a package all of its cores: that there were any is what counts. */
static void put_heat(struct local *l)
{
    double sum = 0;
    bool told = false;

    for (unsigned cpu = 0; cpu < LOCAL_THERMAL_CPUS; cpu++) {
        static const char *const of[] = {"core", "package"};
        for (unsigned i = 0; i < 2; i++) {
            double n = local_number(l, l->sys, -1,
                                    "devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count",
                                    cpu, of[i]);
            if (n < 0)
                continue;
            sum += n;
            told = true;
        }
        if (!told)
            return;
    }
    local_put(l, TRACK_THROTTLED, SIGHT_COUNTED, "thermal")->value = sum;
}

void look_throttled(struct local *l)
{
    put_heat(l);
    put_processor_limit(l);
}

static struct local_cap *cap_for(struct local *l, unsigned major, unsigned minor)
{
    for (unsigned i = 0; i < l->caps; i++)
        if (l->cap[i].major == major && l->cap[i].minor == minor)
            return &l->cap[i];
    if (l->caps == LOCAL_CAPS)
        return NULL;
    l->cap[l->caps] = (struct local_cap){.major = major, .minor = minor};
    return &l->cap[l->caps++];
}

/* The narrowest of all groups is what we get. */
static void narrow(double *cap, const char *number)
{
    double n = strtod(number, NULL);

    if (n > 0 && (*cap == 0 || n < *cap))
        *cap = n;
}

/* "8:0 rbps=1048576 wbps=max riops=max wiops=max" */
static void read_v2_caps(struct local *l, const struct group *g)
{
    char *at = read_of_group(l, g, "io.max");

    for (char *line; (line = local_line(&at)) != NULL;) {
        unsigned major, minor;
        struct local_cap *cap =
            sscanf(line, "%u:%u", &major, &minor) == 2 ? cap_for(l, major, minor) : NULL;
        for (char *word; cap && (word = local_word(&line)) != NULL;) {
            if (strncmp(word, "rbps=", 5) == 0)
                narrow(&cap->read_bytes, word + 5);
            else if (strncmp(word, "wbps=", 5) == 0)
                narrow(&cap->write_bytes, word + 5);
            else if (strncmp(word, "riops=", 6) == 0)
                narrow(&cap->reads, word + 6);
            else if (strncmp(word, "wiops=", 6) == 0)
                narrow(&cap->writes, word + 6);
        }
    }
}

/* "8:0 1048576", in a file for each */
static void read_v1_caps(struct local *l, const struct group *g)
{
    static const char *const file[] = {
        "blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
        "blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"};

    for (unsigned i = 0; i < 4; i++) {
        char *at = read_of_group(l, g, file[i]);
        for (char *line; (line = local_line(&at)) != NULL;) {
            unsigned major, minor;
            int end = 0;
            struct local_cap *cap = sscanf(line, "%u:%u%n", &major, &minor, &end) == 2
                                        ? cap_for(l, major, minor)
                                        : NULL;
            if (cap)
                narrow(i == 0   ? &cap->read_bytes
                       : i == 1 ? &cap->write_bytes
                       : i == 2 ? &cap->reads
                                : &cap->writes,
                       line + end);
        }
    }
}

void look_caps(struct local *l)
{
    struct group g;

    l->caps = 0;
    if (find_group(l, "blkio", &g) && !g.v2) {
        do
            read_v1_caps(l, &g);
        while (go_up(&g));
    } else if (find_group(l, "io", &g)) {
        do
            read_v2_caps(l, &g);
        while (go_up(&g));
    }
}
