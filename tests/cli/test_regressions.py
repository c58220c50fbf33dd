#!/usr/bin/python3
"""What went wrong with workload files elsewhere, and what holds it here. Numbers are those of
github.com/filebench/filebench; a name without a file is a test below.

facts worth keeping                held by
  implicit open counts             test_flowops an_implicit_open_is_one_op_more
  2.5 MiB are not 3                test_flowops a_whole_file_is_one_sample_and_exact
  finishoncount totals             test_flowops finishoncount_counts_every_flowop_of_the_process
  flowops of one name              test_flowops flowops_of_one_name_and_type_are_one_line
  prealloc=80                      a_share_of_the_files_is_there
  40 entries, width 4, gamma 0     forty_entries_of_width_four_are_ten_directories
  index mapping                    an_index_is_a_number_of_a_file
  out of files in each mode        test_flowops a_set_that_runs_out_ends_a_run_as_its_mode_says
  32 threads on one file           test_flowops more_threads_than_files_wait_for_their_turn
  empty file read                  test_flowops an_empty_file_is_read_in_one_op_of_nothing
  CRLF                             lines_may_end_as_on_windows
  keyword as value                 keywords_are_values

reports
  60 110 163 112 114 156           every run: nothing here depends on where memory lies;
                                   a_set_without_a_width_runs
  128 166 (failing worker)         test_flowops opening_twice_ends_the_run_and_is_said
  24 25 (semaphores)               a_partner_that_is_gone_ends_the_run, test_shipped (oltp)
  88 89 (finishon with alldone)    each_thread_ends_at_its_own_count
  122 157 164 (finishoncount)      fileserver_ends_after_a_number_of_operations
  125                              test_flowops more_threads_than_files_wait_for_their_turn
  131                              reading_whole_files_goes_on_until_the_time_is_over
  127 59 (reuse, trusttree)        trusted_trees_exist_without_prealloc, short_names_are_reused
  132                              directories_run_out_with_results
  90 99 (millions of files)        a_million_files_are_run_at_once
  147                              test_shipped (tpcso)
  123 (useism)                     test_shipped (oltp)
  97 (rate=0 spins)                no_rate_takes_no_processor
  152 (reads from the cache)       what_was_just_written_is_said_to_be_read_from_memory
  153                              direct_appends_have_sizes_that_can_be
  62 (device cannot be closed)     test_device it_is_synced_closed_and_opened_again
  98                               forty_entries_of_width_four_are_ten_directories
  146                              a_width_of_one_is_no_endless_tree
  118 (ratio of reads to writes)   iters_are_the_ratio_of_reads_to_writes
  92 (seed)                        a_seed_is_a_tree
  33 61 (offset, truncate)         wishes that no release granted: not in the language
  91 111 133 136 141               test_shipped, golden wml/old_words old_attributes randvar
  130 142                          test_run a_file_without_a_run_is_given_one
  95                               environment_variables_are_read
  32                               test_run variables_of_the_command_line_win
  28 31                            parentheses_and_digits_are_no_trouble
  96 100 101                       small_latencies_are_not_nothing
  158                              test_run text_names_what_was_measured, golden report/run_*
  82 119                           golden wml/multi
  46 47 (urandom for each I/O)     a_source_of_randomness_costs_nothing
  109                              test_shipped (cvar_example): the types are built in"""
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

import util

FILES = "define fileset name=data,path=$dir,entries=20,dirwidth=5,size=8k,prealloc\n"


def threads(*bodies, instances=1):
    return "define process name=p {\n" + "".join(
        f"thread name=t{i},instances={instances} {{\n{body}\n}}\n" for i, body in enumerate(bodies)) + "}\n"


READ_ALL = threads("""
    flowop openfile name=o,filename=data,fd=1
    flowop readwholefile name=r,fd=1,iosize=4k
    flowop closefile name=c,fd=1""")


