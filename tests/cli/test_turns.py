#!/usr/bin/env python3
"""dirtest with several targets: they take turns, are told apart, and tidied all."""
import csv
import io
import json
import re
import unittest

import util


class Turns(util.Case):
    def setUp(self):
        super().setUp()
        self.other = self.room / "other"
        self.other.mkdir()

    def dirtest(self, *more, targets=None, status=0):
        return self.fails(status, "dirtest", *(targets or (self.target, self.other)),
                          *util.SMALL_TREE, *more, "--db", self.db)

    def runs(self, *more, **how):
        return json.loads(self.dirtest("--format", "json", *more, **how).stdout)

    def left(self):
        return sorted(p.name for where in (self.target, self.other) for p in where.iterdir())

    def test_each_run_has_its_side_and_target(self):
        runs = self.runs()
        self.assertEqual(len(runs), 2 * 2 * 2 * 2)
        self.assertEqual([r["run"] for r in runs], list(range(1, 17)))
        self.assertEqual(len({r["study_id"] for r in runs}), 1)
        for r in runs:
            side = util.option(r, "side")
            self.assertEqual(r["target"], str({"1": self.target, "2": self.other}[side]))
        self.assertEqual(self.left(), [])

    def test_who_begins_changes_from_repeat_to_repeat(self):
        rows = csv.DictReader(io.StringIO(self.dirtest("--format", "csv", "--repeat", 4).stdout))
        begins = {}
        for row in rows:
            if row["phase"] == "write" and row["line"] == "write":
                begins.setdefault((row["length_bytes"], int(row["repeat"])), row["side"])
        for (length, repeat), side in begins.items():
            if repeat > 1:
                self.assertNotEqual(side, begins[length, repeat - 1])

    def test_table_has_a_line_a_side_and_is_shown_again(self):
        table = self.dirtest("--repeat", 3, "--label", "both").stdout
        # The label stood between the two.
        self.assertRegex(table, f"target A +{re.escape(str(self.target))} .*\n"
                                f"target B +{re.escape(str(self.other))} .*\nlabel +both\n")
        self.assertEqual(len(re.findall(r"(?m)^ +\S+ \S+ (?:write|read ) A ", table)), 4)
        self.assertEqual(
            len(re.findall(r"(?m)^ +B .* \d\.\d{3} +(?:\S+ (?:A|B|noise)|cannot tell)\b",
                           table)), 4)
        self.assertLessEqual(max(map(len, table.splitlines())), 80)
        study = re.match(r"dirtest (\w+)", table)[1]
        self.assertEqual(self.ok("show", study, "--db", self.db).stdout, table)
        wide = self.ok("show", study, "--wide", "--db", self.db).stdout
        self.assertRegex(wide, r"(?m)^2 B write A: ")
        self.fails(1, "show", study, "--classic", "--db", self.db)

    def test_one_repeat_cannot_tell(self):
        table = self.dirtest("--repeat", 1).stdout
        self.assertEqual(len(re.findall(r"(?m) \d+\.\d{3} cannot tell\b", table)), 4)
        self.assertLessEqual(max(map(len, table.splitlines())), 80)

    def test_four_targets_one_of_them_twice(self):
        third = self.room / "third"
        third.mkdir()
        table = self.dirtest(targets=(self.target, self.other, third, self.target)).stdout
        self.assertIn(" to A ", table)
        self.assertEqual(len(re.findall(r"(?m)^ +D ", table)), 4)
        self.assertEqual(self.left() + list(third.iterdir()), [])

    def test_trees_of_both_sides_are_kept_read_and_removed_by_the_id(self):
        study = self.runs("--keep", targets=(self.target, self.target))[0]["study_id"]
        self.assertEqual(self.left(), sorted([f"loadline-{study}", f"loadline-{study[:-1]}B"]))
        done = self.ok("readtest", self.target, "--min-time", "5ms", "--db", self.db)
        self.assertIn("2 kept trees", done.stderr)
        done = self.ok("clean", self.target, study)
        self.assertEqual(len(re.findall("removed loadline-", done.stdout)), 2)
        self.assertEqual(self.left(), [])

    def test_side_by_its_own_id_goes_alone(self):
        study = self.runs("--keep", targets=(self.target, self.target))[0]["study_id"]
        self.ok("clean", self.target, f"{study[:-1]}B")
        self.assertEqual(self.left(), [f"loadline-{study}"])

    def test_failure_of_one_side_ends_the_study_and_both_are_tidied(self):
        full = f"fault:{self.other}?error=ENOSPC@write:5"
        done = self.dirtest("--repeat", 3, targets=(self.target, full), status=3)
        self.assertRegex(done.stderr, "ENOSPC|no space")
        self.assertEqual(self.left(), [])

    def test_a_side_that_cannot_begin_leaves_nothing_on_the_other(self):
        done = self.dirtest(targets=(self.target, self.room / "nowhere"), status=2)
        self.assertIn("nowhere", done.stderr)
        self.assertEqual(self.left(), [])

    def test_another_study_in_either_directory_is_refused(self):
        busy = util.start("dirtest", self.other, *util.SMALL_TREE, "--repeat", 1000, "--db", "none")
        self.addCleanup(busy.communicate)
        self.addCleanup(busy.kill)
        while not list(self.other.glob("loadline-*/*/t*")):
            self.assertIsNone(busy.poll())
        done = self.dirtest(status=2)
        self.assertIn("another loadline is running", done.stderr)
        self.assertEqual(list(self.target.iterdir()), [])

    def test_classic_is_of_one_target(self):
        done = self.dirtest("--classic", "--client-cache", "keep", status=1)
        self.assertIn("--classic", done.stderr)


if __name__ == "__main__":
    unittest.main()
