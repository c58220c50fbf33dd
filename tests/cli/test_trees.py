#!/usr/bin/python3
"""dirtest and readtest end to end on a small tree: what is printed, kept, written and left."""
import csv
import io
import json
import os
import shutil
import subprocess
import unittest

import util

ROWS = {"2", "4096"}


class Trees(util.Case):
    def dirtest(self, *more, status=0, target=None, db=None):
        return self.fails(status, "dirtest", target or self.target, *util.SMALL_TREE, "--db",
                          db or self.db, *more)

    def documents(self, *more):
        return json.loads(self.dirtest("--format", "json", *more).stdout)

    def studies(self):
        return json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)

    def test_table_is_printed_kept_and_shown_again(self):
        done = self.dirtest()
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        study, = self.studies()
        self.assertEqual((study["kind"], study["runs"], study["state"]), ("dirtest", 8, "done"))
        self.assertEqual(study["target"], str(self.target))
        shown = self.ok("show", study["id"][:5], "--db", self.db)
        self.assertEqual(shown.stdout, done.stdout)
        self.assertEqual(self.left_on_target(), [])

    def test_announcement_names_bytes_and_time(self):
        done = self.dirtest()
        self.assertIn(f"loadline dirtest {self.target}\n", done.stderr)
        self.assertRegex(done.stderr, r"writes .* in all, at most .* files at once")
        self.assertRegex(done.stderr, r"takes about \d")

    def test_json_is_one_sealed_document_per_run(self):
        documents = self.documents()
        self.assertEqual([d["run"] for d in documents], list(range(1, 9)))
        self.assertEqual(sorted(d["phase"] for d in documents), ["read"] * 4 + ["write"] * 4)
        self.assertTrue(all(len(d["seal"]) == 64 for d in documents))

    def test_csv_has_a_line_per_run_and_one_head(self):
        rows = list(csv.reader(io.StringIO(self.dirtest("--format", "csv").stdout)))
        self.assertGreater(len(rows), 4)
        self.assertEqual({len(r) for r in rows}, {len(rows[0])})

    def test_bytes_reported_are_bytes_on_disk(self):
        documents = self.documents("--keep", "--write-only")
        reported = sum(d["bytes"] for d in documents)
        files = [p for p in self.target.rglob("*") if p.is_file() and p.name != ".loadline"]
        self.assertEqual(sum(p.stat().st_size for p in files), reported)
        self.assertEqual(len(files), sum(d["files"] for d in documents))

    def test_kept_trees_are_read_again_and_checked(self):
        self.dirtest("--keep")
        before = self.left_on_target()
        done = self.ok("readtest", self.target, "--db", self.db, "--min-time", "0.01s", "--verify",
                       "--format", "json")
        documents = json.loads(done.stdout)
        self.assertEqual({d["phase"] for d in documents}, {"read"})
        self.assertTrue(all(d["verified"] for d in documents))
        for option, value in (("--threads", 3), ("--levels", 2), ("--branches", 3),
                              ("--files", 3), ("--lengths", "8"), ("--seed", 7)):
            with self.subTest(option):
                refused = util.run("readtest", self.target, "--db", self.db, option, value)
                self.assertIn(refused.returncode, (1, 2))
                self.assertIn(option[2:], refused.stderr)
        self.assertEqual(self.left_on_target(), before)
        self.assertIn("stays: it was kept on purpose", self.ok("clean", self.target).stderr)
        self.assertEqual(self.left_on_target(), before)
        self.assertIn("removed loadline-", self.ok("clean", self.target, "--kept").stdout)
        self.assertEqual(self.left_on_target(), [])

    def test_readtest_without_trees_says_what_makes_them(self):
        done = self.fails(2, "readtest", self.target, "--db", self.db)
        self.assertIn("dirtest --keep", done.stderr)

    def test_readtest_says_it_so_that_a_shell_takes_it(self):
        """`&` in the address of a server ended the command that was proposed."""
        place = self.target / "a&b"
        place.mkdir()
        done = self.fails(2, "readtest", place, "--db", self.db)
        self.assertIn(f"loadline dirtest --keep '{place}'", done.stderr)

    def test_wrong_byte_voids_the_run_and_is_named(self):
        self.dirtest("--keep")
        victim = next(p for p in sorted(self.target.rglob("f*"))
                      if p.is_file() and p.stat().st_size == 4096)
        with open(victim, "r+b") as f:
            f.seek(1000)
            byte = f.read(1)
            f.seek(1000)
            f.write(bytes([byte[0] ^ 1]))
        done = self.fails(3, "readtest", self.target, "--db", self.db, "--min-time", "0.01s",
                          "--verify", "--lengths", "4k")
        self.assertIn(str(victim.relative_to(self.target)), done.stdout + done.stderr)
        self.assertIn("1000", done.stdout + done.stderr)

    def test_classic_is_the_form_of_2001(self):
        done = self.ok("dirtest", self.target, "--threads", "2", "--levels", "1", "--branches", "2",
                       "--files", "2", "--lengths", "2,4k", "--classic", "--db", self.db)
        self.assertIn("Threads = 2, Levels = 1, Branches = 2, Files = 2", done.stdout)
        self.assertIn("Files to be written = 8", done.stdout)

    def test_null_target(self):
        self.dirtest(target="null:")

    def test_quiet_says_nothing(self):
        self.assertEqual(self.dirtest("--quiet").stderr, "")

    def test_overhead_is_measured_once_and_quoted(self):
        first = self.dirtest(db=self.new_db)
        second = self.dirtest("--format", "json", db=self.new_db)
        self.assertIn("what loadline itself costs", first.stderr)
        self.assertNotIn("what loadline itself costs", second.stderr)
        for document in json.loads(second.stdout):
            keys = json.dumps(document["own"])
            for key in ("overhead_clock_read_ns", "overhead_hist_record_ns", "overhead_null_op_ns",
                        "overhead_posix_added_ns"):
                self.assertIn(key, keys)


