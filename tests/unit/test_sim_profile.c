/* sim_profile_priv.h: what a text, an address and the values in them become; what is refused, and with which words. */
#include "target/catalog.h"
#include "target/sim_profile_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The least that is a system: 7 lines. */
#define LEAST "[protocol local]\n[cpu]\ncores = 2\n[disks]\ncount = 6\nrate = 80m/s\nseek = 5ms\n"
/* With a way to it. */
#define FAR LEAST "[client]\nlinks = 2\nlink = 1g\ncount = 10\n[ports]\ncount = 3\nrate = 10g\n"

static int checked(const char *text, struct sim_profile *p, struct err *err)
{
    int rc = sim_profile_read("t.profile", text, strlen(text), p, err);
    return rc < 0 ? rc : sim_profile_check(p, err);
}

static struct sim_profile *good(const char *text)
{
    struct sim_profile *p = malloc(sizeof *p);
    struct err err = {0};

    assert_non_null(p);
    if (checked(text, p, &err) != 0)
        fail_msg("%s", err.text);
    return p;
}

/* What was wrong: a profile that was edited between two runs was the same set-up in all that a result tells. */
static void another_text_has_another_hash(void **state)
{
    (void)state;
    struct sim_profile *p = good(LEAST), *remark = good("# as bought\n" LEAST "  # that is all\n");
    struct sim_profile *more = good(LEAST "queue-gain = 30%\n"),
                       *less = good(LEAST "queue-gain = 3%\n");

    assert_int_equal(strlen(p->text_hash), 64);
    assert_string_equal(p->text_hash, remark->text_hash);
    assert_string_not_equal(p->text_hash, more->text_hash);
    assert_string_not_equal(less->text_hash, more->text_hash);
    free(p);
    free(remark);
    free(more);
    free(less);
}

static int take(void *p, const char *name, const char *value, struct err *err)
{
    return sim_profile_set(p, name, value, err);
}

/* A text with what stands behind the '?' of an address. */
static int changed(const char *text, const char *params, struct sim_profile *p, struct err *err)
{
    char address[500];
    size_t len;

    snprintf(address, sizeof address, "?%s", params);
    int rc = sim_profile_read("t.profile", text, strlen(text), p, err);
    if (rc == 0)
        rc = target_params(address, &len, take, p, err);
    return rc < 0 ? rc : sim_profile_check(p, err);
}

static struct sim_profile *with(const char *text, const char *params)
{
    struct sim_profile *p = malloc(sizeof *p);
    struct err err = {0};

    assert_non_null(p);
    if (changed(text, params, p, &err) != 0)
        fail_msg("%s: %s", params, err.text);
    return p;
}

static struct sim_profile *at(const char *address)
{
    struct sim_profile *p = malloc(sizeof *p);
    struct err err = {0};

    assert_non_null(p);
    if (sim_address_parse(address, p, &err) != 0)
        fail_msg("%s: %s", address, err.text);
    return p;
}

static void assert_words(int rc, const struct err *err, const char *of, const char *words)
{
    if (rc != -EINVAL || err->code != -EINVAL || strcmp(err->text, words) != 0)
        fail_msg("%s\n  says %d: %s\nnot  %s", of, rc, err->text, words);
}

/* ---- values ---- */

static void what_is_left_open_is_set(void **state)
{
    (void)state;
    struct sim_profile *p = good(LEAST);

    assert_string_equal(p->name, "t");
    assert_string_equal(p->title, "t");
    assert_int_equal(p->seed, 1);
    assert_int_equal(p->extent_bytes, 128 << 10);
    assert_int_equal(p->client.count, 1);
    assert_int_equal(p->client.links, 0);
    assert_int_equal(p->disks.per_set, 1);
    assert_int_equal(p->disks.stripe_bytes, 128 << 10);
    assert_int_equal(p->disks.capacity_bytes, 6ull << 40);
    assert_false(p->flash.on);
    assert_false(p->log.on);
    assert_int_equal(p->bus.servers, 1);
    assert_int_equal(p->bus.read_bytes_s, 0);
    assert_true(p->protocol_of[0].reads_wait_bus);
    free(p);
}

