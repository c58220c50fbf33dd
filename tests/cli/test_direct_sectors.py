#!/usr/bin/python3
"""Direct I/O on a file system whose device has sectors of 4 KiB: what it cannot take is refused before the run, with
what it takes, by plain calls and by io_uring. Run as root, on a loop device."""
import json
import subprocess
import unittest

import util

SECTOR = 4096
setUpModule = util.own_mounts


class Sectors(util.Case):
    def setUp(self):
        super().setUp()
        image = self.room / "image"
        image.write_bytes(b"")
        with open(image, "r+b") as file:
            file.truncate(64 << 20)
        device = util.loop_device(image, "-b", str(SECTOR))
        self.addCleanup(subprocess.run, ["losetup", "-d", device], check=True)
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        subprocess.run(["mount", device, self.target], check=True)
        self.addCleanup(subprocess.run, ["umount", self.target], check=True)
        self.before = self.left_on_target()
        self.ways = (str(self.target), f"uring:{self.target}")

    def wml(self, text):
        path = self.room / "direct.f"
        path.write_text(text)
        return path

    def test_io_names_the_sectors_and_makes_nothing(self):
        # It said only that the file system takes no O_DIRECT of 512 bytes, after a file was made there.
        for target in self.ways:
            done = self.fails(1, "io", target, "--direct", *util.SMALL_IO, "--block", "512", "--db", "none")
            self.assertIn(f"multiples of {SECTOR} bytes", done.stderr)
            self.assertEqual(self.left_on_target(), self.before)
            self.ok("io", target, "--direct", *util.SMALL_IO, "--db", "none", "--quiet")

    def test_a_workload_is_refused_before_the_run(self):
        # Each read of 512 bytes ended in an error.
        args = ("filesize=1m", "directio=1", "--time", "0.2s", "--warmup", "0s", "--db", "none", "--quiet")
        for target in self.ways:
            done = self.fails(2, "run", "randomread", target, "iosize=512", *args)
            self.assertIn(f"direct I/O of 512 bytes: a multiple of {SECTOR} is needed", done.stderr)
            self.assertEqual(self.left_on_target(), self.before)

    def test_whole_files_end_where_a_sector_does(self):
        # They were read and written in multiples of 512 bytes.
        text = """define fileset name=set,path=$dir,size=%s,entries=4,prealloc
            define process name=p { thread name=t {
                flowop openfile name=o,filesetname=set,fd=1,directio
                flowop %s name=w,fd=1
                flowop closefile name=c,fd=1
            } }"""
        args = ("--time", "0.2s", "--warmup", "0s", "--db", "none", "--quiet", "--format", "json")
        for target in self.ways:
            done = self.ok("run", self.wml(text % ("6k", "readwholefile")), target, *args)
            result, = json.loads(done.stdout)
            self.assertEqual(result["errors"], [])
            done = self.fails(2, "run", self.wml(text % ("6k", "writewholefile")), target, *args)
            self.assertIn(f"a multiple of {SECTOR} is needed", done.stderr)


if __name__ == "__main__":
    unittest.main()
