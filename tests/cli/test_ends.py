#!/usr/bin/python3
"""Studies that do not end by themselves: signals, kill -9, and what clean removes afterwards."""
import json
import os
import pathlib
import random
import re
import resource
import signal
import time
import unittest

import util

ENDLESS_TREE = ("--threads 2 --levels 3 --branches 8 --files 16 --lengths 2,4k,64k "
                "--min-time 1h --repeat 100").split()

ROW = re.compile(r" *\d+ K?i?B (write|read) ")


def wait_for(condition):
    end = time.monotonic() + util.PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.01)


def processor_seconds(pid):
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Signals(util.Case):
    def begin_io(self, *more, target="null:"):
        process = util.start("io", target, "--streams", "2", "--size", "1m", "--block", "4k",
                             "--time", "1h", "--warmup", "0s", "--db", self.db, *more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        # The run itself is all that takes this much time of a processor.
        wait_for(lambda: processor_seconds(process.pid) > 1)
        return process

    def test_once_ends_with_the_results_so_far(self):
        for number, second in ((signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT),
                               (signal.SIGHUP, signal.SIGTERM)):
            with self.subTest(number):
                process = self.begin_io("--format", "json")
                process.send_signal(number)
                # As timeout(1) signals twice at once, which is one wish. A second one of the same
                # number would be lost while the first is pending.
                process.send_signal(second)
                out, err = process.communicate(timeout=util.PATIENCE_S)
                self.assertEqual(process.returncode, 3, err)
                self.assertIn("stopping; again to stop at once", err)
                document, = json.loads(out)
                self.assertEqual(document["state"], "incomplete")
        kept = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        self.assertEqual([s["state"] for s in kept], ["incomplete"] * 3)
        self.assertEqual([s["runs"] for s in kept], [1, 1, 1])

    def test_a_terminal_that_goes_away_leaves_nothing_on_the_target(self):
        process = self.begin_io(target=self.target)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, 3)
        self.assertEqual(self.left_on_target(), [])

    def test_nohup_stays_in_force(self):
        process = util.start("io", "null:", "--size", "1m", "--time", "1s", "--warmup", "0s", "--db", "none",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        wait_for(lambda: "io null" in process.stderr.readline())
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, 0, err)


class Errors(util.Case):
    def test_last_word_agrees_with_the_table(self):
        # Only the errors of the first run were counted there.
        done = self.fails(3, "dirtest", "fault:null:?error=EIO@write:7", *util.SMALL_TREE, "--db",
                          "none")
        told = int(re.search(r"not valid: (\d+) errors, the first: write of", done.stderr)[1])
        shown = sum(map(int, re.findall(r"(\d+) in all", done.stdout)))
        self.assertEqual(told, shown)
        self.assertGreater(told, 1)


    def test_an_end_that_is_no_error_is_not_called_the_first_one(self):
        # "1 error, the first: flowop r: nothing is open" hid which error it was.
        path = self.room / "open.f"
        path.write_text("""define fileset name=fs,path=$dir,entries=10,size=4k,dirwidth=10,prealloc
define process name=p { thread name=t { flowop openfile name=o,filesetname=fs,fd=1
flowop read name=r,fd=1,iosize=4k flowop closefile name=c,fd=1 } }
run 1
""")
        done = self.fails(3, "run", path, f"fault:{self.target}?error=EIO@open:40", "--db", "none")
        self.assertRegex(done.stderr,
                         r"incomplete: flowop r: nothing is open on fd 1, and it names no file to "
                         r"open; the first error was o: open of \S+: EIO; and 1 error\n")


