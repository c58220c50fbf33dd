#!/usr/bin/python3
"""A run over nfs:// says by which client it was asked, in how many calls, and never passes for another."""
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import unittest

import ganesha
import util

BUILD = pathlib.Path(os.environ["BUILD_DIR"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def null_server():
    process = subprocess.Popen([BUILD / "server" / "null_nfs"], stdout=subprocess.PIPE, text=True,
                               preexec_fn=ganesha.die_with_parent)
    try:
        port = int(process.stdout.readline())
        yield f"nfs://127.0.0.1:{port}/export?mountport={port}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def fact(facts, key):
    return next((f["value"] for f in facts if f["key"] == key), None)


def flat(text):
    return " ".join(text.split())


class Result(util.Case):
    """One server for each test; it keeps nothing, and any name is there."""

    def setUp(self):
        super().setUp()
        self.nfs = self.enterContext(null_server())

    def one(self, *args):
        done = self.ok("io", self.nfs, *util.SMALL_IO, "--read", "100", "--format", "json", "--db",
                       "none", "--quiet", *args)
        result, = json.loads(done.stdout)
        return result

    def test_document_has_calls_and_keeps_to_the_schema(self):
        import jsonschema
        result = self.one()
        jsonschema.validate(result, json.loads((SOURCE / "docs/result.schema.json").read_text()))
        self.assertEqual([c["name"] for c in result["calls"]], ["READ"])
        calls = sum(result["calls"][0]["time"]["buckets"][1::2])
        reads, = (line for line in result["lines"] if line["name"] == "read")
        # A call that was under way at either end of the window is in one of the two only.
        self.assertLessEqual(abs(calls - reads["ops"]), 2 * 2)
        self.assertEqual(fact(result["target_facts"], "client"), "own NFS client")
        self.assertEqual(result["cache"]["mode"], "uncached")
        self.assertTrue(result["cache"]["device_known"])
        self.assertGreaterEqual(result["cache"]["device_bytes"], reads["bytes"] * 0.99)

    def test_names_are_walked_to_only_when_asked(self):
        once = self.ok("dirtest", self.nfs, *util.SMALL_TREE, "--db", "none", "--quiet").stdout
        walked = self.ok("dirtest", self.nfs, *util.SMALL_TREE, "--db", "none", "--quiet",
                         "--resolve", "every-time").stdout
        self.assertRegex(flat(once), r"RPCs an op .*open 1\.00")
        self.assertRegex(flat(walked), r"RPCs an op .*open [3-9]\.00")
        self.assertIn("each name was walked to from the root (--resolve every-time)", flat(walked))

    def test_each_side_has_its_own_cache(self):
        # That of the first side was said of both.
        both = flat(self.ok("dirtest", self.nfs, self.target, *util.SMALL_TREE, "--db", "none",
                            "--quiet").stdout)
        self.assertRegex(both, r"client cache A: none: loadline's own client keeps none.*"
                               r"client cache B: (drop|direct|ram|not verified)")

    def test_the_way_to_a_tree_is_known_before_the_gate(self):
        # A directory's lookup took three more, of those that it lies in, and all of it counted.
        tree = self.ok("dirtest", self.nfs, *util.SMALL_TREE, "--db", "none", "--quiet").stdout
        calls = re.search(r"RPCs an op .*?lookup ([0-9.]+)", flat(tree))
        self.assertLessEqual(float(calls[1]), 1)

    def test_the_way_to_names_is_of_the_instrument(self):
        once, walked = self.one(), self.one("--resolve", "every-time")
        self.assertEqual(once["workload_hash"], walked["workload_hash"])
        self.assertNotEqual(once["plan_hash"], walked["plan_hash"])
        self.assertEqual(fact(walked["options"], "resolve"), "every-time")

    def test_direct_bypasses_nothing_and_that_is_said(self):
        done = self.ok("io", self.nfs, *util.SMALL_IO, "--direct", "--db", "none")
        self.assertIn("--direct bypasses nothing", done.stderr)

    def test_records_of_calls(self):
        done = self.ok("io", self.nfs, *util.SMALL_IO, "--read", "100", "--format", "csv", "--db",
                       "none", "--quiet")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(r["line"], r["op"]) for r in rows], [("read", "read"), ("READ", "rpc")])
        self.assertEqual({r["client"] for r in rows}, {"own NFS client"})
        self.assertAlmostEqual(float(rows[0]["rpcs_per_op"]), 1, delta=0.01)

    def test_never_beside_another_instrument_in_silence(self):
        for label, target in (("ours", self.nfs), ("kernel", self.target)):
            self.ok("io", target, *util.SMALL_IO, "--db", self.db, "--label", label, "--quiet")
        done = util.run("compare", "ours", "kernel", "--db", self.db)
        self.assertIn("NOT ALIKE A is asked by loadline's own NFS client, B by the kernel, by plain "
                      "calls", flat(done.stdout))


if __name__ == "__main__":
    unittest.main()