static void units_are_those_of_the_text(void **state)
{
    (void)state;
    struct sim_profile *p =
        good(FAR "[protocol nfs]\ncpu.small = 4k 6500ps # fitted\ncpu.bulk-read = 4800ps\n"
                 "latency = 30us\nport = 2.5g\nheaders = 90\nmtu = 9000\nbus = off\n"
                 "[bus]\nread = 1945m/s\nwrite = 413MB/s\nop = 2us\n"
                 "[disks]\nqueue-gain = 12.5%\nraid = 5\nper-set = 3\n");
    const struct sim_protocol *nfs = &p->protocol_of[1];

    assert_string_equal(nfs->name, "nfs");
    assert_int_equal(nfs->cpu.small_bytes, 4096);
    assert_int_equal(nfs->cpu.small_ps, 6500);
    assert_int_equal(nfs->cpu.bulk_read_ps, 4800);
    assert_int_equal(nfs->latency_ns, 30000);
    assert_int_equal(nfs->port_bit_s, 2500000000);
    assert_int_equal(nfs->link_bit_s, 1000000000);
    assert_int_equal(nfs->clients, 10);
    assert_false(nfs->reads_wait_bus);
    assert_int_equal(p->bus.read_bytes_s, 1945ull << 20);
    assert_int_equal(p->bus.write_bytes_s, 413000000);
    assert_int_equal(p->disks.queue_gain_ppm, 125000);
    assert_int_equal(p->disks.capacity_bytes, 4ull << 40);
    free(p);
}

static void a_star_is_for_kinds_without_a_line(void **state)
{
    (void)state;
    struct sim_profile *p = good(LEAST "[protocol local]\ncpu.read = 57us\ncpu.* = 100us\n"
                                       "cpu.* = 200us\ncpu.open = 0\ncpu.* = 300us\n"
                                       "[client]\nthink.read = exp 2ms\nthink.* = 1ms\n");
    const struct sim_cost *cpu = &p->protocol_of[0].cpu;

    assert_int_equal(cpu->op_ns[OP_READ], 57000);
    assert_int_equal(cpu->op_ns[OP_OPEN], 0);
    assert_int_equal(cpu->op_ns[OP_WRITE], 300000);
    assert_int_equal(p->client.think[OP_READ].kind, SIM_TIME_EXP);
    assert_int_equal(p->client.think[OP_READ].mean_ns, 2000000);
    assert_int_equal(p->client.think[OP_STAT].mean_ns, 1000000);
    free(p);
}

static void costs_are_added_up(void **state)
{
    (void)state;
    const struct sim_cost cost = {.op_ns[OP_READ] = 1000,
                                  .op_ns[OP_WRITE] = 2000,
                                  .small_bytes = 4096,
                                  .small_ps = 5000,
                                  .bulk_read_ps = 1000,
                                  .bulk_write_ps = 2000,
                                  .disk_read_ps = 3000,
                                  .disk_write_ps = 7000};

    assert_int_equal(sim_cost_ns(&cost, OP_READ, false, 0, 0), 1000);
    assert_int_equal(sim_cost_ns(&cost, OP_READ, false, 1, 0), 1005);
    assert_int_equal(sim_cost_ns(&cost, OP_READ, false, 8192, 0), 1000 + 4096 * 5 + 4096);
    assert_int_equal(sim_cost_ns(&cost, OP_READ, false, 0, 100), 1300);
    assert_int_equal(sim_cost_ns(&cost, OP_WRITE, true, 8192, 100),
                     2000 + 4096 * 5 + 4096 * 2 + 700);
    assert_int_equal(sim_cost_ns(&cost, OP_STAT, false, 0, 0), 0);
}

/* ---- times ---- */

#define DRAWS 200000

/* Mean of draws and the least and largest of them. */
static double drawn(const char *text, uint64_t *least, uint64_t *most, uint64_t *told)
{
    char line[200];
    struct rng rng;
    double sum = 0;

    snprintf(line, sizeof line, LEAST "seek = %s\n", text);
    struct sim_profile *p = good(line);
    rng_seed(&rng, 7);
    *least = UINT64_MAX;
    *most = 0;
    *told = p->disks.seek.mean_ns;
    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t ns = sim_time_draw(&p->disks.seek, &rng);
        sum += (double)ns;
        *least = ns < *least ? ns : *least;
        *most = ns > *most ? ns : *most;
    }
    free(p);
    return sum / DRAWS;
}

