#include "target/sim_keys_priv.h"

#include "base/digest.h"
#include "base/nearest.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MAX_BYTES 512
#define SUFFIX         ".profile"
#define PROTOCOL       "protocol"

/* A text being read. */
struct reader {
    struct sim_profile *p;
    unsigned file; /* its number in p->file */
    unsigned line;
    bool begun; /* something other than an include has been read */
    char section[SIM_NAME_MAX];
    unsigned protocol; /* of section "protocol" */
};

static int read_text(struct sim_profile *p, const char *name, const char *text, size_t len,
                     struct err *err);

/* A number too large for its type is as much a wish that cannot be as any. */
static int refused(struct err *err)
{
    if (err != NULL)
        err->code = -EINVAL;
    return -EINVAL;
}

/* ---- one key ---- */

int sim_protocol_find(const struct sim_profile *p, const char *name)
{
    for (unsigned i = 0; i < p->protocols; i++) {
        if (strcmp(p->protocol_of[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

int sim_profile_key(struct sim_profile *p, const char *section, unsigned protocol, const char *key,
                    const char *value, struct err *err)
{
    enum op_kind op = OP_KINDS;
    int k = sim_key_find(section, key, &op, err);
    bool of_protocol = strcmp(section, PROTOCOL) == 0;
    void *at = of_protocol ? (void *)&p->protocol_of[protocol] : (void *)p;

    if (k < 0)
        return k;
    if (sim_value_take(sim_key_at((unsigned)k), op, at, value, err) < 0) {
        err_prefix(err, *section == '\0' ? "%s%s" : "[%s] %s", section, key);
        return refused(err);
    }
    p->where[of_protocol ? protocol : 0][k] = (struct sim_where){.line = 0};
    return k;
}

/* ---- [present] ---- */

/* "{1..20}" in a path. */
static bool take_range(struct sim_present *present)
{
    const char *open = strchr(present->path, '{');
    int used = 0;

    if (open == NULL)
        return strchr(present->path, '}') == NULL;
    if (strspn(open + 1, "0123456789") > 7 ||
        sscanf(open, "{%7u..%7u}%n", &present->first, &present->last, &used) != 2 || used == 0)
        return false;
    present->numbered = true;
    return present->first <= present->last && strpbrk(open + used, "{}") == NULL;
}

/* It leads down, name by name. */
static bool path_is_good(const char *path)
{
    for (const char *at = path;;) {
        size_t len = strcspn(at, "/");

        if (len == 0 || (len == 1 && at[0] == '.') || (len == 2 && strncmp(at, "..", 2) == 0))
            return false;
        if (at[len] == '\0')
            return true;
        at += len + 1;
    }
}

static int take_present(struct sim_profile *p, char *line, struct err *err)
{
    struct sim_present present = {.numbered = false};
    char *rest = NULL;
    const char *path = strtok_r(line, " \t", &rest);
    const char *size = strtok_r(NULL, " \t", &rest);
    const char *tier = strtok_r(NULL, " \t", &rest);

    if (size == NULL || strtok_r(NULL, " \t", &rest) != NULL)
        return err_set(err, -EINVAL, "give PATH SIZE, and dram or flash where it lies there");
    if (strlen(path) >= sizeof present.path)
        return err_set(err, -EINVAL, "the path \"%.40s...\" is too long", path);
    memcpy(present.path, path, strlen(path) + 1);
    if (!path_is_good(path) || !take_range(&present))
        return err_set(err, -EINVAL,
                       "\"%.60s\" is no path of a file in the modelled system, such as a/b or "
                       "a/f{1..20}",
                       path);
    if (units_parse_bytes(size, &present.bytes, err) < 0)
        return refused(err);
    present.in_dram = tier != NULL && strcmp(tier, "dram") == 0;
    present.in_flash = tier != NULL && strcmp(tier, "flash") == 0;
    if (tier != NULL && !present.in_dram && !present.in_flash)
        return err_set(err, -EINVAL, "\"%.40s\" is not accepted: give dram or flash", tier);
    if (p->presents == SIM_PRESENT_MAX)
        return err_set(err, -EINVAL, "more than %d lines of files", SIM_PRESENT_MAX);
    p->present[p->presents++] = present;
    return 0;
}

/* ---- files and what they include ---- */

static bool is_file_name(const char *name)
{
    size_t len = strlen(name);

    return len > strlen(SUFFIX) && strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0;
}

/* -EINVAL whatever it is: a file that cannot be read is an address that cannot be meant. */
static int read_file(const char *path, char **text, size_t *len, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t n;

    if (fd < 0 || fstat(fd, &st) < 0) {
        err_sys(err, -errno, "%s", path);
        goto failed;
    }
    if (!S_ISREG(st.st_mode) || st.st_size > SIM_TEXT_MAX) {
        err_set(err, -EINVAL, "%s: not a file of %u bytes at most", path, SIM_TEXT_MAX);
        goto failed;
    }
    *text = malloc(SIM_TEXT_MAX + 1);
    n = *text != NULL ? read(fd, *text, SIM_TEXT_MAX + 1) : -1;
    if (n < 0) {
        err_sys(err, -errno, "%s", path);
        free(*text);
        goto failed;
    }
    close(fd);
    *len = (size_t)n;
    return 0;
failed:
    if (fd >= 0)
        close(fd);
    return refused(err);
}

static int open_file(struct sim_profile *p, const char *path, struct err *err)
{
    char *text = NULL;
    size_t len = 0;
    int rc = read_file(path, &text, &len, err);

    if (rc < 0)
        return rc;
    rc = read_text(p, path, text, len, err);
    free(text);
    return rc;
}

static int unknown_profile(const char *name, struct err *err)
{
    struct nearest near = {.wish = name};
    const char *known;
    const char *text;

    for (unsigned i = 0; sim_shipped(i, &known, &text); i++)
        nearest_try(&near, known);
    return err_set(
        err, -EINVAL,
        "there is no shipped profile \"%.60s\";%s%s%s `loadline targets sim` lists them; "
        "a file of your own ends in " SUFFIX,
        name, near.best != NULL ? " did you mean " : "", near.best != NULL ? near.best : "",
        near.best != NULL ? "?" : "");
}

static int include(struct reader *r, const char *name, struct err *err)
{
    const char *text = sim_shipped_text(name);
    const char *self = r->p->file[r->file];
    const char *slash = strrchr(self, '/');
    char path[2 * SIM_FILE_NAME_MAX];

    if (r->begun)
        return err_set(err, -EINVAL, "include stands before everything else");
    if (text != NULL)
        return read_text(r->p, name, text, strlen(text), err);
    if (!is_file_name(self) || !is_file_name(name))
        return unknown_profile(name, err);
    if (strchr(name, '/') != NULL)
        return err_set(err, -EINVAL, "what is included lies beside this file, without a path");
    snprintf(path, sizeof path, "%.*s%s", slash != NULL ? (int)(slash + 1 - self) : 0, self, name);
    return open_file(r->p, path, err);
}

/* ---- lines ---- */

/* What stands between blanks; ends it in place. */
static char *trimmed(char *text)
{
    char *end;

    text += strspn(text, " \t\r");
    for (end = text + strlen(text); end > text && strchr(" \t\r", end[-1]) != NULL;)
        end--;
    *end = '\0';
    return text;
}

static int new_protocol(struct sim_profile *p, const char *name, struct err *err)
{
    if (name[strcspn(name, " \t.=&?")] != '\0' || sim_section_is(name))
        return err_set(err, -EINVAL, "\"%.40s\" is no name of a protocol", name);
    if (strlen(name) >= sizeof p->protocol_of[0].name)
        return err_set(err, -EINVAL, "the name \"%.40s\" is too long", name);
    if (p->protocols == SIM_PROTOCOLS_MAX)
        return err_set(err, -EINVAL, "more than %d protocols", SIM_PROTOCOLS_MAX);
    struct sim_protocol *protocol = &p->protocol_of[p->protocols];
    *protocol = (struct sim_protocol){.reads_wait_bus = true};
    memcpy(protocol->name, name, strlen(name) + 1);
    return (int)p->protocols++;
}

/* "[disks]", "[protocol nfs]"; a protocol that is there is gone on with. */
static int take_section(struct reader *r, char *line, struct err *err)
{
    char *end = line + strlen(line) - 1;

    if (*end != ']')
        return err_set(err, -EINVAL, "a section is written [NAME]");
    *end = '\0';
    char *section = trimmed(line + 1);
    size_t len = strcspn(section, " \t");
    char *name = trimmed(section + len);
    section[len] = '\0';
    if (!sim_section_is(section))
        return sim_section_unknown(section, err);
    if ((strcmp(section, PROTOCOL) == 0) != (*name != '\0'))
        return err_set(err, -EINVAL, *name != '\0' ? "[%s] has no name" : "[%s NAME] has a name",
                       section);
    if (*name != '\0') {
        int i = sim_protocol_find(r->p, name);

        i = i >= 0 ? i : new_protocol(r->p, name, err);
        if (i < 0)
            return i;
        r->protocol = (unsigned)i;
    }
    memcpy(r->section, section, len + 1);
    return 0;
}

static int take_key(struct reader *r, char *line, struct err *err)
{
    char *equals = strchr(line, '=');

    if (equals == NULL)
        return err_set(err, -EINVAL, "\"%.40s\" is no [SECTION] and no KEY = VALUE", line);
    *equals = '\0';
    const char *key = trimmed(line);
    const char *value = trimmed(equals + 1);
    if (*value == '\0')
        return err_set(err, -EINVAL, "%.40s has no value", key);
    if (r->section[0] == '\0' && strcmp(key, "include") == 0)
        return include(r, value, err);
    r->begun = true;
    if (strcmp(r->section, SIM_SECTION_RIG) == 0)
        return sim_rig_take(&r->p->rigs, key, value, r->line, r->file, err);
    int k = sim_profile_key(r->p, r->section, r->protocol, key, value, err);
    if (k < 0)
        return k;
    unsigned i = strcmp(r->section, PROTOCOL) == 0 ? r->protocol : 0;
    r->p->where[i][k] = (struct sim_where){.line = (uint16_t)r->line, .file = (uint8_t)r->file};
    return 0;
}

/* A profile of one name may be another tomorrow. */
static void add_to_hash(struct sim_profile *p, const char *line)
{
    char both[sizeof p->text_hash + LINE_MAX_BYTES];
    int len = snprintf(both, sizeof both, "%s\n%s", p->text_hash, line);

    digest_sha256(both, (size_t)len, p->text_hash);
}

/* `line` is NUL-terminated, and cut up. */
static int take_line(struct reader *r, char *line, struct err *err)
{
    line[strcspn(line, "#")] = '\0';
    line = trimmed(line);
    if (*line == '\0')
        return 0;
    add_to_hash(r->p, line);
    if (*line == '[') {
        r->begun = true;
        return take_section(r, line, err);
    }
    if (strcmp(r->section, SIM_SECTION_PRESENT) == 0)
        return take_present(r->p, line, err);
    return take_key(r, line, err);
}

static int next_line(struct reader *r, const char *text, size_t len, struct err *err)
{
    char line[LINE_MAX_BYTES];

    if (len >= sizeof line)
        return err_set(err, -EINVAL, "a line of more than %d bytes", LINE_MAX_BYTES - 1);
    if (memchr(text, '\0', len) != NULL)
        return err_set(err, -EINVAL, "a NUL is no text");
    memcpy(line, text, len);
    line[len] = '\0';
    return take_line(r, line, err);
}

static int read_text(struct sim_profile *p, const char *name, const char *text, size_t len,
                     struct err *err)
{
    struct reader r = {.p = p, .file = p->files};
    const char *end = text + len;
    int rc = 0;

    if (len > SIM_TEXT_MAX)
        return err_set(err, -EINVAL, "%.200s: more than %u bytes", name, SIM_TEXT_MAX);
    if (strlen(name) >= SIM_FILE_NAME_MAX)
        return err_set(err, -EINVAL, "%.200s...: the name is too long", name);
    if (p->files == SIM_FILES_MAX)
        return err_set(err, -EINVAL, "%.200s: more than %d files, each included by another", name,
                       SIM_FILES_MAX);
    memcpy(p->file[p->files++], name, strlen(name) + 1);
    while (text < end && rc == 0) {
        const char *eol = memchr(text, '\n', (size_t)(end - text));

        eol = eol != NULL ? eol : end;
        r.line++;
        rc = next_line(&r, text, (size_t)(eol - text), err);
        text = eol + (eol < end);
    }
    if (rc < 0)
        err_prefix(err, "%s:%u", name, r.line);
    return rc;
}

/* Of a file "dir/mine.profile" that is "mine". */
static void name_it(struct sim_profile *p, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *leaf = slash != NULL ? slash + 1 : name;
    size_t len = is_file_name(leaf) ? strlen(leaf) - strlen(SUFFIX) : strlen(leaf);

    snprintf(p->name, sizeof p->name, "%.*s", (int)(len < 63 ? len : 63), leaf);
}

static void begin(struct sim_profile *p, const char *name)
{
    *p = (struct sim_profile){.seed = 1, .extent_bytes = 128u << 10};
    p->flash.on = true;
    p->log.on = true;
    name_it(p, name);
}

int sim_profile_read(const char *name, const char *text, size_t len, struct sim_profile *out,
                     struct err *err)
{
    begin(out, name);
    return read_text(out, name, text, len, err);
}

int sim_profile_open(const char *name, struct sim_profile *out, struct err *err)
{
    const char *text = sim_shipped_text(name);

    begin(out, name);
    if (text != NULL)
        return read_text(out, name, text, strlen(text), err);
    return is_file_name(name) ? open_file(out, name, err) : unknown_profile(name, err);
}
