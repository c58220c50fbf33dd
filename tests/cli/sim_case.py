"""What the tests of modelled systems share: a run on one, and what its result says."""
import json
import unittest

import util

GIB = 1 << 30
MIB = 1 << 20


def bucket_ns(bucket):
    """The middle of a bucket of log-linear-7."""
    if bucket < 128:
        return bucket
    shift = bucket // 128 - 1
    return ((bucket - 128 * shift) << shift) + ((1 << shift) - 1) // 2


def quantile_ns(histogram, share):
    buckets = histogram["buckets"]
    wanted = share * sum(buckets[1::2])
    bucket = 0
    for distance, count in zip(buckets[0::2], buckets[1::2]):
        bucket += distance
        wanted -= count
        if wanted <= 0:
            break
    return bucket_ns(bucket)


def result(*args):
    """Of the one run that the command makes."""
    done = util.run(*args, "--db", "none", "--quiet", "--format", "json")
    if done.returncode != 0:
        raise AssertionError(f"{args}\n{done.stderr}")
    answer, = json.loads(done.stdout)
    if (answer["state"], answer["errors"]) != ("complete", []):
        raise AssertionError(f"{args}: {answer['state']}, {answer['errors']}")
    return answer


class SimCase(unittest.TestCase):
    @staticmethod
    def per_s(result, count):
        return count * 1e9 / result["elapsed_ns"]

    @staticmethod
    def ops_per_s(result):
        return sum(line["ops"] for line in result["lines"]) * 1e9 / result["elapsed_ns"]

    @staticmethod
    def counter(result, name):
        return sum(float(fact["value"]) for fact in result["counters"] if fact["key"] == name)

    @staticmethod
    def stations(result):
        """{name: share of the time that its busiest place is}"""
        return {s["name"]: s["worst_busy_ns"] / result["elapsed_ns"] for s in result["truth"]}

    @staticmethod
    def mean_share(result, name):
        """Of all servers of that name."""
        station, = (s for s in result["truth"] if s["name"] == name)
        return station["busy_ns"] / station["servers"] / result["elapsed_ns"]

    @staticmethod
    def served(result, name):
        """The server's own times of that kind."""
        call, = (c["time"] for c in result["calls"] if c["name"] == name)
        return call

    def near(self, value, published, within, what=""):
        self.assertLessEqual(abs(value / published - 1), within,
                             f"{what}: {value:.6g}, published {published:.6g}")
