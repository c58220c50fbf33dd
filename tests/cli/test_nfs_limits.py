#!/usr/bin/python3
"""Studies on NFS servers that are full, hold much, or are far away behind a line that loses."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

import ganesha
import nfs_case
import util

PATIENT = ("--stall", "60s")
LINE_DELAY_US, LINE_LOSS_PPM = 2500, 10000
# Many replies to each listing; making the files is what takes long.
ENTRIES = 20000 if os.environ.get("LOADLINE_SANITIZE") else 100000


def setUpModule():
    nfs_case.need_server()


class Full(nfs_case.NfsCase):
    """A small file system behind the server."""

    def setUp(self):
        util.own_mounts()
        super().setUp()

    def exports(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", self.export], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.export], check=False)
        return super().exports()

    def test_what_does_not_fit_is_not_begun(self):
        done = self.fails(2, "io", self.nfs(), "--streams", "2", "--size", "64m", "--read", "0", "--db",
                          "none")
        self.assertIn("space", done.stderr + done.stdout)
        self.assertEqual(self.in_export(), [])

    def test_running_full_is_an_error_by_its_name(self):
        # What is appended nobody can add up beforehand.
        path = self.workload("""
            define fileset name=log,path=$dir,size=64k,entries=2,prealloc
            define process name=p { thread name=t,instances=2,memsize=64k {
                flowop appendfile name=a,filesetname=log,iosize=64k
            } }
            run 4""")
        done = util.run("run", path, self.nfs(), "--db", self.db)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("ENOSPC", done.stdout + done.stderr)
        self.assertEqual(self.in_export(), [])


class Large(nfs_case.NfsCase):
    def test_a_directory_of_100000_entries(self):
        """They are listed whole, found, and removed."""
        path = self.workload(f"""
            define fileset name=many,path=$dir,size=0,entries={ENTRIES},dirwidth={2 * ENTRIES},prealloc
            define process name=p {{ thread name=t {{
                flowop listdir name=list,filesetname=many
                flowop finishoncount name=f,value=3,target=list
            }} }}
            run 3600""")
        result = self.result("run", path, self.nfs(), "--db", self.db)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))
        line = next(line for line in result["lines"] if line["name"] == "list")
        self.assertEqual(line["derived"]["samples"], 3)
        self.assertEqual(self.in_export(), [])

    def test_a_file_beyond_4_gib(self):
        """Written and read at places that do not fit into 32 bits."""
        place = (4 << 30) + (64 << 20)
        path = self.workload(f"""
            define fileset name=large,path=$dir,size={place},entries=1,dirwidth=2,reuse,trusttree
            define process name=p {{ thread name=t {{
                flowop openfile name=o,filesetname=large,fd=1
                flowop write name=w,fd=1,iosize=4k,random
                flowop read name=r,fd=1,iosize=4k,random
                flowop closefile name=c,fd=1
                flowop finishoncount name=f,value=200,target=c
            }} }}
            run 3600""")
        dry = self.ok("run", path, self.nfs(), "--db", "none", "--dry-run").stdout
        self.assertTrue(dry)
        result = self.result("run", path, self.nfs(), "--keep", "--db", self.db)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))
        file, = (p for p in self.export.rglob("*") if p.is_file() and p.name != ".loadline")
        self.assertEqual(file.stat().st_size, place)


class FarAway(nfs_case.NfsCase):
    """Server and client in network namespaces of their own, a line of TUN devices between them."""
    host = "10.99.8.1"

    def setUp(self):
        self.spaces = [f"loadline-{os.getpid()}-{side}" for side in "ab"]
        for space in self.spaces:
            subprocess.run(["ip", "netns", "add", space], check=True)
            self.addCleanup(subprocess.run, ["ip", "netns", "del", space], check=True)
            subprocess.run(["ip", "-n", space, "link", "set", "lo", "up"], check=True)
        self.line = subprocess.Popen(
            [pathlib.Path(os.environ["BUILD_DIR"]) / "server" / "tundelay", self.spaces[0], self.host,
             self.spaces[1], "10.99.8.2", str(LINE_DELAY_US), str(LINE_LOSS_PPM)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.line.wait)
        self.addCleanup(self.line.stdin.close)
        self.addCleanup(self.line.stdout.close)
        self.assertEqual(self.line.stdout.readline(), "ready\n")
        super().setUp()

    def new_server(self):
        return ganesha.Ganesha(self.room / "server", self.exports(), host=self.host,
                               netns=self.spaces[0])

    def far(self, *args):
        done = subprocess.run(["ip", "netns", "exec", self.spaces[1], util.PROGRAM, *map(str, args),
                               "--format", "json", "--db", self.db], text=True, capture_output=True,
                              timeout=util.PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_what_is_lost_is_sent_again(self):
        results = self.far("dirtest", self.nfs(), *util.settled([*util.SMALL_TREE, "--lengths",
                                                                "64k", "--verify", *PATIENT]))
        for result in results:
            self.assertEqual((result["state"], result["errors"]), ("complete", []))
        self.assertEqual(self.in_export(), [])

    def test_an_op_takes_as_long_as_the_line_is(self):
        result, = self.far("io", self.nfs(), *util.settled([*util.SMALL_IO, "--read", "100", "--time",
                                                           "2s"]))
        line = result["lines"][0]
        self.assertGreaterEqual(float(line["service"]["min_ns"]), 2 * LINE_DELAY_US * 1000)

    def test_apart_for_a_while(self):
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.spaces[1], util.PROGRAM, *util.settled(
                ["io", self.nfs(), *util.SMALL_IO, "--time", "5s", "--read", "50", *PATIENT, "--format",
                 "json", "--db", self.db])], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        time.sleep(2)
        self.line.send_signal(signal.SIGUSR1)
        time.sleep(1)
        self.line.send_signal(signal.SIGUSR1)
        out, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(json.loads(out)[0]["errors"], [])


if __name__ == "__main__":
    unittest.main()
