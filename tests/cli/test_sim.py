#!/usr/bin/python3
"""The model from outside: the same again is the same, it is called a model everywhere, and studies work on it."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import unittest

import util

# docs/results-format.md, "What is the same again".
MEASURED = ("state", "reason", "passes", "elapsed_ns", "window_open_ns", "window_close_ns", "files",
            "bytes", "verified", "arrivals", "unfinished", "lateness", "errors", "target_facts",
            "counters", "calls", "truth", "lines", "series", "streams", "cache")
SERVER = "sim:sun7410-barcelona"
LOCAL = "sim:se6140-2x3r5-fc"
IO = ("--read", "50", "--block", "4k", "--clients", "3", "--streams", "4", "--size", "64m",
      "--time", "100ms", "--warmup", "10ms")
TREE = ("--threads", "2", "--levels", "1", "--branches", "2", "--files", "2", "--repeat", "2",
        "--min-time", "1ms")
README = pathlib.Path(__file__).parents[2] / "README.md"


class Sim(util.Case):
    def documents(self, *args):
        return json.loads(self.ok(*args, "--db", self.db, "--format", "json").stdout)

    def same_again(self, *args):
        once, again = self.documents(*args), self.documents(*args)
        self.assertEqual(len(once), len(again))
        for a, b in zip(once, again):
            for key in MEASURED:
                self.assertEqual(json.dumps(a.get(key)), json.dumps(b.get(key)), key)
        return once

    def test_readme_shows_what_is_printed(self):
        """The table was of a model that had changed since."""
        command, table = re.search(r"\$ loadline (dirtest sim:.*)\n…\n([^`]*)```",
                                   README.read_text()).groups()
        self.assertIn(table, self.ok(*command.split(), "--db", "none").stdout)

    def test_the_same_again_is_the_same_byte_for_byte(self):
        document, = self.same_again("io", SERVER, *IO, "--dist", "zipf:1.1", "--sync", "data")
        self.assertGreater(document["lines"][0]["ops"], 0)
        document, = self.same_again("io", SERVER, *IO, "--rate", "1000/s", "--arrival", "poisson")
        self.assertGreater(document["arrivals"], 0)
        self.same_again("dirtest", "sim:netapp-f840", *TREE, "--lengths", "4k,64k")
        self.same_again("run", "oltp", LOCAL, "--set", "runtime=1")

    @unittest.skipUnless(os.geteuid() == 0, "another machine's name and numbers need root")
    def test_another_machine_says_the_same(self):
        """The marker that is written first held the process's number and the machine's name, and what it took by its
        length was in the measured times."""
        mine = self.documents("io", SERVER, *IO)[0]
        other = "hostname of-a-name-that-is-longer-than-most-of-them; \"$@\""
        done = subprocess.run(["unshare", "--uts", "--pid", "--fork", "sh", "-c", other, "sh",
                               util.PROGRAM, "io", SERVER, *IO, "--db", "none", "--format", "json"],
                              capture_output=True, text=True, check=True)
        theirs = json.loads(done.stdout)[0]
        self.assertNotEqual(theirs["machine"], mine["machine"])
        for key in MEASURED:
            self.assertEqual(json.dumps(mine.get(key)), json.dumps(theirs.get(key)), key)

    def test_another_seed_is_another_run(self):
        lines = {json.dumps(self.documents("io", SERVER, *IO, "--dist", "zipf:1.1", "--seed",
                                           seed)[0]["series"]) for seed in ("1", "2")}
        self.assertEqual(len(lines), 2)

    def test_truth_and_the_servers_times_are_in_the_result(self):
        document, = self.documents("io", SERVER, *IO[2:], "--read", "100")
        truth = {station["name"]: station for station in document["truth"]}
        line, = document["lines"]
        self.assertGreaterEqual(truth["cpu"]["visits"], line["ops"])
        self.assertLessEqual(truth["cpu"]["busy_ns"],
                             truth["cpu"]["servers"] * document["elapsed_ns"])
        self.assertIn("read from dram", [call["name"] for call in document["calls"]])

    def test_it_is_called_a_model_in_every_form(self):
        done = self.ok("io", SERVER, *IO, "--db", self.db)
        self.assertIn("MODELLED: Sun Storage 7410", " ".join(done.stdout.split()))
        self.assertIn("server's time", done.stdout)
        self.assertNotIn("RPC", done.stdout)
        self.assertIn("is a model", done.stderr)
        marked = self.ok("io", SERVER, *IO, "--db", self.db, "--format", "md").stdout
        self.assertIn("MODELLED", marked)
        rows = list(csv.DictReader(io.StringIO(
            self.ok("io", SERVER, *IO, "--db", self.db, "--format", "csv").stdout)))
        self.assertEqual({row["modelled"] for row in rows}, {"sun7410-barcelona"})
        self.assertEqual({row["op"] for row in rows if row["line"].startswith("read from")},
                         {"server"})

    def test_beside_a_system_it_is_not_alike(self):
        self.ok("io", "null:", *IO, "--db", self.db, "--label", "null")
        self.ok("io", SERVER, *IO, "--db", self.db, "--label", "model")
        said = util.run("compare", "null", "model", "--db", self.db).stdout
        self.assertIn("NOT ALIKE B is a model in time of its own, A is not",
                      " ".join(said.split()))

    # What was wrong: 5 runs of each were called "better", and the gate passed.
    def test_no_gate_passes_or_fails_by_a_model(self):
        for target, label in ("null:", "old"), (SERVER, "new"):
            self.ok("io", target, *IO, "--db", self.db, "--label", label, "--repeat", "5")
        for sides in ("old", "new"), ("new", "old"):
            done = self.fails(5, "compare", *sides, "--fail-if", "ops -5%", "--db", self.db)
            self.assertIn("new is a model, old is not", " ".join(done.stdout.split()))
        told = self.ok("history", "read", "--db", self.db).stdout.splitlines()
        self.assertIn("not comparable", [line for line in told if " new " in line][0])

    # What was wrong: nothing that is known was said to differ.
    def test_a_profile_that_was_edited_is_another_system(self):
        path = self.room / "mine.profile"
        for label, cost in ("before", "20us"), ("after", "30us"):
            path.write_text(f"include = nvme-local\n[protocol local]\ncpu.read = {cost}\n")
            self.ok("io", f"sim:{path}", "--read", "100", "--size", "64m", "--time", "10ms",
                    "--warmup", "0", "--db", self.db, "--label", label)
        said = self.ok("compare", "before", "after", "--db", self.db).stdout
        self.assertIn("model_text_hash", said[said.index("differs"):said.index("same")])

    # What was wrong: --verify was recommended, and the memory of this machine was said to hold what was written.
    def test_no_remark_is_made_that_is_of_real_systems_alone(self):
        said = self.ok("dirtest", LOCAL, *TREE, "--lengths", "4k", "--db", self.db).stdout
        said += self.ok("run", "oltp", LOCAL, "--set", "runtime=1", "--db", self.db).stdout
        self.assertNotIn("not verified", said)

    def test_nothing_is_verified_where_nothing_is_kept(self):
        refused = self.fails(2, "dirtest", SERVER, *TREE, "--lengths", "4k", "--verify", "--db",
                             self.db)
        self.assertIn("nothing to verify: this target keeps no data", refused.stderr)

    def test_nothing_is_kept_on_it(self):
        kept = self.fails(1, "dirtest", SERVER, *TREE, "--lengths", "4k", "--keep", "--db", self.db)
        self.assertIn("--keep: sim:sun7410-barcelona is there only while loadline runs", kept.stderr)
        read = self.fails(1, "readtest", SERVER, "--db", self.db)
        self.assertIn("dirtest reads back what it wrote", read.stderr)

    def test_what_hangs_in_a_model_is_not_there_to_be_cleaned(self):
        hung = self.fails(3, "io", LOCAL + "?disks.seek=1h", *IO[:4], "--streams", "4", "--size",
                          "64m", "--time", "100ms", "--db", self.db)
        self.assertIn("incomplete: stalled", hung.stderr)
        self.assertNotIn("loadline clean", hung.stderr)

    def test_a_sleep_passes_by_the_models_clock(self):
        path = self.room / "slept.f"
        path.write_text("define fileset name=f,path=/tmp,entries=1,filesize=64k,prealloc\n"
                        "define process name=p { thread name=t { flowop read name=r,filesetname=f,"
                        "iosize=4k } }\nsleep 3600\nrun 1\n")
        said = self.ok("run", str(path), LOCAL, "--db", self.db)
        self.assertIn("Slept for 3600 seconds", said.stderr)

    def test_a_local_models_cache_is_emptied_as_a_machines_is(self):
        for mode, name in ("drop", "read from disk"), ("keep", "read from dram"):
            document, = self.documents("io", LOCAL, "--read", "100", "--seq", "--block", "1m",
                                       "--streams", "2", "--size", "64m", "--time", "50ms",
                                       "--warmup", "0", "--client-cache", mode)
            counts = {c["name"]: c["time"]["buckets"] for c in document["calls"]}
            self.assertIn(name, counts)

    def test_direct_passes_a_local_models_cache_by(self):
        """The model looked into its memory all the same, and was said to have none."""
        for read, name in ("100", "read from disk"), ("0", "synchronous write"):
            said = self.ok("io", LOCAL, "--read", read, "--block", "4k", "--streams", "2",
                           "--size", "1m", "--time", "50ms", "--warmup", "0", "--direct",
                           "--db", self.db, "--format", "json")
            self.assertNotIn("bypasses nothing", said.stderr)
            document, = json.loads(said.stdout)
            self.assertEqual([c["name"] for c in document["calls"] if c["time"]["buckets"]
                              and "name operation" not in c["name"]], [name])


if __name__ == "__main__":
    unittest.main()
