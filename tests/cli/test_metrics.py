#!/usr/bin/python3
"""What a server tells of itself while it is measured: it stands in the result as tracks, and an endpoint that falls silent
or lies costs a note, never a run."""
import http.server
import json
import os
import tempfile
import threading
import time
import unittest

import util

ROW = "limits null: --only read-4k-cache --streams 1 --budget 5s --db none --quiet --format json".split()


class Exporter(http.server.ThreadingHTTPServer):
    """Of a processor that is 98 % busy; from the `good`-th answer on it does what `then` says."""
    daemon_threads = True

    def __init__(self, good=1 << 30, then=""):
        super().__init__(("127.0.0.1", 0), Answer)
        self.good, self.then, self.asked = good, then, 0
        self.begun, self.ending = time.monotonic(), threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/metrics"

    def __exit__(self, *args):
        self.ending.set()
        self.shutdown()
        super().__exit__(*args)


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked += 1
        text = self.metrics()
        if self.server.asked > self.server.good:
            if self.server.then == "hang":
                self.server.ending.wait()
                return
            text = self.server.then
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def metrics(self):
        seconds = time.monotonic() - self.server.begun
        return "".join(f'node_cpu_seconds_total{{cpu="0",mode="{mode}"}} {share * seconds:.9f}\n'
                       for mode, share in (("idle", 0.02), ("system", 0.98)))

    def log_message(self, *args):
        pass


class Metrics(util.Case):
    def finals(self, *args):
        done = self.ok(*ROW, *args)
        return [result for result in json.loads(done.stdout)["results"]
                if {"key": "step", "unit": "", "value": "final"} in result["options"]]

    @staticmethod
    def server(result):
        return {(t["kind"], t["name"]): t["mean"] for t in result["tracks"]["track"]
                if t["end"] == "server"}

    def test_a_server_is_seen_beside_each_run(self):
        with Exporter() as exporter:
            finals = self.finals("--server-metrics", exporter.url)
        self.assertGreaterEqual(len(finals), 3)
        for result in finals:
            self.assertAlmostEqual(self.server(result)["cpu", "0"], 0.98, delta=0.01)

    def test_one_that_falls_silent_costs_a_note(self):
        with Exporter(good=1, then="hang") as exporter:
            finals = self.finals("--server-metrics", exporter.url)
        self.assertTrue(finals)
        self.assertEqual([r["state"] for r in finals], ["complete"] * len(finals))
        self.assertNotIn(("cpu", "0"), self.server(finals[-1]))
        self.assertIn("no answer in 2 s", json.dumps(finals))

    def test_one_that_tells_nothing_of_a_server_is_refused_before_anything_begins(self):
        with Exporter(good=0, then="go_goroutines 3\n") as exporter:
            done = util.run(*ROW, "--server-metrics", exporter.url)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("1 metrics, and none of a processor", done.stderr)

    def test_series_of_an_appliance_are_seen_likewise(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "series.csv")
            with open(path, "w", encoding="ascii") as file:
                now = int(time.time())
                file.write("time,disk-busy:c0t0\n")
                file.writelines(f"{at / 10:.1f},70%\n" for at in range(10 * now - 50, 10 * now + 6000))
            finals = self.finals("--server-csv", path)
        for result in finals:
            self.assertAlmostEqual(self.server(result)["disk-busy", "c0t0"], 0.7, delta=0.01)


if __name__ == "__main__":
    unittest.main()