class Damaged(util.Case):
    """A wish that makes no sense (exit 1) was what a file of another length was called."""

    def damage(self, how, *words):
        self.ok("dirtest", self.target, *util.SMALL_TREE, "--keep", "--db", self.db)
        path = next(iter(sorted(self.target.glob("loadline-*/4096-r2-k01/t01/d1/f1"))))
        how(path)
        done = self.fails(2, "readtest", self.target, "--db", self.db, "--quiet")
        for word in (str(path), "loadline clean", "dirtest --keep", *words):
            self.assertIn(word, done.stderr)
        shutil.rmtree(path.parents[3])

    def test_what_does_not_fit_is_named(self):
        self.damage(lambda f: os.truncate(f, 7), "has 7 bytes, expected were 4096")
        self.damage(lambda f: os.truncate(f, 5000), "has 5000 bytes, expected were 4096")
        self.damage(lambda f: f.unlink(), "is missing, a file of 4096 bytes was expected")
        self.damage(lambda f: (f.unlink(), f.mkdir()), "is a directory, a regular file of 4096")
        self.damage(lambda f: (f.unlink(), f.symlink_to("f0")), "is a symbolic link, a regular")
        self.damage(lambda f: (f.unlink(), os.mkfifo(f)), "is a pipe, socket or device, a regular")


