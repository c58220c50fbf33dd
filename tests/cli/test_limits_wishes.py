#!/usr/bin/python3
"""What `limits` refuses, before anything is touched: bad wishes, targets that are none, too little room."""
import json
import unittest

import util

SHORT = "--streams 1 --max-bytes 16m --budget 6s".split()


class Wishes(util.Case):
    def test_bad_ones_end_before_anything_is_touched(self):
        for wish, told in (
                (["--only", "no-such-row"], "no-such-row"), (["--streams", "0"], "--streams"),
                (["--streams", "8..4"], "--streams"), (["--streams", "x"], "--streams"),
                (["--streams", "1..100000000"], "--streams"), (["--budget", "0s"], "--budget"),
                (["--budget", "soon"], "--budget"), (["--max-bytes", "0"], "--max-bytes"),
                (["--clients", "0"], "--clients"), (["--server-cache", "much"], "--server-cache"),
                (["--server-metrics", "no url"], "--server-metrics"),
                (["--server-metrics", "model"], "no modelled system"),
                (["--server-csv", "/no/such/file"], "/no/such/file"),
                (["--no-such"], "--no-such")):
            with self.subTest(wish):
                done = util.run("limits", self.target, *wish, "--db", "none")
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertIn(told, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertEqual(self.left_on_target(), [])

    def test_targets_that_are_none(self):
        for target in (self.room / "not-there", "sim:no-such", "nfs://127.0.0.1:1/none"):
            done = util.run("limits", target, *SHORT, "--db", "none")
            self.assertIn(done.returncode, (1, 2), done.stderr)

    def test_a_dry_run_touches_nothing(self):
        done = self.ok("limits", self.target, "--dry-run", "--db", self.db)
        self.assertIn("read-4k-cache", done.stdout + done.stderr)
        self.assertEqual(self.left_on_target(), [])
        self.assertEqual(json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout), [])

    def test_too_little_room(self):
        done = self.fails(2, "limits", f"fault:{self.target}?quota=4m", *SHORT, "--yes", "--db", "none")
        self.assertIn("not enough quota", done.stderr)
        self.assertEqual(self.left_on_target(), [])

    def test_quick_takes_no_more_than_a_tenth_of_little_room(self):
        # It wanted 1 GiB everywhere, and asked for an option that it does not have.
        done = self.ok("quick", f"fault:{self.target}?quota=64m", "--budget", "5s", "--db", "none")
        self.assertNotIn("--yes", done.stderr)
        self.assertEqual(self.left_on_target(), [])

    def test_a_budget_that_is_too_short_for_its_rows_is_told(self):
        for budget, told in (("5s", True), ("10m", False)):
            done = self.ok("limits", self.target, "--dry-run", "--max-bytes", "16m", "--budget", budget,
                           "--db", "none")
            self.assertEqual("more than the budget of" in done.stdout + done.stderr, told, done.stderr)


if __name__ == "__main__":
    unittest.main()
