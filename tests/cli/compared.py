"""A store of runs in virtual time, so that tests of comparing know what must come out: six of one
and the same system, six more of it, six of one that is slower, and one alone."""
import atexit
import functools
import pathlib
import shutil
import tempfile

import util

RUNS = {  # label: mean latency, seeds of the latency: such that none of them drifts by chance
    "base": ("1000us", (1, 4, 2, 6, 3, 5)),
    "same": ("1000us", (7, 10, 8, 12, 9, 11)),
    "slow": ("1300us", (13, 16, 14, 18, 15, 17)),
    "once": ("1000us", (19,)),
}


def measure(db, label, latency, seed, *more):
    done = util.run("io", f"fault:null:?latency=exp:{latency}&seed={seed}&clock=virtual",
                    "--streams", "8", "--size", "1m", "--block", "4k", "--read", "70", "--time",
                    "10s", "--warmup", "0s", "--label", label, "--quiet", "--db", db, *more)
    if done.returncode != 0:
        raise AssertionError(done.stderr)


@functools.cache
def _store():
    room = pathlib.Path(tempfile.mkdtemp(prefix="loadline-test-"))
    atexit.register(shutil.rmtree, room, ignore_errors=True)
    db = shutil.copy(util.store_with_overhead(), room / "results.db")
    for label, (latency, seeds) in RUNS.items():
        for seed in seeds:
            measure(db, label, latency, seed)
    return db


class Case(util.Case):
    @functools.cached_property
    def db(self):
        return shutil.copy(_store(), self.room / "results.db")

    def compare(self, *args, status=0):
        return self.fails(status, "compare", *args, "--db", self.db)
