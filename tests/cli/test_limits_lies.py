#!/usr/bin/python3
"""What would make `limits` tell more, or less, than there is, and is said beside the row: a tmpfs that is called a disk, and
a device that is memory, or of which nothing is stored."""
import os
import shutil
import subprocess
import tempfile
import unittest

import limits_case
import util

SHORT = "--streams 2 --max-bytes 64m".split()
SOON = ("--budget", "6s")


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

    def test_a_device_over_a_file_of_which_nothing_is_stored(self):
        found = self.row(self.loop(stored=False), "read-4k-disk", *SOON)
        self.assertTrue({"sparse", "memory-disk", "page-cache"} & limits_case.rules(found),
                        found["findings"])


def setUpModule():
    if os.geteuid() != 0:
        raise unittest.SkipTest("loop devices need root")


if __name__ == "__main__":
    unittest.main()
