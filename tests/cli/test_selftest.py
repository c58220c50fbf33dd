#!/usr/bin/python3
"""selftest: what the ways to a target cost, each beside a bare loop of the same calls."""
import pathlib
import re
import unittest

import util


class Selftest(util.Case):
    def costs(self, way):
        done = self.ok("selftest", "overhead", way)
        return {line: float(ns) for line, ns in
                re.findall(r"(?m)^  (\S.*?) +([\d.]+) ns CPU$", done.stdout)}

    def test_the_nfs_client(self):
        costs = self.costs("nfs:")
        self.assertEqual(len(costs), 4)
        self.assertTrue(all(ns > 0 for ns in costs.values()), costs)
        self.assertEqual({name.split()[0] for name in costs}, {"1-byte", "4"})

    def test_io_uring(self):
        costs = self.costs(f"uring:{self.target}")
        self.assertEqual(len(costs), 2)
        self.assertTrue(all(ns > 0 for ns in costs.values()), costs)
        self.assertEqual(self.left_on_target(), [])

    def test_other_words_are_usage(self):
        for word in ("nfs://filer/export", "uring:", "uring:here", "null:"):
            done = self.fails(1, "selftest", "overhead", word)
            self.assertIn("nfs: or uring:/DIR", done.stderr)

    def test_a_directory_that_is_not_there(self):
        nowhere = pathlib.Path(self.target) / "nowhere"
        self.assertIn("nowhere", self.fails(2, "selftest", "overhead", f"uring:{nowhere}").stderr)


if __name__ == "__main__":
    unittest.main()
