#!/usr/bin/python3
"""The store under stress: a full disk, two programs, damage, a home that cannot be written. Run as
root: it mounts, in a mount namespace of its own."""
import json
import os
import shutil
import sqlite3
import subprocess
import time
import unittest

import util

NOBODY = 65534


setUpModule = util.own_mounts


class StoreCase(util.Case):
    def tmpfs(self, where, *options):
        where.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", *options, "none", where], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", where], check=True)

    def studies(self, db, *filters):
        return json.loads(self.ok("list", "--db", db, "--format", "json", *filters).stdout)

    def study(self, db, *filters):
        study, = self.studies(db, *filters)
        return study


class Full(StoreCase):
    """The disk under the store fills up during a study."""

    def setUp(self):
        super().setUp()
        self.small, self.here, self.tmp = (self.room / name for name in ("small", "here", "tmp"))
        for path in self.here, self.tmp:
            path.mkdir()
        self.tmpfs(self.small, "-o", "size=500k")
        self.full_db = self.small / "results.db"
        shutil.copy(self.db, self.full_db)

    def measure(self, status, *more, repeat=16, **options):
        return self.fails(status, "dirtest", "null:", *util.SMALL_TREE, "--repeat", repeat,
                          "--label", "full", "--db", self.full_db, "--format", "json", *more,
                          cwd=self.here, env={**os.environ, "TMPDIR": str(self.tmp)}, **options)

    def check_kept(self, done, path):
        runs = json.loads(done.stdout)
        self.assertEqual(len(runs), 64)
        self.assertIn("no space left", done.stderr)
        self.assertIn("the study goes on; all its results are kept in", done.stderr)
        self.assertIn(f"loadline import {path} --db {self.full_db}", done.stderr)
        study = self.study(self.full_db)
        self.assertEqual(study["state"], "incomplete")
        self.assertIn(study["runs"], range(1, 64))
        file = self.here / path
        self.assertEqual(self.ok("show", file, "--format", "json").stdout, done.stdout)
        taken = self.ok("import", file, "--db", self.new_db)
        self.assertIn("64 runs, dirtest, done", taken.stdout)
        self.assertEqual(self.ok("show", "full", "--db", self.new_db, "--format", "json").stdout,
                         done.stdout)
        # Once there is room again the store is completed.
        subprocess.run(["mount", "-o", "remount,size=100m", self.small], check=True)
        taken = self.ok("import", file, "--db", self.full_db)
        self.assertIn(f"{64 - study['runs']} runs more, to the {study['runs']} that were here",
                      taken.stdout)
        self.assertEqual(self.study(self.full_db)["state"], "done")
        self.assertEqual(self.ok("show", "full", "--db", self.full_db, "--format", "json").stdout,
                         done.stdout)

    def test_the_study_goes_on_with_a_file_elsewhere(self):
        done = self.measure(0)
        path, = self.here.glob("*")
        self.assertRegex(path.name, r"\Aloadline-\w+\.json\Z")
        self.assertEqual([p.name for p in self.small.glob("*.json")], [])
        self.check_kept(done, f"./{path.name}")

    def test_the_next_place_takes_all_when_one_is_full_too(self):
        self.tmpfs(self.here, "-o", "size=300k")
        done = self.measure(0)
        path, = self.tmp.glob("*")
        self.assertEqual(list(self.here.glob("*")), [])
        self.check_kept(done, path)

    def test_beside_the_database_is_the_first_place(self):
        with sqlite3.connect(self.db) as db:
            db.execute("CREATE TRIGGER full BEFORE INSERT ON run WHEN new.run > 5"
                       " BEGIN SELECT RAISE(FAIL, 'no'); END")
        done = self.ok("dirtest", "null:", *util.SMALL_TREE, "--db", self.db, cwd=self.here)
        path, = self.room.glob("*.json")
        self.assertIn(f"kept in {path} only", done.stderr)
        self.assertEqual(self.study(self.db)["runs"], 5)
        self.assertIn("8 runs, dirtest, done", self.ok("import", path, "--db",
                                                       self.new_db).stdout)

    def test_the_file_is_that_of_the_study_although_the_store_could_not_be_read(self):
        """It was said to have begun with its first run, and then the store did not take it in."""
        process = util.start("dirtest", "null:", *util.SMALL_TREE, "--repeat", "20", "--db",
                             self.db, "--format", "json", cwd=self.here)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while not any(study["runs"] for study in self.studies(self.db)):
            self.assertIsNone(process.poll())
        db = sqlite3.connect(self.db)
        with db:
            db.execute("ALTER TABLE run RENAME TO away")
        _, err = process.communicate()
        self.assertEqual(process.returncode, 0, err)
        with db:
            db.execute("ALTER TABLE away RENAME TO run")
        db.close()
        path, = self.room.glob("*.json")
        self.assertIn("runs more, to the", self.ok("import", path, "--db", self.db).stdout)
        self.assertEqual((self.study(self.db)["runs"], self.study(self.db)["state"]),
                         (80, "done"))

    def test_without_any_room_the_study_ends_with_what_is_kept(self):
        """No run is printed that is kept nowhere."""
        self.tmpfs(self.here, "-o", "size=4k")
        self.tmpfs(self.tmp, "-o", "size=4k")
        done = self.measure(3)
        self.assertIn("is not kept: ", done.stderr)
        self.assertIn("no space left", done.stderr)
        self.assertIn("no file takes it either", done.stderr)
        study = self.study(self.full_db)
        self.assertEqual(len(json.loads(done.stdout)), study["runs"])
        for place in self.here, self.tmp, self.small:
            self.assertEqual(list(place.glob("*.json")), [])

    def test_what_one_place_has_taken_stays_there_when_no_other_has_room(self):
        self.tmpfs(self.here, "-o", "size=700k")
        self.tmpfs(self.tmp, "-o", "size=4k")
        # Of a slow machine 64 runs had room there: their histograms are shorter.
        done = self.measure(3, repeat=64)
        path, = self.here.glob("*.json")
        self.assertIn("is not kept: ", done.stderr)
        self.assertIn("kept in ./" + path.name, done.stderr)
        runs = len(json.loads(done.stdout))
        self.assertGreater(runs, self.study(self.full_db)["runs"])
        self.assertIn(f"{runs} runs, dirtest, incomplete",
                      self.ok("import", path, "--db", self.new_db).stdout)

    def test_killed_while_the_file_is_written(self):
        process = util.start("dirtest", "null:", *util.SMALL_TREE, "--repeat", "400", "--db",
                             self.full_db, cwd=self.here)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        end = time.monotonic() + util.PATIENCE_S
        while not list(self.here.glob("*.json")):
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        path, = self.here.glob("*.json")
        kept = self.study(self.full_db)["runs"]
        # Two lines before the runs, one for each of them.
        while len(path.read_bytes().split(b"\n")) < 2 + kept + 2:
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.kill()
        process.wait()
        done = self.ok("import", path, "--db", self.new_db)
        self.assertIn("has no end, as that of a study that was killed", done.stderr)
        study = self.study(self.new_db)
        self.assertEqual(study["state"], "incomplete")
        self.assertGreater(study["runs"], self.study(self.full_db)["runs"])


