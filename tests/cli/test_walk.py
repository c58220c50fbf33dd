#!/usr/bin/python3
"""readtest --walk: what the directories list is read, and the listing is in the result."""
import json
import unittest

import util

DIRS, FILES = 2 * 2, 2 * 2 * 2  # of one tree of util.SMALL_TREE
ROOTS = 2


def option(run, key):
    return next((fact["value"] for fact in run["options"] if fact["key"] == key), None)


class Walk(util.Case):
    def setUp(self):
        super().setUp()
        self.ok("dirtest", self.target, *util.SMALL_TREE, "--keep", "--write-only", "--db", self.db)

    def readtest(self, *more, status=0):
        done = self.fails(status, "readtest", self.target, "--min-time", "0.01s", "--db", self.db,
                          "--format", "json", *more)
        return json.loads(done.stdout), done

    def test_every_file_of_the_kept_trees_is_read_and_every_directory_listed(self):
        documents, _ = self.readtest("--walk", "--verify")
        self.assertEqual(len(documents), 4)
        for run in documents:
            line = {entry["name"]: entry for entry in run["lines"]}
            self.assertEqual([*line], ["lookup", "readdir", "open", "read", "close"])
            self.assertEqual(line["readdir"]["derived"]["samples"], (DIRS + ROOTS) * run["passes"])
            self.assertEqual(line["readdir"]["bytes"], 0)
            for name in ("open", "read", "close"):
                self.assertEqual(line[name]["derived"]["samples"], FILES * run["passes"])
            self.assertEqual(run["files"], FILES * run["passes"])
            self.assertEqual(option(run, "walk"), "yes")
            self.assertTrue(run["verified"])
            self.assertEqual(run["state"], "complete")

    def test_it_is_another_workload(self):
        walked, _ = self.readtest("--walk")
        named, _ = self.readtest()
        self.assertIsNone(option(named[0], "walk"))
        for a in walked:
            for b in named:
                self.assertNotEqual(a["workload_hash"], b["workload_hash"])
        self.assertEqual({(run["files"] // run["passes"], run["bytes"] // run["passes"])
                          for run in walked},
                         {(run["files"] // run["passes"], run["bytes"] // run["passes"])
                          for run in named})

    def test_what_loadline_did_not_make_is_told_by_name_and_makes_the_run_invalid(self):
        directory = next(self.target.glob("loadline-*/4096-r1-k01/t01/d1"))
        (directory / "hello").write_text("x")
        documents, done = self.readtest("--walk", status=3)
        self.assertIn("t01/d1/hello: EUCLEAN", done.stderr)
        bad = [run for run in documents if run["errors"]]
        self.assertTrue(bad)
        for run in bad:
            error, = run["errors"]
            self.assertEqual((error["op"], error["code"]), ("readdir", "EUCLEAN"))
            self.assertEqual(run["files"], FILES * run["passes"])

    def test_dirtest_walks_what_it_wrote(self):
        done = self.ok("dirtest", self.target, *util.SMALL_TREE, "--walk", "--db", self.db,
                       "--format", "csv")
        self.assertIn(",readdir,", done.stdout)
        self.assertIn("what the directories list is read",
                      self.ok("dirtest", self.target, *util.SMALL_TREE, "--walk", "--db",
                              self.db).stdout.replace("\n              ", " "))

    def test_null_has_nothing_to_list(self):
        self.assertIn("nothing to list: this target keeps no data",
                      self.fails(1, "dirtest", "null:", "--walk", "--db", "none").stderr)


if __name__ == "__main__":
    unittest.main()
