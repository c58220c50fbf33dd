/* report/about_client.c: what our own client is and was answered is said; of the kernel's nothing is. */
#include "report/report.h"

#include "golden/io_by_hand.h"
#include "golden/results_by_hand.h"

static const struct report_style table = {.format = REPORT_TEXT};
static const struct report_style csv = {.format = REPORT_CSV};

static void flat_of(struct text *flat, const struct hand *hand, const struct report_style *style)
{
    struct text out;

    hand_print(&out, hand, style);
    text_init(flat);
    for (const char *s = out.s; *s; s++)
        if ((*s != ' ' && *s != '\n') || (flat->len > 0 && flat->s[flat->len - 1] != ' '))
            text_addf(flat, "%c", *s == '\n' && style == &table ? ' ' : *s);
    text_fini(&out);
}

/* Words may be wrapped. */
static bool says(const struct hand *hand, const char *words)
{
    struct text flat;

    flat_of(&flat, hand, &table);
    bool found = strstr(flat.s, words) != NULL;
    text_fini(&flat);
    return found;
}

static void put(struct result_facts *facts, const char *key, const char *value)
{
    assert_int_equal(result_fact_put(facts, key, value, ""), 0);
}

static struct result *own(struct hand *hand)
{
    struct result *r = hand_io(hand, "0");

    put(&r->target_facts, "client", "own NFS client");
    put(&r->target_facts, "nfs_version", "3");
    put(&r->target_facts, "connections", "2");
    put(&r->target_facts, "rsize", "1048576");
    snprintf(r->cache.mode, sizeof r->cache.mode, "uncached");
    r->cache.applies = true;
    return r;
}

static void add_call(struct result *r, unsigned i, const char *name, unsigned n, uint64_t ns)
{
    struct result_call *call = &r->calls.kind[i];

    snprintf(call->name, sizeof call->name, "%s", name);
    hist_record_n(&call->time, ns, n);
}

static void the_client_is_named(void **state)
{
    struct hand hand = {0};

    (void)state;
    hand_io(&hand, "0");
    assert_false(says(&hand, "own NFS client"));
    hand_free(&hand);
    hand = (struct hand){0};
    own(&hand);
    assert_true(says(&hand, "(own NFS client)"));
    assert_true(says(&hand, "own NFS client, version 3, connections 2, rsize 1 MiB"));
    assert_true(says(&hand, "not what a mount by the kernel shows"));
    assert_true(says(&hand, "client cache none: loadline's own client keeps none"));
    hand_free(&hand);
}

/* A mount by the kernel says so, and what went over the wire stands beside it. */
static void a_mount_is_named_too(void **state)
{
    struct hand hand = {0};
    struct result *r = hand_io(&hand, "0");

    (void)state;
    put(&r->target_facts, "client", "kernel NFS client");
    put(&r->target_facts, "nfs_version", "4.2");
    put(&r->target_facts, "nconnect", "4");
    put(&r->target_facts, "client_caching", "as usual");
    assert_true(says(&hand, "kernel NFS client, version 4.2, connections 4, cache: as usual"));
    assert_false(says(&hand, "not what a mount"));
    assert_false(says(&hand, "on the wire"));
    put(&r->counters, "wire_ops", "1000");
    put(&r->counters, "wire_sent_bytes", "2048");
    put(&r->counters, "wire_retransmits", "3");
    assert_true(
        says(&hand, "on the wire 1000 calls of the kernel's client, whoever caused them: 2 KiB"));
    assert_true(says(&hand, "3 sent again"));
    hand_free(&hand);
}

/* What it does not count was told as none. */
static void of_smb_data_alone_is_told(void **state)
{
    struct hand hand = {0};
    struct result *r = hand_io(&hand, "0");

    (void)state;
    put(&r->target_facts, "client", "kernel SMB client");
    put(&r->counters, "wire_ops", "20");
    put(&r->counters, "wire_read_data_bytes", "4096");
    put(&r->counters, "wire_write_data_bytes", "0");
    put(&r->counters, "wire_errors", "1");
    assert_true(says(&hand, "whoever caused them: 4 KiB of data read, 0 B written; 1 errors"));
    assert_false(says(&hand, "sent again"));
    hand_free(&hand);
}

