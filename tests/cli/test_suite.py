#!/usr/bin/python3
"""A suite end to end: its lines are one study and are told apart, what is typed goes before what it says, and
a mistake in any of them is told with its place before anything is begun."""
import json
import re
import unittest

import util

NIGHT = """# a night
varmail nfiles=50 nthreads=2 time=0.1s repeat=2

varmail nfiles=20 nthreads=1 time=0.2s warmup=0.1s dialect=sun   # the same again
./mine.f size=16k
"""
MINE = """set $dir=/tmp
set $size=8k
define file name=one,path=$dir,size=$size,prealloc
define process name=reader { thread name=reader { flowop read name=look,filename=one,iosize=4k,random } }
run 1
"""
ALL = ("nthreads=1", "filesize=2k", "--time", "0.1s")


class Suite(util.Case):
    def setUp(self):
        super().setUp()
        self.suite = self.room / "night.suite"
        self.suite.write_text(NIGHT)
        (self.room / "mine.f").write_text(MINE)

    def go(self, *more, **options):
        done = self.ok("run", self.suite, self.target, *more, "--db", self.db, **options)
        self.study = re.search(r"study (\w+):", done.stderr)[1]
        return done

    def results(self):
        return json.loads(self.ok("show", self.study, "--db", self.db, "--format", "json").stdout)

    def options(self, key):
        return [util.option(r, key) for r in self.results()]

    def dry(self, *more):
        return self.ok("run", self.suite, self.target, "--dry-run", *more).stdout

    def refused(self, text, status=2, *more):
        self.suite.write_text(text)
        said = self.fails(status, "run", self.suite, self.target, "--db", self.new_db, *more).stderr
        self.assertFalse(self.new_db.exists())
        self.assertEqual(self.left_on_target(), [])
        return said.replace(f"{self.room}/", "")

    def test_lines_are_one_study_and_told_apart(self):
        done = self.go()
        names = ["varmail", "varmail", "varmail (2)", "mine"]
        self.assertEqual(self.options("workload"), names)
        self.assertEqual(self.options("script"), ["1", "1", "2", "3"])
        self.assertEqual(self.options("repeat"), ["1", "2", "1", "1"])
        self.assertEqual(self.options("repeats"), ["2", "2", "1", "1"])
        self.assertEqual(self.options("dialect"), ["1.5", "1.5", "sun", "1.5"])
        self.assertEqual(self.options("var_nfiles"), ["50", "50", "20", None])
        self.assertEqual(self.options("time_ns"), ["100000000"] * 2 + ["200000000", "1000000000"])
        self.assertEqual(set(self.options("suite")), {"night"})
        self.assertEqual({r["study"] for r in self.results()}, {"run"})
        for name in ("varmail;", "varmail (2);", "mine;"):
            self.assertIn(f"workload      {name}", done.stdout)
        self.assertIn(f"loadline run night {self.target}", done.stderr)
        self.assertEqual(self.left_on_target(), [])
        self.assertIn("run", self.ok("list", "--db", self.db).stdout)

    def test_rows_of_lines_are_told_apart(self):
        self.go("--label", "before", *ALL)
        self.go("--label", "after", *ALL)
        rows = json.dumps(json.loads(util.run("compare", "before", "after", "--db", self.db, "--format",
                                              "json").stdout))
        for name in ("varmail", "varmail (2)", "mine"):
            self.assertIn(f'"{name}"', rows)

    def test_what_is_typed_goes_before(self):
        self.go("--time", "0.1s", "--repeat", "1", "--warmup", "0s", "--dialect", "1.4")
        self.assertEqual(self.options("time_ns"), ["100000000"] * 3)
        self.assertEqual(self.options("dialect"), ["1.4"] * 3)
        self.assertEqual(self.options("repeats"), ["1"] * 3)
        self.assertEqual(self.options("warmup_ns"), ["0"] * 3)

    def test_variables_of_one_line_and_of_all(self):
        self.go(*ALL, "2.nfiles=9", "--set", "mine.size=4k")
        self.assertEqual(self.options("var_nfiles"), ["50", "50", "9", None])
        self.assertEqual(self.options("var_nthreads"), ["1", "1", "1", None])
        self.assertEqual(self.options("var_filesize"), ["2048"] * 3 + [None])
        self.assertEqual(self.options("var_size"), [None] * 3 + ["4096"])
        self.go(*ALL, "varmail.nfiles=7", "nfiles=8", "$nfiles=5", "1.$nfiles=6", "./mine.f.size=4k")
        self.assertEqual(self.options("var_nfiles"), ["6", "6", "5", None])

    def test_words_of_the_command_line_that_are_of_no_line(self):
        for word, status in (("nonesuch=1", 2), ("1.size=4k", 2), ("4.nfiles=1", 1),
                             ("oltp.nfiles=1", 1), ("nfiles", 1), ("varmail.=1", 1)):
            self.assertIn(word.split(".")[-1], self.refused(NIGHT, status, word))
        said = self.refused(NIGHT, 2, "nonesuch=1", "2.nothing=1")
        self.assertEqual(said.count("was expected"), 2)
        for word in ("nthread=1", "2.nthread=1"):
            self.assertIn("did you mean nthreads", self.refused(NIGHT, 2, word))

    def test_mistakes_are_told_with_their_places(self):
        said = self.refused("varmail time=0\nnfiles=3\n\n  oltp x\n")
        self.assertEqual([line.split(" error: ")[0] for line in said.splitlines()],
                         ["night.suite:1:9:", "night.suite:2:1:", "night.suite:4:8:"])
        said = self.refused("varmal time=1\nvarmail nfile=3 time=1\n mine.f size=x\n./none.f\n")
        self.assertIn("night.suite:1:1: error: varmal: no such workload", said)
        self.assertIn("did you mean varmail", said)
        self.assertIn("night.suite:2:9: error: nfile=3", said)
        self.assertIn("did you mean nfiles", said)
        self.assertIn("night.suite:3:2: error: mine.f cannot be run as this line asks", said)
        self.assertIn("night.suite:4:1: error: ./none.f", said)
        self.assertIn("nothing to run", self.refused("# none\n"))
        said = self.refused("varmail warmup=20m time=1\n", 2, "--until-steady", "5%")
        self.assertIn("night.suite:1:1: error: warmup: a time up to that of --max-warmup", said)

    def test_sets_of_all_lines_are_in_memory_together(self):
        line = "varmail nfiles=100000 time=0.1s\n"
        self.suite.write_text(line)
        self.dry("--max-memory", "3m")
        said = self.refused(line * 4, 2, "--max-memory", "3m")
        self.assertRegex(said, r"the names of bigfileset take .* are left of --max-memory")
        self.assertNotIn("night.suite:1:", said)
        self.assertIn("night.suite:4:1: error: varmail cannot be run", said)

    def test_files_cannot_be_kept(self):
        self.assertIn("kept", self.fails(1, "run", self.suite, self.target, "--keep", "--db",
                                         self.db).stderr)
        self.assertEqual(self.left_on_target(), [])

    def test_a_dry_run_shows_every_line_and_touches_nothing(self):
        shown = self.dry()
        for name in ("varmail", "varmail (2)", "mine"):
            self.assertIn(name, shown)
        self.assertEqual(self.left_on_target(), [])

    def test_files_lie_beside_the_suite_and_not_where_one_stands(self):
        (self.room / "sub").mkdir()
        (self.room / "sub" / "mine.f").write_text("quit\n")
        self.suite.write_text("mine time=0.1s\nmine.f time=0.1s\n./mine.f time=0.1s\n")
        self.go(cwd=self.room / "sub")
        self.assertEqual(self.options("workload"), ["mine", "mine (2)", "mine (3)"])

    def test_what_is_written_counts_repeats(self):
        self.suite.write_text("varmail nfiles=100 filesize=4k time=0.1s repeat=3\n"
                              "varmail nfiles=100 filesize=4k time=0.1s\n")
        self.assertIn("lays out 1.25 MiB in all, at most 320 KiB in 80 files at once", self.go().stderr)

    def test_shipped_ones_are_listed_and_shown(self):
        self.assertRegex(self.ok("workloads").stdout, r"(?m)^array-test +the array test of 2008")
        shown = self.ok("workloads", "show", "array-test").stdout
        self.assertIn("varmail-2008      time=300s repeat=3 dialect=sun", shown)
        self.assertEqual(self.ok("workloads", self.suite).stdout, NIGHT)
        copy = self.room / "array-test.suite"
        copy.write_text(shown)
        self.assertEqual(self.ok("run", copy, self.target, "--dry-run").stdout,
                         self.ok("array-test", self.target, "--dry-run").stdout)


if __name__ == "__main__":
    unittest.main()