static void assert_within(double got, double wanted, double frac)
{
    if (got < wanted * (1 - frac) || got > wanted * (1 + frac))
        fail_msg("%g is not within %g of %g", got, frac, wanted);
}

static void times_are_drawn_as_written(void **state)
{
    (void)state;
    uint64_t least, most, told;

    assert_within(drawn("150us", &least, &most, &told), 150000, 0);
    assert_int_equal(least, most);
    assert_within(drawn("exp 150us", &least, &most, &told), 150000, 0.01);
    assert_true(least < 100 && most > 1000000);
    assert_int_equal(told, 150000);
    /* Cut to whole ns it was 1.54. */
    assert_within(drawn("exp 2ns", &least, &most, &told), 1.979, 0.01);
    assert_within(drawn("128us-260us", &least, &most, &told), 194000, 0.01);
    assert_true(least >= 128000 && least < 128100 && most < 260000 && most > 259900);
    assert_int_equal(told, 194000);
    /* Half of it around 150 us, the other around 400 us, but for what lies between. */
    assert_within(drawn("0:100us 50:200us 50:300us 100:500us", &least, &most, &told), 275000, 0.01);
    assert_int_equal(told, 275000);
    assert_true(least >= 100000 && least < 100100 && most > 499900);
}

static void quantiles_are_those_of_the_table(void **state)
{
    (void)state;
    struct sim_profile *p = good(LEAST "seek = 0:0 90:1ms 100:11ms\n");
    struct rng rng;
    unsigned below_ms = 0, below_half_ms = 0;

    rng_seed(&rng, 3);
    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t ns = sim_time_draw(&p->disks.seek, &rng);
        below_ms += ns < 1000000;
        below_half_ms += ns < 500000;
    }
    assert_within(below_ms, 0.90 * DRAWS, 0.005);
    assert_within(below_half_ms, 0.45 * DRAWS, 0.01);
    free(p);
}

/* ---- files that are there ---- */

static void present_files_are_kept_in_order(void **state)
{
    (void)state;
    struct sim_profile *p = good(LEAST "[dram]\nsize = 1g\n[present]\n"
                                       "a/f{01..20} 100m dram  # warm\nb 1t\nc 5g flash\n");

    assert_int_equal(p->presents, 3);
    assert_true(p->present[0].numbered && p->present[0].in_dram);
    assert_int_equal(p->present[0].first, 1);
    assert_int_equal(p->present[0].last, 20);
    assert_int_equal(p->present[1].bytes, 1ull << 40);
    assert_false(p->present[1].in_dram);
    assert_false(p->present[2].in_flash); /* there is none */
    free(p);
}

/* ---- addresses ---- */

static void short_names_change_what_they_name(void **state)
{
    (void)state;
    struct sim_profile *p = with(
        FAR "[disks]\nraid = 1\n[protocol nfs]\nclients = 9\nlink = 2g\nport = 5g\nmtu = 9000\n"
            "[dram]\nsize = 48g\ndirty-limit = 18g\n[log]\ndevices = 2\nwrite = 1ms\n",
        "clients=3&ports=4&cores=24&disks=8&dram=24g&seed=9&mtu=1500&link=1g&port=40g&"
        "disks.rpm=7200&nfs.cpu.read=7us&protocol.latency=1us&raid=0&protocol=nfs&"
        "disks.seek=0:120us 50:180us 100:2ms&log=off&flash=200g&flash.read=100us");
    const struct sim_protocol *nfs = &p->protocol_of[1];

    assert_int_equal(p->protocol, 1);
    assert_int_equal(p->client.count, 3);
    assert_int_equal(p->ports.count, 4);
    assert_int_equal(p->cpus, 24);
    assert_int_equal(p->disks.count, 8);
    assert_int_equal(p->disks.raid, SIM_RAID_0);
    assert_int_equal(p->disks.per_set, 1);
    assert_int_equal(p->disks.rpm, 7200);
    assert_int_equal(p->disks.seek.points, 3);
    assert_int_equal(p->dram.bytes, 24ull << 30);
    assert_int_equal(p->dram.dirty_limit_bytes, 9ull << 30); /* half, as the cache */
    assert_int_equal(p->seed, 9);
    assert_int_equal(nfs->mtu_bytes, 1500);
    assert_int_equal(nfs->link_bit_s, 1000000000);
    assert_int_equal(nfs->port_bit_s, 40000000000);
    assert_int_equal(nfs->cpu.op_ns[OP_READ], 7000);
    assert_int_equal(nfs->latency_ns, 1000);
    assert_false(p->log.on);
    assert_true(p->flash.on);
    free(p);
}