class Files(util.Case):
    """-o and --db."""

    def io(self, *more, status=0):
        return self.fails(status, "io", "null:", *util.SMALL_IO, *more)

    def test_file_in_the_form_of_its_suffix(self):
        for suffix in ("txt", "csv", "json"):
            path = self.room / f"out.{suffix}"
            done = self.io("--db", "none", "-o", path, "--format", suffix.replace("txt", "text"))
            self.assertEqual(path.read_text(), done.stdout)
        self.assertEqual(sorted(p.name for p in self.room.iterdir()),
                         ["out.csv", "out.json", "out.txt", "target"])

    def test_file_is_not_replaced_without_force(self):
        path = self.room / "out.csv"
        path.write_text("mine")
        done = self.io("--db", self.new_db, "-o", path, status=2)
        self.assertIn(f"-o {path}: this file is there already; --force replaces it", done.stderr)
        self.assertEqual(path.read_text(), "mine")
        self.assertFalse(self.new_db.exists(), "refused before anything was measured")
        self.io("--db", self.db, "-o", path, "--force")
        self.assertNotEqual(path.read_text(), "mine")

    def test_of_a_link_what_it_leads_to_is_replaced(self):
        path, link, lost = self.room / "out.csv", self.room / "link.csv", self.room / "lost.csv"
        path.write_text("mine")
        link.symlink_to("out.csv")
        lost.symlink_to("nowhere")
        self.io("--db", "none", "-o", link, "--force")
        self.assertTrue(link.is_symlink())
        self.assertIn("read", path.read_text())
        done = self.io("--db", "none", "-o", lost, "--force", status=2)
        self.assertIn("a link that leads nowhere", done.stderr)

    def test_database_is_never_replaced(self):
        db, link = self.room / "db.json", self.room / "link.json"
        shutil.copy(self.db, db)
        link.symlink_to(db)
        before = db.read_bytes()
        for path in (db, link):
            done = self.io("--db", db, "-o", path, "--force", status=1)
            self.assertIn("this is the database of results", done.stderr)
        self.assertEqual(db.read_bytes(), before)

    def test_file_that_cannot_be_made_is_refused_first(self):
        file, directory = self.room / "file", self.room / "dir.csv"
        file.write_text("mine")
        directory.mkdir()
        for path, words in ((self.room / "none" / "out.csv", "No such file or directory"),
                            (file / "out.csv", "Not a directory"),
                            (directory, "this is a directory")):
            done = self.io("--db", self.new_db, "-o", path, "--force", status=2)
            self.assertIn(words, done.stderr)
        self.assertFalse(self.new_db.exists())

    def test_store_that_cannot_be_opened_ends_it_before_measuring(self):
        file = self.room / "file"
        file.write_text("this is not a database, and it is longer than the header of one is")
        for db in (file, self.target, file / "x.db"):
            done = self.fails(2, "dirtest", self.target, *util.SMALL_TREE, "--db", db)
            self.assertIn("--db none", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(self.left_on_target(), [])

    def test_db_none_keeps_nothing(self):
        home = self.room / "home"
        environment = dict(os.environ, XDG_DATA_HOME=str(home))
        done = self.ok("io", "null:", *util.SMALL_IO, "--db", "none", env=environment)
        self.assertIn("kept nowhere", done.stderr)
        self.assertFalse(home.exists())

    def test_usual_place_follows_the_environment(self):
        home = self.room / "home"
        environment = dict(os.environ, XDG_DATA_HOME=str(home))
        self.ok("io", "null:", *util.SMALL_IO, env=environment)
        self.assertTrue((home / "loadline" / "results.db").exists())

    def test_stdout_that_fails_ends_no_study_that_is_kept(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([util.PROGRAM, "dirtest", "null:", *util.SMALL_TREE, "--db",
                                   self.db], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("cannot write to stdout"), 1)
        study, = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        self.assertEqual((study["state"], study["runs"]), ("done", 8))

    def test_closed_streams_do_not_let_output_into_files(self):
        done = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", util.PROGRAM, "io",
                               "null:", *util.SMALL_IO, "--db", self.db], check=False)
        self.assertEqual(done.returncode, 3)
        study, = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        self.assertEqual(study["runs"], 1)

    def test_closed_stdout_is_an_error_and_results_stay_kept(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([util.PROGRAM, "io", "null:", *util.SMALL_IO, "--db", self.db],
                              stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
        os.close(write_end)
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot write to stdout: Broken pipe", done.stderr)
        self.assertIn("the study goes on", done.stderr)
        kept = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        self.assertEqual([s["runs"] for s in kept], [1])


class Targets(util.Case):
    """Targets that cannot be used: one line, exit status 2, nothing left."""

    def refuse(self, target, *words):
        for command in ("dirtest", "io"):
            done = self.fails(2, command, target, "--db", "none", "--quiet")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)

    def test_missing(self):
        self.refuse(self.room / "absent", "absent")

    def test_not_a_directory(self):
        path = self.room / "file"
        path.write_text("")
        self.refuse(path, "file", "directory")
        self.assertEqual(path.read_text(), "")

    def test_an_error_at_any_operation_is_said_and_leaves_nothing(self):
        statuses = set()
        for k in range(1, 41):
            with self.subTest(k):
                done = util.run("dirtest", f"fault:{self.target}?error=EIO@op:{k}", "--threads", "1",
                                "--levels", "1", "--branches", "1", "--files", "2", "--lengths",
                                "2", "--repeat", "1", "--min-time", "1ms", "--db", "none",
                                "--quiet", "--format", "json")
                statuses.add(done.returncode)
                if done.returncode == 0:
                    for document in json.loads(done.stdout):
                        self.assertEqual(document["errors"], [])
                        self.assertEqual(document["state"], "complete")
                else:
                    self.assertIn(done.returncode, (2, 3), done.stderr)
                    self.assertRegex(done.stderr, "EIO|Input/output error")
                self.ok("clean", self.target)
                self.assertEqual(self.left_on_target(), [])
        self.assertEqual(statuses, {0, 2, 3}, "all three ends were met")


if __name__ == "__main__":
    unittest.main()