static void calls_of_an_op_are_told(void **state)
{
    struct hand hand = {0};
    struct result *r = own(&hand);

    (void)state;
    assert_false(says(&hand, "RPCs an op"));
    put(&r->counters, "ops_read", "100");
    put(&r->counters, "op_calls_read", "150");
    put(&r->counters, "ops_close", "100");
    assert_true(says(&hand, "RPCs an op 0.75 over all: read 1.50, close 0.00"));
    put(&r->options, "resolve", "every-time");
    put(&r->counters, "lookups_again", "300");
    assert_true(says(&hand, "each name was walked to from the root (--resolve every-time): 300"));
    r->calls.kind = calloc(2, sizeof *r->calls.kind);
    assert_non_null(r->calls.kind);
    r->calls.n = 2;
    add_call(r, 0, "READ", 150, 100000);
    add_call(r, 1, "LOOKUP", 1, 50000);
    assert_true(says(&hand, "RPC times 150 READ: p50 100 us, p99 100 us, max 100 us; 1 LOOKUP:"));
    hand_free(&hand);
}

/* An outage is an outage, of several runs together, and not a slow op. */
static void outages_are_outages(void **state)
{
    struct hand hand = {0};
    struct result *r = own(&hand);

    (void)state;
    put(&r->counters, "outages", "0");
    assert_false(says(&hand, "OUTAGES"));
    put(&r->counters, "outages", "1");
    put(&r->counters, "outage_ns", "50000000");
    put(&r->counters, "outage_longest_ns", "50000000");
    r = own(&hand);
    put(&r->counters, "outages", "1");
    put(&r->counters, "outage_ns", "2000000000");
    put(&r->counters, "outage_longest_ns", "2000000000");
    put(&r->counters, "outage_calls", "32");
    put(&r->counters, "retransmits", "32");
    assert_true(says(&hand, "OUTAGES 2, 2.05 s in all, the longest 2.00 s"));
    assert_true(says(&hand, "each connection counts"));
    assert_true(says(&hand, "ops that were answered have the wait in their times"));
    assert_true(says(&hand, "32 calls were under way then"));
    assert_true(says(&hand, "32 calls were sent again"));
    hand_free(&hand);
}

/* Of two targets that took turns the head told of the first one's cache alone, as if both had none. */
static void each_side_has_its_own_cache(void **state)
{
    struct hand hand = {0};
    struct result *a = hand_tree_write(&hand, 4096, 4, 9000000);
    struct result *b = hand_tree_write(&hand, 4096, 4, 9000000);

    (void)state;
    put(&a->options, "side", "1");
    put(&b->options, "side", "2");
    snprintf(a->cache.mode, sizeof a->cache.mode, "drop");
    snprintf(b->cache.mode, sizeof b->cache.mode, "drop");
    assert_true(says(&hand, "client cache drop: one syncfs"));
    snprintf(a->cache.mode, sizeof a->cache.mode, "uncached");
    assert_true(says(&hand, "client cache A: none: loadline's own client keeps none"));
    assert_true(says(&hand, "client cache B: drop: one syncfs"));
    hand_free(&hand);
}

/* One that began before the window is none of those that began in it, and took its time all the same. */
static void an_outage_from_before_is_one(void **state)
{
    struct hand hand = {0};
    struct result *r = own(&hand);

    (void)state;
    put(&r->counters, "outages", "0");
    put(&r->counters, "outage_ns", "1830000000");
    put(&r->counters, "outage_longest_ns", "0");
    assert_true(says(&hand, "OUTAGES none begun here, 1.83 s of what began before"));
    assert_false(says(&hand, "the longest"));
    put(&r->counters, "outages", "2");
    assert_true(says(&hand, "OUTAGES 2, 1.83 s in all: a connection was lost"));
    hand_free(&hand);
}

