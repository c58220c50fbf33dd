#!/usr/bin/python3
"""What happens to a study when its NFS server is killed and started again, or stopped for a while. What
counts is that every byte is where it belongs, and that the result says what happened. Times are never
asserted but for those that have an end of their own."""
import contextlib
import json
import os
import signal
import threading
import time
import unittest

import nfs_case
import util

BUSY = "--threads 8 --levels 2 --branches 3 --files 8 --repeat 1".split()  # of one length
PATIENT = ("--stall", "60s")
UP_SECONDS, DOWN_SECONDS = 0.4, 0.2


def setUpModule():
    nfs_case.need_server()


def await_workers(process):
    """A server that is away when a study begins is none to measure, so that ends it: it has begun when there
    are threads that ask."""
    while process.poll() is None:
        with contextlib.suppress(OSError):
            if len(os.listdir(f"/proc/{process.pid}/task")) > 1:
                return
        time.sleep(0.01)


class Troubled(nfs_case.NfsCase):
    def while_under_way(self, process, act):
        """Does `act` again and again until the program has ended; how often it was done."""
        answer = {}
        reader = threading.Thread(target=lambda: answer.update(zip(("out", "err"),
                                                                   process.communicate())))
        await_workers(process)
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
        self.assertRegex(shown, r"(?m)^OUTAGES +\d+, .* in all")


class Stopped(Troubled):
    def begin_io(self, *args):
        return self.begin("io", *args, "--streams", "4", "--size", "1m", "--block", "4k", "--read", "50",
                          "--warmup", "0s")

    def test_for_longer_than_stall_ends_the_run(self):
        process = self.begin_io(self.nfs(), "--time", "1h", "--stall", "1s")
        self.wait_until_it_measures(process)
        self.server.pause()
        try:
            results = self.end(process, status=3)
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
        process = self.begin_io(self.nfs(), "--time", "1h", "--stall", "1s")
        self.wait_until_it_measures(process)
        self.server.kill()
        self.end(process, status=3)

    def wait_until_it_measures(self, process):
        """The files are whole, and are written to again and again."""
        seen = []
        while len(seen) < 3 and process.poll() is None:
            time.sleep(0.5)
            files = [path.stat() for path in self.export.rglob("*") if path.is_file()]
            times = [file.st_mtime_ns for file in files if file.st_size == 1 << 18]
            if len(times) == 4 and times not in seen:
                seen.append(times)

    def test_stopping_is_heeded_during_an_outage(self):
        # While it measures: what was measured until then is there, and what the server still holds is said.
        process = self.begin_io(self.nfs(), "--time", "1h", "--stall", "1h")
        self.wait_until_it_measures(process)
        self.server.kill()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        result, = self.end(process, status=3)
        self.assertEqual(result["state"], "incomplete")
        self.assertIn("has not returned", result["reason"])

    def test_stopping_is_heeded_when_the_outage_is_in_the_preparing(self):
        process = self.begin_io(self.nfs(), "--time", "1h", "--stall", "1h")
        self.wait_for_files()
        self.server.kill()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=util.PATIENCE_S)
        # By how far it had come: in the laying out, or before anything was measured.
        self.assertIn(process.returncode, (2, 3), err)
        self.assertIn("has not returned", err)


if __name__ == "__main__":
    unittest.main()