static void faults_count_from_one(void **state)
{
    (void)state;
    struct sim_profile *p = with(FAR, "stall=5s@10s&error=EIO@op:1000&slow-disk=3:x10&"
                                      "slow-client=7:x6&drop-client=7@30s&stall=1s@2s");
    const struct sim_faults *f = &p->faults;

    assert_int_equal(f->stalls, 2);
    assert_int_equal(f->stall[0].for_ns, 5000000000);
    assert_int_equal(f->stall[0].at_ns, 10000000000);
    assert_int_equal(f->errors, 1);
    assert_int_equal(f->error[0].number, 1000);
    assert_int_equal(f->error[0].code, -EIO);
    assert_int_equal(f->slow_disk[0].disk, 2);
    assert_int_equal(f->slow_disk[0].by, 10);
    assert_int_equal(f->slow_client[0].client, 6);
    assert_int_equal(f->slow_client[0].by, 6);
    assert_int_equal(f->drops, 1);
    assert_int_equal(f->drop[0].client, 6);
    assert_int_equal(f->drop[0].at_ns, 30000000000);
    free(p);
}

/* A file in a new directory; the directory's name. */
static char *a_file(char dir[], const char *leaf, const char *text)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", dir, leaf);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return dir;
}

static void a_file_includes_one_beside_it(void **state)
{
    (void)state;
    char dir[] = "/tmp/sim-profile-XXXXXX";
    char address[300];
    struct err err = {0};

    assert_non_null(mkdtemp(dir));
    a_file(dir, "base.profile", "include = linux-nfs-10g\n[cpu]\ncores = 3\n");
    a_file(dir, "mine.profile", "include = base.profile\ntitle = Mine\n[disks]\ncount = 10\n");
    a_file(dir, "bad.profile", "# one\ninclude = worse.profile\n");
    a_file(dir, "worse.profile", "[cpu]\ncores = many\n");
    a_file(dir, "round.profile", "include = round.profile\n");

    snprintf(address, sizeof address, "%s/mine.profile?ports=2", dir);
    struct sim_profile *p = at(address);
    assert_string_equal(p->name, "mine");
    assert_string_equal(p->title, "Mine");
    assert_int_equal(p->cpus, 3);
    assert_int_equal(p->disks.count, 10);
    assert_int_equal(p->ports.count, 2);

    char words[600];
    snprintf(address, sizeof address, "%s/bad.profile", dir);
    snprintf(
        words, sizeof words,
        "%s/bad.profile:2: %s/worse.profile:2: [cpu] cores: \"many\" is not a count: give a whole "
        "number as 16",
        dir, dir);
    assert_words(sim_address_parse(address, p, &err), &err, address, words);
    snprintf(address, sizeof address, "%s/round.profile", dir);
    assert_int_equal(sim_address_parse(address, p, &err), -EINVAL);
    assert_non_null(strstr(err.text, "more than 4 files, each included by another"));
    free(p);
    for (unsigned i = 0; i < 5; i++) {
        static const char *const leaf[] = {"base", "mine", "bad", "worse", "round"};
        snprintf(address, sizeof address, "%s/%s.profile", dir, leaf[i]);
        assert_int_equal(unlink(address), 0);
    }
    assert_int_equal(rmdir(dir), 0);
}

/* ---- refusals ---- */

