#!/usr/bin/python3
"""Every shipped workload runs, made small, in memory; and what it did is what its lists of flowops say:
those of one list are done equally often, and those that are repeated as often as they are.
SHIPPED_SECONDS is how long each runs (1)."""
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import util

WORKLOADS = pathlib.Path(os.environ["SOURCE_DIR"]) / "workloads"
SLOTS = 128
SECONDS = os.environ.get("SHIPPED_SECONDS", "1")
MEMORY = pathlib.Path("/dev/shm")

# What is made smaller: of the first pattern that the name matches.
SMALL = [
    (r"varmail.*", "nfiles=4000 filesize=2k nthreads=3"),
    (r"webproxy", "nfiles=4000 filesize=2k nthreads=3"),
    (r"webserver", "nfiles=200 nthreads=4"),
    (r"fileserver", "nfiles=400 nthreads=3"),
    (r"videoserver", "filesize=1m numactivevids=4 numpassivevids=20 nthreads=3 repintval=1"),
    (r"tpcso", "mb=4k nshadows=3 ndbwriters=2 usermode=100"),
    (r"oltp.*", "filesize=2m nshadows=4 ndbwriters=2 usermode=1000"),
    (r"compflow_demo", "nfiles=400 nthreads=1 filesize=16k"),
    (r"createdelete-swing", "nfiles=50 filesize=4k"),
    (r"singlestreamwrite.*", ""),
    (r"(random[rw]|single|five|multi|cvar|filemicro_(rread|rwrite|seqread)).*", "filesize=8m"),
    (r"filemicro_statfile", "nfiles=500 filesize=1k nthreads=4"),
    (r"filemicro_delete", "nfiles=1000 nthreads=4"),
    (r"filemicro_(seqwrite|seqwriterand.*|create)", "count=200"),
    (r"filemicro_createrand", "bytes=20m"),
    (r"filemicro_createfiles", "nfiles=4000 count=4000"),
    (r"filemicro_writefsync", "writeiters=16"),
    (r"netsfs", "nfiles=1000 eventrate=200"),
    (r"networkfs", "nfiles=20 eventrate=100"),
    (r"(make|remove)dirs", "ndirs=1000 nthreads=4"),
    (r"(copyfiles|bringover|mongo|ratelimcopyfiles)", "nfiles=200"),
    (r"(createfiles|deletefiles|listdirs|openfiles)", "nfiles=2000 nthreads=4"),
    (r"randomfileaccess", "nfiles=500"),
]
# Not once for each turn of their list.
OTHERS = ("iopslimit", "opslimit", "bwlimit", "eventlimit", "finishoncount", "finishonbytes",
          "wakeup", "block")


def small(name):
    return next(values for pattern, values in SMALL if re.fullmatch(pattern, name)).split()


def attribute(flowop, name, otherwise=""):
    found = re.search(rf"[ ,]{name}=([^, ]+)", flowop)
    return found[1] if found else otherwise


class Mix:
    """The lists of flowops of a workload file: for each thread, name of a line → (type, repeats)."""

    def __init__(self, text, values):
        self.values = dict(re.findall(r"^set \$(\w+)=(\S+)$", text, re.M)) | values
        text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        self.composites = {
            attribute(" " + head, "name"): self.flowops(body)
            for head, body in re.findall(r"define flowop ([^{]*)\{([^}]*)\}", text)}
        self.threads = [
            self.thread(body) for body in re.findall(r"^ +thread [^{]*\{([^}]*)\}", text, re.M)]

    def thread(self, body):
        """A name that several flowops have is one line, done as often as all of them."""
        lines = {}
        for name, kind, repeats in self.lines(self.flowops(body)):
            lines[name] = (kind, repeats + lines.get(name, (kind, 0))[1])
        return lines

    @staticmethod
    def flowops(body):
        return re.findall(r"flowop (\w+) (.*)", body)

    def number(self, word):
        seen = set()
        while word.startswith("$") and word not in seen:
            seen.add(word)
            word = self.values.get(word[1:], word)
        size = re.fullmatch(r"(\d+)([kmg]?)", word)
        return int(size[1]) * 1024 ** " kmg".index(size[2] or " ")

    def lines(self, flowops, prefix="", times=1, local=None):
        for kind, rest in flowops:
            repeats = attribute(" " + rest, "iters", "1")
            repeats = times * self.number((local or {}).get(repeats, repeats))
            name = prefix + attribute(" " + rest, "name")
            if kind in self.composites:
                given = dict(re.findall(r"(\$\w+)=(\w+)", rest))
                yield from self.lines(self.composites[kind], name + ".", repeats, given)
            else:
                yield name, kind, repeats


class Shipped(util.Case):
    def setUp(self):
        super().setUp()
        if MEMORY.is_dir():
            self.target = pathlib.Path(tempfile.mkdtemp(prefix="loadline-test-", dir=MEMORY))
            self.addCleanup(shutil.rmtree, self.target, ignore_errors=True)

    def result(self, name):
        done = self.ok("run", name, self.target, "--db", self.db, *small(name),
                       "--time", f"{SECONDS}s", "--format", "json", timeout=120)
        results = json.loads(done.stdout)
        self.assertEqual(len(results), 1, name)
        self.assertEqual((results[0]["state"], results[0]["errors"]), ("complete", []), name)
        return results[0]

    def assert_mix(self, name, result):
        values = dict(word.split("=") for word in small(name))
        text = (WORKLOADS / f"{name}.f").read_text()
        mix = Mix(text, values)
        done = {line["name"]: line["derived"]["samples"] for line in result["lines"]}
        streams = result["streams"]["n"]
        self.assertTrue(mix.threads, name)
        for thread in mix.threads:
            turns = {}
            for line, (kind, repeats) in thread.items():
                self.assertIn(line, done, name)
                if kind not in OTHERS:
                    turns[line] = done[line] / repeats
            # A stream is somewhere in its list at the end, and may have opened a file for a line, or
            # one for each of its slots.
            least, most = min(turns.values()), max(turns.values())
            slack = (SLOTS if "opennext" in text else 2) * streams
            # A file that is open elsewhere is not deleted.
            if any(kind == "deletefile" for kind, _ in thread.values()):
                slack += 0.02 * most
            self.assertLessEqual(most - least, slack, f"{name}: {turns}")
            self.assertGreater(most, 0, f"{name}: {turns}")

    def test_each_does_what_its_lists_say(self):
        names = sorted(path.stem for path in WORKLOADS.glob("*.f"))
        self.assertGreater(len(names), 50)
        for name in names:
            with self.subTest(name):
                self.assert_mix(name, self.result(name))
                self.assertEqual(self.left_on_target(), [], name)


if __name__ == "__main__":
    unittest.main()
