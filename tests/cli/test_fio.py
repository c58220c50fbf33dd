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

    def test_a_directory_that_fio_would_read_as_another_is_refused(self):
        # '/srv/#a' was handed on, and fio made its files in /srv.
        for odd in ("/srv/#a", "/srv/a;b", "/srv/${HOME}", "/srv/$ncpus", "/srv/a "):
            done = self.fails(1, "io", odd, "--print-fio")
            self.assertIn("not a name that can stand in a job file", done.stderr)

    def test_the_seed_is_one_that_fio_reads(self):
        # fio dropped the whole job at a seed above 2^63 - 1.
        self.assertIn("randseed=9223372036854775807\n",
                      self.job("--seed", "18446744073709551615"))

    def test_what_differs_is_said_where_it_does(self):
        self.assertNotIn("# * rate:", self.job())
        self.assertIn("# * rate:", self.job("--rate", "5000/s"))
        self.assertIn("# * zipf:", self.job("--dist", "zipf:1"))
        self.assertIn("zipf:1.001", self.job("--dist", "zipf:1"))

    def test_what_fio_places_otherwise_is_said(self):
        """What was wrong: of shared files with a hot part, of reads and writes in order, and of a mix of
        sizes it said nothing; and a rate was rounded without a word of what it came to."""
        said = {"# * files: fio draws a file first": ("--files", "4", "--dist", "hot:90/10"),
                "what is hot for one job is not": ("--files", "4", "--dist", "zipf:1.1"),
                "# * seq:": ("--seq", "--mix", "50/50"),
                "# * blocks:": ("--block", "4k:60,64k:40"),
                "#   64/s;": ("--rate", "10/s")}
        for words, options in said.items():
            self.assertIn(words, self.job(*options))
            self.assertNotIn(words, self.job())
        self.assertNotIn("# * seq:", self.job("--seq", "--read", "100"))
        self.assertIn("zipf:0.9995", self.job("--dist", "zipf:0.9995"))

    def test_sizes_stay_what_they_are(self):
        """What was wrong: fio makes 4k of 6k beside 4k."""
        self.assertIn("bs_unaligned=1", self.job("--block", "4k:60,6k:40"))
        self.assertNotIn("bs_unaligned", self.job("--block", "4k:60,64k:40"))

    def test_what_could_not_run_is_no_job(self):
        """What was wrong: a job with files of 0 bytes, and one whose $words fio replaces."""
        for words, line in (("less than one block", (self.target, "--size", "64k")),
                            ("not a name", ("/a${HOME}",))):
            done = self.fails(1, "io", *line, "--print-fio", "--streams", "32")
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