static const struct {
    const char *text;
    const char *words;
} refused_texts[] = {
    {LEAST "seek\n", "t.profile:8: \"seek\" is no [SECTION] and no KEY = VALUE"},
    {LEAST "seek =   # none\n", "t.profile:8: seek has no value"},
    {LEAST "[disk]\n",
     "t.profile:8: there is no section \"disk\"; did you mean disks? accepted are protocol "
     "NAME, client, ports, cpu, bus, path, dram, flash, log, disks, present, rig"},
    {LEAST "[disks\n", "t.profile:8: a section is written [NAME]"},
    {LEAST "[protocol]\n", "t.profile:8: [protocol NAME] has a name"},
    {LEAST "[cpu x]\n", "t.profile:8: [cpu] has no name"},
    {LEAST "[protocol cpu]\n", "t.profile:8: \"cpu\" is no name of a protocol"},
    {LEAST "sek = 3ms\n",
     "t.profile:8: [disks] has no key \"sek\"; did you mean seek? accepted are count raid "
     "per-set seek rpm rate queue-gain stripe write-cache capacity"},
    {"titel = x\n",
     "t.profile:1: what stands before the sections has no key \"titel\"; did you mean title? "
     "accepted are title seed extent"},
    {LEAST "[protocol local]\ncpu.raed = 1us\n",
     "t.profile:9: [protocol] has no key \"cpu.raed\"; did you mean cpu.read? accepted are "
     "cpu.KIND cpu.small cpu.bulk-read cpu.bulk-write cpu.disk-read cpu.disk-write latency "
     "link port clients headers mtu bus commit"},
    {LEAST "seek = 3\n\nrate = 80m\n", "t.profile:10: [disks] rate: \"80m\" is not accepted: give "
                                       "bytes per second, binary as 85m/s or "
                                       "decimal as 85MB/s"},
    {LEAST "count = 0\n", "t.profile:8: [disks] count: 0; accepted are 1 to 2048"},
    {LEAST "count = 4096\n", "t.profile:8: [disks] count: 4096; accepted are 1 to 2048"},
    {LEAST "[present]\na 99999999999999999999g\n",
     "t.profile:9: \"99999999999999999999g\" is too large for a size: give bytes as 4096, binary "
     "as "
     "8k 1.5m 2g 1t or 8KiB, decimal as 10MB"},
    {LEAST "capacity = 99999999999999999999g\n",
     "t.profile:8: [disks] capacity: \"99999999999999999999g\" is too large for a size: give bytes "
     "as "
     "4096, binary as 8k 1.5m 2g 1t or 8KiB, decimal as 10MB"},
    {LEAST "stripe = 1k\n", "t.profile:8: [disks] stripe: \"1k\" is too small or too large"},
    {LEAST "raid = 6\n", "t.profile:8: [disks] raid: \"6\" is not accepted: give 0 or 1 or 5"},
    {LEAST "queue-gain = 130%\n",
     "t.profile:8: [disks] queue-gain: \"130%\" is not accepted: give a percentage, as 30%"},
    {LEAST "seek = 2ms-1ms\n",
     "t.profile:8: [disks] seek: \"2ms-1ms\" is not accepted: give the lesser time first, as "
     "128us-260us"},
    {LEAST "seek = 0:1ms 50:2ms\n",
     "t.profile:8: [disks] seek: \"0:1ms 50:2ms\" is not accepted: give percent and time, both "
     "rising, from 0 to 100, 16 pairs at most, as \"0:120us 50:180us 100:2ms\""},
    {LEAST "[ports]\nrate = 10g/s\n",
     "t.profile:9: [ports] rate: \"10g/s\" is not accepted: give bits per second of a line, as 1g, "
     "2.5g or 100m"},
    {LEAST "[protocol local]\ncpu.small = 4k\n", "t.profile:9: [protocol] cpu.small: \"4k\" is not "
                                                 "accepted: give a size and picoseconds for each "
                                                 "byte up to it, as 4k 6500ps"},
    {LEAST "[protocol local]\ncpu.bulk-read = 5ns\n",
     "t.profile:9: [protocol] cpu.bulk-read: \"5ns\" is not accepted: give whole picoseconds for a "
     "byte, "
     "as 6500ps"},
    {LEAST "[log]\nmetadata = yes\n",
     "t.profile:9: [log] metadata: \"yes\" is not accepted: give on or off"},
    {LEAST "[present]\n../a 1g\n",
     "t.profile:9: \"../a\" is no path of a file in the modelled system, such as a/b or "
     "a/f{1..20}"},
    {LEAST "[present]\na\n", "t.profile:9: give PATH SIZE, and dram or flash where it lies there"},
    {LEAST "[present]\na{3..2} 1g\n",
     "t.profile:9: \"a{3..2}\" is no path of a file in the modelled system, such as a/b or "
     "a/f{1..20}"},
    {LEAST "[present]\na 1g dran\n", "t.profile:9: \"dran\" is not accepted: give dram or flash"},
    {LEAST "include = linux-nfs-10g\n",
     "t.profile:8: [disks] has no key \"include\"; accepted are count raid per-set seek rpm "
     "rate queue-gain stripe write-cache capacity"},
    {"title = x\ninclude = linux-nfs-10g\n", "t.profile:2: include stands before everything else"},
    {"include = linux-nfs-10q\n",
     "t.profile:1: there is no shipped profile \"linux-nfs-10q\"; did you mean linux-nfs-10g? "
     "`loadline targets sim` lists them; a file of your own ends in .profile"},
    {"include = a/b.profile\n",
     "t.profile:1: what is included lies beside this file, without a path"},
    /* What only the whole shows. */
    {"[cpu]\ncores = 1\n", "t: has no [protocol NAME]"},
    {"[protocol a]\n", "t: [cpu] cores: is missing"},
    {"[protocol a]\n[cpu]\ncores = 1\n", "t: [disks] count: is missing"},
    {LEAST "[client]\nlinks = 1\n",
     "t: [ports] count: there are 1 links of a client and 0 ports of the server: give both, "
     "or neither for a local system"},
    {LEAST "[client]\nlinks = 1\nlink = 1g\n[ports]\ncount = 2\n",
     "t: [protocol local] port: is missing, and so is rate in [ports]"},
    {FAR "[protocol x]\n[protocol y]\nheaders = 2000\n",
     "t.profile:17: [protocol y] headers: 2000 bytes of headers leave nothing of 1500"},
    {"extent = 12k\n" LEAST, "t.profile:1: extent: 12288 bytes are no power of two"},
    {LEAST "raid = 5\nper-set = 4\n",
     "t.profile:5: [disks] count: 6 disks are no whole sets of 4 (per-set)"},
    {LEAST "raid = 5\nper-set = 2\n",
     "t.profile:9: [disks] per-set: 2; of this level 3 and more are a set"},
    {LEAST "stripe = 5000\n", "t.profile:8: [disks] stripe: is no multiple of 4 KiB"},
    {LEAST "[dram]\nsize = 1g\ndirty-limit = 2g\n",
     "t.profile:10: [dram] dirty-limit: 2 GiB do not fit into size, 1 GiB"},
    {LEAST "[dram]\nsize = 1g\ndirty-limit = 2k\n",
     "t.profile:10: [dram] dirty-limit: 2 KiB; accepted are 1 MiB and more, or 0: each write "
     "waits for the disks"},
    {LEAST "[flash]\nsize = 1g\nread = 1us\n",
     "t.profile:9: [flash] size: takes what [dram] gives up, and [dram] has no size"},
    {LEAST "[log]\ndevices = 1\n", "t: [log] write: is missing"},
    {LEAST "[path]\nop = 1us\n", "t: [path] read: is missing"},
    {LEAST "[dram]\nsize = 64t\n",
     "t: extent: caches of this size have more than 16 million extents of 128 KiB; give a "
     "larger one"},
    {"extent = 4k\n" LEAST "capacity = 100t\n[present]\na 16t\n",
     "t: [present] a: with this extent a file has less than 16.00 TiB"},
    {LEAST "[present]\na 100t\n", "t: the files of [present] are larger than [disks] capacity"},
};

