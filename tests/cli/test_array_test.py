#!/usr/bin/python3
"""The array test of 2008 end to end: its eight figures, what they are of, how two arrays are compared,
and that no workload finds the files of another in its way."""
import json
import re
import statistics
import subprocess
import unittest

import util

READ, WRITE, MAIL, DATABASE = "multistreamread", "multistreamwrite", "varmail-2008", "oltp-2008"
WORKLOADS = (READ, WRITE, MAIL, DATABASE)
# Streams that write do so by 8 bytes: they would grow their files in no time.
SMALL = [f"{READ}.filesize=8m", f"{WRITE}.filesize=8m", f"{WRITE}.iosize=8", f"{MAIL}.nfiles=500",
         f"{MAIL}.nthreads=2", f"{DATABASE}.filesize=3m", f"{DATABASE}.nshadows=4",
         f"{DATABASE}.ndbwriters=2", f"{DATABASE}.usermode=100"]
FIGURES = ("1 read bandwidth", "2 read latency", "3 write bandwidth", "4 write latency",
           "5 varmail rate", "  varmail bandwidth", "6 varmail latency", "  varmail true mean",
           "7 oltp rate", "8 oltp latency", "  oltp true mean")


def setUpModule():
    util.own_mounts()


def seconds(result):
    return int(result["elapsed_ns"]) / 1e9


