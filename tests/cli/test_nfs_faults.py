#!/usr/bin/python3
"""What happens to a study when its NFS server does: killed and started again, stopped for a while, full,
far away, behind a line that loses. What counts is that every byte is where it belongs, and that the result
says what happened. Times are never asserted but for those that have an end of their own."""
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import unittest

import ganesha
import nfs_case
import util

BUSY = "--threads 8 --levels 2 --branches 3 --files 8 --repeat 1".split()  # of one length
PATIENT = ("--stall", "60s")
KILLS, UP_SECONDS, DOWN_SECONDS = 4, 0.4, 0.2
LINE_DELAY_US, LINE_LOSS_PPM = 2500, 10000


def setUpModule():
    nfs_case.need_server()


class Troubled(nfs_case.NfsCase):
    def begin(self, *args):
        process = util.start(*args, "--format", "json", "--db", self.db)
        self.addCleanup(process.kill)
        return process

    def end(self, process, status=0, timeout=120):
        out, err = process.communicate(timeout=timeout)
        self.assertEqual(process.returncode, status, out[:1000] + err)
        return json.loads(out)

    def while_under_way(self, process, act):
        """Does `act` again and again until the program has ended; how often it was done."""
        answer = {}
        reader = threading.Thread(target=lambda: answer.update(zip(("out", "err"),
                                                                   process.communicate())))
        reader.start()
        done = 0
        while True:
            reader.join(UP_SECONDS)
            if not reader.is_alive():
                break
            act()
            done += 1
        self.assertEqual(process.returncode, 0, answer["out"][:1000] + answer["err"])
        return done, json.loads(answer["out"])

    def crash(self):
        self.server.restart(DOWN_SECONDS)

    def assert_outages(self, results, times):
        """All that happened is counted, and is no error."""
        for result in results:
            self.assertEqual((result["state"], result["errors"]), ("complete", []))
        for name in ("outages", "reconnects", "retransmits", "outage_ns"):
            self.assertGreater(sum(nfs_case.counter(result, name) for result in results), 0, name)
        self.assertGreater(times, 0)


class Killed(Troubled):
    """-9, and started again on the same port."""

    def study(self, *more):
        return self.begin("dirtest", self.nfs(), *util.SMALL_TREE, *BUSY, "--lengths", "64k",
                          "--min-time", "2s", *PATIENT, *more)

    def test_while_writing(self):
        times, results = self.while_under_way(self.study("--write-only", "--keep"), self.crash)
        self.assert_outages(results, times)
        self.ok("dirtest", self.target, *util.SMALL_TREE, *BUSY, "--lengths", "64k", "--min-time", "1ms",
                "--write-only", "--keep", "--db", self.db)
        self.assert_same_trees(self.export, self.target)

    def test_while_writing_and_making_it_durable(self):
        times, results = self.while_under_way(self.study("--write-only", "--keep", "--fsync", "file"),
                                              self.crash)
        self.assert_outages(results, times)
        for result in self.results("readtest", self.export, "--verify", "--min-time", "1ms", "--db",
                                   self.db):
            self.assertEqual((result["state"], result["errors"]), ("complete", []))

    def test_while_reading(self):
        self.ok("dirtest", self.nfs(), *util.SMALL_TREE, *BUSY, "--lengths", "64k", "--write-only",
                "--keep", "--db", self.db)
        reading = self.begin("readtest", self.nfs(), "--verify", "--min-time", "2s", *PATIENT)
        times, results = self.while_under_way(reading, self.crash)
        self.assert_outages(results, times)
        self.assertTrue(all(result["verified"] for result in results))

    def test_while_making_and_removing(self):
        workload = self.begin("run", "varmail", self.nfs(), "nfiles=500", "nthreads=16", "filesize=4k",
                              "--time", "4s", *PATIENT)
        times, results = self.while_under_way(workload, self.crash)
        self.assert_outages(results, times)
        self.assertEqual(self.in_export(), [])

    def test_an_outage_is_told_as_one(self):
        times, results = self.while_under_way(self.study("--write-only"), self.crash)
        self.assert_outages(results, times)
        studies = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        shown = self.ok("show", studies[0]["id"], "--db", self.db).stdout
        self.assertRegex(shown, r"outages? +\d+")


