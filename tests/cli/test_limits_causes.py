#!/usr/bin/python3
"""A cause that is put into a modelled system is named where it stops a row, by what the system tells of itself; and where
it tells nothing, nothing wrong is named."""
import unittest

import limits_case
import util

# address, row, what stops it, what else has to be said of it
CAUSES = (
    ("sim:nvme-local?slow-disk=3:x50", "read-4k-disk", {"slow-disk"}, set()),
    ("sim:oxygenraid-1x6r5?slow-disk=2:x2", "stream-read-disk", {"slow-disk"}, set()),
    ("sim:sun7410-barcelona?protocol=nfs&ports=1&port=1g", "read-4k-cache", {"server-nic"}, set()),
    ("sim:sun7410-barcelona?protocol=nfs&cores=2", "read-4k-cache", {"server-cpu"}, set()),
    ("sim:sun7410-barcelona?protocol=nfs&clients=10&slow-client=7:x14", "stream-read-cache", None,
     {"slow-stream"}),
    ("sim:linux-nfs-10g?clients=2&link=1g", "stream-read-cache", {"client-nic", "client-link"}, set()),
)


class Causes(util.Case):
    def row(self, address, row, *more):
        answer = limits_case.said(address, "--only", row, *more)
        found, = answer["ceilings"]
        return found

    def test_each_is_named_where_it_stops_a_row(self):
        for address, row, stops, more in CAUSES:
            with self.subTest(address):
                found = self.row(address, row, "--server-metrics", "model")
                if stops:
                    self.assertIn(limits_case.rule(found), stops, found["findings"])
                else:
                    self.assertNotIn("client", limits_case.rule(found))
                self.assertLessEqual(more, limits_case.rules(found), found["findings"])

    def test_none_is_named_wrongly_by_a_system_that_tells_nothing(self):
        for address, row, stops, _ in CAUSES:
            with self.subTest(address):
                found = self.row(address, row)
                self.assertIn(limits_case.rule(found), {"unknown", "per-op", *(stops or ())})

    def test_a_cache_that_is_smaller_than_was_said(self):
        found = self.row("sim:linux-nfs-10g?dram=256m&dram.dirty-limit=64m", "read-4k-cache",
                         "--server-cache", "4g", "--server-metrics", "model")
        self.assertEqual(found["state"], "not proven")
        self.assertIn("cache-misses", limits_case.rules(found))
        self.assertLess(found["place_frac"], 0.5)


if __name__ == "__main__":
    unittest.main()
