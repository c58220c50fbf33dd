#!/usr/bin/python3
"""What lies on a block device is kept, it is said what that is, and the command that is told clears it:
afterwards the device is written to. Made by the programs whose it is where they are there, by hand
otherwise. Run as root, on loop devices."""
import os
import re
import struct
import subprocess
import unittest

import util

SIZE = 64 << 20  # with less no ZFS is looked for


def command(*args, **more):
    return subprocess.run(args, check=True, capture_output=True, text=True, **more).stdout.strip()


def setUpModule():
    if os.geteuid() != 0:
        raise unittest.SkipTest("a loop device needs root")


class Kept(util.Case):
    def setUp(self):
        super().setUp()
        self.device = self.loop(SIZE)

    def loop(self, size):
        """A device of its own, with partitions where it gets a table of them."""
        image = self.room / f"image{len(list(self.room.glob('image*')))}"
        with open(image, "wb") as file:
            file.truncate(size)
        device = util.loop_device(image, "-P")
        self.addCleanup(subprocess.run, ["losetup", "-d", device], check=True)
        return device

    def write(self, *places):
        """(offset, bytes) …, through the device."""
        with open(self.device, "r+b", buffering=0) as file:
            for offset, data in places:
                sector = offset // 4096 * 4096
                file.seek(sector)
                block = bytearray(file.read((offset % 4096 + len(data) + 4095) // 4096 * 4096))
                block[offset % 4096:offset % 4096 + len(data)] = data
                file.seek(sector)
                file.write(block)

    def everything(self):
        with open(self.device, "rb", buffering=0) as file:
            return file.read(SIZE)

    def args(self, device=None):
        device = device or self.device
        return ("run", "filemicro_rwrite", f"dev:{device}", "--destroy", device, "filesize=4m", "iosize=4k",
                "--time", "0.2s", "--warmup", "0s", "--db", self.db, "--quiet")

    def refused(self, *words, device=None):
        before = self.everything()
        done = self.fails(2, *self.args(device))
        for word in words:
            self.assertRegex(done.stderr, word)
        self.assertEqual(self.everything(), before)
        return done.stderr

    def cleared(self, stderr):
        """As told, from a shell; nothing else speaks against it then."""
        told = re.search(r"if that may go: (wipefs .*)$", stderr, re.M)
        self.assertIsNotNone(told, stderr)
        command("sh", "-ec", told[1])
        self.ok(*self.args())

    def test_a_file_system(self):
        command("mkfs.ext4", "-q", "-L", "home", self.device)
        self.cleared(self.refused(r'it holds ext4 with the label "home" at 0x438'))

    def test_swap(self):
        command("mkswap", "-L", "pages", self.device)
        self.cleared(self.refused(r'it holds swap with the label "pages" at 0xff6'))

    def test_swap_in_use(self):
        command("mkswap", self.device)
        try:
            command("swapon", self.device)
        except subprocess.CalledProcessError as none:
            self.skipTest(f"no swap here: {none.stderr}")
        try:
            self.refused(f"it is swap in use \\({self.device}\\)")
        finally:
            command("swapoff", self.device)

    def test_a_physical_volume(self):
        command("pvcreate", "-y", "--devices", self.device, self.device)
        self.cleared(self.refused("it holds LVM2_member at 0x218"))

    def test_a_member_of_an_array(self):
        # Version 1.2: at 4 KiB, checked by a sum of its words.
        block = bytearray(256)
        struct.pack_into("<II", block, 0, 0xa92b4efc, 1)
        struct.pack_into("<Q", block, 0x90, 8)
        self.write((4096, bytes(block)))
        self.cleared(self.refused("it holds linux_raid_member at 0x1000"))

    def test_a_member_at_the_end(self):
        # Version 0.90: at the last whole 64 KiB.
        block = struct.pack("<IIII", 0xa92b4efc, 0, 90, 0)
        self.write((SIZE - 65536, block))
        self.cleared(self.refused(f"it holds linux_raid_member at {SIZE - 65536:#x}"))

    def test_zfs(self):
        magic = struct.pack("<Q", 0x00bab10c)
        self.write(*((128 * 1024 + i * 1024, magic) for i in range(8)))
        self.cleared(self.refused("it holds zfs_member at 0x2[0-9a-f]{4}, zfs_member at .* and more"))

    def test_btrfs(self):
        self.write((65536 + 0x40, b"_BHRfS_M"))
        self.cleared(self.refused("it holds btrfs at 0x10040"))

    def test_luks(self):
        self.write((0, b"LUKS\xba\xbe\0\1"))
        self.cleared(self.refused("it holds crypto_LUKS at 0x0"))

    def test_several_at_once(self):
        # Each alone would be found; one must not hide the other.
        command("mkswap", self.device)
        self.write((65536 + 0x40, b"_BHRfS_M"))
        self.cleared(self.refused("swap at 0xff6", "btrfs at 0x10040"))

    def partition(self, table, script):
        command("sfdisk", "-q", "--label", table, self.device, input=script)
        command("partx", "--update", self.device)  # a kernel may know no tables itself
        parts = sorted(self.parts())
        self.assertEqual(len(parts), script.count("size"), "the kernel shows no partitions")
        return parts

    def parts(self):
        name = self.device.rpartition("/")[2]
        listing = command("lsblk", "-nlo", "PATH", self.device).split()
        return [path for path in listing if path != f"/dev/{name}"]

    def test_partitions_and_what_lies_in_them(self):
        first, second = self.partition("gpt", "size=8M\nsize=8M\n")
        command("mkfs.ext4", "-q", second)
        name = second.rpartition("/")[2]
        told = self.refused(r"it holds a partition table \(gpt\) at 0x200", f"{name} holds ext4 at 0x438",
                            f"wipefs --all {second} {self.device}")
        self.assertNotIn(f"{first.rpartition('/')[2]} holds", told)
        self.cleared(told)
        self.assertEqual(self.parts(), [])

    def test_many_partitions_are_told_by_a_pattern(self):
        parts = self.partition("gpt", "size=2M\n" * 10)
        for part in parts:
            command("mkswap", part)
        told = self.refused(re.escape(f"wipefs --all {self.device}p[0-9]* {self.device}"))
        self.cleared(told)

    def test_a_table_in_a_partition(self):
        # As the disk of a virtual machine has it; wipefs passes it over unless it is told.
        part, = self.partition("dos", "size=16M\n")
        with open(part, "r+b", buffering=0) as file:
            block = bytearray(512)
            block[446:462] = bytes((0, 0, 2, 0, 0x83, 0, 8, 0, 0, 8, 0, 0, 0, 8, 0, 0))
            block[510:512] = b"\x55\xaa"
            file.write(block)
        self.cleared(self.refused(r"holds a partition table \(dos\) at 0x1fe", f"wipefs --all --force {part} && wipefs --all {self.device}$"))

    def test_partitions_without_a_table(self):
        # Overwritten, and still known to the kernel: they can be mounted.
        part, = self.partition("dos", "size=16M\n")
        self.write((0, bytes(4096)))
        told = self.refused(f"the kernel knows of partitions on it \\({part.rpartition('/')[2]}\\)")
        self.assertIn(f"partx --delete {self.device}", told)
        command("partx", "--delete", self.device)
        self.ok(*self.args())

    def test_the_disk_of_a_mounted_partition_by_another_name(self):
        part, = self.partition("gpt", "size=32M\n")
        command("mkfs.ext4", "-q", part)
        point = self.room / "point"
        point.mkdir()
        link = self.room / "by-id"
        link.symlink_to(self.device)
        # In a name space of its own: no list of ours has it.
        holder = subprocess.Popen(["unshare", "-m", "sh", "-ec",
                                   f"mount {part} {point}; echo ready; read end"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(holder.stdout.readline(), "ready\n")
            for name in (self.device, link):
                self.refused(f"{part.rpartition('/')[2]} is mounted on {point} \\(as process [0-9]+ sees",
                             device=name)
            self.refused("is mounted on", device=part)
        finally:
            holder.stdin.close()
            holder.wait()
            holder.stdout.close()

    def test_below_a_loop_device(self):
        above = util.loop_device(self.device)
        try:
            self.refused("it is below a loop device")
        finally:
            command("losetup", "-d", above)
        self.ok(*self.args())

    def test_open_for_writing_elsewhere(self):
        with subprocess.Popen(["sh", "-c", f"exec 3<>{self.device}; echo; read end"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            holder.stdout.readline()
            self.refused(f"process {holder.pid} \\(sh\\) has it open for writing")
            holder.stdin.close()
        self.ok(*self.args())

    def test_a_read_only_device(self):
        command("blockdev", "--setro", self.device)
        self.addCleanup(command, "blockdev", "--setrw", self.device)  # it would outlive this test
        self.refused("is read-only")


if __name__ == "__main__":
    unittest.main()
