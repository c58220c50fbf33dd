#!/usr/bin/python3
"""What would make `limits` tell more, or less, than there is, and is said beside the row: a tmpfs that is called a disk, a
device that is memory, or of which nothing is stored, or that a control group slows down."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import limits_case
import util

SHORT = "--streams 2 --max-bytes 64m".split()
SOON = ("--budget", "6s")
BLKIO = pathlib.Path("/sys/fs/cgroup/blkio")
V2 = pathlib.Path("/sys/fs/cgroup")
CAP_BYTES = 256 << 10  # which any machine reaches


def limit(device):
    """A new control group that reads no more than CAP_BYTES a second from it: its directory, for who is to be in it."""
    old = BLKIO.is_dir()
    group = (BLKIO if old else V2) / f"loadline-test-{os.getpid()}"
    number = os.stat(device).st_rdev
    number = f"{os.major(number)}:{os.minor(number)}"
    group.mkdir()
    try:
        if old:
            (group / "blkio.throttle.read_bps_device").write_text(f"{number} {CAP_BYTES}")
        else:
            (V2 / "cgroup.subtree_control").write_text("+io")
            (group / "io.max").write_text(f"{number} rbps={CAP_BYTES}")
    except OSError:
        group.rmdir()
        raise
    return group


class Lies(util.Case):
    def row(self, target, row, *more, **options):
        answer = limits_case.said(target, *SHORT, "--only", row, *more, **options)
        found, = answer["ceilings"]
        return found

    def loop(self, stored):
        file = self.room / "image"
        with open(file, "wb") as image:
            if stored:
                image.write(os.urandom(64 << 20))
            else:
                image.truncate(64 << 20)
        device = util.loop_device(file)
        self.addCleanup(subprocess.run, ["losetup", "-d", device], check=True)
        return device

    def test_a_tmpfs_is_no_disk(self):
        room = tempfile.mkdtemp(prefix="loadline-test-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, room, ignore_errors=True)
        answer = limits_case.said(room, *SHORT, *SOON, "--only", "read-4k-disk,read-4k-cache")
        disk, = (row for row in answer["ceilings"] if row["row"] == "read-4k-disk")
        self.assertEqual((disk["state"], disk["value"]), ("not applicable", None))
        self.assertIn("memory", disk["why"])

    def test_a_device_that_a_control_group_slows_down(self):
        device = self.loop(stored=True)
        try:
            group = limit(device)
        except OSError:  # none may be made here: unit/test_probe_trees and test_findings_disk have recorded ones
            return
        self.addCleanup(group.rmdir)
        found = self.row(device, "read-4k-disk", "--budget", "15s", preexec_fn=lambda: (
            group / "cgroup.procs").write_text(str(os.getpid())))
        self.assertLess(found["value"] * 4096, 1.2 * CAP_BYTES)
        self.assertIn(limits_case.rule(found), {"disk-cap", "unknown"}, found["findings"])
        self.assertTrue({"disk-cap", "near-cap"} & limits_case.rules(found), found["findings"])

    def test_a_device_over_a_file_of_which_nothing_is_stored(self):
        found = self.row(self.loop(stored=False), "read-4k-disk", *SOON)
        self.assertTrue({"sparse", "memory-disk", "page-cache"} & limits_case.rules(found),
                        found["findings"])


def setUpModule():
    if os.geteuid() != 0:
        raise unittest.SkipTest("loop devices and control groups need root")


if __name__ == "__main__":
    unittest.main()
