#!/usr/bin/python3
"""What `limits` is going to do is said first, and with --dry-run nothing else happens."""
import unittest

import util


class LimitsPlan(util.Case):
    def plan(self, *args):
        return self.ok("limits", *args, "--dry-run", "--db", self.new_db).stdout.splitlines()

    def test_nothing_is_touched(self):
        self.plan(self.target)
        self.assertEqual(self.left_on_target(), [])
        self.assertFalse(self.new_db.exists())

    def test_rows_bytes_and_time(self):
        lines = self.plan(self.target, "--only", "stream-read-cache,stat", "--max-bytes", "96m",
                          "--streams", "1..8", "--budget", "2m")
        row = next(line for line in lines if "stream-read-cache" in line)
        for words in ("1 MiB", "1..8", "96 MiB", "page cache"):
            self.assertIn(words, row)
        self.assertRegex(lines[-1], r"^2 rows, 5 final runs each; 96 MiB in files at once and many "
                                    r"without any; about 1 m \d\d s$")
        self.assertEqual(len(lines), 5)  # target, head, two rows, sum

    def test_what_is_not_measured_says_why(self):
        lines = self.plan("sim:sun7410-barcelona?flash=off&protocol=nfs", "--server-flash", "1g")
        self.assertTrue(any("read-block-disk" in line and "not applicable: a row of this machine's"
                            in line for line in lines))
        self.assertIn("in time of its own", lines[-1])

    def test_a_set_without_proof_is_marked(self):
        lines = self.plan(self.target, "--only", "read-1b-cache", "--max-bytes", "8m")
        self.assertIn(", starved", lines[2])

    def test_each_protocol_of_a_model_and_each_target_has_its_ladder(self):
        lines = self.plan("sim:sun7410-barcelona", "sim:sun7410-istanbul", "--only", "stat")
        heads = [line.split(": cache")[0] for line in lines if ": cache" in line]
        self.assertEqual(heads, ["sim:sun7410-barcelona, nfs", "sim:sun7410-barcelona, smb",
                                 "sim:sun7410-istanbul, nfs", "sim:sun7410-istanbul, smb",
                                 "sim:sun7410-istanbul, nfs-rdma"])


if __name__ == "__main__":
    unittest.main()
