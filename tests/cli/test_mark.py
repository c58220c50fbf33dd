#!/usr/bin/python3
"""`loadline mark`: what is noted while a study runs stands in the result of the run that goes on."""
import json
import unittest

import util


class Mark(util.Case):
    def test_a_mark_is_in_the_run_and_in_no_other(self):
        run = util.start("io", self.target, "--size", "1m", "--streams", "1", "--time", "3s",
                         "--warmup", "0s", "--repeat", "2", "--db", self.db)
        self.addCleanup(run.kill)
        for line in run.stderr:  # the first progress line: a run goes on
            if "ops/s" in line or "first" in line or "writes" in line or "lays out" in line:
                break
        for _ in range(util.PATIENCE_S * 10):  # the study stands in the store a moment later
            done = util.run("mark", "log device on", "--db", self.db)
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        out, _ = run.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(run.returncode, 0, out)
        study = done.stderr.split()[-1]
        results = json.loads(self.ok("show", study, "--format", "json", "--db", self.db).stdout)
        marks = [mark for result in results for mark in result.get("marks", [])]
        self.assertEqual([mark["text"] for mark in marks], ["log device on"])
        self.assertLess(marks[0]["at_ns"], max(result["elapsed_ns"] for result in results))

    def test_without_a_study_there_is_nothing_to_mark(self):
        done = self.fails(2, "mark", "x", "--db", self.db)
        self.assertIn("no study is running", done.stderr)

    def test_a_study_that_ended_takes_none(self):
        self.ok("io", "null:", "--time", "0.1s", "--warmup", "0s", "--size", "1m", "--label", "done",
                "--db", self.db)
        done = self.fails(2, "mark", "x", "done", "--db", self.db)
        self.assertIn("does not run: it is done", done.stderr)

    def test_one_that_says_nothing_is_refused(self):
        # It was taken, and the run that went on then could not be sealed and was lost.
        self.ok("io", "null:", "--time", "0.1s", "--warmup", "0s", "--size", "1m", "--label", "done",
                "--db", self.db)
        for text in ("", " "):
            done = self.fails(1, "mark", text, "done", "--db", self.db)
            self.assertIn("its text is empty", done.stderr)

    def test_a_long_text_is_refused(self):
        self.ok("io", "null:", "--time", "0.1s", "--warmup", "0s", "--size", "1m", "--label", "done",
                "--db", self.db)
        done = self.fails(2, "mark", "x" * 120, "done", "--db", self.db)
        self.assertIn("no more than 119 bytes", done.stderr)


if __name__ == "__main__":
    unittest.main()
