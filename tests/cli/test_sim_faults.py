#!/usr/bin/python3
"""Faults of a modelled system, through a whole study: they begin with what is measured, and end with it."""
import json
import unittest

import util


class Faults(util.Case):
    def result(self, params, status):
        """Of two seconds on 16 streams of 4 clients."""
        done = self.fails(status, "io", f"sim:linux-nfs-10g?clients=4&{params}", "--clients", "4", "--streams", "4",
                          "--size", "64m", "--time", "2s", "--warmup", "500ms", "--format", "json", "--db",
                          "none")
        return json.loads(done.stdout)[0]

    # What was wrong: files were laid out under the faults, and the op that failed was one of that.
    def test_ops_are_counted_from_what_is_measured(self):
        found = self.result("error=EIO@op:5", 3)
        self.assertEqual([(e["code"], e["count"]) for e in found["errors"]], [("EIO", 1)])

    def test_a_stall_lies_where_it_was_asked_for(self):
        slowest = self.result("stall=500ms@1s", 0)["lines"][0]["service"]["max_ns"]
        self.assertAlmostEqual(slowest, 500e6, delta=5e6)

    def test_a_dropped_client_is_told_as_errors(self):
        found = self.result("drop-client=3@1s", 3)
        self.assertEqual([e["code"] for e in found["errors"]], ["ENOTCONN"] * len(found["errors"]))
        self.assertAlmostEqual(sum(e["count"] for e in found["errors"]), 4 * 101, delta=8)


if __name__ == "__main__":
    unittest.main()
