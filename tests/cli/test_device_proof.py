#!/usr/bin/python3
"""Where the bytes of a block device came from, and whether what was written has got there. Run as root, on
a loop device that passes this machine's cache by; of one that does not, nothing is believed."""
import errno
import json
import os
import pathlib
import subprocess
import time
import unittest

import util

SIZE = 16 << 20

READS = """define file name=disk,path=$dir,size=16m
define process name=p { thread name=t {
    flowop read name=r,filename=disk,iosize=64k
    flowop finishoncount name=f,value=256,target=r
} }
run 30
"""
WRITES = """set $sync=false
define file name=disk,path=$dir,size=16m
define process name=p { thread name=t {
    flowop write name=w,filename=disk,iosize=64k,dsync=$sync
    flowop finishoncount name=f,value=256,target=w
} }
run 30
"""


def setUpModule():
    if os.geteuid() != 0:
        raise unittest.SkipTest("a loop device needs root")


class Proof(util.Case):
    def attach(self, *how):
        image = self.room / "image"
        image.write_bytes(b"\1" * SIZE)
        device = util.loop_device(image, *how)
        self.addCleanup(subprocess.run, ["losetup", "-d", device], check=True)
        return device

    def run_text(self, text, device, *args):
        path = self.room / "work.f"
        path.write_text(text)
        done = self.ok("run", path, device, "--db", self.db, "--quiet", "--format", "json", *args)
        return [result["cache"] for result in json.loads(done.stdout)]

    def test_what_was_read_twice_came_from_memory(self):
        first, second = self.run_text(READS, self.attach("--direct-io=on"), "--repeat", "2")
        for cache in (first, second):
            self.assertTrue(cache["device_known"])
            self.assertEqual(cache["mode"], "keep")
        # A page of it was read when the witness was tried.
        self.assertGreaterEqual(first["device_bytes"], SIZE - 4096)
        self.assertEqual(second["device_bytes"], 0)

    def test_what_is_dropped_is_read_again(self):
        for cache in self.run_text(READS, self.attach("--direct-io=on"), "--repeat", "2",
                                   "--client-cache", "drop"):
            self.assertEqual((cache["mode"], cache["device_known"], cache["resident_known"]),
                             ("drop", True, True))
            self.assertEqual((cache["resident_bytes"], cache["asked_bytes"]), (0, SIZE))
            self.assertGreaterEqual(cache["device_bytes"], SIZE)

    def test_what_was_only_written_to_memory_is_told(self):
        device = self.attach("--direct-io=on")
        cache, = self.run_text(WRITES, device, "--destroy", device)
        self.assertTrue(cache["dirty_known"])
        self.assertGreater(cache["dirty_bytes"], 0)
        cache, = self.run_text(WRITES, device, "--destroy", device, "sync=true")
        self.assertEqual((cache["dirty_known"], cache["dirty_bytes"]), (True, 0))

    def test_plain_reads_are_proven_too(self):
        for how, mode in (("drop", "drop"), ("keep", "keep")):
            device = self.attach("--direct-io=on")
            done = self.ok("io", device, "--read", "100", "--seq", "--block", "64k", "--streams", "1",
                           "--time", "0.5s", "--warmup", "0s", "--repeat", "2", "--client-cache", how,
                           "--db", self.db, "--quiet", "--format", "json")
            first, second = (result["cache"] for result in json.loads(done.stdout))
            self.assertEqual((first["mode"], first["device_known"], second["device_known"]),
                             (mode, True, True))
            self.assertGreater(first["device_bytes"], 0)
            if how == "drop":
                self.assertEqual((second["resident_known"], second["resident_bytes"],
                                  second["asked_bytes"]), (True, 0, SIZE))
                self.assertGreater(second["device_bytes"], 0)

    def test_plain_writes_left_in_memory_are_told(self):
        device = self.attach("--direct-io=on")
        done = self.ok("io", device, "--read", "0", "--streams", "1", "--time", "0.3s", "--warmup",
                       "0s", "--destroy", device, "--db", self.db, "--quiet", "--format", "json")
        cache = json.loads(done.stdout)[0]["cache"]
        self.assertTrue(cache["dirty_known"])
        self.assertGreater(cache["dirty_bytes"], 0)

    def test_nothing_is_believed_of_memory_behind_it(self):
        device = self.attach("--direct-io=off")
        cache, = self.run_text(READS, device, "--client-cache", "drop")
        self.assertEqual((cache["mode"], cache["device_known"], cache["resident_known"]),
                         ("unverified", False, False))
        done = self.ok("run", self.room / "work.f", device, "--db", self.db, "--quiet")
        self.assertIn("served by page cache of this machine", " ".join(done.stdout.split()))

    def test_it_is_held_from_the_first_run_to_the_last(self):
        # With each of its runs it was given back, cached pages and all.
        device = self.attach("--direct-io=on")
        path = self.room / "work.f"
        path.write_text(WRITES.replace("run 30", "run 30\nsleep 2"))
        with util.start("run", path, device, "--destroy", device, "--db", self.db,
                        "--repeat", "2") as study:
            while study.poll() is None and not self.writes_to(study.pid, device):
                time.sleep(0.01)
            held = []
            while study.poll() is None:
                try:
                    os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
                    held.append(False)
                except OSError as refused:
                    self.assertEqual(refused.errno, errno.EBUSY)
                    held.append(True)
                time.sleep(0.02)
            _, words = study.communicate()
        self.assertEqual(study.returncode, 0, words)
        self.assertGreater(sum(held), 20)
        self.assertEqual(held, sorted(held, reverse=True), "let go and taken again")

    @staticmethod
    def writes_to(pid, device):
        for number in os.listdir(f"/proc/{pid}/fd"):
            try:
                link = os.readlink(f"/proc/{pid}/fd/{number}")
                flags = pathlib.Path(f"/proc/{pid}/fdinfo/{number}").read_text().split()[3]
            except OSError:
                continue
            if link == device and int(flags, 8) & os.O_ACCMODE == os.O_RDWR:
                return True
        return False


if __name__ == "__main__":
    unittest.main()
