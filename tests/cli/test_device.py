#!/usr/bin/python3
"""Block devices: read without ceremony, written to only when their name is typed twice and nothing
lies on them. Run as root, on a loop device."""
import grp
import json
import os
import subprocess
import unittest

import util

SIZE = 16 << 20


def setUpModule():
    if os.geteuid() != 0:
        raise unittest.SkipTest("a loop device needs root")


class Device(util.Case):
    def setUp(self):
        super().setUp()
        self.image = self.room / "image"
        self.image.write_bytes(b"\0" * SIZE)
        self.device = util.loop_device(self.image)
        self.addCleanup(subprocess.run, ["losetup", "-d", self.device], check=True)

    def workload(self, name, *args):
        return (name, self.device, "filesize=16m", "iosize=4k", "--time", "0.3s", "--warmup", "0s",
                "--db", self.db, "--quiet", *args)

    def on_device(self):
        """As the device has it: the file behind it is written later."""
        with open(self.device, "rb", buffering=0) as file:
            return file.read(SIZE)

    def test_reading_needs_no_ceremony(self):
        done = self.ok("run", *self.workload("filemicro_rread", "--format", "json"))
        self.assertIn("read-file", done.stdout)
        self.assertEqual(self.on_device(), b"\0" * SIZE)

    def test_writing_needs_the_name_again(self):
        done = self.fails(2, "run", *self.workload("filemicro_rwrite"))
        self.assertIn("--destroy", done.stderr)
        other = self.room / "other"
        other.write_text("")
        done = self.fails(1, "run", *self.workload("filemicro_rwrite", "--destroy", other))
        self.assertIn("is not a block device", done.stderr)
        self.assertEqual(self.on_device(), b"\0" * SIZE)

    def test_a_device_is_not_given_up_for_another_target(self):
        # It was not heeded, in silence.
        done = self.fails(1, "run", "varmail", self.target, "--destroy", self.device, "--db", self.db)
        self.assertIn(f"--destroy {self.device}: the target {self.target} is no block device", done.stderr)
        self.assertEqual(self.left_on_target(), [])

    def test_it_is_written_by_any_of_its_names(self):
        name = self.room / "by-id"
        name.symlink_to(self.device)
        args = self.workload("filemicro_rwrite", "--destroy", name)
        done = self.ok("run", *(word for word in args if word != "--quiet"))
        self.assertIn("overwrites the device, 16 MiB, for 300 ms", done.stderr)
        self.assertNotEqual(self.on_device(), b"\0" * SIZE)

    def test_what_lies_on_it_is_kept(self):
        subprocess.run(["mkswap", self.device], check=True, capture_output=True)
        before = self.on_device()
        done = self.fails(2, "run", *self.workload("filemicro_rwrite", "--destroy", self.device))
        self.assertIn("it holds swap", done.stderr)
        self.assertIn(f"wipefs --all {self.device}", done.stderr)
        self.assertEqual(self.on_device(), before)

    def test_it_is_synced_closed_and_opened_again(self):
        path = self.room / "device.f"
        path.write_text("""define file name=disk,path=$dir,size=16m
            define process name=p { thread name=t {
                flowop openfile name=o,filename=disk,fd=1
                flowop write name=w,fd=1,iosize=4k,random
                flowop fsync name=s,fd=1
                flowop closefile name=c,fd=1
                flowop finishoncount name=f,value=20,target=c
            } }
            run 30""")
        done = self.ok("run", path, self.device, "--destroy", self.device, "--db", self.db,
                       "--format", "json")
        result, = json.loads(done.stdout)
        self.assertEqual(result["errors"], [])
        self.assertEqual({line["name"]: line["ops"] for line in result["lines"]},
                         {"o": 20, "w": 20, "s": 20, "c": 20, "f": 19})

    def test_studies_of_directories_say_so(self):
        done = self.fails(2, "dirtest", self.device, *util.SMALL_TREE, "--db", "none", "--quiet")
        self.assertIn(f"{self.device} is a block device", done.stderr)
        name = self.room / "by-id"
        name.symlink_to(self.device)
        done = self.fails(2, "io", name, *util.SMALL_IO, "--db", "none", "--quiet")
        self.assertIn(f"written dev:{name}", done.stderr)
        done = self.fails(2, "clean", self.device)
        self.assertIn(f"{self.device} is a block device: there are no directories", done.stderr)

    def test_random_reads_of_it(self):
        done = self.ok("run", "randomread", *self.workload("randomread", "--format", "json")[1:])
        result, = json.loads(done.stdout)
        line, = (line for line in result["lines"] if line["name"] == "rand-read")
        self.assertEqual(line["bytes"], 4096 * (line["ops"] - 1))  # the first opens it as well
        self.assertGreater(line["bytes"], 0)
        self.assertEqual(result["errors"], [])

    def io(self, *args):
        """It was refused: io measured files of its own in directories only."""
        done = self.ok("io", self.device, "--time", "0.3s", "--warmup", "0s", "--streams", "3",
                       "--block", "4k", "--db", self.db, "--quiet", "--format", "json", *args)
        result, = json.loads(done.stdout)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))
        self.assertEqual({line["name"]: line["bytes"] for line in result["lines"]},
                         {line["name"]: 4096 * line["ops"] for line in result["lines"]})
        return result

    def test_plain_reads_of_it(self):
        for how in ("--random", "--seq", "--direct"):
            with self.subTest(how):
                result = self.io("--read", "100", how)
                self.assertGreater(result["lines"][0]["ops"], 0)
                self.assertEqual([util.option(result, key) for key in
                                  ("size_bytes", "used_bytes", "files", "files_shared")],
                                 [str(SIZE), str(SIZE), "0", "yes"])
        self.assertEqual(self.on_device(), b"\0" * SIZE)
        study = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)[0]["id"]
        shown = " ".join(self.ok("show", study, "--db", self.db).stdout.split())
        self.assertIn("16 MiB of the device, that all streams share", shown)

    def test_plain_writes_to_it(self):
        small = (*util.SMALL_IO, "--db", self.db)
        done = self.fails(2, "io", self.device, *small)
        self.assertIn("--destroy DEVICE", done.stderr)
        self.assertEqual(self.on_device(), b"\0" * SIZE)
        # Nothing of it behind --size.
        self.io("--read", "50", "--size", "4m", "--destroy", self.device)
        found = self.on_device()
        self.assertNotEqual(found[:4 << 20], b"\0" * (4 << 20))
        self.assertEqual(found[4 << 20:], b"\0" * (12 << 20))
        done = self.fails(1, "io", self.target, *small, "--destroy", self.device)
        self.assertIn(f"the target {self.target} is no block device", done.stderr)
        subprocess.run(["mkswap", self.device], check=True, capture_output=True)
        before = self.on_device()
        done = self.fails(2, "io", self.device, *small, "--destroy", self.device)
        self.assertIn("it holds swap", done.stderr)
        self.assertEqual(self.on_device(), before)

    def test_plain_wishes_that_a_device_has_no_room_for(self):
        for wish, words in ((("--size", "17m"), "--size 17 MiB: the device has 16 MiB"),
                            (("--files", "2"), "--files 2: a block device is one file"),
                            (("--block", "32m"), "--size 16 MiB leaves each of 1 files less than one "
                                                 "block of 32 MiB")):
            with self.subTest(wish):
                done = self.fails(1, "io", self.device, "--read", "100", *wish, "--db", "none")
                self.assertIn(words, done.stderr)

    def test_the_job_of_fio_for_it(self):
        job = self.ok("io", self.device, "--read", "100", "--print-fio").stdout.splitlines()
        for line in (f"filename={self.device}", f"size={SIZE}", "rw=randread"):
            self.assertIn(line, job)
        self.assertEqual([line for line in job if "directory=" in line or "filename_format=" in line], [])

    def test_direct_reads_are_of_whole_sectors(self):
        # With 4 KiB sectors each read of 512 bytes ended in an error.
        subprocess.run(["losetup", "-d", self.device], check=True)
        self.device = util.loop_device(self.image, "-b", "4096")
        args = ("--time", "0.2s", "--warmup", "0s", "--db", self.db, "--quiet", "filesize=16m",
                "directio=1")
        done = self.fails(2, "run", "randomread", self.device, "iosize=512", *args)
        self.assertIn("direct I/O of 512 bytes: a multiple of 4096 is needed", done.stderr)
        self.ok("run", "randomread", self.device, "iosize=4k", *args)

    def test_a_typing_error_makes_nothing(self):
        typo = f"{self.device}7typo"
        near = self.device.replace("loop", "lop")
        for command, *args in (("run", "randomread", typo), ("run", "randomread", f"dev:{typo}"),
                               ("run", "varmail", f"{typo}/dir"), ("io", typo, *util.SMALL_IO),
                               ("dirtest", typo, *util.SMALL_TREE), ("io", "/dev", *util.SMALL_IO)):
            with self.subTest(args[0]):
                done = self.fails(2, command, *args, "--db", "none", "--quiet")
                self.assertIn("no file or directory is made under /dev", done.stderr)
        done = self.fails(2, "run", "randomread", self.device, "filesize=1m", "-o", f"{typo}.json",
                          "--db", "none", "--quiet")
        self.assertIn("-o: there is no device", done.stderr)
        done = self.fails(2, "run", "randomread", near, "--db", "none", "--quiet")
        self.assertIn(f"did you mean {self.device}?", done.stderr)
        self.assertEqual([os.path.exists(typo), os.path.exists(f"{typo}.json")], [False, False])
        self.assertEqual([name for name in os.listdir("/dev") if "loadline" in name], [])

    def test_who_may_not_open_it_is_told_how(self):
        os.chmod(self.device, 0o660)
        os.chown(self.device, 0, grp.getgrnam("disk").gr_gid)
        self.addCleanup(os.chown, self.device, 0, 0)
        done = self.fails(2, *("run", *self.workload("randomread")[:-3], "--db", "none"),
                          user=65534, group=65534, extra_groups=[])
        self.assertIn("for root and the group disk; to join it: sudo usermod -aG disk nobody", done.stderr)

    def test_it_is_described(self):
        done = self.ok("run", *self.workload("filemicro_rread"))
        self.assertIn(self.device, done.stdout)
        studies = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        shown = self.ok("show", studies[0]["id"], "--db", self.db, "--format", "json").stdout
        self.assertIn('"device_bytes"', shown)
        self.assertIn('"device_logical_block_bytes"', shown)
        self.assertIn('"direct_align_bytes"', shown)
        self.assertIn('"device_writing"', shown)


if __name__ == "__main__":
    unittest.main()
