#!/usr/bin/python3
"""Studies over NFS, on nfs-ganesha: what was written lies in the export byte by byte, what lies there is
read, and other clients see the same names, sizes and bytes. The files of the same study in a local
directory are what they are compared with: content comes from seed, file and place alone."""
import pathlib
import re
import subprocess
import unittest

import ganesha
import nfs_case
import util

TREE = "--lengths 2,4k,300k --threads 4 --repeat 1".split()


def setUpModule():
    nfs_case.need_server()


class Trees(nfs_case.NfsCase):
    def keep(self, target, *more):
        return self.ok("dirtest", target, *util.SMALL_TREE, *TREE, "--keep", "--db", self.db, *more)

    def test_what_is_written_lies_in_the_export(self):
        self.keep(self.nfs(), "--write-only")
        self.keep(self.target, "--write-only")
        files = [p for p in self.only_tree(self.export).rglob("*") if p.is_file()]
        self.assertGreater(len(files), 3 * 4 * 2)
        self.assertGreater(sum(p.stat().st_size for p in files), 300 * 1024)
        self.assert_same_trees(self.export, self.target)

    def test_small_requests_write_the_same(self):
        # Every file of 300k takes hundreds of them, out of step on two connections.
        self.keep(self.nfs(rsize=1024, wsize=1024, connections=2), "--write-only")
        self.keep(self.target, "--write-only")
        self.assert_same_trees(self.export, self.target)

    def test_each_way_of_writing_writes_the_same(self):
        self.keep(self.target, "--write-only")
        for sync in ("auto", "unstable", "data", "file"):
            with self.subTest(sync):
                self.keep(self.nfs(sync=sync), "--write-only", "--fsync", "file")
                self.assert_same_trees(self.export, self.target)
                self.ok("clean", "--kept", self.nfs())

    def test_what_was_made_here_is_read_there(self):
        self.keep(self.export, "--write-only")
        results = self.results("readtest", self.nfs(), "--verify", "--min-time", "0.01s", "--db", self.db)
        self.assertEqual(len(results), 3)
        for result in results:
            self.assertEqual((result["state"], result["errors"]), ("complete", []))
            self.assertTrue(result["verified"])

    def test_what_was_made_there_is_read_here(self):
        self.keep(self.nfs(), "--write-only")
        for result in self.results("readtest", self.export, "--verify", "--min-time", "0.01s", "--db",
                                   self.db):
            self.assertEqual((result["state"], result["errors"]), ("complete", []))
            self.assertTrue(result["verified"])

    def test_a_wrong_byte_is_found(self):
        self.keep(self.nfs(), "--write-only")
        path = next(p for p in sorted(self.only_tree(self.export).rglob("f*"))
                    if p.is_file() and p.stat().st_size == 4096)
        data = bytearray(path.read_bytes())
        data[1234] ^= 1
        path.write_bytes(data)
        done = self.fails(3, "readtest", self.nfs(), "--verify", "--lengths", "4k", "--min-time", "0.01s",
                          "--db", self.db)
        self.assertIn(path.name, done.stdout + done.stderr)

    def test_directories_are_listed(self):
        self.keep(self.nfs(), "--write-only")
        for result in self.results("readtest", self.nfs(), "--walk", "--verify", "--min-time", "0.01s",
                                   "--db", self.db):
            self.assertEqual(result["errors"], [])
            self.assertGreater(next(line for line in result["lines"] if line["name"] == "readdir")
                               ["derived"]["samples"], 0)

    def test_the_whole_study_leaves_nothing(self):
        results = self.results("dirtest", self.nfs(), *util.SMALL_TREE, "--verify", "--db", self.db)
        self.assertEqual([result["errors"] for result in results], [[]] * len(results))
        self.assertEqual(self.in_export(), [])

    def test_a_directory_below_the_export(self):
        (self.export / "a" / "b").mkdir(parents=True)
        self.ok("dirtest", self.nfs(below="/a/b"), *util.SMALL_TREE, "--keep", "--write-only", "--db",
                self.db)
        self.assertTrue(self.only_tree(self.export / "a" / "b").is_dir())
        self.assertEqual(sorted(p.name for p in self.export.iterdir()), ["a"])

    def test_of_a_link_out_of_the_export_nothing_is_seen(self):
        (self.export / "out").symlink_to(self.target)
        done = self.fails(2, "dirtest", self.nfs(below="/out"), *util.SMALL_TREE, "--db", "none")
        self.assertIn("link", done.stderr)
        self.assertEqual(self.left_on_target(), [])