static void what_cannot_be_is_refused_with_its_line(void **state)
{
    (void)state;
    struct sim_profile *p = malloc(sizeof *p);
    assert_non_null(p);
    for (size_t i = 0; i < COUNT(refused_texts); i++) {
        struct err err = {0};
        int rc = checked(refused_texts[i].text, p, &err);
        assert_words(rc, &err, refused_texts[i].text, refused_texts[i].words);
        assert_int_equal(checked(refused_texts[i].text, p, NULL), -EINVAL);
    }
    free(p);
}

static const struct {
    const char *params;
    const char *words;
} refused_params[] = {
    {"disk=3",
     "sim has no parameter \"disk\"; did you mean disks? accepted are protocol clients ports cores "
     "disks raid dram flash log seed mtu link port stall error slow-disk slow-client drop-client "
     "and any SECTION.KEY of a profile, such as disks.rpm=7200"},
    {"disks.rpn=1", "[disks] has no key \"rpn\"; did you mean rpm? accepted are count raid per-set "
                    "seek rpm rate queue-gain stripe write-cache capacity"},
    {"dist.rpm=1", "there is no section \"dist\"; did you mean disks? accepted are protocol NAME, "
                   "client, ports, cpu, bus, path, dram, flash, log, disks, present, rig"},
    {"protocol=locl", "t has no protocol \"locl\"; did you mean local? it has local"},
    {"raid=1&disks=5", "t: [disks] count: 5 disks are no whole sets of 2 (per-set)"},
    {"flash=on", "t has no flash; give its size, as flash=200g"},
    {"log=on", "t has no log device; give [log] in a file"},
    {"slow-disk=0:x2",
     "slow-disk=0:x2: accepted is slow-disk=DISK:xTIMES up to x1000, such as 3:x10"},
    {"slow-disk=7:x2", "slow-disk=7: t has 6 disks"},
    {"slow-client=11:x2", "slow-client=11: t has 10 clients"},
    {"drop-client=11@1s", "drop-client=11: t has 10 clients"},
    {"stall=0s@1s", "stall=0s@1s: accepted is stall=LENGTH@START, such as 5s@10s"},
    {"error=EFOO@op:1", "error=EFOO@op:1: accepted is error=NAME@op:N, such as EIO@op:1000"},
    {"error=EIO@read:1", "error=EIO@read:1: accepted is error=NAME@op:N, such as EIO@op:1000"},
};

