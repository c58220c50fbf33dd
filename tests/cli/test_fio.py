#!/usr/bin/python3
"""io --print-fio: what the job says of itself. tests/golden has it to the letter; `make bench` lets fio
read it and run it."""
import unittest

import util


class Fio(util.Case):
    def job(self, *more, target=None):
        done = self.ok("io", target or self.target, "--print-fio", "--size", "64m", *more)
        self.assertEqual(done.stderr, "")
        self.assertLessEqual(max(map(len, (line for line in done.stdout.splitlines()
                                           if not line.startswith("directory=")))), 80)
        return done.stdout

    def test_nothing_is_made_or_kept(self):
        self.ok("io", self.target, "--print-fio", "--db", self.new_db)
        self.assertEqual(self.left_on_target(), [])
        self.assertFalse(self.new_db.exists())

    def test_a_colon_in_a_directory_is_not_the_next_one(self):
        self.assertIn("directory=/a\\:b\n", self.job(target="/a:b"))

    def test_what_differs_is_said_where_it_does(self):
        self.assertNotIn("# * rate:", self.job())
        self.assertIn("# * rate:", self.job("--rate", "5000/s"))
        self.assertIn("# * zipf:", self.job("--dist", "zipf:1"))
        self.assertIn("zipf:1.001", self.job("--dist", "zipf:1"))


if __name__ == "__main__":
    unittest.main()
