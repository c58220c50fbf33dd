#!/usr/bin/python3
"""On every modelled system that is shipped `limits` finds what arithmetic says that it can give (capacity.py): of each
the rows that its places decide, from a load on that fills them."""
import unittest

import capacity
import limits_case
import util

WITHIN = 0.02
# Rows, and the loads that the ramp goes to: arithmetic knows no queue that is ever empty.
DISKS = ("stream-read-disk,read-4k-disk", "256..512")
MEMORY = ("read-4k-cache", "512..1024")
DECISIVE = {"nvme-local": ("read-4k-disk", "256..512"), "emc-celerra": MEMORY,
            "linux-nfs-10g": MEMORY, "netapp-f840": MEMORY, "sun7410-barcelona": MEMORY,
            "sun7410-istanbul": MEMORY}


def most(row, result):
    """In what the row counts, a second."""
    places = capacity.System(result["target"]).row(
        row["row"], int(util.option(result, "io_bytes")), util.option(result, "direct") == "yes",
        row["top_streams"])
    ops_s, place, _ = capacity.most(places)
    return ops_s * (int(util.option(result, "io_bytes")) if row["metric"] == "bytes" else 1), place


class Profile(util.Case):
    def check(self, name):
        only, streams = DECISIVE.get(name, DISKS)
        answer = limits_case.said(f"sim:{name}", "--only", only, "--streams", streams,
                                  "--server-metrics", "model")
        self.assertEqual({(row["protocol"], row["row"]) for row in answer["ceilings"]},
                         {(p, row) for p in capacity.protocols(name) for row in only.split(",")})
        for row in answer["ceilings"]:
            with self.subTest(f"{row['protocol']} {row['row']}"):
                self.assertEqual(row["state"], "found", row["why"])
                capacity_s, place = most(row, limits_case.finals(answer, row)[0])
                self.assertLess(abs(row["value"] / capacity_s - 1), WITHIN,
                                f"{row['value']:.6g} of {capacity_s:.6g}, by {place}")


for path in sorted(capacity.PROFILES.glob("*.profile")):
    setattr(Profile, "test_" + path.stem.replace("-", "_"),
            lambda self, name=path.stem: self.check(name))


if __name__ == "__main__":
    unittest.main()