static void a_bad_parameter_is_refused_in_words(void **state)
{
    (void)state;
    struct sim_profile *p = malloc(sizeof *p);

    assert_non_null(p);
    for (size_t i = 0; i < COUNT(refused_params); i++) {
        struct err err = {0};
        int rc = changed(FAR, refused_params[i].params, p, &err);
        assert_words(rc, &err, refused_params[i].params, refused_params[i].words);
    }
    free(p);
}

static const struct {
    const char *address;
    const char *words;
} refused_addresses[] = {
    {"", "sim: needs a profile behind it, such as sim:linux-nfs-10g; `loadline targets sim` lists "
         "them"},
    {"linux-nfs-10",
     "there is no shipped profile \"linux-nfs-10\"; did you mean linux-nfs-10g? `loadline targets "
     "sim` lists them; a file of your own ends in .profile"},
    {"linux-nfs-10g?x", "target parameter \"x\" is not name=value"},
    {"/nowhere/x.profile", "/nowhere/x.profile: No such file or directory"},
    {"/dev/null.profile", "/dev/null.profile: No such file or directory"},
};

static void a_bad_address_is_refused_in_words(void **state)
{
    (void)state;
    struct sim_profile *p = malloc(sizeof *p);
    assert_non_null(p);
    for (size_t i = 0; i < COUNT(refused_addresses); i++) {
        struct err err = {0};
        int rc = sim_address_parse(refused_addresses[i].address, p, &err);
        assert_words(rc, &err, refused_addresses[i].address, refused_addresses[i].words);
    }
    free(p);
}

/* ---- what is shipped ---- */

static void every_shipped_profile_is_one(void **state)
{
    (void)state;
    const char *name;
    const char *text;
    char title[128];
    unsigned systems = 0;

    for (unsigned i = 0; sim_shipped(i, &name, &text); i++) {
        sim_shipped_title(text, title, sizeof title);
        assert_true(*title != '\0');
        struct sim_profile *p = at(name);
        assert_string_equal(p->title, title);
        free(p);
        systems++;
    }
    assert_true(systems > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_text_has_another_hash),
        cmocka_unit_test(what_is_left_open_is_set),
        cmocka_unit_test(units_are_those_of_the_text),
        cmocka_unit_test(a_star_is_for_kinds_without_a_line),
        cmocka_unit_test(costs_are_added_up),
        cmocka_unit_test(times_are_drawn_as_written),
        cmocka_unit_test(quantiles_are_those_of_the_table),
        cmocka_unit_test(present_files_are_kept_in_order),
        cmocka_unit_test(short_names_change_what_they_name),
        cmocka_unit_test(faults_count_from_one),
        cmocka_unit_test(a_file_includes_one_beside_it),
        cmocka_unit_test(what_cannot_be_is_refused_with_its_line),
        cmocka_unit_test(a_bad_parameter_is_refused_in_words),
        cmocka_unit_test(a_bad_address_is_refused_in_words),
        cmocka_unit_test(every_shipped_profile_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
