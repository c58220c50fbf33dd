#!/usr/bin/python3
"""io --compress: what zlib makes of files as they were written, and overwritten."""
import unittest
import zlib

import util


def ratio(data, block):
    packed = sum(len(zlib.compress(data[at:at + block], 6)) for at in range(0, len(data), block))
    return len(data) / packed


class Compress(util.Case):
    def content(self, *more):
        """All files of a run, one behind the other."""
        self.ok("io", self.target, *util.SMALL_IO, "--db", "none", "--keep", *more)
        files = sorted(self.target.rglob("files/f*"))
        data = b"".join(path.read_bytes() for path in files)
        self.ok("clean", self.target, "--kept")
        self.assertEqual(len(data), 1 << 20)
        return data

    def sectors_differ(self, data):
        sectors = [data[at:at + 512] for at in range(0, len(data), 512)]
        self.assertEqual(len(set(sectors)), len(sectors))

    def test_zlib_finds_the_ratio_that_was_asked(self):
        for asked in ("1.5", "2", "4", "10"):
            data = self.content("--compress", asked + ":1", "--read", "100")
            self.assertAlmostEqual(ratio(data, 65536) / float(asked), 1, delta=0.05, msg=asked)
            self.assertAlmostEqual(ratio(data, 4096) / float(asked), 1, delta=0.10, msg=asked)
            self.sectors_differ(data)

    def test_overwritten_blocks_compress_alike(self):
        data = self.content("--compress", "2:1", "--read", "0")
        self.assertAlmostEqual(ratio(data, 65536) / 2, 1, delta=0.05)
        self.sectors_differ(data)

    def test_without_it_nothing_compresses(self):
        self.assertLess(ratio(self.content("--read", "50"), 65536), 1.0)

    def test_kept_files_of_another_ratio_are_not_taken_for_these(self):
        line = ["io", self.target, *util.SMALL_IO, "--db", self.db, "--keep", "--read", "100"]
        self.assertIn("writes 1 MiB", self.ok(*line, "--compress", "2:1").stderr)
        self.assertIn("writes 1 MiB", self.ok(*line, "--compress", "3:1").stderr)
        self.assertIn("writes 1 MiB", self.ok(*line).stderr)
        self.assertIn("writes nothing", self.ok(*line, "--compress", "2:1").stderr)

    def test_the_answer_says_the_ratio_that_was_asked(self):
        """What was wrong: two digits of it, so that 1.15:1 read 1.1:1."""
        for asked in ("1.15", "2.55", "10"):
            done = self.ok("io", "null:", *util.SMALL_IO, "--db", "none", "--compress", asked + ":1")
            self.assertIn(f"content that compresses {asked}:1", " ".join(done.stdout.split()))


if __name__ == "__main__":
    unittest.main()
