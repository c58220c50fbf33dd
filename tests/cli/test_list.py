#!/usr/bin/python3
"""list: which studies it shows, and what it calls their states."""
import datetime
import json
import sqlite3
import time
import unittest

import util


class List(util.Case):
    def setUp(self):
        super().setUp()
        day = 86400 * 10**9
        self.now = time.time_ns()
        self.studies = [("aaaaaaa1", "dirtest", "/srv/old", "rc1", self.now - 30 * day),
                        ("bbbbbbb2", "dirtest", "/srv/new", "rc2", self.now - 3 * day),
                        ("ccccccc3", "io", "/srv/new", "", self.now - day // 2)]
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db)  # a layout to put rows into
        with sqlite3.connect(self.db) as db:
            db.execute("DELETE FROM run")
            db.execute("DELETE FROM study")
            for study, kind, target, label, begun in self.studies:
                db.execute("INSERT INTO study VALUES(?,?,'done',?,?,'h','b','p',1,1,?,?,'c','[]')",
                           (study, kind, begun, begun + 1, target, label))

    def ids(self, *filters):
        done = self.ok("list", "--db", self.db, "--format", "json", *filters)
        return [study["id"] for study in json.loads(done.stdout)]

    def test_filters(self):
        new = "ccccccc3 bbbbbbb2 aaaaaaa1".split()
        for words, want in (("", new), ("--label rc*", new[1:]), ("--label rc", []),
                            ("--label rc[2-9]", new[1:2]), ("--target /srv/n?w", new[:2]),
                            ("--study io", new[:1]), ("--study dirtest", new[1:]),
                            ("--last 2", new[:2]), ("--last 1 --label rc*", new[1:2]),
                            ("--since 1d", new[:1]), ("--since 7d", new[:2]),
                            ("--since 80h", new[:2]), ("--since 100000d", new)):
            with self.subTest(words):
                self.assertEqual(self.ids(*words.split()), want)

    def test_since_a_date_is_its_first_moment_here(self):
        then = datetime.datetime.fromtimestamp(self.studies[1][4] // 10**9)
        self.assertEqual(self.ids("--since", then.strftime("%Y-%m-%d")), ["ccccccc3", "bbbbbbb2"])
        self.assertEqual(self.ids("--since", then.strftime("%Y-%m-%dT%H:%M:%S")),
                         ["ccccccc3", "bbbbbbb2"])
        later = then + datetime.timedelta(seconds=1)
        self.assertEqual(self.ids("--since", later.strftime("%Y-%m-%d %H:%M:%S")), ["ccccccc3"])
        self.assertEqual(self.ids("--since", "2999-01-01"), [])

    def test_a_label_stands_whole_and_the_address_gives_way(self):
        """A label lost its end without a mark: what was then typed was no label."""
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE study SET target='/srv/' || hex(zeroblob(40))")
            db.execute("UPDATE study SET label='release-1.0.7' WHERE id='aaaaaaa1'")
        lines = self.ok("list", "--db", self.db).stdout.splitlines()
        self.assertIn("  release-1.0.7  /srv", lines[-1])
        self.assertLessEqual(max(map(len, lines)), 80)
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE study SET label=hex(zeroblob(40))")
        lines = self.ok("list", "--db", self.db).stdout.splitlines()
        self.assertRegex(lines[-1], r"  0+\.\.\.0+  /s\.\.\.\S+$")
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_nothing_that_fits_is_said(self):
        done = self.ok("list", "--db", self.db, "--label", "zzz")
        self.assertEqual(done.stdout, "")
        self.assertIn(f"no study in {self.db} fits", done.stderr)

    def test_a_run_is_told_with_its_workload(self):
        """A list of runs on one target said `run` of each."""
        target = self.room / "here"
        target.mkdir()
        mine = self.room / "my.own.f"
        mine.write_text("define file name=f,path=$dir,size=4k,prealloc\n"
                        "define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }\n"
                        "run 1\n")
        self.ok("run", "--time", "0.1s", mine, target, "--set", "dir=/x", "--db", self.db)
        self.assertRegex(self.ok("list", "--db", self.db, "--study", "run").stdout,
                         r"(?m) run my\.own +1 +done ")
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE study SET argv='[]' WHERE kind='run'")
        self.assertRegex(self.ok("list", "--db", self.db, "--study", "run").stdout, r"(?m) run +1 +done ")

    def test_a_study_that_is_not_valid_is_called_so(self):
        """It was listed as incomplete, though it had come to its end."""
        self.fails(3, "io", "fault:null:?error=EIO@op:7", *util.SMALL_IO, "--db",
                   self.db, "--label", "faulty")
        study, = json.loads(self.ok("list", "--db", self.db, "--format", "json", "--label",
                                    "faulty").stdout)
        self.assertEqual(study["state"], "invalid")
        self.assertIn("  invalid  ", self.ok("list", "--db", self.db).stdout)


if __name__ == "__main__":
    unittest.main()
