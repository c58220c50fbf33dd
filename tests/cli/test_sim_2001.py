#!/usr/bin/python3
"""dirtest on the modelled filers of 2001 gives the four tables that were published of the real ones."""
import csv
import json
import math
import os
import pathlib
import unittest

import util

PUBLISHED = pathlib.Path(os.environ["SOURCE_DIR"]) / "data" / "dirtest-2001.csv"
SYSTEMS = {"sim:netapp-f840": "NetApp 840", "sim:emc-celerra": "EMC Celerra"}
TESTS = {"write": "dirtest", "read": "readtest"}
FILES = 5376

ROWS_WITHIN = 36
WITHIN = 0.15
RMS_AT_MOST = 0.08
FALLEN = 0.9  # of the highest throughput of shorter files


def published():
    """{(system, test): {length: seconds}}"""
    tables = {}
    with open(PUBLISHED, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            table = tables.setdefault((row["system"], row["test"]), {})
            table[int(row["file_length_bytes"])] = int(row["elapsed_ms"]) / 1e3
    return tables


def modelled(*options):
    done = util.run("dirtest", *SYSTEMS, "--repeat", "1", "--db", "none", "--quiet",
                    "--format", "json", *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    tables = {}
    for result in json.loads(done.stdout):
        table = tables.setdefault((SYSTEMS[result["target"]], TESTS[result["phase"]]), {})
        table[int(util.option(result, "length_bytes"))] = result["elapsed_ns"] / 1e9
    return tables


def errors(model, truth):
    """Of each length, as a part of what was published."""
    return {length: seconds / truth[length] - 1 for length, seconds in sorted(model.items())}


def falls_at(table):
    """The first length whose throughput has fallen well below that of a shorter one."""
    highest = 0
    for length, seconds in sorted(table.items()):
        rate = FILES * length / seconds
        if rate < FALLEN * highest:
            return length
        highest = max(highest, rate)
    return None


class Sim2001(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.truth = published()
        # Checkers of memory make a model of 60 million blocks slow: there some of the lengths.
        some = ("--lengths", "48,8k,32k,128k,256k,512k") if os.environ["LOADLINE_SANITIZE"] else ()
        cls.model = modelled(*some)
        cls.whole = not some

    def test_every_table_is_there(self):
        self.assertEqual(set(self.model), set(self.truth))
        for name, table in self.model.items():
            self.assertEqual(set(table) - set(self.truth[name]), set())
            self.assertTrue(not self.whole or len(table) == 40, name)

    def test_lengths_are_within_fifteen_per_cent(self):
        for name, table in self.model.items():
            wrong = {k: round(e, 3) for k, e in errors(table, self.truth[name]).items()
                     if abs(e) > WITHIN}
            allowed = len(table) * (40 - ROWS_WITHIN) // 40
            self.assertLessEqual(len(wrong), allowed, f"{name}: {wrong}")

    def test_error_of_a_table_is_small(self):
        for name, table in self.model.items():
            wrong = errors(table, self.truth[name])
            rms = math.sqrt(sum(e * e for e in wrong.values()) / len(wrong))
            self.assertLessEqual(rms, RMS_AT_MOST,
                                 f"{name}: {({k: round(e, 3) for k, e in wrong.items()})}")

    def test_the_celerra_falls_where_it_fell(self):
        for test in TESTS.values():
            truth, model = self.truth["EMC Celerra", test], self.model["EMC Celerra", test]
            lengths = sorted(model)
            there, here = falls_at({k: truth[k] for k in lengths}), falls_at(model)
            self.assertIsNotNone(here, test)
            rows = abs(lengths.index(there) - lengths.index(here))
            self.assertLessEqual(rows, 1, f"{test}: {here}, not {there}")
            self.assertIsNone(falls_at(self.model["NetApp 840", test]))


if __name__ == "__main__":
    unittest.main()