/* The row in which it was is marked, and no other. */
static void a_row_with_an_outage_is_marked(void **state)
{
    struct hand hand = {0};

    (void)state;
    hand_tree_write(&hand, 4096, 4, 9000000);
    hand_tree_read(&hand, 4096, 4, 9000000, 0);
    assert_false(says(&hand, "OUTAGE"));
    put(&hand.result[1]->counters, "outages", "1");
    assert_true(says(&hand, " OUTAGE"));
    put(&hand.result[1]->counters, "outages", "0");
    assert_false(says(&hand, " OUTAGE"));
    put(&hand.result[1]->counters, "outage_ns", "1830000000");
    assert_true(says(&hand, " OUTAGE"));
    hand_free(&hand);
}

/* Whatever was no plain answer is counted, and what did not happen is not mentioned. */
static void what_was_not_plain_is_said(void **state)
{
    struct hand hand = {0};
    struct result *r = own(&hand);

    (void)state;
    assert_false(says(&hand, "not plain"));
    put(&r->counters, "jukebox_retries", "3");
    put(&r->counters, "short_reads", "0");
    put(&r->counters, "verifier_changes", "1");
    assert_true(
        says(&hand, "not plain answers \"try later\" (JUKEBOX), heeded: 3; server had forgotten"));
    assert_false(says(&hand, "short READs"));
    hand_free(&hand);
}

/* A kind of call has a record of its own, with the columns of a line and the op `rpc`. */
static void csv_has_a_record_for_a_kind_of_call(void **state)
{
    struct hand hand = {0};
    struct result *r = own(&hand);
    struct text flat;

    (void)state;
    r->calls.kind = calloc(1, sizeof *r->calls.kind);
    assert_non_null(r->calls.kind);
    r->calls.n = 1;
    add_call(r, 0, "READ", 150, 100);
    flat_of(&flat, &hand, &csv);
    const char *row = strstr(flat.s, "READ,rpc,no,150,,150,100,100,100");
    assert_non_null(row);
    unsigned columns = 0, fields = 0;
    for (const char *s = flat.s; *s != '\r' && *s != '\n'; s++)
        columns += *s == ',';
    const char *begin = row;
    while (begin > flat.s && begin[-1] != '\n')
        begin--;
    for (const char *s = begin; *s && *s != '\r' && *s != '\n'; s++)
        fields += *s == ',';
    assert_int_equal(fields, columns);
    text_fini(&flat);
    hand_free(&hand);
}

/* A reader who sees one table only must not take it for one of a system. */
static void a_model_is_called_one(void **state)
{
    struct hand hand = {.n = 0};
    struct result *r = hand_io(&hand, "0");
    struct text flat;

    (void)state;
    put(&r->target_facts, "modelled", "netapp-f840");
    put(&r->target_facts, "model_title", "NetApp F840");
    r->calls.kind = calloc(1, sizeof *r->calls.kind);
    assert_non_null(r->calls.kind);
    r->calls.n = 1;
    add_call(r, 0, "read from dram", 900, 120000);
    assert_true(says(&hand, "(MODELLED: NetApp F840. No system was measured"));
    assert_true(says(&hand, "server's time 900 read from dram: p50 120 us"));
    assert_true(says(&hand, "MODELLED netapp-f840 is a model"));
    assert_false(says(&hand, "RPC"));
    assert_false(says(&hand, "own overhead"));
    assert_false(says(&hand, "cache proof"));
    flat_of(&flat, &hand, &csv);
    assert_non_null(strstr(flat.s, ",netapp-f840,"));
    assert_non_null(strstr(flat.s, "read from dram,server,"));
    text_fini(&flat);
    hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_client_is_named),
        cmocka_unit_test(a_mount_is_named_too),
        cmocka_unit_test(of_smb_data_alone_is_told),
        cmocka_unit_test(calls_of_an_op_are_told),
        cmocka_unit_test(outages_are_outages),
        cmocka_unit_test(an_outage_from_before_is_one),
        cmocka_unit_test(a_row_with_an_outage_is_marked),
        cmocka_unit_test(each_side_has_its_own_cache),
        cmocka_unit_test(what_was_not_plain_is_said),
        cmocka_unit_test(csv_has_a_record_for_a_kind_of_call),
        cmocka_unit_test(a_model_is_called_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