class Two(StoreCase):
    def test_two_studies_and_a_reader_lose_nothing(self):
        processes = [util.start("dirtest", "null:", *util.SMALL_TREE, "--repeat", "10", "--db",
                                self.db, "--label", label) for label in ("one", "two")]
        for process in processes:
            self.addCleanup(process.kill)
        while any(process.poll() is None for process in processes):
            for study in self.studies(self.db):
                self.assertIn(study["state"], ("running", "done"))
        for process in processes:
            _, err = process.communicate()
            self.assertEqual(process.returncode, 0, err)
        for label in "one", "two":
            study = self.study(self.db, "--label", label)
            self.assertEqual((study["runs"], study["state"]), (40, "done"))
            self.assertEqual(len(json.loads(self.ok("show", label, "--db", self.db, "--format",
                                                    "json").stdout)), 40)


class Damaged(StoreCase):
    def damage(self, path):
        with open(path, "r+b") as file:
            file.seek(4096)
            file.write(b"noise" * 400)
        return path.read_bytes()

    def test_a_study_sets_it_aside_and_begins_another(self):
        db = self.room / "results.db"
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db)
        damaged = self.damage(db)
        done = self.ok("io", "null:", *util.SMALL_IO, "--db", db)
        aside, = (p for p in self.room.glob("results.db.corrupt-*") if p.name[-1].isdigit())
        self.assertIn(f"{db} was damaged; it is set aside, whole, as {aside}", done.stderr)
        self.assertEqual(aside.read_bytes(), damaged)
        self.assertEqual(self.study(db)["state"], "done")

    def test_who_only_reads_or_imports_leaves_it(self):
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db)
        self.ok("export", self.study(self.db)["id"], "--db", self.db, "-o", self.room)
        file, = self.room.glob("loadline-*")
        db = self.room / "results.db"
        damaged = self.damage(db)
        for command in ["list"], ["show", "x"], ["import", file], ["selftest", "overhead"]:
            done = util.run(*command, "--db", db)
            self.assertNotIn("set aside", done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(db.read_bytes()[4096:6000], damaged[4096:6000])
        self.assertEqual(list(self.room.glob("*.corrupt-*")), [])

    def test_a_file_that_was_never_ours_is_refused_untouched(self):
        diary = self.room / "diary"
        diary.write_text("not a database\n" * 1000)
        foreign = self.room / "foreign.db"
        with sqlite3.connect(foreign) as db:
            db.execute("CREATE TABLE places(url TEXT)")
        for path in diary, foreign:
            before = path.read_bytes()
            done = self.fails(2, "io", "null:", *util.SMALL_IO, "--db", path)
            self.assertIn(str(path), done.stderr)
            self.assertIn("--db", done.stderr)
            self.assertEqual(path.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.room.iterdir()),
                         ["diary", "foreign.db", "target"])

    def test_noise_at_the_usual_place_is_set_aside(self):
        home = self.room / "data"
        (home / "loadline").mkdir(parents=True)
        (home / "loadline" / "results.db").write_bytes(b"noise" * 1000)
        env = {**os.environ, "XDG_DATA_HOME": str(home)}
        done = self.ok("io", "null:", *util.SMALL_IO, env=env)
        self.assertIn("it is set aside", done.stderr)
        self.assertEqual(len(json.loads(self.ok("list", "--format", "json", env=env).stdout)), 1)


class Home(StoreCase):
    def test_a_home_that_cannot_be_written_names_the_way_out(self):
        home = self.room / "home"
        self.tmpfs(home, "-o", "ro")
        env = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": ""}
        for command in ["dirtest", "null:", *util.SMALL_TREE], ["io", "null:", *util.SMALL_IO]:
            done = self.fails(2, *command, env=env)
            self.assertEqual(done.stdout, "")
            self.assertIn("Read-only file system", done.stderr)
            self.assertIn("--db none", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.ok(*command, "--db", "none", env=env)

    def test_no_right_to_write_there(self):
        self.room.chmod(0o755)
        home = self.room / "home"
        home.mkdir(mode=0o555)
        env = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": ""}
        done = self.fails(2, "io", "null:", *util.SMALL_IO, env=env, user=NOBODY)
        self.assertIn("Permission denied", done.stderr)
        self.assertIn("--db none", done.stderr)


if __name__ == "__main__":
    unittest.main()
