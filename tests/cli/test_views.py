#!/usr/bin/python3
"""list, show, targets and selftest."""
import csv
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import unittest

import util


def run_bytes(*args):
    return subprocess.run([util.PROGRAM, *map(str, args)], capture_output=True, check=True).stdout


class Views(util.Case):
    def measure(self, *more):
        return self.ok("io", "null:", *util.SMALL_IO, "--db", self.db, *more)

    def test_empty_store(self):
        done = self.ok("list", "--db", self.db)
        self.assertEqual(done.stdout, "")
        self.assertIn("no studies", done.stderr)
        self.assertEqual(self.ok("list", "--db", self.db, "--format", "json").stdout, "[]\n")

    def test_looking_makes_no_database(self):
        path = self.room / "not" / "there.db"
        for command in (["list"], ["show", "abcd"]):
            self.assertIn(f"no database at {path}", self.fails(2, *command, "--db", path).stderr)
        self.assertFalse(path.parent.exists())

    def test_reader_who_has_seen_enough_is_no_error(self):
        self.measure("--label", "one")
        for command in (["list"], ["show", "one"]):
            read_end, write_end = os.pipe()
            os.close(read_end)
            done = subprocess.run([util.PROGRAM, *command, "--db", self.db], stdout=write_end,
                                  stderr=subprocess.PIPE, text=True, check=False)
            os.close(write_end)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_nothing_reaches_a_terminal_raw(self):
        target = self.room / os.fsdecode(b"a\x1b[2J\n\xff")
        target.mkdir()
        done = self.ok("io", target, *util.SMALL_IO, "--db", self.db)
        shown = r"a\x1b[2J\x0a\xff"
        for form in ("text", "csv", "json"):
            for wide in ([], ["--wide"]):
                out = run_bytes("list", "--db", self.db, "--format", form, *wide)
                self.assertIn(shown.replace("\\", "\\\\").encode() if form == "json" else
                              shown.encode() if wide or form == "csv" else rb"\xff", out)
                self.assertNotRegex(out.replace(b"\n", b""), rb"[\x00-\x1f\x7f\xff]")
        study, = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        for form in ("text", "csv", "json", "md"):
            out = run_bytes("show", study["id"], "--db", self.db, "--format", form)
            self.assertNotRegex(out.replace(b"\n", b""), rb"[\x00-\x1f\x7f\xff]")
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertIn(shown, done.stderr)
        for label in ("a\x1b[2J", "a\n", os.fsdecode(b"\xff")):
            self.assertIn("printable", self.fails(1, "io", "null:", "--label", label).stderr)

    def test_nothing_of_that_name(self):
        done = self.fails(2, "show", "abcd", "--db", self.db)
        self.assertIn("'abcd'", done.stderr)
        self.assertIn(f"`loadline list --db {self.db}`", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_list_is_newest_first_and_fits(self):
        long = "a label that is much longer than what a line of a terminal has room for, alas"
        self.measure("--label", "first")
        self.measure("--label", long)
        lines = self.ok("list", "--db", self.db).stdout.splitlines()
        self.assertEqual(lines[0].split(), ["id", "when", "kind", "runs", "state", "label",
                                            "target"])
        self.assertIn("first", lines[2])
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn(long, self.ok("list", "--db", self.db, "--wide").stdout)

    def test_list_for_programs(self):
        self.measure("--label", 'say "hi", twice')
        study, = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        row, = csv.DictReader(io.StringIO(self.ok("list", "--db", self.db, "--format",
                                                  "csv").stdout))
        for entry in (study, row):
            self.assertEqual(entry["label"], 'say "hi", twice')
            self.assertEqual(entry["target"], "null:")
            self.assertTrue(entry["command"].startswith("loadline io null: --streams 2"))
            self.assertIn("""'say "hi", twice'""", entry["command"])

    def test_show_one_run_and_files(self):
        tree = self.ok("dirtest", self.target, *util.SMALL_TREE, "--db", self.db, "--format",
                       "json")
        study, = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        one = json.loads(self.ok("show", f"{study['id']}.3", "--db", self.db, "--format",
                                 "json").stdout)
        one = one[0] if isinstance(one, list) else one
        self.assertEqual(one["run"], 3)
        array, single = self.room / "all.json", self.room / "one.json"
        array.write_text(tree.stdout)
        single.write_text(json.dumps(one))
        text = self.ok("show", study["id"], "--db", self.db).stdout
        self.assertEqual(self.ok("show", array, "--db", "none").stdout, text)
        self.ok("show", single)

    def test_markdown_of_every_study(self):
        page = self.room / "page.md"
        done = self.ok("dirtest", self.target, *util.SMALL_TREE, "--db", self.db, "--format", "md",
                       "--label", "a|b", "-o", page)
        self.assertIn("- **label:** a\\|b\n", done.stdout)
        self.assertEqual(sum(line.startswith("| ") for line in done.stdout.splitlines()), 1 + 4)
        self.assertEqual(page.read_text(), done.stdout)
        self.assertEqual(self.ok("show", "a|b", "--db", self.db, "--format", "md").stdout,
                         done.stdout)
        self.assertIn("\n| run |", self.ok("show", "a|b", "--db", self.db, "--format", "md",
                                           "--wide").stdout)
        self.assertIn("| read | service |", self.measure("--format", "md").stdout)
        head, rule, *rows = self.ok("list", "--db", self.db, "--format",
                                    "md").stdout.splitlines()
        self.assertEqual({line.replace(r"\|", "").count("|") for line in [head, rule, *rows]}, {8})
        self.assertIn(r" a\|b |", rows[1])

    def test_files_that_are_no_results(self):
        path = self.room / "x.json"
        good = self.measure("--format", "json").stdout
        for content in ("", "[]", "{}", "[{}", "hello", good.rstrip()[:-2], good + "x",
                        good.replace('"seed": ', '"seed": 1', 1).replace('"seed":', '"seed":1', 1)):
            with self.subTest(content[:20] + "…" + content[-20:]):
                path.write_text(content)
                done = self.fails(2, "show", path)
                self.assertIn("x.json", done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertIn("nofile.json", self.fails(2, "show", "nofile.json").stderr)

    def test_show_writes_a_file(self):
        self.measure("--label", "one")
        path = self.room / "one.csv"
        self.ok("show", "one", "--db", self.db, "-o", path)
        self.assertEqual(path.read_text(),
                         self.ok("show", "one", "--db", self.db, "--format", "csv").stdout)
        self.fails(2, "show", "one", "--db", self.db, "-o", path)

    def test_targets(self):
        text = self.ok("targets").stdout
        for scheme in ("posix", "null", "fault"):
            self.assertRegex(text, rf"(?m)^{scheme} ")
        self.assertIn("clock=virtual", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_overhead_is_quoted_also_of_what_is_not_kept(self):
        done = self.ok("io", "null:", *util.SMALL_IO, "--db", "none")
        self.assertRegex(done.stdout, r"own overhead +[0-9.]+ ns of CPU")
        self.assertIn("first: what loadline itself costs", done.stderr)

    def test_old_overhead_is_measured_again(self):
        def note():
            with sqlite3.connect(self.db) as db:
                (key, value), = db.execute("SELECT * FROM note WHERE key LIKE 'overhead/%'")
            return key, value

        key, value = note()
        self.assertNotIn("first", self.measure().stderr)
        self.assertEqual(note(), (key, value))
        for measured in (1, 2**63 - 1):
            old = f"measured_wall_ns={measured} {value.split(' ', 1)[1]}"
            with sqlite3.connect(self.db) as db:
                db.execute("UPDATE note SET value = ? WHERE key = ?", (old, key))
            self.assertIn("once a month on this machine", self.measure().stderr)
            self.assertNotEqual(note()[1], old)

    def test_selftest_removes_what_a_killed_one_left(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        places = {pid: pathlib.Path(f"/dev/shm/loadline.selftest.{pid}.abcdef")
                  for pid in (gone.pid, os.getpid())}
        for place in places.values():
            place.mkdir()
            self.addCleanup(util.shutil.rmtree, place, ignore_errors=True)
            (place / "f0").write_text("left")
        self.ok("selftest", "overhead", "--db", "none")
        self.assertFalse(places[gone.pid].exists())
        self.assertTrue((places[os.getpid()] / "f0").exists())

    def test_selftest_prints_a_table_and_is_remembered(self):
        done = self.ok("selftest", "overhead", "--db", self.db)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 8)
        self.assertTrue(all(" ns" in line or line.endswith("too little to measure here")
                            for line in lines[2:]))
        self.assertNotIn("what loadline itself costs", self.measure().stderr)


if __name__ == "__main__":
    unittest.main()
