#!/usr/bin/python3
"""What `limits` does where room runs out, the target dies, somebody stops it, or the server's metrics hang or lie: rows
that were finished are told and kept, and nothing is left behind."""
import contextlib
import http.server
import json
import signal
import threading
import time
import unittest

import util

# Small, and over in seconds: what the numbers are is no matter here.
SHORT = "--streams 1 --max-bytes 16m --budget 6s".split()
METRICS = """# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{cpu="0",mode="idle"} %d
node_cpu_seconds_total{cpu="0",mode="user"} 1
"""


class Ended(util.Case):
    def kept(self):
        listed, = json.loads(self.ok("list", "--db", self.db, "--format", "json").stdout)
        return listed

    def said(self, target, rows):
        done = self.fails(3, "limits", target, *SHORT, "--only", rows, "--db", "none", "--format",
                          "json")
        self.assertEqual(self.left_on_target(), [])
        return {row["row"]: row for row in json.loads(done.stdout)["ceilings"]}, done.stderr

    def test_a_target_that_dies_in_mid_ramp_leaves_its_row_without_a_value(self):
        by_row, err = self.said(f"fault:{self.target}?dead=op:3000", "read-4k-cache")
        self.assertEqual(by_row["read-4k-cache"]["state"], "incomplete")
        self.assertIsNone(by_row["read-4k-cache"]["value"])
        self.assertIn("EIO", err)

    def test_rows_before_what_fails_are_told(self):
        for fault, name in (("error=EIO@read:5", "EIO"), ("error=ENOSPC@write:5", "ENOSPC")):
            with self.subTest(fault):
                by_row, err = self.said(f"fault:{self.target}?{fault}", "create,read-4k-cache")
                self.assertEqual(by_row["create"]["state"], "found")
                self.assertGreater(by_row["create"]["value"], 0)
                self.assertIn(name, err)

    def test_a_signal_ends_it_with_the_rows_so_far(self):
        """One point is a table, too."""
        closed = self.room / "closed"
        process = util.start("limits", self.target, "--streams", "1", "--max-bytes", "16m", "--only",
                             "create,read-4k-cache", "--budget", "2m", "--hook-end",
                             f"touch {closed}", "--db", self.db, "--format", "json")
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + util.PATIENCE_S
        while not closed.exists() and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(process.returncode, 3, err)
        row, = json.loads(out)["ceilings"]
        self.assertEqual((row["row"], row["state"]), ("create", "incomplete"))
        self.assertEqual(self.left_on_target(), [])
        self.assertEqual(self.kept()["state"], "incomplete")


class Exporter(http.server.BaseHTTPRequestHandler):
    """Answers as its server's `how` says."""

    def do_GET(self):
        how, self.server.asked = self.server.how, self.server.asked + 1
        if how == "hangs" and self.server.asked > 1:
            self.server.over.wait()
            return
        if how == "redirects":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
            return
        body = (METRICS % self.server.asked).encode()
        if self.server.asked > 1:
            body = {"lies": b"<html>no metrics</html>", "binary": bytes(range(256)) * 64,
                    "endless": b"a_metric 1\n" * (2 << 20)}.get(how, body)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def exporter(how):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
    server.how, server.asked, server.over = how, 0, threading.Event()
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server, f"http://127.0.0.1:{server.server_port}/metrics"
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


class Metrics(util.Case):
    def limits(self, url, status=0):
        return self.fails(status, "limits", self.target, *SHORT, "--only", "read-4k-cache",
                          "--server-metrics", url, "--db", "none", "--format", "json")

    def test_an_endpoint_that_hangs_or_lies_in_the_middle_costs_no_row(self):
        for how in ("hangs", "lies", "binary", "endless"):
            with self.subTest(how), exporter(how) as (server, url):
                done = self.limits(url)
                row, = (r for r in json.loads(done.stdout)["ceilings"] if r["row"] == "read-4k-cache")
                self.assertGreater(row["value"], 0, row)
                self.assertGreater(server.asked, 1)
                self.assertIn("server metrics", done.stdout + done.stderr)

    def test_one_that_is_none_from_the_beginning_is_refused(self):
        with exporter("redirects") as (_, url):
            self.limits(url, status=2)
        self.limits("http://127.0.0.1:1/metrics", status=2)


if __name__ == "__main__":
    unittest.main()