class OtherClients(nfs_case.NfsCase):
    """libnfs beside ours."""

    def listed(self, below):
        """path → bytes, of all files below, as nfs-ls has them."""
        done = subprocess.run(["nfs-ls", "-R", self.server.libnfs("vfs", below)], check=True, text=True,
                              capture_output=True)
        rows = re.findall(r"^-\S+ +\d+ +\d+ +\d+ +(\d+) (.+)$", done.stdout, re.M)
        return {name: int(size) for size, name in rows}

    def test_they_see_the_same_names_and_sizes(self):
        self.ok("dirtest", self.nfs(), *util.SMALL_TREE, "--keep", "--write-only", "--db", self.db)
        tree = self.only_tree(self.export)
        here = {p.relative_to(tree): p.stat().st_size for p in tree.rglob("*") if p.is_file()}
        seen = self.listed("/" + tree.name)
        self.assertEqual(sorted(pathlib.Path(name).name for name in seen),
                         sorted(path.name for path in here))
        self.assertEqual(sorted(seen.values()), sorted(here.values()))

    def test_they_read_the_same_bytes(self):
        self.ok("dirtest", self.nfs(), *util.SMALL_TREE, "--lengths", "300k", "--keep", "--write-only",
                "--db", self.db)
        path = next(p for p in self.only_tree(self.export).rglob("f*") if p.is_file())
        copy = self.room / "copy"
        subprocess.run(["nfs-cp", self.server.libnfs("vfs", "/" + str(path.relative_to(self.export))),
                        copy], check=True, capture_output=True)
        self.assertEqual(copy.read_bytes(), path.read_bytes())

    def test_ours_reads_what_they_wrote(self):
        self.ok("dirtest", self.nfs(), *util.SMALL_TREE, "--lengths", "4k", "--keep", "--write-only",
                "--db", self.db)
        path = next(p for p in self.only_tree(self.export).rglob("f*") if p.is_file())
        bytes_before = path.read_bytes()
        copy = self.room / "copy"
        copy.write_bytes(bytes_before)
        path.unlink()
        self.server.restart()  # it had seen the file
        subprocess.run(["nfs-cp", copy, self.server.libnfs(
            "vfs", "/" + str(path.relative_to(self.export)))], check=True, capture_output=True)
        self.assertEqual(path.read_bytes(), bytes_before)
        for result in self.results("readtest", self.nfs(), "--verify", "--min-time", "0.01s", "--db",
                                   self.db):
            self.assertEqual(result["errors"], [])


class Memory(nfs_case.NfsCase):
    """A server that keeps files of up to 2 MiB in its memory."""

    def exports(self):
        return [ganesha.Export("mem")]

    def test_a_study_runs_and_every_byte_comes_back(self):
        results = self.results("dirtest", self.nfs("mem"), *util.SMALL_TREE, "--verify", "--db", self.db)
        self.assertEqual([result["errors"] for result in results], [[]] * len(results))


class Six(nfs_case.NfsCase):
    host = "::1"

    def test_over_ipv6(self):
        results = self.results("dirtest", self.nfs(), *util.SMALL_TREE, "--verify", "--db", self.db)
        self.assertEqual([result["errors"] for result in results], [[]] * len(results))
        server, = (fact["value"] for fact in results[0]["target_facts"] if fact["key"] == "server")
        self.assertIn("::1", server)


class Io(nfs_case.NfsCase):
    def test_mixes_run(self):
        result = self.result("io", self.nfs(), *util.SMALL_IO, "--read", "50", "--random", "--db", self.db)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))
        self.assertGreater(sum(line["ops"] for line in result["lines"]), 0)
        self.assertEqual(self.in_export(), [])

    def test_directories_are_known_before_the_gate(self):
        # The first op in each looked it up on its way, in its own time: an open took 1.12 calls.
        result = self.result("run", "webserver", self.nfs(), "nfiles=300", "nthreads=5", "meandirwidth=4",
                             "filesize=4k", "--time", "0.5s", "--warmup", "0s", "--db", self.db, "--quiet")
        opens = nfs_case.counter(result, "ops_open")
        self.assertGreater(opens, 0)
        # Both are read as the window closes, while each worker may be between the two.
        self.assertLessEqual(abs(nfs_case.counter(result, "op_calls_open") - opens), 5)

    def test_the_answer_names_the_instrument(self):
        done = self.ok("io", self.nfs(), *util.SMALL_IO, "--read", "100", "--db", self.db)
        self.assertIn("own NFS client", done.stdout)


if __name__ == "__main__":
    unittest.main()
