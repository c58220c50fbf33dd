#!/usr/bin/python3
"""history: one row over many studies, its changes and its line."""
import csv
import io
import json
import os
import unittest

import compared
import util


class History(compared.Case):
    def history(self, *args, status=0, **options):
        return self.fails(status, "history", *args, "--db", self.db, **options)

    def entries(self, *args):
        return json.loads(self.history(*args, "--format", "json").stdout)

    def test_oldest_first_and_each_against_the_one_before(self):
        entries = self.entries("all", "--label", "base")
        self.assertEqual(len(entries), 6)
        begun = [e["begun_wall_ns"] for e in entries]
        self.assertEqual(begun, sorted(begun))
        self.assertIsNone(entries[0]["change_frac"])
        for before, this in zip(entries, entries[1:]):
            self.assertAlmostEqual(this["change_frac"], this["mean"] / before["mean"] - 1, places=6)
            self.assertEqual(this["word"], "cannot tell")

    def test_against_a_baseline_a_word_is_known(self):
        self.ok("baseline", "set", "rel", "base", "--db", self.db)
        entries = self.entries("all", "--baseline", "rel", "--label", "s*")
        self.assertEqual([e["word"] for e in entries], ["within noise"] * 6 + ["worse"] * 6)

    def test_last_filters_and_metric(self):
        self.assertEqual(len(self.entries("read", "--last", "3")), 3)
        self.assertEqual({e["label"] for e in self.entries("read", "--last", "1")}, {"once"})
        self.assertEqual(len(self.entries("read", "--target", "*1300us*")), 6)
        (one,) = self.entries("write", "--label", "once", "--metric", "p99")
        self.assertEqual((one["row"], one["metric"]), ("write", "p99"))
        self.assertGreater(one["mean"], 1e6)

    def test_forms(self):
        rows = list(csv.DictReader(io.StringIO(self.history("all", "--format", "csv").stdout)))
        self.assertEqual([float(r["mean"]) for r in rows], [e["mean"] for e in self.entries("all")])
        text = self.history("all").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertTrue(text.startswith("all: ops in ops/s, each against the one before\n"))
        self.assertIn("| when |", self.history("all", "--format", "md").stdout)

    def test_the_line_rises_and_falls_with_the_values(self):
        for locale, low, high in (("C.UTF-8", "▁", "█"), ("C", "_", "#")):
            text = self.history("all", "--label", "*", env=dict(os.environ, LC_ALL=locale)).stdout
            line = text.splitlines()[-1].split("  ")[0]
            entries = self.entries("all", "--label", "*")
            values = [e["mean"] for e in entries]
            self.assertEqual(len(line), len(values))
            self.assertEqual(line[values.index(min(values))], low)
            self.assertEqual(line[values.index(max(values))], high)

    def test_named_results_in_the_order_named(self):
        entries = self.entries("4 KiB  READ", "2001-celerra", "2001-netapp840")
        self.assertEqual([e["study_id"] for e in entries], ["2001-celerra", "2001-netapp840"])
        self.assertEqual(entries[0]["row"], "4 KiB read")
        self.assertAlmostEqual(entries[1]["change_frac"], 5617 / 5221 - 1, places=6)

    def test_an_unknown_row_lists_those_there_are(self):
        done = self.history("nonsense", status=1)
        self.assertIn("no study has a row 'nonsense'; there are: read, write, all", done.stderr)
        done = self.history("nonsense", "2001-celerra", status=1)
        self.assertIn("1.5 MiB read", done.stderr)

    def test_the_end_of_a_row_finds_the_rows_that_end_so(self):
        """Behind workloads, `fsync2` was answered with the rows of all of them: `varmail fsync2` among a hundred."""
        done = self.history("read", "2001-celerra", status=1)
        self.assertRegex(done.stderr, r"no study has a row 'read'; did you mean: [^,]+ read, ")
        self.assertNotIn("write", done.stderr)

    def test_a_metric_that_the_row_has_not(self):
        done = self.history("4 KiB read", "2001-celerra", "--metric", "p99", status=1)
        self.assertIn("--metric p99: no run of '4 KiB read' has it", done.stderr)

    def test_nothing_to_tell_of(self):
        self.assertIn("no study with a run", self.history("all", "--label", "x", status=2).stderr)

    # A run with errors had a mean and an interval like any other.
    def test_a_run_with_errors_has_no_number(self):
        util.run("io", "fault:null:?latency=exp:1000us&error=EIO@read:9&clock=virtual", "--streams",
                 "8", "--size", "1m", "--time", "10s", "--label", "bad", "--quiet", "--db", self.db)
        (_, entry) = self.entries("read", "once", "bad")
        self.assertEqual((entry["n"], entry["mean"]), (0, None))
        self.assertEqual(entry["word"], "not comparable")
        done = self.history("read", "bad", status=1)
        self.assertIn("those with errors, incomplete or void do not count", done.stderr)

    def test_filters_are_of_the_store(self):
        done = self.history("all", "base", "--label", "x", status=1)
        self.assertIn("--label and --target choose from all studies", done.stderr)


if __name__ == "__main__":
    unittest.main()
