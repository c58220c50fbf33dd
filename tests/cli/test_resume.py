#!/usr/bin/env python3
"""--resume: an interrupted study ends with the rows of one that was never interrupted."""
import contextlib
import json
import random
import signal
import sqlite3
import time
import unittest

import util

TREE = ["--lengths", "2,4k,8k", "--repeat", 3, "--min-time", "5ms"]


class Resume(util.Case):
    def setUp(self):
        super().setUp()
        self.other = self.room / "other"
        self.other.mkdir()

    def words(self, *more, targets=None):
        return ["dirtest", *(targets or [self.target]), *util.SMALL_TREE, *TREE, "--quiet", *more,
                "--db", self.db]

    def begin(self, *more, **how):
        process = util.start(*self.words(*more, **how))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process, how=signal.SIGKILL):
        process.send_signal(how)
        process.communicate(timeout=util.PATIENCE_S)

    def studies(self):
        return json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)

    def kept_runs(self):
        """Asked again and again while the program runs: not by a program that takes its processor."""
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            return db.execute("SELECT count(*) FROM run").fetchone()[0]

    def begin_and_stop_after(self, runs, *more, how=signal.SIGKILL, **where):
        process = self.begin(*more, **where)
        while self.kept_runs() < runs:
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        self.end(process, how)
        return self.studies()[0]["id"]

    def rows(self, study):
        shown = self.ok("show", study, "--db", self.db, "--format", "json").stdout
        rows = [(util.option(r, "length_bytes"), r["phase"], util.option(r, "repeat"),
                 util.option(r, "side"), r["state"]) for r in json.loads(shown)]
        self.assertEqual(len(rows), len(set(rows)))
        return set(rows)

    @staticmethod
    def whole(sides=(None,), phases=("write", "read")):
        return {(length, phase, repeat, side, "complete") for length in ("2", "4096", "8192")
                for phase in phases for repeat in "123" for side in sides}

    def resume(self, study, *more, status=0, command="dirtest"):
        return self.fails(status, command, "--resume", study, *more, "--db", self.db)

    def left(self):
        return sorted(p.name for where in (self.target, self.other) for p in where.iterdir())

    def test_killed_at_any_moment_it_ends_with_the_same_rows(self):
        dice = random.Random(9)
        begun = time.monotonic()
        self.ok(*self.words())
        took = time.monotonic() - begun
        resumed = 0
        for moment in range(10):
            process = self.begin("--label", f"moment-{moment}")
            time.sleep(took * dice.random())
            self.end(process)
            study = next((s for s in self.studies() if s["label"] == f"moment-{moment}"), None)
            if study is None:
                self.ok("clean", self.target)
                continue
            resumed += study["state"] != "done"
            self.resume(f"moment-{moment}")
            self.assertEqual(self.rows(f"moment-{moment}"), self.whole())
            self.assertEqual(self.left(), [])
            again = [s for s in self.studies() if s["label"] == f"moment-{moment}"]
            self.assertEqual([s["state"] for s in again], ["done"])
        self.assertGreater(resumed, 0)

    def test_only_what_is_missing_is_measured(self):
        study = self.begin_and_stop_after(8)
        before = self.studies()[0]["runs"]
        done = self.resume(study, "--format", "json")
        runs = json.loads(done.stdout)
        self.assertEqual(len(runs), 18)
        # A turn that was written and not read is done again, nothing else.
        self.assertLessEqual(self.studies()[0]["runs"], 18 + 1)
        self.assertGreaterEqual(sum(r["run"] <= before for r in runs), before - 1)
        self.assertEqual([r["run"] for r in runs], sorted({r["run"] for r in runs}))

    def test_table_is_that_of_all_runs(self):
        study = self.begin_and_stop_after(5)
        table = self.resume(study).stdout
        self.assertEqual(self.ok("show", study, "--db", self.db).stdout, table)
        self.assertNotIn("INC", table)

    def test_a_run_that_was_stopped_counts_once(self):
        """The run that Ctrl-C cut short stood beside the one measured in its place."""
        process = self.begin("--min-time", "300ms")
        while not list(self.target.glob("loadline-*/*-r2-k02")):
            self.assertIsNone(process.poll())
        self.end(process, signal.SIGINT)
        study, = self.studies()
        self.assertEqual(study["state"], "incomplete")
        table = self.resume(study["id"]).stdout
        self.assertEqual(self.rows(study["id"]), self.whole())
        self.assertNotIn("INC", table)

    def forget_after(self, run):
        """As if it had been killed when that run was stored."""
        db = sqlite3.connect(self.db)
        with db:
            db.execute("DELETE FROM run WHERE run > ?", (run,))
        db.close()

    def test_begun_when_the_first_run_that_counts_was(self):
        """The table told of the first run there was, `show` of the one that took its place."""
        study = self.begin_and_stop_after(2)
        self.forget_after(1)
        time.sleep(1.1)
        table = self.resume(study).stdout
        self.assertEqual(self.ok("show", study, "--db", self.db).stdout, table)

    def test_rows_stand_in_their_order_also_when_stopped_at_once(self):
        """They stood in the order in which they had been measured."""
        study = self.begin_and_stop_after(6)
        self.forget_after(6)
        self.ok("clean", self.target, study)
        process = util.start("dirtest", "--resume", study, "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while not self.left():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        table, _ = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(self.ok("show", study, "--db", self.db).stdout, table)

    def test_stopped_again_in_a_turn_that_was_half_done(self):
        """What had been written of it stood in a second line of its length."""
        study = self.begin_and_stop_after(7, "--min-time", "200ms")
        self.forget_after(7)
        self.ok("clean", self.target, study)
        process = util.start("dirtest", "--resume", study, "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while not list(self.target.glob("loadline-*/*-r2-k01")):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        table, _ = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(self.ok("show", study, "--db", self.db).stdout, table)

    def test_a_database_damaged_since_is_told_and_left(self):
        """It was set aside, and then the new one had no such study."""
        study = self.begin_and_stop_after(6)
        db = sqlite3.connect(self.db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page, = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'baseline'").fetchone()
        size, = db.execute("PRAGMA page_size").fetchone()
        db.close()
        with open(self.db, "r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"noise" * 20)
        before = sorted(p.name for p in self.room.rglob("*.corrupt-*"))
        done = self.resume(study, status=2)
        self.assertRegex(done.stderr, "damaged|malformed")
        self.assertNotIn("no study", done.stderr)
        self.assertEqual(before, sorted(p.name for p in self.room.rglob("*.corrupt-*")))

    def test_another_machine_goes_on_where_runs_no_longer_count(self):
        """An export leaves them out; the runs measured next got numbers that others had."""
        study = self.begin_and_stop_after(6)
        self.forget_after(5)
        process = util.start("dirtest", "--resume", study, "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while self.kept_runs() < 9:
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        self.end(process)
        for db in self.db, self.new_db:
            self.ok("export", study, "--db", db, "-o", self.room, "--force")
            file, = self.room.glob("loadline-*.json.gz")
            self.ok("import", file, "--db", self.new_db if db == self.db else self.db)
            if db == self.db:
                done = self.ok("dirtest", "--resume", study, "--db", self.new_db)
                self.assertNotIn("all its results are kept in", done.stderr)
        self.assertEqual(self.rows(study), self.whole())
        self.assertEqual(self.studies()[0]["state"], "done")
        self.assertEqual(self.ok("show", study, "--db", self.new_db).stdout, done.stdout)

    def test_what_another_machine_may_be_using_stays(self):
        """An imported study was gone on with in the directory of the one that still ran elsewhere."""
        study = self.begin_and_stop_after(3)
        marker = self.target / f"loadline-{study}" / ".loadline"
        shape = json.loads(marker.read_text())
        marker.write_text(json.dumps({**shape, "host": "far.example"}))
        done = self.resume(study, status=2)
        self.assertIn("on far.example, and whether it still runs cannot be seen", done.stderr)
        self.assertEqual(self.left(), [f"loadline-{study}"])
        self.ok("clean", self.target, study)
        self.resume(study)
        self.assertEqual(self.rows(study), self.whole())

    def test_killed_twice(self):
        study = self.begin_and_stop_after(4)
        process = util.start("dirtest", "--resume", study, "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while self.kept_runs() < 9:
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        self.end(process)
        self.resume(study)
        self.assertEqual(self.rows(study), self.whole())
        self.assertEqual(self.left(), [])

    def test_kept_trees_stay_and_can_all_be_read(self):
        study = self.begin_and_stop_after(8, "--keep")
        self.resume(study)
        self.assertEqual(self.left(), [f"loadline-{study}"])
        self.assertEqual(list(self.target.glob("loadline-*/*-k00")), [])
        self.ok("readtest", self.target, "--verify", "--min-time", "5ms", "--db", self.db)

    def test_kept_trees_that_are_gone_are_missed(self):
        study = self.begin_and_stop_after(8, "--keep")
        self.ok("clean", self.target, study)
        done = self.resume(study, status=2)
        self.assertIn("the trees that it was to keep are no longer on", done.stderr)
        self.assertEqual(self.studies()[0]["state"], "incomplete")

    def test_two_targets(self):
        study = self.begin_and_stop_after(9, targets=[self.target, self.other])
        self.resume(study)
        self.assertEqual(self.rows(study), self.whole(sides=("1", "2")))
        self.assertEqual(self.left(), [])

    def test_one_directory_twice(self):
        study = self.begin_and_stop_after(9, targets=[self.target, self.target])
        self.assertEqual(len(self.left()), 2)
        self.resume(study)
        self.assertEqual(self.rows(study), self.whole(sides=("1", "2")))
        self.assertEqual(self.left(), [])

    def test_what_is_only_written(self):
        study = self.begin_and_stop_after(5, "--write-only")
        self.resume(study)
        self.assertEqual(self.rows(study), self.whole(phases=("write",)))

    def test_until_ci_goes_on_to_the_same_end(self):
        words = ["dirtest", self.target, "--threads", 1, "--levels", 1, "--branches", 1, "--files",
                 1, "--lengths", "2,4k", "--min-time", "2ms", "--until-ci", "0.1%", "--max-repeat",
                 6, "--db", self.db]
        process = util.start(*words)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while self.kept_runs() < 10:
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        self.end(process)
        study, = self.studies()
        done = self.resume(study["id"], "--format", "json")
        self.assertEqual(len(json.loads(done.stdout)), 2 * 2 * 6)
        self.assertIn("2 of 2 lengths are not within ±0.1 % after 6 repeats", done.stderr)

    def test_readtest(self):
        self.ok(*self.words("--keep"))
        process = util.start("readtest", self.target, "--min-time", "5ms", "--label", "read",
                             "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while self.kept_runs() < 18 + 4:
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        self.end(process)
        self.resume("read", command="readtest")
        self.assertEqual(self.rows("read"), self.whole(phases=("read",)))

    def test_readtest_goes_on_with_the_tree_that_it_read(self):
        """It took the newest one kept, of which the same seed made all checks pass."""
        self.ok(*self.words("--keep"))
        first, = self.studies()
        process = util.start("readtest", self.target, "--min-time", "5ms", "--label", "read",
                             "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while self.kept_runs() < 18 + 2:
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        self.end(process)
        self.ok(*self.words("--keep", "--label", "newer"))
        tree = self.target / f"loadline-{first['id']}"
        tree.rename(self.room / "away")
        done = self.resume("read", command="readtest", status=2)
        self.assertIn(f"it read loadline-{first['id']}, and no such tree is kept", done.stderr)
        (self.room / "away").rename(tree)
        done = self.resume("read", "--format", "json", command="readtest")
        runs = json.loads(done.stdout)
        self.assertEqual({util.option(r, "read_id") for r in runs}, {first["id"]})
        self.assertEqual(self.rows("read"), self.whole(phases=("read",)))

    def test_what_is_complete_needs_nothing(self):
        self.ok(*self.words("--label", "whole"))
        done = self.resume("whole")
        self.assertIn("is complete, there is nothing to do", done.stderr)
        self.assertEqual(self.kept_runs(), 18)

    def test_what_is_typed_must_be_what_was_typed(self):
        study = self.begin_and_stop_after(3)
        for more, words in [
                (["--files", 3], "--files was 2 and is 3 now"),
                (["--chunk", "2m"], "--chunk was 1m and is 2m now"),
                (["--lengths", "2"], "--lengths was 2,4k,8k and is 2 now"),
                (["--verify"], "--verify was not given"),
                (["--label", "x"], "--label was not given and is x now"),
                ([self.other], f"the target was {self.target} and is {self.other} now"),
                ([self.target, self.other], f"the target was not given and is {self.other} now")]:
            with self.subTest(more):
                done = self.resume(study, *more, status=1)
                self.assertIn(words, done.stderr)
        self.resume(study, self.target, "--files", 2, "--chunk", "1024k")

    def test_what_cannot_be_gone_on_with_is_refused(self):
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db, "--label", "mix")
        self.assertIn("is one of io, not of dirtest", self.resume("mix", status=1).stderr)
        self.assertIn("nothing of that name", self.resume("nosuch", status=2).stderr)
        process = self.begin("--repeat", 1000)
        while self.kept_runs() < 3:
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        study = next(s["id"] for s in self.studies() if s["kind"] == "dirtest")
        done = self.resume(study, status=2)
        self.assertIn("is being run by process", done.stderr)
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    unittest.main()
