#!/usr/bin/python3
"""`limits` of the two modelled heads of 2009, side by side: every ceiling that was published of the real ones is found, and
stands beside what was published, within 5 %."""
import csv
import json
import os
import pathlib
import unittest

import util

PUBLISHED = pathlib.Path(os.environ["SOURCE_DIR"]) / "data" / "sun7410-limits.csv"
HEADS = ("barcelona", "istanbul")
ROWS = ("stream-read-cache,stream-read-disk,stream-write-disk,read-1b-cache,read-4k-cache,"
        "read-512-flash,write-512-sync")
WITHIN = 0.05
UNIT = {"GiB/s": 1 << 30, "MiB/s": 1 << 20, "IOPS": 1, "us": 1000}


def row_of(line):
    """Our name of a published workload."""
    if line["from"] in ("flash", "log"):
        return {"flash": "read-512-flash", "log": "write-512-sync"}[line["from"]]
    place = {"dram": "cache", "disk": "disk"}[line["from"]]
    if line["unit"] == "IOPS":
        return {"1": "read-1b-cache", "4096": "read-4k-cache"}[line["io_bytes"]]
    return f"stream-{line['op']}-{place}"


class Heads(util.Case):
    def test_all_that_was_published_is_found_within_5_percent(self):
        text = self.room / "heads.txt"
        done = self.ok("limits", *(f"sim:sun7410-{head}" for head in HEADS), "--only", ROWS, "--db",
                       "none", "--quiet", "--format", "json", "-o", text)
        found = {(c["target"], c["protocol"], c["row"]): c for c in json.loads(done.stdout)["ceilings"]}
        cells = 0
        with open(PUBLISHED, encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                for head in HEADS:
                    if line[f"{head}_low"]:
                        cells += 1
                        with self.subTest(line["workload"], head=head):
                            self.check(found[f"sim:sun7410-{head}", line["protocol"], row_of(line)],
                                       *(float(line[f"{head}_{end}"]) * UNIT[line["unit"]]
                                         for end in ("low", "high")))
        self.assertEqual(cells, 19)
        self.check_columns(text.read_text())

    def test_of_a_head_that_was_changed_nothing_was_published(self):
        for asked, known in (("?protocol=nfs", True), ("?protocol=nfs&ports=1", False), ("?port=1g", False)):
            done = self.ok("limits", f"sim:sun7410-barcelona{asked}", "--only", "read-1b-cache", "--streams",
                           "64", "--db", "none", "--quiet", "--format", "json")
            row = next(c for c in json.loads(done.stdout)["ceilings"] if c["protocol"] == "nfs")
            self.assertEqual(row["published"] is not None, known, asked)

    def check(self, row, low, high):
        """A band is that of p5 and p95; everything else is one number."""
        self.assertEqual(row["state"], "found", row["why"])
        beside = row["published"]
        self.assertAlmostEqual(beside["low"] / low, 1, places=6)
        self.assertAlmostEqual(beside["high"] / high, 1, places=6)
        mine = (row["latency"]["p5_ns"], row["latency"]["p95_ns"]) if low < high else (row["value"],)
        for value, theirs in zip(mine, (low, high)):
            self.assertLessEqual(abs(value / theirs - 1), WITHIN, (value, theirs))

    def check_columns(self, text):
        """Two columns, and in each what was published beside what is found."""
        self.assertRegex(text, r"\n4 KiB read, cache +\S+/s +191,000/s +\S+ +\S+/s +404,000/s +\S+\n")
        self.assertIn("19 of 19 rows within 5 %", text)


if __name__ == "__main__":
    unittest.main()
