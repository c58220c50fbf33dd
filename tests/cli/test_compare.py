#!/usr/bin/python3
"""compare: its words, exit statuses, files; the published rows of 2001; conditions."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import unittest
import xml.etree.ElementTree

import compared
import util

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
FILES = 5376


def published(system, test):
    with open(SOURCE / "data/dirtest-2001.csv") as file:
        return [row for row in csv.DictReader(file) if (row["system"], row["test"]) == (system, test)]


class Published(util.Case):
    """The rows of 2001 come from the file, to the number."""

    def rows(self, *names):
        done = self.ok("compare", *names, "--format", "json", "--metric", "ops,time", "--db", "none")
        return json.loads(done.stdout)

    def test_every_published_row_is_compared(self):
        (both,) = self.rows("2001-netapp840", "2001-celerra")
        want = {}
        for side, system in (("mean_a", "NetApp 840"), ("mean_b", "EMC Celerra")):
            for test, phase in (("dirtest", "write"), ("readtest", "read")):
                for row in published(system, test):
                    want[side, phase, int(row["file_length_bytes"])] = int(row["elapsed_ms"])
        self.assertEqual(len(want), 160)
        self.assertEqual(len(both["rows"]), 80)
        units = {"B": 1, "KiB": 1024, "MiB": 1 << 20}
        for row in both["rows"]:
            number, unit, phase = row["row"].split()
            length = int(float(number) * units[unit])
            for side in ("mean_a", "mean_b"):
                ms = want.pop((side, phase, length))
                self.assertAlmostEqual(row["time"][side] / 1e6, ms, places=3)
                self.assertAlmostEqual(row["ops"][side] * ms / 1e3, FILES, places=3)
        self.assertEqual(want, {})

    def test_it_shows_where_the_celerra_falls_and_that_nobody_can_tell(self):
        text = self.ok("compare", "2001-netapp840", "2001-celerra", "--db", "none").stdout
        row = next(line for line in text.splitlines() if line.startswith("1 MiB read"))
        self.assertEqual(row.split(), "1 MiB read 39.4 1 17.5 1 -55.7% - cannot tell".split())
        self.assertIn("-55.7% (1 MiB read)", text)
        self.assertIn("80 cannot tell", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_the_classic_form_gives_the_post_again(self):
        text = self.ok("show", "2001-celerra", "--classic", "--db", "none").stdout
        for test in ("dirtest", "readtest"):
            for row in published("EMC Celerra", test):
                cells = r" +".join(re.escape(row[key]) for key in
                                   ("file_length_bytes", "file_space_kib", "elapsed_ms",
                                    "throughput_kib_per_s"))
                self.assertRegex(text, rf"(?m)^ *{cells}$")

    def test_they_need_no_store(self):
        for command in (["show"], ["compare", "2001-netapp840"]):
            self.ok(*command, "2001-celerra", "--db", self.room / "none-yet.db")
        self.assertFalse((self.room / "none-yet.db").exists())

    def test_shells_complete_them(self):
        self.assertIn("2001-celerra\tpublished", self.ok("complete", "--", "compare", "2001-c").stdout)

    def test_they_pass_through_a_file(self):
        file = self.room / "netapp.json"
        self.ok("show", "2001-netapp840", "-o", file, "--db", "none")
        done = self.ok("compare", file, "2001-celerra", "--db", "none")
        self.assertIn("-55.7% (1 MiB read)", done.stdout)

    def test_a_run_of_ones_own_is_not_held_against_them(self):
        self.ok("dirtest", self.target, *util.SMALL_TREE, "--label", "mine", "--db", self.db)
        done = self.fails(5, "compare", "2001-netapp840", "mine", "--db", self.db)
        self.assertIn("80 not comparable", done.stdout)
        self.assertIn("not stated: chunk, content,", " ".join(done.stdout.split()))

    def test_what_is_shipped_keeps_its_name(self):
        compared.measure(self.db, "2001-celerra", "1000us", 1)
        done = self.ok("show", "2001-celerra", "--db", self.db)
        self.assertIn("EMC Celerra", done.stdout)
        self.assertIn("2001-celerra is the result that is shipped", done.stderr)


class Words(compared.Case):
    def words(self, *args, metric="ops"):
        (both,) = json.loads(self.compare(*args, "--format", "json").stdout)
        return {row["row"]: row[metric]["word"] for row in both["rows"]}

    def test_the_same_system_is_within_noise(self):
        self.assertEqual(set(self.words("base", "same").values()), {"within noise"})

    def test_a_slower_one_is_worse_and_the_other_way_round_better(self):
        self.assertEqual(set(self.words("base", "slow").values()), {"worse"})
        self.assertEqual(set(self.words("slow", "base").values()), {"better"})

    def test_one_run_each_cannot_be_told(self):
        (both,) = json.loads(self.compare("once", "slow", "--format", "json").stdout)
        self.assertEqual({row["ops"]["word"] for row in both["rows"]}, {"cannot tell"})

    def test_a_label_of_several_studies_and_a_glob_take_all_of_them(self):
        for name, runs in (("base", 6), ("sa*", 6), ("s*", 12), ("[bs]*e", 12)):
            (both,) = json.loads(self.compare("once", name, "--format", "json").stdout)
            self.assertEqual(len(both["b"]["runs"]), runs, name)

    def test_what_both_sides_name_is_taken_out_of_one(self):
        for a, b, runs, shared in (("base", "[bo]*e", (6, 1), 6), ("[bo]*e", "once", (6, 1), 1),
                                   ("base", "base", (6, 6), 0)):
            (both,) = json.loads(self.compare(a, b, "--format", "json").stdout)
            self.assertEqual((len(both["a"]["runs"]), len(both["b"]["runs"])), runs)
            self.assertEqual(both["shared_runs"], shared)
        self.assertIn("left out      1 run of A that B has too", self.compare("[bo]*e", "once").stdout)

    def test_each_further_result_is_compared_with_the_first(self):
        every = json.loads(self.compare("base", "same", "slow", "--format", "json").stdout)
        self.assertEqual([(c["a"]["name"], c["b"]["name"]) for c in every],
                         [("base", "same"), ("base", "slow")])

    def test_forms_say_the_same(self):
        (both,) = json.loads(self.compare("base", "slow", "--format", "json").stdout)
        table = list(csv.DictReader(io.StringIO(self.compare("base", "slow", "--format", "csv").stdout)))
        self.assertEqual(len(table), 2 * len(both["rows"]))  # ops and p99
        for row in both["rows"]:
            (line,) = [t for t in table if (t["row"], t["metric"]) == (row["row"], "ops")]
            self.assertAlmostEqual(float(line["change_frac"]), row["ops"]["change_frac"], places=5)
            self.assertEqual(line["word"], row["ops"]["word"])
            percent = f"{row['ops']['change_frac']:+.1%}"
            self.assertIn(percent, self.compare("base", "slow").stdout)
            self.assertIn(percent.lstrip("+-"), self.compare("base", "slow", "--format", "md").stdout)

    def test_text_fits_80_columns(self):
        for args in (["base", "same"], ["base", "same", "slow"], ["once", "2001-celerra"]):
            done = util.run("compare", *args, "--fail-if", "ops -5%", "--db", self.db)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_a_file_is_written_by_its_suffix(self):
        for suffix, begins in ((".json", "["), (".csv", "a,b,"), (".md", "### "), (".txt", "A ")):
            file = self.room / f"out{suffix}"
            self.compare("base", "slow", "-o", file)
            self.assertTrue(file.read_text().startswith(begins))
        self.compare("base", "slow", "-o", file, status=2)
        self.compare("base", "slow", "-o", file, "--force")

    def test_one_study_of_two_targets_is_compared_in_itself(self):
        (self.room / "other").mkdir()
        self.ok("dirtest", self.target, self.room / "other", *util.SMALL_TREE, "--label", "two",
                "--db", self.db)
        (both,) = json.loads(self.compare("two", "--format", "json").stdout)
        self.assertEqual([both["a"]["name"], both["b"]["name"]],
                         [str(self.target), str(self.room / "other")])
        self.assertEqual(both["noise"], "from runs that took turns")
        self.assertEqual(len(both["rows"]), 4)
        for row in both["rows"]:
            self.assertEqual((row["ops"]["n_a"], row["ops"]["n_b"], row["ops"]["noise"]),
                             (2, 2, "pairs"))
        done = self.compare("two", "2001-celerra", status=5)
        self.assertIn("two: runs of several targets are one side here", done.stderr)
        self.assertIn("two:A is one of them", done.stderr)
        done = self.ok("history", "4 KiB read", "--db", self.db)
        self.assertIn("the row is of several targets", done.stderr)

    def test_one_target_of_a_study_is_named_by_its_letter(self):
        # Nothing but a study of two targets alone could hold one of them against anything.
        (self.room / "other").mkdir()
        self.ok("dirtest", self.target, self.room / "other", *util.SMALL_TREE, "--label", "two",
                "--db", self.db)
        (both,) = json.loads(self.compare("two:B", "two:A", "--format", "json").stdout)
        self.assertEqual((both["a"]["name"], both["noise"]),
                         ("two:B", "from runs that took turns"))
        self.assertEqual((both["rows"][0]["ops"]["n_a"], both["rows"][0]["ops"]["n_b"]), (2, 2))
        self.assertNotIn("several targets", self.compare("two:A", "base", status=5).stderr)
        shown = json.loads(self.ok("show", "two:B", "--format", "json", "--db", self.db).stdout)
        self.assertEqual({run["target"] for run in shown}, {str(self.room / "other")})
        self.assertIn("other", self.ok("show", "two:B", "--db", self.db).stdout)
        done = self.ok("history", "4 KiB read", "two:A", "two:B", "--db", self.db)
        self.assertEqual(done.stderr, "")
        for word, why, status in (("two:C", "no run of a target C", 2), ("base:A", "of a target A", 2),
                                  ("tow:A", "nothing called 'tow:A'", 2),
                                  ("two:A:B", "nothing called 'two:A:B'", 2)):
            self.assertIn(why, self.compare(word, "once", status=status).stderr)
        self.assertIn("'two:A' is one side", self.compare("two:A", status=1).stderr)
        self.assertIn("one target", self.fails(1, "baseline", "set", "x", "two:A", "--db",
                                               self.db).stderr)
        self.fails(1, "export", "two:A", "--db", self.db)

    def test_a_metric_that_nobody_has_is_refused(self):
        done = self.compare("base", "same", "--metric", "time", status=1)
        self.assertIn("--metric time: no row has it; there are ops, bytes, p50,", done.stderr)
        self.compare("2001-netapp840", "2001-celerra", "--metric", "p99", status=1)

    def test_targets_of_one_study_need_a_study_of_several(self):
        done = self.compare("once", status=1)
        self.assertIn("'once' is one side: name a second result", done.stderr)


class Names(compared.Case):
    def test_an_unknown_name_is_said_with_where_to_look(self):
        done = self.compare("base", "nothing", status=2)
        self.assertIn("nothing called 'nothing' in", done.stderr)
        self.assertIn("loadline list --db", done.stderr)
        self.assertNotIn("did you mean", done.stderr)

    def test_an_unknown_name_is_answered_with_the_nearest(self):
        # Neither baselines nor what is shipped were named, and a letter too few was not noticed.
        self.ok("baseline", "set", "release-1", "slow", "--db", self.db)
        for name, meant in (("2001-netap840", "2001-netapp840"), ("onse", "once"),
                            ("relaese-1", "release-1")):
            said = self.compare(name, "slow", status=2).stderr
            self.assertIn(f"did you mean {meant}?", said)
            self.assertIn("`loadline baseline list --db", said)
            self.assertIn("shipped are 2001-netapp840 and 2001-celerra", said)

    def test_a_glob_that_fits_nothing(self):
        self.assertIn("a label like 'x*'", self.compare("base", "x*", status=2).stderr)

    def test_stored_names_need_a_store(self):
        done = self.fails(1, "compare", "base", "same", "--db", "none")
        self.assertIn("--db none: there is nothing to look in", done.stderr)

    def test_show_takes_one_study(self):
        done = self.fails(2, "show", "base", "--db", self.db)
        self.assertIn("names 6 studies, and this takes one", done.stderr)
        done = self.fails(2, "show", "sl*", "--db", self.db)
        self.assertIn("names 6 studies, and this takes one", done.stderr)
        self.ok("show", "on*", "--db", self.db)

    def test_a_label_may_hold_a_slash(self):
        # A word with a slash was taken for a file, whatever there was.
        for seed in (1, 2):
            compared.measure(self.db, "feature/x", "1000us", seed)
        for name in ("feature/x", "feature/*"):
            (both,) = json.loads(self.compare("base", name, "--format", "json").stdout)
            self.assertEqual(len(both["b"]["runs"]), 2)
        self.assertIn("No such file", self.compare("base", "feature/y", status=2).stderr)
        self.assertIn("names 2 studies", self.fails(2, "show", "feature/x", "--db", self.db).stderr)

    def test_a_run_by_its_number(self):
        studies = json.loads(self.ok("list", "--format", "json", "--db", self.db).stdout)
        one = next(s["id"] for s in studies if s["label"] == "once")
        for name in (f"{one}.1", one, one[:6]):
            (both,) = json.loads(self.compare("base", name, "--format", "json").stdout)
            self.assertEqual(both["b"]["runs"], [f"{one}.1"])

    def test_what_a_name_was_not_is_no_failure(self):
        """Where stdout was full it was said as well that no baseline has the name of the label."""
        with open("/dev/full", "w") as full:
            done = subprocess.run([util.PROGRAM, "compare", "base", "slow", "--db", self.db],
                                  stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr,
                         "loadline: cannot write to stdout: No space left on device\n")

    def test_a_broken_file_is_no_usage_error(self):
        file = self.room / "broken.json"
        file.write_text("{")
        self.compare("base", file, status=2)


class Conditions(compared.Case):
    FAILS = ["--fail-if", "ops -5%"]

    def test_exit_statuses(self):
        for status, args in (
                (0, ["base", "slow"]),  # a comparison answers, it fails nothing
                (0, ["base", "same", *self.FAILS]),
                (4, ["base", "slow", *self.FAILS]),
                (0, ["base", "slow", "--fail-if", "ops -90%"]),
                (4, ["base", "slow", "--fail-if", "ops -90%", "--fail-if", "row:all.p99 > 1us"]),
                (0, ["base", "same", "--fail-if", "row:read.p99 > 1s"]),
                (4, ["base", "same", "slow", *self.FAILS]),
                (5, ["once", "slow", *self.FAILS]),
                (0, ["once", "slow", *self.FAILS, "--undecided", "pass"]),
                (4, ["once", "slow", *self.FAILS, "--undecided", "fail"]),
                (5, ["once", "2001-celerra"]),
                (1, ["base", "slow", "--fail-if", "row:nonsense.ops -5%"]),
                (1, ["base", "slow", "--fail-if", "nonsense -5%"]),
                (1, ["base", "slow", "--fail-if", "ops +5%"]),
                (1, ["base", "slow", "--undecided", "pass"]),
                (1, ["base", "slow", "--junit", "x.xml"])):
            with self.subTest(args):
                self.compare(*args, status=status)

    def test_a_failure_wins_over_what_nobody_can_tell(self):
        self.compare("base", "slow", "once", *self.FAILS, status=4)

    def test_an_unknown_row_names_those_there_are(self):
        done = self.compare("base", "slow", "--fail-if", "row:nonsense.ops -5%", status=1)
        for row in ("read", "write", "all"):
            self.assertIn(row, done.stderr)

    def test_the_metric_of_a_condition_is_shown(self):
        self.assertRegex(self.compare("base", "same", "--fail-if", "p99.9 +50%").stdout,
                         r"(?m)^p99\.9 +A")

    def junit(self, *args, status):
        file = self.room / "junit.xml"
        self.compare(*args, "--junit", file, status=status)
        suites = xml.etree.ElementTree.parse(file).getroot()
        cases = [case for suite in suites for case in suite]
        counted = {"failures": "failure", "errors": "error", "skipped": "skipped"}
        for suite in suites:
            self.assertEqual(int(suite.get("tests")), len(suite))
            for key, tag in counted.items():
                self.assertEqual(int(suite.get(key)), len(suite.findall(f"testcase/{tag}")))
        return len(suites), len(cases), {key: sum(int(s.get(key)) for s in suites) for key in counted}

    def test_junit_has_a_case_for_each_row_and_condition(self):
        two = [*self.FAILS, "--fail-if", "row:all.p99 > 1s"]
        self.assertEqual(self.junit("base", "slow", *two, status=4),
                         (1, 4, {"failures": 3, "errors": 0, "skipped": 0}))
        self.assertEqual(self.junit("base", "same", "slow", *self.FAILS, status=4),
                         (2, 6, {"failures": 3, "errors": 0, "skipped": 0}))

    def test_junit_says_of_the_undecided_what_the_exit_status_says(self):
        for undecided, status, key in ((None, 5, "errors"), ("pass", 0, "skipped"),
                                       ("fail", 4, "failures")):
            args = ["--undecided", undecided] if undecided else []
            counts = self.junit("once", "slow", *self.FAILS, *args, status=status)[2]
            self.assertEqual(counts, {"failures": 0, "errors": 0, "skipped": 0, key: 3})

    def test_junit_is_refused_before_anything_is_compared(self):
        for file, why in ((self.db, "this is the database of results"), (self.room, "directory"),
                          (self.room / "no/x.xml", "No such file")):
            done = util.run("compare", "base", "slow", *self.FAILS, "--junit", file, "--db", self.db)
            self.assertIn(done.returncode, (1, 2))
            self.assertEqual(done.stdout, "")
            self.assertIn(f"--junit {file}: ", done.stderr)
            self.assertIn(why, done.stderr)

    def test_junit_and_answer_are_two_files_by_whatever_names(self):
        """Under two spellings of one name the one answer replaced the other."""
        link = self.room / "here"
        link.symlink_to(self.room)
        self.compare("base", "slow", *self.FAILS, "--junit", self.room / "x.json",
                     "-o", link / "x.json", status=1)
        self.assertFalse((self.room / "x.json").exists())

    def test_junit_holds_any_name(self):
        compared.measure(self.db, "a<b>&\"'é", "1000us", 1)
        self.junit("base", "a<b>&\"'é", "--fail-if", "p99 > 1s", status=0)


class ReleaseGate(util.Case):
    """The lines of examples/ci-gate.sh, run as they are."""

    def gate(self, build, latency):
        env = dict(os.environ, PATH=f"{self.room}/bin:{os.environ['PATH']}", BUILD=build,
                   XDG_DATA_HOME=str(self.room), LC_ALL="C.UTF-8",
                   TARGET=f"fault:null:?latency=exp:{latency}&clock=virtual")
        return subprocess.run(["sh", SOURCE / "examples/ci-gate.sh"], cwd=self.room, env=env,
                              capture_output=True, text=True, check=False, timeout=util.PATIENCE_S)

    def test_it_lets_the_same_pass_and_stops_a_slower_one(self):
        (self.room / "bin").mkdir()
        (self.room / "bin/loadline").symlink_to(pathlib.Path(util.PROGRAM).resolve())
        done = self.gate("1", "100ms")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.gate("2", "130ms")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("**FAIL:**", (self.room / "loadline.md").read_text())
        root = xml.etree.ElementTree.parse(self.room / "loadline.xml").getroot()
        self.assertGreater(int(root[0].get("failures")), 0)


if __name__ == "__main__":
    unittest.main()
