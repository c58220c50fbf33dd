#include "cli/overhead_note.h"

#include "base/text.h"
#include "clk/clk.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define BUILD_ID_BYTES 8
#define GOOD_FOR_NS    (UINT64_C(30) * 86400 * 1000000000)

struct build_id {
    bool found;
    unsigned char bytes[BUILD_ID_BYTES];
};

static bool take_build_id(const unsigned char *note, size_t len, struct build_id *id)
{
    while (len >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, note, sizeof(head));
        size_t name = sizeof(head), desc = name + ((head.n_namesz + 3u) & ~3u);
        size_t end = desc + ((head.n_descsz + 3u) & ~3u);
        if (end > len)
            return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_descsz >= BUILD_ID_BYTES) {
            memcpy(id->bytes, note + desc, BUILD_ID_BYTES);
            return true;
        }
        note += end;
        len -= end;
    }
    return false;
}

/* The program itself is the first object; libraries after it do not change what we compiled. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct build_id *id = ctx;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum && !id->found; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            id->found = take_build_id((const unsigned char *)(info->dlpi_addr + p->p_vaddr),
                                      p->p_memsz, id);
    }
    return 1;
}

static void add_cpu_model(struct text *out)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (!f)
        return;
    while (fgets(line, sizeof(line), f)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            text_addf(out, "/%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    fclose(f);
}

/* Everything that can change the cost: the build, the machine, its processor and its kernel. */
static char *note_key(void)
{
    struct build_id id = {.found = false};
    struct utsname name;
    struct text key;
    text_init(&key);
    text_add(&key, "overhead/" LOADLINE_VERSION "-");
    dl_iterate_phdr(look_at_program, &id);
    for (unsigned i = 0; id.found && i < BUILD_ID_BYTES; i++)
        text_addf(&key, "%02x", id.bytes[i]);
    if (uname(&name) == 0)
        text_addf(&key, "/%s/%s", name.nodename, name.release);
    add_cpu_model(&key);
    return text_take(&key);
}

int overhead_note_load(struct store *s, struct overhead *out, struct err *err)
{
    struct overhead o = {0};
    uint64_t measured_wall_ns = 0;
    char *value = NULL, *key = note_key();
    int rc = key ? store_get_note(s, key, &value, err)
                 : err_set(err, -ENOMEM, "out of memory for the note on overhead");
    if (rc < 0)
        goto out;
    rc = 0;
    if (sscanf(value,
               "measured_wall_ns=%" SCNu64
               " clock_read=%lf hist_record=%lf null_op=%lf posix_op=%lf posix_bare=%lf %95[^\n]",
               &measured_wall_ns, &o.clock_read_ns, &o.hist_record_ns, &o.null_op_ns,
               &o.posix_op_ns, &o.posix_bare_ns, o.machine) < 6)
        rc = err_set(err, -ENOENT, "the note on overhead cannot be read");
    else if (clk_wall_ns() - measured_wall_ns > GOOD_FOR_NS) /* also when it lies ahead */
        rc = err_set(err, -ENOENT, "the note on overhead is old");
    else
        *out = o;
out:
    free(value);
    free(key);
    return rc;
}

int overhead_note_save(struct store *s, const struct overhead *o, struct err *err)
{
    struct text value;
    text_init(&value);
    text_addf(&value, "measured_wall_ns=%" PRIu64 " ", clk_wall_ns());
    text_addf(&value,
              "clock_read=%.3f hist_record=%.3f null_op=%.3f posix_op=%.3f posix_bare=%.3f ",
              o->clock_read_ns, o->hist_record_ns, o->null_op_ns, o->posix_op_ns, o->posix_bare_ns);
    text_add(&value, o->machine);
    char *key = note_key();
    int rc = key && !value.failed ? store_put_note(s, key, value.s, err)
                                  : err_set(err, -ENOMEM, "out of memory for the note on overhead");
    free(key);
    text_fini(&value);
    return rc;
}

int overhead_measure(struct overhead *out, struct err *err)
{
    const char *elsewhere = getenv("TMPDIR");
    const char *directory = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm"
                            : elsewhere && *elsewhere            ? elsewhere
                                                                 : "/tmp";
    return study_overhead(directory, out, err);
}

int overhead_note_facts(const struct overhead *o, struct result_facts *facts)
{
    const struct {
        const char *key;
        double ns;
    } fact[] = {
        {"overhead_clock_read_ns", o->clock_read_ns},
        {"overhead_hist_record_ns", o->hist_record_ns},
        {"overhead_null_op_ns", o->null_op_ns},
        {"overhead_posix_added_ns", o->posix_op_ns - o->posix_bare_ns},
    };
    for (unsigned i = 0; i < sizeof(fact) / sizeof(fact[0]); i++) {
        int rc = result_fact_putf(facts, fact[i].key, "ns", "%.1f", fact[i].ns);
        if (rc < 0)
            return rc;
    }
    return 0;
}
