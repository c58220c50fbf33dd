#!/usr/bin/python3
"""Every shipped workload runs, made small, in memory; and what it did is what its lists of flowops say:
those of one list are done equally often, and those that are repeated as often as they are.
SHIPPED_SECONDS is how long each runs that does not end before."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import util

WORKLOADS = pathlib.Path(os.environ["SOURCE_DIR"]) / "workloads"
SECONDS = os.environ.get("SHIPPED_SECONDS", "2")
MEMORY = pathlib.Path("/dev/shm")
AT_ONCE = 3  # what they count does not depend on how fast they are

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
    # They write on until they are stopped: little at a time, since all of it is in memory.
    (r"singlestreamwrite", "iosize=64"),
    (r"(five|multi)streamwrite", "filesize=1m iosize=64"),
    (r"singlestreamwritedirect", "iosize=512"),
    (r"(five|multi)streamwritedirect", "filesize=1m iosize=512"),
    (r"filemicro_rwritefsync", "filesize=8m iters=500"),
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
    (r"(createfiles|deletefiles|listdirs|openfiles|statfile)", "nfiles=2000 nthreads=4"),
    (r"randomfileaccess", "nfiles=500"),
]
# How often these are done is not a matter of turns: for each thread that is woken; not at all while
# nothing is limited.
OTHERS = ("iopslimit", "opslimit", "bwlimit", "eventlimit", "wakeup")
OPENERS = ("openfile", "createfile")
# Each opens a file on the way when its slot has none.
OPEN_ON_THE_WAY = ("read", "write", "aiowrite", "readwholefile", "writewholefile", "appendfile",
                   "appendfilerand")
SLOTS = 128


def small(name):
    return next(values for pattern, values in SMALL if re.fullmatch(pattern, name)).split()


def attribute(flowop, name, otherwise=""):
    found = re.search(rf"[ ,]{name}=([^, ]+)", flowop)
    return found[1] if found else otherwise


class Line:
    """A line of the report that a thread has a part in."""

    def __init__(self, kind):
        self.kind = kind
        self.repeats = 0
        self.opens = 0  # at most, on the way, of a stream in a run


class Mix:
    """The lists of flowops of a workload file: for each thread, how many streams, name → Line."""

    def __init__(self, text, values):
        self.values = dict(re.findall(r"^set \$(\w+)=(\S+)$", text, re.M)) | values
        text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        self.composites = {
            attribute(" " + head, "name"): self.flowops(body)
            for head, body in re.findall(r"define flowop ([^{]*)\{([^}]*)\}", text)}
        self.threads = []
        self.posts = []  # (line that posts, how much, semblock)
        self.blocks = {}  # semblock → (streams, value, highwater)
        for process in re.split(r"^define process ", text, flags=re.M)[1:]:
            processes = self.number(attribute(" " + process.splitlines()[0], "instances", "1"))
            for head, body in re.findall(r"^ +thread ([^{]*)\{([^}]*)\}", process, re.M):
                threads = self.number(attribute(" " + head, "instances", "1"))
                self.thread(body, processes * threads)

    def thread(self, body, streams):
        """A name that several flowops have is one line, done as often as all of them."""
        lines = {}
        flowops = list(self.lines(self.flowops(body)))
        opened = {attribute(rest, "fd", "0") for _, kind, rest, _ in flowops if kind in OPENERS}
        for name, kind, rest, repeats in flowops:
            line = lines.setdefault(name, Line(kind))
            line.repeats += repeats
            if kind in OPEN_ON_THE_WAY and attribute(rest, "fd", "0") not in opened:
                line.opens += SLOTS if ",opennext" in rest else 1
            if kind == "sempost":
                self.posts.append((name, int(attribute(rest, "value")), attribute(rest, "target")))
            if kind == "semblock":
                self.blocks[name] = (streams, int(attribute(rest, "value")),
                                     int(attribute(rest, "highwater")))
        self.threads.append((streams, lines))

    @staticmethod
    def flowops(body):
        return re.findall(r"flowop (\w+)( .*)", body)

    def number(self, word):
        seen = set()
        while word.startswith("$") and word not in seen:
            seen.add(word)
            word = self.values.get(word[1:], word)
        size = re.fullmatch(r"(\d+)([kmg]?)", word)
        return int(size[1]) * 1024 ** " kmg".index(size[2] or " ")

    def lines(self, flowops, prefix="", times=1, local=None):
        for kind, rest in flowops:
            repeats = attribute(rest, "iters", "1")
            repeats = times * self.number((local or {}).get(repeats, repeats))
            name = prefix + attribute(rest, "name")
            if kind in self.composites:
                given = dict(re.findall(r"(\$\w+)=(\w+)", rest))
                yield from self.lines(self.composites[kind], name + ".", repeats, given)
            else:
                yield name, kind, rest, repeats


class Shipped(util.Case):
    def setUp(self):
        super().setUp()
        if MEMORY.is_dir():
            self.target = pathlib.Path(tempfile.mkdtemp(prefix="loadline-test-", dir=MEMORY))
            self.addCleanup(shutil.rmtree, self.target, ignore_errors=True)

    def seconds(self, _):
        return SECONDS

    def address(self, name):
        """Of the directory `name` of the target."""
        return self.target / name

    def run_it(self, name):
        target = self.target / name
        target.mkdir()
        done = util.run("run", name, self.address(name), "--db", shutil.copy(self.db, self.room / f"{name}.db"),
                        *small(name), "--time", f"{self.seconds(name)}s", "--format", "json")
        return done, list(target.iterdir())

    def assert_mix(self, name, result):
        """Each stream has gone through its list so many times, and some way into it once more: no
        line is behind the list that was gone through least, none ahead of it by more than a turn of
        each stream and the files that were opened on the way."""
        values = dict(word.split("=") for word in small(name))
        mix = Mix((WORKLOADS / f"{name}.f").read_text(), values)
        done = {line["name"]: line["derived"]["samples"] for line in result["lines"]}
        self.assertTrue(mix.threads)
        self.assertEqual(sum(streams for streams, _ in mix.threads), result["streams"]["n"])
        for streams, lines in mix.threads:
            self.assertLessEqual(set(lines), set(done))
            counted = {word: line for word, line in lines.items() if line.kind not in OTHERS}
            turns = min(done[word] / line.repeats for word, line in counted.items())
            for word, line in counted.items():
                most = (turns + streams) * line.repeats + line.opens * streams
                self.assertLessEqual(done[word], most + 1e-6, f"{word} in {turns} turns: {done}")
                if not line.kind.startswith("finishon"):  # the last is not counted
                    self.assertGreater(done[word], 0, word)
        for poster, posted, block in mix.posts:
            self.assert_posts(done[poster] * posted, done[block], *mix.blocks[block])

    def assert_posts(self, posted, passed, streams, value, highwater):
        """Who waits passes once for each `value` that was posted, no more, and can be behind by the
        credit there is; with a post of each stream under way."""
        self.assertLessEqual(passed, streams * posted / value)
        self.assertGreaterEqual(passed, streams * ((posted - highwater) / value - 2))

    def test_each_does_what_its_lists_say(self):
        names = sorted(path.stem for path in WORKLOADS.glob("*.f"))
        self.assertGreater(len(names), 50)
        self.assertTrue(pathlib.Path(self.db).exists())
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for name, (done, left) in zip(names, pool.map(self.run_it, names)):
                with self.subTest(name):
                    self.assertEqual(done.returncode, 0, done.stderr)
                    result, = json.loads(done.stdout)
                    self.assertEqual((result["state"], result["errors"]), ("complete", []))
                    self.assert_mix(name, result)
                    self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