class FileSizeLimit(util.Case):
    def test_ends_with_the_rows_so_far_and_says_why(self):
        limit = 1 << 20
        done = self.fails(3, "dirtest", self.target, "--threads", 2, "--levels", 1, "--branches", 2,
                          "--files", 2, "--repeat", 1, "--min-time", "0.01s", "--lengths", "4k,4m",
                          "--db", "none", preexec_fn=lambda: resource.setrlimit(
                              resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertRegex(done.stdout, r"4 KiB read ")
        self.assertIn("EFBIG; every further run would fail too", done.stderr)
        self.assertEqual(self.left_on_target(), [])

    def test_twice_ends_at_once(self):
        process = util.start("io", "fault:null:?hang=op:100", "--time", "1h", "--stall", "1h",
                             "--warmup", "0s", "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        wait_for(lambda: "io null" in process.stderr.readline() or True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, 3)
        self.assertIn("stopped at once; `loadline clean TARGET`", err)


class Killed(util.Case):
    def begin_tree(self):
        process = util.start("dirtest", self.target, *ENDLESS_TREE, "--db", "none", "--quiet")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        wait_for(lambda: any(self.target.glob("loadline-*/*/t*/**/f*")))
        return process

    def kill_tree(self):
        process = self.begin_tree()
        process.kill()
        process.wait()
        directory, = self.target.glob("loadline-*")
        return directory

    def test_clean_removes_exactly_what_was_made(self):
        mine = self.target / "mine"
        mine.mkdir()
        (mine / "f1").write_text("precious")
        directory = self.kill_tree()
        made = [p for p in directory.rglob("*") if p.is_file() and p.name != ".loadline"]
        done = self.ok("clean", self.target)
        self.assertIn(f"removed {directory.name}: {len(made)} files,", done.stdout)
        self.assertEqual(self.left_on_target(), ["mine", "mine/f1"])
        done = self.ok("clean", self.target)
        self.assertEqual(done.stdout, "")
        self.assertIn("nothing to remove", done.stderr)

    def test_clean_leaves_what_is_not_ours_inside(self):
        directory = self.kill_tree()
        (directory / "mine").write_text("precious")
        outside = self.room / "outside"
        outside.mkdir()
        (outside / "f1").write_text("precious")
        os.symlink(outside, directory / "t00")
        done = self.fails(2, "clean", self.target)
        self.assertIn("2 left that are not loadline's", done.stdout)
        self.assertEqual((directory / "mine").read_text(), "precious")
        self.assertEqual((outside / "f1").read_text(), "precious")
        self.assertFalse(list(directory.rglob("f*")))

    def test_clean_skips_a_live_run(self):
        process = self.begin_tree()
        done = self.ok("clean", self.target)
        self.assertIn("a running loadline is using it", done.stderr)
        self.assertIsNone(process.poll())
        directory, = self.target.glob("loadline-*")
        self.fails(2, "clean", self.target, directory.name)
        self.assertTrue(directory.exists())

    def test_second_run_in_the_same_directory_is_refused(self):
        self.begin_tree()
        done = self.fails(2, "dirtest", self.target, *util.SMALL_TREE, "--db", "none")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_unmarked_directory_is_named_and_left(self):
        stranger = self.target / "loadline-abcd2345"
        stranger.mkdir()
        (stranger / "f1").write_text("precious")
        done = self.ok("clean", self.target)
        self.assertIn("loadline-abcd2345 stays", done.stderr)
        self.assertEqual((stranger / "f1").read_text(), "precious")
        self.fails(2, "clean", self.target, "abcd2345")

    def test_id_that_is_not_there(self):
        done = self.fails(2, "clean", self.target, "abcd2345")
        self.assertIn("no loadline-abcd2345 under", done.stderr)

    def test_killed_at_any_moment_nothing_printed_is_lost(self):
        whole = self.ok("dirtest", "null:", *util.SMALL_TREE, "--db", "none").stdout
        self.assertEqual(len([line for line in whole.splitlines() if ROW.match(line)]), 4)
        for tries in range(8):
            with self.subTest(tries):
                process = util.start("dirtest", self.target, *util.SMALL_TREE, "--repeat", "4",
                                     "--db", self.db, "--quiet")
                time.sleep(random.uniform(0, 2))
                process.kill()
                out, _ = process.communicate()
                kept = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
                if kept and out:
                    rows = [line for line in out.splitlines() if ROW.match(line)]
                    self.assertGreaterEqual(kept[0]["runs"], 4 * len(rows))
                for study in kept:
                    self.assertNotEqual(study["state"], "running")
                    if study["runs"] > 0:
                        self.ok("show", study["id"], "--db", self.db)
                self.ok("clean", self.target)
                self.assertEqual(self.left_on_target(), [])


class StoreFull(util.Case):
    def test_what_cannot_be_kept_ends_the_study_and_is_not_printed(self):
        def no_large_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            size = os.stat(self.db).st_size + 100_000
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        # The file that takes over from the store has room for a few runs more, or for none.
        done = self.fails(3, "dirtest", "null:", *util.SMALL_TREE, "--repeat", "100", "--db",
                          self.db, "--format", "json", preexec_fn=no_large_files, cwd=self.room,
                          env={**os.environ, "TMPDIR": str(self.room)})
        self.assertIn("is not kept", done.stderr)
        study, = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        self.assertEqual(study["state"], "incomplete")
        self.assertGreater(study["runs"], 0)
        files = list(self.room.glob("loadline-*.json"))
        self.assertLessEqual(len(files), 1)
        for file in files:
            self.assertGreater(len(json.loads(done.stdout)), study["runs"])
            self.ok("import", file, "--db", self.db)
        self.assertEqual(self.ok("show", study["id"], "--db", self.db, "--format", "json").stdout,
                         done.stdout)


if __name__ == "__main__":
    unittest.main()