class Stopped(Troubled):
    def begin_io(self, *args):
        return self.begin("io", *args, "--streams", "4", "--size", "1m", "--block", "4k", "--read", "50",
                          "--warmup", "0s")

    def test_for_longer_than_stall_ends_the_run(self):
        process = self.begin_io(self.nfs(), "--time", "60s", "--stall", "1s")
        self.wait_for_files()
        time.sleep(1)
        self.server.pause()
        try:
            results = self.end(process, status=3, timeout=50)
        finally:
            self.server.resume()
        self.assertNotEqual(results[0]["state"], "complete")

    def wait_for_files(self):
        while not self.in_export():
            time.sleep(0.05)

    def test_for_a_while_is_waited_for(self):
        process = self.begin_io(self.nfs(), "--time", "4s", *PATIENT)
        self.wait_for_files()
        time.sleep(1)
        self.server.pause()
        time.sleep(1)
        self.server.resume()
        result, = self.end(process)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))

    def test_silence_is_an_outage_and_calls_go_out_again(self):
        # Half a second without an answer and the connection is given up for another one.
        process = self.begin_io(self.nfs(timeo=5, retrans=20), "--time", "5s", *PATIENT)
        self.wait_for_files()
        time.sleep(1)
        self.server.pause()
        time.sleep(1.5)
        self.server.resume()
        result, = self.end(process)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))
        for name in ("outages", "timeouts", "retransmits"):
            self.assertGreater(nfs_case.counter(result, name), 0, name)

    def test_it_never_comes_back(self):
        process = self.begin_io(self.nfs(), "--time", "60s", "--stall", "1s")
        self.wait_for_files()
        time.sleep(1)
        self.server.kill()
        self.end(process, status=3, timeout=50)

    def test_stopping_is_heeded_during_an_outage(self):
        process = self.begin_io(self.nfs(), "--time", "60s", "--stall", "3s")
        self.wait_for_files()
        time.sleep(1)
        self.server.kill()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=50)
        self.assertEqual(process.returncode, 3, err)


class Full(Troubled):
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
        process = self.begin("io", self.nfs(), "--streams", "2", "--size", "4m", "--block", "64k",
                             "--read", "0", "--time", "4s")
        # A file that somebody else makes meanwhile: it takes all there is.
        time.sleep(0.2)
        path = self.export / "others"
        with open(path, "wb", buffering=0) as file:
            end = time.monotonic() + 30
            while process.poll() is None and time.monotonic() < end:
                try:
                    file.write(bytes(1 << 16))
                except OSError:
                    time.sleep(0.05)
        out, err = process.communicate(timeout=60)
        self.assertIn(process.returncode, (2, 3), err)
        self.assertIn("ENOSPC", out + err)


class Large(Troubled):
    def workload(self, text):
        path = self.room / "mine.f"
        path.write_text(text)
        return path

    def test_a_directory_of_100000_entries(self):
        """They are listed whole, found, and removed."""
        path = self.workload("""
            define fileset name=many,path=$dir,size=0,entries=100000,dirwidth=200000,prealloc
            define process name=p { thread name=t {
                flowop listdir name=list,filesetname=many
                flowop finishoncount name=f,value=3,target=list
            } }
            run 60""")
        result = self.result("run", path, self.nfs(), "--db", self.db, timeout=300)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))
        line = next(line for line in result["lines"] if line["name"] == "list")
        self.assertEqual(line["derived"]["samples"], 3)
        self.assertEqual(self.in_export(), [])

    def test_a_file_beyond_4_gib(self):
        """Written and read at places that do not fit into 32 bits."""
        place = 5 << 30
        path = self.workload(f"""
            define fileset name=large,path=$dir,size={place},entries=1,dirwidth=2,reuse,trusttree
            define process name=p {{ thread name=t {{
                flowop openfile name=o,filesetname=large,fd=1
                flowop write name=w,fd=1,iosize=4k,random
                flowop read name=r,fd=1,iosize=4k,random
                flowop closefile name=c,fd=1
                flowop finishoncount name=f,value=200,target=c
            }} }}
            run 30""")
        dry = self.ok("run", path, self.nfs(), "--db", "none", "--dry-run").stdout
        self.assertTrue(dry)
        result = self.result("run", path, self.nfs(), "--keep", "--db", self.db, timeout=300)
        self.assertEqual((result["state"], result["errors"]), ("complete", []))
        file, = (p for p in self.export.rglob("*") if p.is_file() and p.name != ".loadline")
        self.assertEqual(file.stat().st_size, place)


class FarAway(Troubled):
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

    def far(self, *args, timeout=120):
        done = subprocess.run(["ip", "netns", "exec", self.spaces[1], util.PROGRAM, *map(str, args),
                               "--format", "json", "--db", self.db], text=True, capture_output=True,
                              timeout=timeout, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_what_is_lost_is_sent_again(self):
        results = self.far("dirtest", self.nfs(), *util.settled([*util.SMALL_TREE, *BUSY, "--lengths",
                                                                "64k", "--verify", *PATIENT]))
        for result in results:
            self.assertEqual((result["state"], result["errors"]), ("complete", []))
        self.assertEqual(self.in_export(), [])

    def test_an_op_takes_as_long_as_the_line_is(self):
        result, = self.far("io", self.nfs(), *util.settled([*util.SMALL_IO, "--read", "100", "--time",
                                                           "2s"]))
        line = result["lines"][0]
        self.assertGreaterEqual(float(line["derived"]["service_min_ns"]), 2 * LINE_DELAY_US * 1000)

    def test_apart_for_a_while(self):
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.spaces[1], util.PROGRAM, "io", self.nfs(), *util.SMALL_IO,
             "--time", "5s", "--read", "50", *PATIENT, "--format", "json", "--db", self.db], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        time.sleep(2)
        self.line.send_signal(signal.SIGUSR1)
        time.sleep(1)
        self.line.send_signal(signal.SIGUSR1)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(json.loads(out)[0]["errors"], [])


if __name__ == "__main__":
    unittest.main()
