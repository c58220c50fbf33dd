#!/usr/bin/python3
"""Targets and stores that refuse, fill up, or are somebody else's. Run as root: it mounts, in a mount
namespace of its own."""
import json
import os
import shutil
import subprocess
import time
import unittest

import util

NOBODY = 65534


setUpModule = util.own_mounts


class MountedCase(util.Case):
    def mount(self, *args):
        """The last argument is where."""
        subprocess.run(["mount", *map(str, args)], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", str(args[-1])], check=True)

    def one_line(self, done, *words):
        errors = [line for line in done.stderr.splitlines() if line.startswith("loadline: ")]
        self.assertEqual(len(errors), 1, done.stderr)
        for word in words:
            self.assertIn(word, errors[0])

    def kept(self):
        studies = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        self.assertEqual(len(studies), 1)
        return studies[0]


class Refusing(MountedCase):
    commands = (("dirtest", *util.SMALL_TREE), ("io", *util.SMALL_IO))

    def each(self, status, *words, **options):
        for command, *args in self.commands:
            with self.subTest(command):
                done = self.fails(status, command, self.target, *args, "--db", "none", "--quiet",
                                  **options)
                self.assertEqual(done.stdout, "")
                self.one_line(done, str(self.target), *words)
                self.assertEqual(self.left_on_target(), [])

    def test_missing(self):
        self.target = self.target / "missing"
        self.each(2, "does not exist")

    def test_not_a_directory(self):
        self.target.rmdir()
        self.target.write_text("precious")
        self.each(2, "not a directory")
        self.assertEqual(self.target.read_text(), "precious")

    def test_read_only(self):
        self.mount("-t", "tmpfs", "-o", "ro", "none", self.target)
        self.each(2, "Read-only file system", "written to")

    def test_memory_is_known_without_proc(self):
        """Without mountinfo a tmpfs was a disk, and of 200 MiB written 0 B were still dirty."""
        self.mount("-t", "tmpfs", "none", self.target)
        aside = self.room / "proc"
        aside.mkdir()
        # What a sanitizer needs to begin stays: of the process itself, where its code lies.
        hide = f"""mount --rbind /proc {aside} && mount -t tmpfs none /proc && mkdir /proc/self &&
                   for name in maps exe task; do ln -s {aside}/self/$name /proc/self; done &&
                   ln -s {aside}/$$ /proc &&
                   exec "$0" "$@\""""
        done = subprocess.run(["unshare", "--mount", "sh", "-c", hide, util.PROGRAM, "io",
                               self.target, *util.SMALL_IO, "--db", "none", "--quiet"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(tmpfs)", done.stdout)
        self.assertIn("client cache  ram:", done.stdout)
        self.assertIn("dirty at end  ram:", done.stdout)

    def test_no_permission(self):
        self.room.chmod(0o755)
        self.target.chmod(0o755)
        self.each(2, "Permission denied", "written to", user=NOBODY)
        self.target.chmod(0o700)
        self.each(2, "no permission to open", user=NOBODY)


class Full(MountedCase):
    def test_no_space_is_told_before_the_run(self):
        self.mount("-t", "tmpfs", "-o", "size=1m", "none", self.target)
        done = self.fails(2, "dirtest", self.target, *util.SMALL_TREE, "--lengths", "1m", "--db",
                          "none", "--quiet")
        self.one_line(done, "space", str(self.target))
        self.assertEqual(self.left_on_target(), [])
        done = self.fails(2, "io", self.target, *util.SMALL_IO, "--size", "100m", "--db", "none",
                          "--quiet")
        self.one_line(done, str(self.target))
        self.assertEqual(self.left_on_target(), [])

    def test_a_run_says_which_flowop_found_no_space(self):
        """Two appends were one kind of error: which of them met the end was not told."""
        self.mount("-t", "tmpfs", "-o", "size=2m", "none", self.target)
        path = self.room / "appends.f"
        path.write_text("""define fileset name=set1,path=$dir,entries=1,size=4k,prealloc
define process name=p { thread name=t { flowop openfile name=open1,filesetname=set1,fd=1
flowop appendfile name=append1,fd=1,iosize=4k
flowop appendfile name=append2,fd=1,iosize=1m
flowop closefile name=close1,fd=1
flowop finishoncount name=finish1,value=5,target=close1 } }
run 10
""")
        done = self.fails(3, "run", path, self.target, "--db", "none", "--repeat", "2")
        self.assertRegex(done.stderr, r"append2: append of \S+/set1/\S+: ENO")
        self.assertRegex(done.stdout, r"ERR +append2: append ENO\w+: \d+ in all; first in run 1 after")
        self.assertEqual(self.left_on_target(), [])

    def test_few_inodes_are_told_before_the_run(self):
        self.mount("-t", "tmpfs", "-o", "nr_inodes=40", "none", self.target)
        for keep in [], ["--keep"]:
            done = self.fails(2, "dirtest", self.target, *util.SMALL_TREE, "--files", "20", "--db",
                              "none", "--quiet", *keep)
            self.one_line(done, "not enough inodes", str(self.target))
            self.assertEqual(self.left_on_target(), [])
        done = self.fails(2, "io", self.target, *util.SMALL_IO, "--streams", "40", "--db", "none",
                          "--quiet")
        self.one_line(done, "not enough inodes", str(self.target))

    def test_a_small_quota_is_told_before_the_run(self):
        for command in ["dirtest", *util.SMALL_TREE], ["io", *util.SMALL_IO]:
            done = self.fails(2, command[0], f"fault:{self.target}?quota=8k", *command[1:], "--db",
                              "none", "--quiet")
            self.one_line(done, "not enough quota", "leaves 8 KiB", str(self.target))
            self.assertEqual(self.left_on_target(), [])

    def test_a_quota_met_during_the_run_keeps_what_was_measured(self):
        done = self.fails(3, "dirtest", f"fault:{self.target}?error=EDQUOT@write:9",
                          *"--threads 2 --levels 1 --branches 2 --files 5 --lengths 4k".split(),
                          "--write-only", "--classic", "--db", self.db)
        self.assertIn("EDQUOT: a quota of user, group or project is used up", done.stderr)
        self.assertEqual(self.kept()["runs"], 1)
        self.assertEqual(self.left_on_target(), [])

    def test_few_inodes_make_fewer_trees(self):
        """A row wanted 16 trees at once, and the study ended for want of inodes."""
        self.mount("-t", "tmpfs", "-o", "nr_inodes=80", "none", self.target)
        done = self.ok("dirtest", self.target, *util.SMALL_TREE, "--min-time", "1s",
                       "--db", "none", "--write-only")
        self.assertRegex(done.stderr, r"inodes for \d trees at once, 16 would make --min-time")
        self.assertEqual(self.left_on_target(), [])

    def test_what_cannot_hold_files_is_called_so(self):
        """Of /proc it was said that 0 B can be used."""
        for command in ["dirtest", "/proc", *util.SMALL_TREE], ["io", "/sys", *util.SMALL_IO]:
            done = self.fails(2, *command, "--db", "none", "--quiet")
            self.one_line(done, "cannot hold files")

    def test_targets_that_take_turns_may_share_a_small_file_system(self):
        """The first side's trees filled it, and the second had none of its own to remove."""
        self.mount("-t", "tmpfs", "-o", "size=4m", "none", self.target)
        one, two = self.target / "one", self.target / "two"
        one.mkdir()
        two.mkdir()
        self.ok("dirtest", one, two, *util.SMALL_TREE, "--lengths", "64k", "--repeat", 6,
                "--min-time", "1s", "--write-only", "--db", self.db)
        self.assertEqual(self.left_on_target(), ["one", "two"])

    def test_no_space_during_the_run_keeps_what_was_measured(self):
        self.mount("-t", "tmpfs", "-o", "size=8m", "none", self.target)
        hog = open(self.target / "others", "wb", buffering=0)
        self.addCleanup(hog.close)
        process = util.start("dirtest", self.target, *util.SMALL_TREE, "--lengths", "4k,64k",
                             "--repeat", "100", "--write-only", "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        end = time.monotonic() + util.PATIENCE_S
        while not list(self.target.glob("loadline-*/*-r2-*/t*/**/f*")):
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        while process.poll() is None:
            try:
                hog.write(bytes(4096))
            except OSError:
                time.sleep(0.001)
        out, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, 3, err)
        self.assertRegex(out + err, "no space left for|ENOSPC")
        self.assertGreater(self.kept()["runs"], 0)
        self.ok("show", self.kept()["id"], "--db", self.db)
        self.assertEqual(self.left_on_target(), ["others"])


class Foreign(MountedCase):
    def begin_tree(self):
        process = util.start("dirtest", self.target, *util.SMALL_TREE, "--levels", "2", "--lengths",
                             "2", "--min-time", "100s", "--repeat", "100", "--db", "none",
                             "--quiet")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        end = time.monotonic() + util.PATIENCE_S
        while not list(self.target.glob("loadline-*/*/t*/**/f*")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return process

    def kept_tree(self):
        self.ok("dirtest", self.target, *util.SMALL_TREE, "--keep", "--db", "none")
        directory, = self.target.glob("loadline-*")
        return directory, next(directory.glob("*/t00"))

    def test_bind_mount_in_the_tree_is_left(self):
        _, tree = self.kept_tree()
        precious = self.room / "precious"
        (precious / "d0").mkdir(parents=True)
        for name in ("f0", "f1", "d0/f0"):
            (precious / name).write_text("precious")
        self.mount("--bind", precious, tree / "d0")
        done = self.fails(2, "clean", self.target, "--kept")
        self.assertIn(str(tree / "d0"), done.stderr)
        self.assertEqual(sorted(p.name for p in precious.rglob("*")), ["d0", "f0", "f0", "f1"])

    def test_symlink_in_the_tree_is_not_read(self):
        _, tree = self.kept_tree()
        outside = self.room / "outside"
        shutil.move(tree / "d0", outside)
        os.symlink(outside, tree / "d0")
        done = self.fails(2, "readtest", self.target, "--db", "none", "--quiet")
        self.one_line(done, "d0")

    def test_file_that_shrank_is_named(self):
        _, tree = self.kept_tree()
        short = next(p for p in tree.glob("d0/f*"))
        os.truncate(short, 1)
        done = self.fails(2, "readtest", self.target, "--db", "none", "--quiet")
        self.one_line(done, str(short))

    def test_run_that_no_lock_tells_of_is_left(self):
        self.begin_tree()
        other = self.room / "other"
        directory, = self.target.glob("loadline-*")
        (other / directory.name).mkdir(parents=True)
        shutil.copy(directory / ".loadline", other / directory.name)
        done = self.ok("clean", other)
        self.assertIn("a running loadline is using it", done.stderr)
        done = self.fails(2, "dirtest", other, *util.SMALL_TREE, "--db", "none")
        self.assertIn("another loadline is running", done.stderr)
        self.assertEqual(sorted(p.name for p in other.rglob("*")), [".loadline", directory.name])

    def test_run_of_another_host_is_left_until_it_is_named(self):
        process = self.begin_tree()
        process.kill()
        process.wait()
        directory, = self.target.glob("loadline-*")
        marker = directory / ".loadline"
        text = marker.read_text()
        text = text.replace(json.loads(text)["host"], "far.example")
        marker.write_text(text.replace(json.loads(text)["boot"], "6f1c"))
        done = self.fails(2, "clean", self.target)
        self.assertIn("host far.example", done.stderr)
        self.assertIn("its id removes it", done.stderr)
        self.assertTrue(directory.exists())
        self.ok("dirtest", self.target, *util.SMALL_TREE, "--db", "none")
        self.ok("clean", self.target, directory.name)
        self.assertEqual(self.left_on_target(), [])

    def test_run_whose_directory_was_taken_ends(self):
        process = self.begin_tree()
        for _ in range(1000):
            shutil.rmtree(next(self.target.glob("loadline-*"), self.room / "none"),
                          ignore_errors=True)
            if not list(self.target.iterdir()):
                break
        _, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertIn(process.returncode, (2, 3), err)
        self.assertIn("ENOENT", err)
        self.assertEqual(self.left_on_target(), [])


class Hanging(util.Case):
    def test_op_that_does_not_return_is_named_and_ours_is_all_that_stays(self):
        for op, word in (("mkdir:2", "mkdir"), ("syncfs:1", "syncfs"), ("unlink:3", "unlink"),
                         ("op:1", ""), ("op:10", "")):
            for command, args in (("dirtest", util.SMALL_TREE), ("io", util.SMALL_IO)):
                with self.subTest(op=op, command=command):
                    done = self.fails(3, command, f"fault:{self.target}?hang={op}", *args,
                                      "--stall", "1s", "--db", "none", "--quiet")
                    self.assertRegex(done.stderr, rf"{word}.* has not returned for")
                    self.assertTrue(all(p.startswith("loadline-") for p in self.left_on_target()))
                    self.ok("clean", self.target)
                    self.assertEqual(self.left_on_target(), [])

    def test_of_several_targets_the_one_that_hangs_is_named(self):
        """It was always the first that was named, and the first that was to be cleaned alone."""
        second = self.room / "second"
        second.mkdir()
        hanging = f"fault:{second}?hang=mkdir:2"
        done = self.fails(3, "dirtest", self.target, hanging, *util.SMALL_TREE, "--stall", "1s",
                          "--db", "none", "--quiet")
        self.assertIn(f"{hanging}: mkdir has not returned for", done.stderr)
        for target in (self.target, second):
            self.assertIn(f"`loadline clean {target}`", done.stderr)
            self.ok("clean", target)
            self.assertEqual(list(target.iterdir()), [])

    def test_clean_gives_up_too(self):
        self.ok("dirtest", self.target, *util.SMALL_TREE, "--keep", "--db", "none")
        done = self.fails(3, "clean", f"fault:{self.target}?hang=unlink:1", "--kept", "--stall", "1s")
        self.assertIn("unlink has not returned for", done.stderr)
        self.ok("clean", self.target, "--kept")
        self.assertEqual(self.left_on_target(), [])


class Resumed(MountedCase):
    def test_another_file_system_at_the_address_is_another_target(self):
        """A study went on in the empty directory below a mount point that was not mounted."""
        self.mount("-t", "tmpfs", "one", self.target)
        process = util.start("dirtest", self.target, *util.SMALL_TREE, "--repeat", 10, "--label",
                             "mine", "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while not util.run("show", "mine.3", "--db", self.db).stdout:
            self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        words = ["dirtest", "--resume", self.kept()["id"], "--db", self.db]
        self.mount("-t", "ramfs", "two", self.target)
        done = self.fails(2, *words)
        self.one_line(done, f"{self.target} lay on tmpfs and lies on ramfs now")
        self.assertEqual(self.left_on_target(), [])
        self.mount("-t", "tmpfs", "three", self.target)
        done = self.ok(*words)
        self.assertIn(f"{self.target} is mounted from three, and was from one", done.stderr)
        self.assertEqual(self.kept()["state"], "done")


if __name__ == "__main__":
    unittest.main()