class ArrayTest(util.Case):
    def go(self, *more, command=("array-test",), repeat=2):
        return self.ok(*command, self.target, *SMALL, "--time", "0.3s", "--repeat", repeat, "--db",
                       self.db, *more)

    def results(self, *selector):
        return json.loads(self.ok("show", *selector, "--db", self.db, "--format", "json").stdout)

    def figures(self, text):
        """{name: (value, unit, runs)} of the table."""
        rows = re.findall(r"(?m)^([1-8 ] [a-z].{21}) +([\d.]+) (\S+) .* (\d+)$", text)
        return {name.rstrip(): (float(value), unit, int(runs)) for name, value, unit, runs in rows}

    def test_eight_figures_of_all_runs(self):
        done = self.go("--label", "2x3r5-fc")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        figures = self.figures(done.stdout)
        self.assertEqual(tuple(figures), FIGURES)
        self.assertEqual({runs for _, _, runs in figures.values()}, {2})
        of = {name: [r for r in self.results("2x3r5-fc") if util.option(r, "workload") == name]
              for name in WORKLOADS}
        self.assertEqual([len(runs) for runs in of.values()], [2] * 4)
        for figure, name, key, scale in ((FIGURES[0], READ, "bytes", 1 << 20),
                                         (FIGURES[2], WRITE, "bytes", 1 << 20),
                                         (FIGURES[5], MAIL, "bytes", 1 << 20)):
            mean = statistics.mean(int(r[key]) / scale / seconds(r) for r in of[name])
            value, unit, _ = figures[figure]
            self.assertEqual(unit, "MiB/s")
            self.assertAlmostEqual(value / mean, 1, delta=0.01, msg=figure)
        for figure in FIGURES:
            self.assertEqual(figures[figure][1], {"bandwidth": "MiB/s", "rate": "ops/s"}.get(
                figure.split()[-1], "ms"), figure)
        # The time of thirteen flowops, by four of them and by all.
        moves = ("appendfilerand", "readwholefile")
        for figure, counted, flowops in ((FIGURES[6], moves, 4), (FIGURES[7], (), 13)):
            means = []
            for lines in (r["lines"] for r in of[MAIL]):
                self.assertEqual(len(lines), 13)
                by = [line for line in lines if not counted or line["op"] in counted]
                self.assertEqual(len(by), flowops)
                means.append(sum(int(line["service"]["sum_ns"]) for line in lines) / 1e6 /
                             sum(line["derived"]["samples"] for line in by))
            self.assertAlmostEqual(figures[figure][0] / statistics.mean(means), 1, delta=0.01,
                                   msg=figure)
        self.assertEqual(self.left_on_target(), [])

    def test_what_was_labelled_is_shown_again_and_compared(self):
        printed = self.go("--label", "before", repeat=1).stdout
        self.go("--label", "after", repeat=1)
        self.assertEqual(self.ok("show", "before", "--db", self.db).stdout, printed)
        compared = util.run("compare", "before", "after", "--db", self.db)
        self.assertIn(compared.returncode, (0, 3), compared.stderr)
        self.assertLessEqual(max(map(len, compared.stdout.splitlines())), 80)
        rows = json.loads(util.run("compare", "before", "after", "--db", self.db, "--format",
                                   "json").stdout)
        for name in WORKLOADS:
            self.assertIn(name, json.dumps(rows))
        self.assertIn("array-test", self.ok("list", "--db", self.db).stdout)

    def test_files_of_one_workload_are_gone_before_the_next(self):
        """There is room for those of one workload alone."""
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=50m", "tmpfs", self.target], check=True)
        self.addCleanup(subprocess.run, ["umount", self.target], check=True)
        self.go(repeat=1)
        self.assertEqual(self.left_on_target(), [])

    def test_a_repeat_finds_files_as_the_first_run_did(self):
        """Files that a run has made longer are cut; a mail server's are made anew."""
        words = [word for word in SMALL if not word.startswith(f"{WRITE}.filesize")]
        done = self.ok("array-test", self.target, *words, f"{WRITE}.filesize=16", "--time", "1s",
                       "--repeat", "2", "--db", self.db)
        cut = re.findall(r"largefile\d: 0 files kept, 0 made, 1 cut, 0 written anew", done.stderr)
        self.assertEqual(len(cut), 4)
        self.assertEqual(done.stderr.count("Pre-allocating files in bigfileset tree"), 2)

    def test_run_knows_it_as_well(self):
        self.assertEqual(tuple(self.figures(self.go(command=("run", "array-test"), repeat=1).stdout)),
                         FIGURES)
        self.assertIn("loadline array-test TARGET",
                      self.ok("run", "array-test", "--help").stdout)

    def test_a_dry_run_shows_all_and_touches_nothing(self):
        shown = self.ok("array-test", self.target, "--dry-run", "--db", self.new_db).stdout
        for name in WORKLOADS:
            self.assertIn(name, shown)
        self.assertEqual(self.left_on_target(), [])
        self.assertFalse(self.new_db.exists())

    def test_what_help_says_holds_is_what_the_suite_says(self):
        lines = [line.split() for line in self.ok("workloads", "show", "array-test").stdout
                 .splitlines() if line and not line.startswith("#")]
        said = re.findall(r"--(\w+) [A-Z]+ [^-]*\(default: (\w+)\)",
                          self.ok("array-test", "--help").stdout.split("\nEvery")[0])
        self.assertEqual(dict(said), {"time": "300s", "warmup": "0s", "repeat": "3"})
        for workload, *words in lines:
            # In 2008 the streams had 40 GB against a cache of 10; files of the default length came from it.
            own = ["filesize=10g"] if workload in (READ, WRITE) else []
            self.assertEqual(words, [*own, "time=300s", "repeat=3", "dialect=sun"], workload)

    def test_variables_are_of_one_workload(self):
        for word in ("varmail.nfiles=3", "5.nfiles=3", f"{READ}.filesize", f".{READ}=1.5"):
            said = self.fails(1, "array-test", self.target, word, "--db", self.new_db).stderr
            self.assertIn(word.split(".")[-1], said)
        for word in (f"{READ}.nonesuch=1", "nonesuch=1", "3.usermode=2"):
            said = self.fails(2, "array-test", self.target, word, "--db", self.new_db)
            self.assertIn(word.split(".")[-1], said.stderr)
        self.assertFalse(self.new_db.exists())


if __name__ == "__main__":
    unittest.main()
