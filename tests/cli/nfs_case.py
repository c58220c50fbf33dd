"""What the tests of NFS share: a server of each test's own, and its files as they lie in the export."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import ganesha
import util

MEMORY = pathlib.Path("/dev/shm")


def need_server():
    """For setUpModule."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("an NFS server that serves directories needs root")
    if not ganesha.installed():
        raise unittest.SkipTest("nfs-ganesha is not installed")


def counter(result, name):
    """Of a result in JSON; 0 where it has none of that name."""
    return sum(float(fact["value"]) for fact in result["counters"] if fact["key"] == name)


def option(result, name):
    return util.option(result, name)


class NfsCase(util.Case):
    """self.server exports self.export as "vfs"; self.nfs() is its address."""
    host = "127.0.0.1"

    def setUp(self):
        super().setUp()
        self.export = pathlib.Path(tempfile.mkdtemp(
            prefix="loadline-export-", dir=MEMORY if MEMORY.is_dir() else None))
        self.addCleanup(shutil.rmtree, self.export, ignore_errors=True)
        self.server = self.new_server().start()
        self.addCleanup(self.server.stop)

    def new_server(self):
        return ganesha.Ganesha(self.room / "server", self.exports(), host=self.host)

    def exports(self):
        return [ganesha.Export("vfs", self.export)]

    def nfs(self, name="vfs", below="", **params):
        return self.server.address(name, below, **params)

    def in_export(self):
        return sorted(str(p.relative_to(self.export)) for p in self.export.rglob("*"))

    def result(self, *args, status=0, **options):
        """The only result that the command prints."""
        result, = self.results(*args, status=status, **options)
        return result

    def results(self, *args, status=0, **options):
        done = self.fails(status, *args, "--format", "json", **options)
        return json.loads(done.stdout)

    def workload(self, text):
        path = self.room / "mine.f"
        path.write_text(text)
        return path

    def begin(self, *args):
        process = util.start(*args, "--format", "json", "--db", self.db)
        self.addCleanup(process.kill)
        return process

    def end(self, process, status=0):
        out, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, status, out[:1000] + err)
        return json.loads(out)

    def assert_same_trees(self, a, b):
        """Names and bytes of the trees of two studies, as far as both had time for them; of each length
        there is one. How many they have in common."""
        a, b = self.only_tree(a), self.only_tree(b)
        both = ({p.name for p in a.iterdir()} & {p.name for p in b.iterdir()}) - {".loadline"}
        self.assertEqual({name.split("-")[0] for name in both},
                         {p.name.split("-")[0] for p in b.iterdir()} - {".loadline"})
        for name in both:
            done = subprocess.run(["diff", "-r", "--no-dereference", a / name, b / name], text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[:2000])
        return len(both)

    def only_tree(self, directory):
        tree, = pathlib.Path(directory).glob("loadline-*")
        return tree
