#!/usr/bin/python3
"""Workload files end to end: what is run, printed, refused, kept and left."""
import json
import os
import pathlib
import re
import signal
import tempfile
import unittest

import util

READER = """set $dir=/tmp
set $nfiles=40
define fileset name=set1,path=$dir,size=8k,entries=$nfiles,dirwidth=4,prealloc
define process name=reader,instances=1
{
  thread name=readers,instances=2
  {
    flowop openfile name=open1,filesetname=set1,fd=1
    flowop readwholefile name=read1,fd=1,iosize=4k
    flowop closefile name=close1,fd=1
  }
}
echo "Reads $nfiles files"
run 1
"""

DELETER = """define fileset name=set1,path=$dir,size=1k,entries=20,dirwidth=4,prealloc
define process name=deleter,instances=1
{
  thread name=t,instances=1
  {
    flowop deletefile name=delete1,filesetname=set1
  }
}
"""


class Run(util.Case):
    def workload(self, text, name="mine.f"):
        path = self.room / name
        path.write_text(text)
        return path

    def go(self, text, *more, status=0, target=None):
        args = ["run", self.workload(text), target or self.target, "--db", self.db, *more]
        return self.fails(status, *args)

    def result(self, text, *more, **how):
        return json.loads(self.go(text, "--format", "json", *more, **how).stdout)

    def test_text_names_what_was_measured(self):
        done = self.go(READER, "--time", "0.3s")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        for word in ("mine", "read1", "close1", "all I/O", "p50", "p99.9", "MiB/s", "nfiles=40",
                     "by the rule of 2008", "CPU an op"):
            self.assertIn(word, done.stdout)
        self.assertIn("Reads 40 files", done.stderr)
        self.assertRegex(done.stderr, rf"(?m)^study \w+: loadline run mine {self.target}$")
        self.assertIn("set1 populated: 40 files, avg. dir. width = 4", done.stderr)
        self.assertNotIn("ERR", done.stdout)
        self.assertEqual(self.left_on_target(), [])

    def test_lines_are_flowops(self):
        document, = self.result(READER, "--time", "0.3s")
        lines = {line["name"]: line for line in document["lines"]}
        self.assertEqual([line["op"] for line in document["lines"]],
                         ["openfile", "readwholefile", "closefile"])
        self.assertEqual(document["study"], "run")
        self.assertGreater(lines["read1"]["ops"], 0)
        self.assertEqual(int(document["bytes"]), int(lines["read1"]["bytes"]))
        self.assertEqual(util.option(document, "ended"), "time")
        self.assertEqual(document["state"], "complete")
        self.assertEqual(document["errors"], [])
        self.assertIn("machine_cpu_ns", json.dumps(document["counters"]))

    def test_variables_of_the_command_line_win(self):
        for words in (["nfiles=12"], ["--set", "nfiles=12"], ["$nfiles=12"]):
            done = self.go(READER, *words, "--time", "0.1s", "--format", "json")
            document, = json.loads(done.stdout)
            self.assertEqual(util.option(document, "var_nfiles"), "12")
            self.assertIn("Reads 12 files", done.stderr)
            self.assertIn("set1 populated: 12 files", done.stderr)

    def test_a_file_without_a_run_is_given_one(self):
        text = READER.replace("run 1\n", "")
        document, = self.result(text, "--time", "0.2s")
        self.assertEqual(util.option(document, "time_ns"), "200000000")

    def test_runs_of_one_file_are_results_of_one_study(self):
        text = READER.replace("run 1", "run 1\nrun 1")
        documents = self.result(text, "--time", "0.1s", "--repeat", "2")
        self.assertEqual([util.option(d, "script_run") for d in documents], list("1212"))
        self.assertEqual([util.option(d, "repeat") for d in documents], list("1122"))
        self.assertEqual(len({d["study_id"] for d in documents}), 1)

    def test_what_is_wrong_is_told_with_its_place(self):
        done = self.go("set $x=1\ndefine fileset nam=x\nset $y=\n", status=2)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"(?m)^\S+/mine\.f:2:\d+: error: ")
        self.assertEqual(self.left_on_target(), [])

    def test_mistakes_of_the_command_line_are_usage(self):
        for words, said in ((["nfiles"], "nfiles: sets no variable, as NAME=VALUE does"),
                            (["=3"], "=3: sets no variable"),
                            (["--set", "a b=3"], "a b=3: sets no variable"),
                            (["--max-warmup", "5s"], "--max-warmup is the end of --until-steady"),
                            (["--dialect", "2.0"], "--dialect 2.0: auto, sun, 1.4 or 1.5"),
                            (["--filebench", "--format", "json"],
                             "--filebench is a form of its own: without --format"),
                            (["--repeat", "0"], "--repeat 0: a whole number from 1 to 1000")):
            self.assertIn(said, self.go(READER, *words, status=1).stderr)
        self.assertIn("a workload and a target are needed", self.fails(1, "run", "x").stderr)

    def test_unknown_workloads(self):
        done = self.fails(2, "run", "nonesuch", self.target, "--db", self.db)
        self.assertIn("nonesuch: no such workload, nor a file of that name", done.stderr)
        done = self.fails(2, "run", "./nonesuch.f", self.target, "--db", self.db)
        self.assertIn("./nonesuch.f: ", done.stderr)

    def test_a_dry_run_touches_nothing(self):
        path = self.workload(READER)
        before = self.ok("run", path, self.target, "--dry-run", "--db", self.new_db).stdout
        self.assertIn("make set 0", before)
        self.assertEqual(self.left_on_target(), [])
        self.assertFalse(self.new_db.exists())
        self.assertEqual(self.ok("run", path, self.target, "--dry-run").stdout, before)

    def test_a_fileset_that_runs_out_marks_the_run(self):
        done = self.go(DELETER + "run 30\n", "--format", "json", status=3)
        document, = json.loads(done.stdout)
        self.assertEqual(document["state"], "incomplete")
        self.assertIn("set1", document["reason"])
        self.assertEqual(util.option(document, "ended"), "ran out")
        self.assertEqual(int(document["lines"][0]["ops"]), 20)
        self.assertEqual(self.left_on_target(), [])

    def test_firstdone_ends_with_an_answer(self):
        document, = self.result("set mode quit firstdone\n" + DELETER + "run\n")
        self.assertEqual(document["state"], "complete")
        self.assertEqual(util.option(document, "ended"), "done")
        self.assertEqual(util.option(document, "mode"), "firstdone")

    def test_shell_commands_need_permission(self):
        text = 'system "echo from the shell"\nsystem "exit 7"\n' + READER
        done = self.go(text, "--time", "0.1s", status=2)
        self.assertIn("--allow-system", done.stderr)
        done = self.go(text, "--time", "0.1s", "--allow-system")
        self.assertIn("from the shell", done.stderr)
        self.assertNotIn("from the shell", done.stdout)
        self.assertIn('"exit 7" ended with status 7', done.stderr)

    # As programs that read filebench's output have it, of 1.5 and of 1.4.
    PER_FLOWOP = {
        "1.5": r"^(\S+) +(\d+)ops +(\d+)ops/s +([\d.]+)mb/s +([\d.]+)ms/op "
               r"\[([\d.]+)ms - +([\d.]+)ms\]$",
        "1.4": r"^(\S+) +(\d+)ops +(\d+)ops/s +([\d.]+)mb/s +([\d.]+)ms/op +\d+us/op-cpu "
               r"\[(\d+)ms - (\d+)ms\]$"}
    SUMMARY = {
        "1.5": r"^([\d.]+): IO Summary: +(\d+) ops ([\d.]+) ops/s (\d+)/(\d+) rd/wr +([\d.]+)mb/s "
               r"+([\d.]+)ms/op$",
        "1.4": r"^([\d.]+): IO Summary: +(\d+) ops, ([\d.]+) ops/s, \((\d+)/(\d+) r/w\), "
               r"+([\d.]+)mb/s, +\d+us cpu/op, +([\d.]+)ms latency$"}

    def test_other_programs_read_the_lines_of_filebench(self):
        for dialect in ("1.5", "1.4"):
            with self.subTest(dialect):
                out = self.go(READER, "--time", "0.3s", "--filebench", "--dialect", dialect,
                              "--label", dialect).stdout
                document, = json.loads(self.ok("show", dialect, "--db", self.db, "--format",
                                               "json").stdout)
                lines = {line["name"]: line for line in document["lines"]}
                rows = re.findall(self.PER_FLOWOP[dialect], out, re.M)
                self.assertEqual([row[0] for row in rows], ["close1", "read1", "open1"])
                for name, ops, rate, mib, *_ in rows:
                    self.assertEqual(int(ops), lines[name]["derived"]["samples"])
                    self.assertAlmostEqual(int(rate), int(ops) / 0.3, delta=1)
                    self.assertAlmostEqual(float(mib), int(lines[name]["bytes"]) / 2**20 / 0.3,
                                           delta=4)  # 1.4 counts whole MiB
                (_, ops, rate, reads, writes, _, _), = re.findall(self.SUMMARY[dialect], out, re.M)
                self.assertEqual(int(ops), sum(int(row[1]) for row in rows))
                self.assertAlmostEqual(float(rate), int(ops) / 0.3, delta=1)
                self.assertAlmostEqual(int(reads), int(rows[1][1]) / 0.3, delta=1)
                self.assertEqual(writes, "0")

    def test_times_of_filebench_lines_go_on(self):
        """What was wrong: those of reports began anew with the run."""
        text = READER.replace("run 1\n", "psrun -1 2\n")
        out = self.go(text, "--filebench").stdout
        times = [float(at) for at in re.findall(r"(?m)^(\d+\.\d{3}): ", out)]
        self.assertEqual(times, sorted(times))
        self.assertGreater(len(times), 6)

    def test_a_histogram_stands_behind_each_flowop(self):
        out = self.go("enable lathist\n" + READER, "--time", "0.2s", "--filebench").stdout
        found = re.findall(r"(?m)^(\S+) +(\d+)ops.*\]\t\[ ((?:\d+ ){64})\]$", out)
        self.assertEqual([name for name, *_ in found], ["close1", "read1", "open1"])
        for _, ops, counts in found:
            self.assertEqual(sum(map(int, counts.split())), int(ops))

    def test_periods_say_of_when_they_are(self):
        for period in ("1", "-1"):
            out = self.go(READER.replace("run 1\n", f"psrun {period} 4\n")).stdout
            begun, ended = zip(*re.findall(r"(?m)^from (.*) to (.*)$", out))
            self.assertEqual(begun[0], "0 ns")
            self.assertGreater(len(begun), 1)
            self.assertEqual(begun[1:], ended[:-1] if period == "-1" else begun[:1] * len(begun[1:]))

    def test_periods_begin_where_the_warm_up_ended(self):
        """What was wrong: with --until-steady they began where its shortest would have ended."""
        out = self.go(READER.replace("run 1\n", "psrun 1 2\n"), "--until-steady", "0.1", "--warmup",
                      "0.2s", "--max-warmup", "1.2s", "--wide").stdout
        begun = re.findall(r"(?m)^from (.*) to .*$", out)
        opened, = re.findall(r"after (\S+ \S+) of warm-up", out)
        self.assertEqual(set(begun), {opened})

    def test_whether_it_was_steady_is_said(self):
        asked = ("--until-steady", "--warmup", "0.1s", "--max-warmup", "0.6s", "--time", "0.2s")
        done = self.go(READER, asked[0], "0.1", *asked[1:])
        self.assertRegex(done.stdout, r"(?m)^steady +(no: not )?within 0\.1% ")
        self.assertEqual("no: not" in done.stdout, "was not steady" in done.stderr)
        done = self.go(READER, asked[0], "100", *asked[1:])
        self.assertRegex(done.stdout, r"(?m)^steady +(no: not )?within 100% ")

    def test_a_warm_up_does_not_count(self):
        document, = self.result(READER, "--warmup", "0.3s", "--time", "0.2s")
        self.assertEqual(int(document["window_open_ns"]), 300000000)
        self.assertEqual(int(document["window_close_ns"]), 500000000)

    def test_filebench_lines(self):
        out = self.go(READER, "--time", "0.2s", "--filebench").stdout
        self.assertRegex(out, r"(?m)^\d+\.\d{3}: Reads 40 files$")
        self.assertRegex(out, r"(?m)^\d+\.\d{3}: Running\.\.\.$")
        self.assertRegex(out, r"(?m)^read1 +\d+ops +\d+ops/s +[\d.]+mb/s +[\d.]+ms/op \[")
        self.assertRegex(out, r"(?m)^[\d.]+: IO Summary: +\d+ ops [\d.]+ ops/s \d+/0 rd/wr "
                              r"+[\d.]+mb/s +[\d.]+ms/op$")

    def test_periodic_reports(self):
        out = self.go(READER.replace("run 1\n", "psrun 1 2\n"), "--filebench").stdout
        self.assertGreaterEqual(out.count("IO Summary"), 2)
        self.assertEqual(out.count("Run took"), 1)

    def ops_of_reports(self, period):
        out = self.go(READER.replace("run 1\n", f"psrun {period} 3\n"), "--filebench").stdout
        return [int(n) for n in re.findall(r"IO Summary: +(\d+) ops", out)]

    def test_periodic_reports_go_on_or_begin_anew(self):
        *rising, whole = self.ops_of_reports(1)
        self.assertEqual(rising, sorted(rising))
        self.assertLessEqual(rising[-1], whole)
        *anew, whole = self.ops_of_reports(-1)
        self.assertLessEqual(sum(anew), whole)

    def test_loads_are_found_beside_the_file(self):
        self.workload(READER.replace("run 1\n", ""), "part.f")
        document, = self.result("load part\nset $nfiles=9\nrun 1\n", "--time", "0.1s")
        self.assertEqual(util.option(document, "var_nfiles"), "9")

    def test_kept_files_are_used_again(self):
        self.go(READER, "--time", "0.1s", "--keep")
        before = self.left_on_target()
        self.assertEqual(sum(path.is_file() and path.name.startswith("0")
                             for path in self.target.rglob("*")), 40)
        document, = self.result(READER, "--time", "0.1s")
        self.assertEqual(util.option(document, "reused_files"), "yes")
        self.assertEqual(self.left_on_target(), before)
        self.ok("clean", self.target, "--kept")
        self.assertEqual(self.left_on_target(), [])

    def make_tree(self):
        for number in range(1, 4):
            path = self.target / "set1" / "00000001" / f"{number:08}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x" * 8192)
        return self.left_on_target()

    def test_trees_of_others_are_read_and_left(self):
        before = self.make_tree()
        text = READER.replace("prealloc", "prealloc,reuse")
        document, = self.result(text, "--time", "0.1s")
        self.assertEqual(util.option(document, "reused_files"), "yes")
        self.assertEqual(document["errors"], [])
        self.assertEqual(self.left_on_target(), before)

    def test_trees_of_others_are_written_to_only_when_asked(self):
        before = self.make_tree()
        text = DELETER.replace("prealloc", "prealloc,reuse") + "run 5\n"
        self.assertIn("--adopt", self.go(text, status=2).stderr)
        self.assertEqual(self.left_on_target(), before)
        self.go(text, "--adopt", status=3)
        self.assertEqual(self.left_on_target(), ["set1", "set1/00000001"])

    def test_each_repeat_in_a_tree_of_others_finds_all_its_files(self):
        self.make_tree()
        text = DELETER.replace("prealloc", "prealloc,reuse") + "run 5\n"
        done = self.go(text, "--adopt", "--repeat", "2", "--format", "json", status=3)
        for document in json.loads(done.stdout):
            self.assertEqual(document["errors"], [])
        self.assertRegex(done.stderr, r"set1: 0 files kept, 3 made, 0 cut, 0 written anew, 0 removed")

    def test_what_a_run_did_to_kept_files_is_undone_before_the_next(self):
        text = """
            define fileset name=set1,path=$dir,entries=20,leafdirs=6,dirwidth=4,size=1k,prealloc=50
            define process name=p { thread name=t {
            flowop createfile name=c,filesetname=set1,fd=1
            flowop closefile name=x,fd=1
            flowop removedir name=r,filesetname=set1
            flowop finishoncount name=f,value=2,target=r } }
            run 30
            """
        first, = self.result(text, "--keep")
        again = self.go(text, "--format", "json")
        document, = json.loads(again.stdout)
        self.assertRegex(again.stderr, r" 0 made, 0 cut, 0 written anew, 2 removed; "
                                       r"2 directories made, 0 removed")
        self.assertEqual(document["errors"], [])
        self.assertEqual([line["derived"]["samples"] for line in document["lines"]],
                         [line["derived"]["samples"] for line in first["lines"]])

    def test_a_file_that_is_gone_cannot_be_deleted(self):
        text = """
            define fileset name=set1,path=$dir,entries=5,dirwidth=5,size=1k,prealloc
            define process name=p { thread name=t {
            flowop deletefile name=d,filesetname=set1
            flowop finishoncount name=f,value=5,target=d } }
            create files
            system "rm -r $dir/loadline-*/files/set1"
            run 1
            """
        done = self.go(text, "--allow-system", "--format", "json", status=3)
        document, = json.loads(done.stdout)
        self.assertEqual([(e["op"], e["code"]) for e in document["errors"]], [("unlink", "ENOENT")])

    def test_a_tree_that_is_gone_is_named_as_the_cause(self):
        text = """
            define fileset name=set1,path=$dir,entries=5,dirwidth=5,size=1k,prealloc
            define process name=p { thread name=t {
            flowop openfile name=o,filesetname=set1,fd=1
            flowop readwholefile name=r,fd=1
            flowop closefile name=x,fd=1 } }
            create files
            system "rm -r $dir/loadline-*/files/set1"
            run 1
            """
        done = self.go(text, "--allow-system", "--format", "json", status=3)
        document, = json.loads(done.stdout)
        for words in (done.stderr, document["reason"]):
            self.assertRegex(words, r"on fd 1.*; the first error was o: open of .*/set1/.*: ENOENT")
        self.assertNotIn("1 error, the first: flowop", done.stderr)

    def test_files_below_a_page_are_no_proof_whatever_else_is_there(self):
        """A file of 100 bytes comes as a page: more is read from the device than was asked for."""
        text = """
            define fileset name=small,path=$dir,entries=20,dirwidth=4,size=100,prealloc
            define fileset name=large,path=$dir,entries=2,dirwidth=4,size=1m,prealloc
            define process name=p { thread name=t {
            flowop openfile name=o,filesetname=%s,fd=1
            flowop statfile name=s,filesetname=large
            flowop readwholefile name=r,fd=1,iosize=4k
            flowop closefile name=c,fd=1
            flowop finishoncount name=f,value=10,target=r } }
            run 1
            """
        place = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(place.cleanup)
        large, = self.result(text % "large", "--client-cache", "drop", target=place.name)
        if large["cache"]["device_known"]:  # the file system has a device that is counted
            small, = self.result(text % "small", "--client-cache", "drop", target=place.name)
            self.assertFalse(small["cache"]["device_known"])

    def test_shown_compared_and_followed(self):
        first = self.go(READER, "--time", "0.3s", "--repeat", "2", "--label", "old")
        self.go(READER, "--time", "0.3s", "--repeat", "2", "--label", "new")
        self.assertEqual(self.ok("show", "old", "--db", self.db).stdout, first.stdout)
        compared = util.run("compare", "old", "new", "--db", self.db).stdout
        self.assertIn("mine read1", compared)
        self.assertIn("ops/s", compared)
        followed = self.ok("history", "mine", "old", "new", "--db", self.db).stdout
        self.assertIn("ops/s", followed)
        self.ok("baseline", "set", "good", "old", "--db", self.db)
        self.assertIn("run", self.ok("list", "--db", self.db).stdout)

    def test_exported_and_taken_in_elsewhere(self):
        printed = self.go(READER, "--time", "0.2s", "--repeat", "2", "--label", "here").stdout
        file = self.room / "here.json"
        self.ok("export", "here", "--db", self.db, "-o", file)
        self.ok("import", file, "--db", self.new_db)
        self.assertEqual(self.ok("show", "here", "--db", self.new_db).stdout, printed)
        self.assertEqual(self.ok("show", file, "--db", "none").stdout, printed)

    def test_a_stop_leaves_what_was_measured_and_no_files(self):
        process = util.start("run", self.workload(READER), self.target, "--time", "600s", "--db",
                             self.db, "--format", "json")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while "Running..." not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, 3, err)
        document, = json.loads(out)
        self.assertEqual(util.option(document, "ended"), "stopped")
        self.assertEqual(self.left_on_target(), [])

    def test_no_space_in_mid_run_is_told_by_flowop(self):
        text = DELETER.replace("prealloc", "prealloc=0").replace(
            "flowop deletefile name=delete1,filesetname=set1",
            "flowop createfile name=create1,filesetname=set1,fd=1\n"
            "flowop writewholefile name=write1,fd=1,iosize=1k\n"
            "flowop closefile name=close1,fd=1\n"
            "flowop deletefile name=delete1,fd=1,filesetname=set1") + "run 1\n"
        target = f"fault:{self.target}?error=ENOSPC@write:9"
        document, = self.result(text, "--time", "0.2s", status=3, target=target)
        self.assertEqual({(e["flowop"], e["op"], e["code"]) for e in document["errors"]},
                         {("write1", "write", "ENOSPC")})
        done = self.go(text, "--time", "0.2s", status=3, target=target)
        self.assertRegex(done.stderr, r"write1: write of \S+/set1/\S+: ENOSPC")
        self.assertRegex(done.stdout, r"ERR +write1: write ENOSPC: 1 in all; first in run 1 after")

    def test_a_target_that_cannot_be_written_to(self):
        if os.geteuid() == 0:
            done = self.go(READER, status=2, target="/proc")
        else:
            self.target.chmod(0o500)
            done = self.go(READER, status=2)
        self.assertEqual(done.stdout, "")

    def test_workloads_of_ones_own_are_described(self):
        path = self.workload('usage "set $nfiles=N"\n' + READER)
        out = self.ok("workloads", path).stdout
        self.assertIn("nfiles=40", out)
        self.assertIn("set ", out)
        self.assertEqual(self.ok("workloads", path, "--source").stdout, path.read_text())
        self.assertEqual(self.ok("workloads", "show", path).stdout, path.read_text())
        self.fails(1, "workloads", "show")
        self.fails(1, "workloads", path, path)

    def test_shipped_workloads_have_a_line_each(self):
        names = {path.stem for path in self.shipped()}
        listed = self.ok("workloads").stdout.split("\nSuites of them\n")[0]
        self.assertEqual({line.split()[0] for line in listed.splitlines()
                          if not line.startswith(" ")}, names)
        for name in names:
            self.assertRegex(listed, rf"(?m)^{re.escape(name)} +\w")

    @staticmethod
    def shipped():
        return list((pathlib.Path(__file__).parents[2] / "workloads").glob("*.f"))


if __name__ == "__main__":
    unittest.main()