class Table(unittest.TestCase):
    def test_it_names_tests_that_there_are(self):
        there = "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("test_*.py"))
        named = re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+){2,}", __doc__)
        self.assertGreater(len(named), 30)
        self.assertEqual([name for name in named if f"def test_{name}(" not in there], [])


class Regressions(util.Case):
    def go(self, workload, *more, status=0, target=None, **how):
        path = self.room / "case.f"
        path.write_bytes(workload.encode())
        return self.fails(status, "run", path, target or self.target, "--db", self.db, *more, **how)

    def result(self, workload, *more, **how):
        result, = json.loads(self.go(workload, "--format", "json", *more, **how).stdout)
        return result

    def ops(self, workload, *more, **how):
        result = self.result(workload, *more, **how)
        return {line["name"]: line["derived"]["samples"] for line in result["lines"]}

    def tree(self, workload, *more):
        """The files that are there before anything is run: directories and names, sizes."""
        self.go(workload + threads("flowop statfile name=s,filename=data"), "--keep", "--time",
                "0.1s", *more)
        tops = [path for path in self.target.rglob("data") if path.is_dir()]
        self.assertEqual(len(tops), 1)
        found = {str(path.relative_to(tops[0])): path.stat().st_size
                 for path in tops[0].rglob("*") if path.is_file() and path.name.isdigit()}
        self.ok("clean", self.target, "--kept")
        return found

    # ---- trees ----

    def test_a_share_of_the_files_is_there(self):
        found = self.tree(FILES.replace("entries=20", "entries=2000").replace("prealloc",
                                                                              "prealloc=80"))
        # Six times the deviation of 2000 draws.
        self.assertTrue(1600 - 107 < len(found) < 1600 + 107, len(found))

    def test_forty_entries_of_width_four_are_ten_directories(self):
        found = self.tree("define fileset name=data,path=$dir,entries=40,dirwidth=4,dirgamma=0,"
                          "size=1k,prealloc\n")
        self.assertEqual(sorted(found), [f"{d:08}/{f:08}" for d in range(1, 11)
                                         for f in range(1, 5)])

    def test_a_seed_is_a_tree(self):
        drawn = "set $size=cvar(type=cvar-gamma,parameters=mean:4096;gamma:1.5)\n" \
                "define fileset name=data,path=$dir,entries=200,dirwidth=5,size=$size,prealloc=50\n"
        first = self.tree(drawn, "--seed", 7)
        self.assertGreater(len(set(first.values())), 10)
        self.assertEqual(self.tree(drawn, "--seed", 7), first)
        self.assertNotEqual(self.tree(drawn, "--seed", 8), first)

    def test_a_set_without_a_width_runs(self):
        self.assertGreater(self.ops(FILES.replace("dirwidth=5,", "") + READ_ALL, "--time",
                                    "0.1s")["r"], 0)

    def test_a_width_of_one_is_no_endless_tree(self):
        found = self.tree(FILES.replace("dirwidth=5", "dirwidth=1"))
        self.assertEqual(len(found), 20)

    def listed(self, *names):
        """A tree that is there already, as filebench would have made it."""
        for name in names:
            path = self.target / name / "00000001"
            path.mkdir(parents=True)
            for number in range(1, 4):
                (path / f"{number:08}").write_bytes(b"x" * 8192)

    def test_trusted_trees_exist_without_prealloc(self):
        for how in ("reuse", "trusttree"):
            with self.subTest(how):
                self.listed(f"by-{how}")
                text = f"define fileset name=by-{how},path=$dir,entries=3,dirwidth=5,size=8k,{how}\n"
                ops = self.ops(text + READ_ALL.replace("=data", f"=by-{how}"), "--time", "0.1s")
                self.assertGreater(ops["r"], 3)

    def test_short_names_are_reused(self):
        self.listed("a/b")
        before = self.left_on_target()
        result = self.result("define fileset name=b,path=$dir/a,entries=3,dirwidth=5,size=8k,"
                             "prealloc,reuse\n" + READ_ALL.replace("=data", "=b"), "--time", "0.1s")
        self.assertEqual(util.option(result, "reused_files"), "yes")
        self.assertEqual(self.left_on_target(), before)

    def test_a_million_files_are_run_at_once(self):
        text = "define fileset name=data,path=$dir,entries=1500000,dirwidth=1000,size=16k,prealloc\n"
        ops = self.ops(text + threads("""
            flowop read name=r,filename=data,iosize=4k,random,opennext
            flowop statfile name=s,filename=data""", instances=4), "--time", "0.2s", target="null:")
        self.assertGreater(ops["r"], 128)

    # ---- the text ----

    def test_lines_may_end_as_on_windows(self):
        done = self.go((FILES + READ_ALL + "run 1\n").replace("\n", "\r\n"), "--time", "0.1s")
        self.assertNotIn("warning", done.stderr)

    def test_keywords_are_values(self):
        self.ops(FILES.replace("name=data", "name=file") +
                 READ_ALL.replace("=data", "=file").replace("name=p ", 'name="random" ')
                 .replace("name=t0", "name=in"), "--time", "0.1s")

    def test_environment_variables_are_read(self):
        text = FILES.replace("entries=20", "entries=$(HOW_MANY)") + READ_ALL
        done = self.go(text, "--time", "0.1s", env={**os.environ, "HOW_MANY": "7"})
        self.assertIn("data populated: 7 files", done.stderr)

    def test_parentheses_and_digits_are_no_trouble(self):
        text = 'usage "Time per op ( in ms ) and (more"\n' + FILES.replace("data", "1data2")
        self.ops(text.replace("name=1", 'name="1').replace("2,", '2",') +
                 READ_ALL.replace("=data", '="1data2"'), "--time", "0.1s")

    # ---- how runs go on, and end ----

    def test_an_index_is_a_number_of_a_file(self):
        text = FILES.replace("entries=20", "entries=4,dirgamma=0")
        ops = self.ops(text + threads("""
            flowop deletefile name=d,filename=data,indexed=6
            flowop statfile name=s,filename=data
            flowop finishoncount name=f,value=1,target=d""") + "run 30\n", "--dialect", "1.5", "--keep")
        self.assertEqual(ops["d"], 1)
        # Of the four the third is gone: 6 is 2 of them, counted on from 0.
        self.assertEqual(sorted(p.name for p in self.target.rglob("0000000?") if p.is_file()),
                         ["00000001", "00000002", "00000004"])

    def test_reading_whole_files_goes_on_until_the_time_is_over(self):
        result = self.result(FILES + threads(
            "flowop readwholefile name=r,filename=data,iosize=4k"), "--time", "0.3s")
        self.assertEqual(util.option(result, "ended"), "time")
        self.assertGreater(result["lines"][0]["derived"]["samples"], 20)

    def test_each_thread_ends_at_its_own_count(self):
        for mode in ("alldone", "timeout"):
            with self.subTest(mode):
                ops = self.ops(f"set mode quit {mode}\n" + FILES + threads("""
                    flowop statfile name=a,filename=data
                    flowop finishoncount name=fa,value=10,target=a""", """
                    flowop statfile name=b,filename=data
                    flowop finishoncount name=fb,value=5000,target=b""") + "run 30\n")
                self.assertEqual((ops["a"], ops["b"]), (10, 5000))

    def test_fileserver_ends_after_a_number_of_operations(self):
        shipped = pathlib.Path(os.environ["SOURCE_DIR"]) / "workloads" / "fileserver.f"
        text = "set mode quit alldone\n" + shipped.read_text()
        last = re.findall(r".*flowop statfile.*\n", text)[-1]
        text = text.replace(last, last + "flowop finishoncount name=f,value=300,target=stat5\n")
        result = self.result(text, "nfiles=200", "nthreads=2", "--time", "60s")
        self.assertEqual(util.option(result, "ended"), "done")
        ops = {line["name"]: line["derived"]["samples"] for line in result["lines"]}
        self.assertEqual(ops["stat5"], 600)

    def test_directories_run_out_with_results(self):
        text = "define fileset name=data,path=$dir,leafdirs=30,dirwidth=5\n"
        ops = self.ops(text + threads("flowop makedir name=m,filename=data") + "run 30\n", status=3)
        self.assertEqual(ops["m"], 30)

    def test_a_partner_that_is_gone_ends_the_run(self):
        """What was wrong: an operation was said to hang, and files were left for it."""
        done = self.go("set mode quit alldone\n" + FILES + threads("""
            flowop semblock name=waiting,value=1,highwater=1
            """, """
            flowop sempost name=post,value=1,target=waiting
            flowop finishoncount name=f,value=5,target=post"""), "--stall", "20s", status=3)
        self.assertIn("nobody is left to end the wait of semblock waiting", done.stdout)
        self.assertRegex(done.stdout, r"it ended because nothing\s+moved\s+any\s+more")
        self.assertNotIn("hangs", done.stderr)
        self.assertEqual(self.left_on_target(), [])

    def test_no_rate_takes_no_processor(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.ops("eventgen rate=0\n" + FILES + threads("""
            flowop statfile name=s,filename=data
            flowop eventlimit name=l
            flowop delay name=d,value=2"""), "--time", "2s", "--quiet")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Of a processor's time, which is not that of the clock on the wall.
        self.assertLess(after.ru_utime - before.ru_utime, 1)

    def test_a_source_of_randomness_costs_nothing(self):
        text = "set $size=randvar(type=uniform,randsrc=urandom,min=1k,mean=2k)\n" + FILES + threads(
            "flowop write name=w,filename=data,iosize=$size,random")
        with tempfile.NamedTemporaryFile(dir=self.room) as trace:
            path = self.room / "case.f"
            path.write_text(text)
            subprocess.run(["strace", "-f", "-o", trace.name, "-e", "trace=openat,getrandom",
                            util.PROGRAM, "run", path, self.target, "--time", "0.3s", "--db",
                            self.db, "--quiet"], check=True, capture_output=True,
                           # Leaks cannot be looked for in a process that is traced.
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
            calls = pathlib.Path(trace.name).read_text()
        self.assertLess(len(re.findall(r"getrandom\(|/dev/u?random", calls)), 20)

    # ---- data ----

    def test_direct_appends_have_sizes_that_can_be(self):
        result = self.result("define file name=log,path=$dir,size=0,prealloc\n" + threads("""
            flowop appendfilerand name=a,filename=log,iosize=8k,directio
            flowop finishoncount name=f,value=200,target=a"""))
        self.assertEqual(result["errors"], [])
        self.assertEqual(int(result["lines"][0]["bytes"]) % 512, 0)

    def test_iters_are_the_ratio_of_reads_to_writes(self):
        ops = self.ops(FILES + threads("""
            flowop openfile name=o,filename=data,fd=1
            flowop read name=r,fd=1,iosize=1k,random,iters=7
            flowop write name=w,fd=1,iosize=1k,random,iters=3
            flowop closefile name=c,fd=1
            flowop finishoncount name=f,value=100,target=c"""))
        self.assertEqual((ops["r"], ops["w"]), (700, 300))

    def test_what_was_just_written_is_said_to_be_read_from_memory(self):
        out = self.go(FILES.replace("prealloc", "prealloc=0") + threads("""
            flowop createfile name=c,filename=data,fd=1
            flowop writewholefile name=w,fd=1,iosize=8k
            flowop readwholefile name=r,fd=1,iosize=8k
            flowop closefile name=x,fd=1
            flowop deletefile name=d,filename=data,fd=1"""), "--time", "0.3s").stdout
        self.assertRegex(out, r"cache proof +share from this machine's memory: 100%")

    def test_small_latencies_are_not_nothing(self):
        result = self.result(FILES + READ_ALL, "--time", "0.2s")
        for line in result["lines"]:
            self.assertGreater(line["derived"]["service"]["p50_ns"], 0, line["name"])


if __name__ == "__main__":
    unittest.main()
