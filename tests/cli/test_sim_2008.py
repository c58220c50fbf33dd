#!/usr/bin/python3
"""multistreamread on the modelled arrays of 2008 says what was published of the real ones."""
import functools
import json
import unittest

import sim_case
import util

LAYOUTS = ("1x3r5", "2x3r5", "1x6r5")
WITHIN = 0.05


@functools.cache
def reading(array):
    """With 40 GiB in four files against 10 GB of cache, as it was."""
    return sim_case.result("run", "multistreamread", f"sim:{array}", "filesize=10g", "--time", "20s")


class Sim2008(sim_case.SimCase):

    def rate(self, array):
        """MiB/s"""
        result = reading(array)
        return self.per_s(result, result["bytes"]) / sim_case.MIB

    def latency(self, array):
        lines = [line["derived"] for line in reading(array)["lines"] if line["op"] == "read"]
        samples = sum(line["samples"] for line in lines)
        return sum(x["service"]["mean_ns"] * x["samples"] for x in lines) / samples

    def test_two_sets_of_fc_disks_saturate_the_link(self):
        self.near(self.rate("se6140-2x3r5-fc"), 385, WITHIN, "MiB/s")
        busy = self.stations(reading("se6140-2x3r5-fc"))
        self.assertEqual(max(busy, key=busy.get), "path", busy)
        self.assertGreater(busy["path"], 0.95)

    def test_nothing_is_faster_than_the_link(self):
        for layout in LAYOUTS:
            self.assertLess(self.rate(f"se6140-{layout}-fc") * sim_case.MIB, 413e6)

    def test_fc_is_far_ahead_of_sata(self):
        for layout in LAYOUTS:
            fc, sata = (self.rate(f"se6140-{layout}-{kind}") for kind in ("fc", "sata"))
            self.assertGreater(fc, 1.3 * sata, layout)

    def test_the_earlier_array_takes_up_to_three_times_as_long(self):
        times = [self.latency(f"oxygenraid-{layout}") / self.latency(f"se6140-{layout}-fc")
                 for layout in ("1x3r5", "1x6r5")]
        self.assertGreater(min(times), 1)
        self.near(max(times), 3, 0.1, "times as long")

    def test_disks_are_the_limit_where_the_link_is_not(self):
        busy = self.stations(reading("oxygenraid-1x3r5"))
        self.assertEqual(max(busy, key=busy.get), "disk", busy)

    def test_the_same_command_twice_gives_the_same(self):
        measured = [sim_case.result("run", "multistreamread", "sim:se6140-1x3r5-fc", "filesize=64m",
                                "--time", "2s") for _ in range(2)]
        same = ("elapsed_ns", "lines", "series", "streams", "truth", "counters", "calls")
        first, second = ({key: json.dumps(r[key]) for key in same} for r in measured)
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
