#!/usr/bin/python3
"""What loadline itself costs, beside a peer measured in the same minutes.

bench.py --program build/loadline [--only NAME]

Every row has at least ten rounds; in each, our side, the peer and our side again take turns. A row
compares best with best: the least CPU per op, the highest rate, the shortest start. What disturbs
the machine only ever adds, so the best of many rounds is what the code costs. The control is our
side against itself: where these two bests differ by more than the row's margin, the machine is too
restless for this row and it says "not measurable here", which is neither pass nor fail.

Prints a table and writes bench.json beside the program. Exit status: 0, 1 when a row falls short,
2 when it could not be measured."""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from limits_sides import Sides
from uring_sides import Side

TMPFS = "/dev/shm"
# Many short rounds rather than few long ones: on a machine that others use too, a short one has the
# better chance to be left alone. fio takes its time to start, hence fewer there.
NULL_ROUNDS, NULL_MS = 20, 150
POSIX_ROUNDS, POSIX_MS = 60, 60
TREE_ROUNDS, TREES_PER_THREAD = 20, 32
WML_ROUNDS, WML_MS, WML_THREADS = 12, 250, 16
START_ROUNDS = 12
URING_ROUNDS, URING_MS = 12, 250
URING_RATE, URING_CPU = 0, 1
START_BOUND_MS = 50.0
POSIX_ADDED_NS = 30.0
LIMITS_ROUNDS = 5  # each of as many finals as the row has
PICK_ROUNDS, PICK_THREADS = 20, 16
PICK_BOUND_NS = 30.0
# A set of ten million files, of directories of a few files and of a single one.
ENTRIES_ROUNDS, ENTRIES_WIDTHS = 10, (20, 1000000)
ENTRIES_BOUND_MS, ENTRIES_BOUND_MB = 10000.0, 160.0
# A tree of ten million files.
TREE_FILES = ["--levels", "3", "--branches", "10", "--files", "9010"]
TREE_MEMORY_ROUNDS, TREE_BOUND_MB = 10, 80.0
# The tree test of a thousand threads, a few files each.
THREADS_ROUNDS, THREADS_BOUND_MB = 10, 256.0
THREADS_TREES = ["--threads", "1000", "--levels", "1", "--branches", "4", "--files", "4"]
NFS_ROUNDS, NFS_MS = 20, 100
NFS_META_ROUNDS, NFS_META_THOUSANDS = 12, 10
NFS_STREAMS, NFS_STREAM_ROUNDS, NFS_STREAM_BOUND_BYTES = 10000, 10, 1024.0
# A modelled system and 1,280 streams, in seconds and minutes of the model. What is read fits its memory.
SIM = "sim:sun7410-barcelona"
SIM_IO = ["io", SIM, "--clients", "20", "--streams", "64", "--block", "4k", "--warmup",
          "0s", "--db", "none", "--quiet"]
SIM_RATE_ROUNDS, SIM_RATE_S, SIM_RATE_BOUND = 10, 10, 1e6
SIM_MEMORY_ROUNDS, SIM_MEMORY_MINUTES = 2, (60, 1)
# The probe's thread, beside a thousand others of the process.
PROBE_ROUNDS, PROBE_THREADS, PROBE_S, PROBE_BOUND_PERCENT = 10, 1000, 5, 0.5


class Failed(Exception):
    """A row that could not be measured."""


def output_of(command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Failed(f"{pathlib.Path(str(command[0])).name}: {said[-1] if said else 'failed'}")
    return done.stdout


@contextlib.contextmanager
def scratch():
    """An empty directory on tmpfs."""
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        kinds = {line.split()[1]: line.split()[2] for line in mounts}
    if kinds.get(TMPFS) != "tmpfs":
        raise Failed(f"{TMPFS} is not a tmpfs; mount one there")
    with tempfile.TemporaryDirectory(prefix="loadline-bench-", dir=TMPFS) as directory:
        yield directory


@contextlib.contextmanager
def on_one_core(turn):
    """This process, and what it starts, on one core; another one each turn."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(allowed)[turn % len(allowed)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def in_turns(rounds, sides):
    """One value of each side a round; who begins changes from round to round."""
    values = [[] for _ in sides]
    for turn in range(rounds):
        for k in range(len(sides)):
            side = (turn + k) % len(sides)
            values[side].append(sides[side](turn))
    return values


def columns(text):
    return [[float(word) for word in column]
            for column in zip(*(line.split() for line in text.splitlines()))]


# ---- the rows: each returns the rounds of ours, peer, ours again ----

def null_ours(program, turn):
    with on_one_core(turn):
        answer = json.loads(output_of([
            program, "io", "null:", "--read", "100", "--block", "4k", "--size", "1g", "--random",
            "--streams", "1", "--workers", "1", "--time", f"{NULL_MS}ms", "--warmup", "0s",
            "--format", "json", "--db", "none", "--quiet"]))
    result = answer[0] if isinstance(answer, list) else answer
    line = result["lines"][0]
    if line["ops"] == 0 or result["errors"]:
        raise Failed("io null: did no reads, or had errors")
    return line["ops"] * 1e9 / result["elapsed_ns"]


def null_fio(turn):
    with on_one_core(turn):
        answer = json.loads(output_of([
            "fio", "--name=null", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g",
            "--norandommap", "--randrepeat=0", "--thread", "--numjobs=1", "--iodepth=1",
            "--time_based", f"--runtime={NULL_MS}ms", "--output-format=json"]))
    read = answer["jobs"][0]["read"]
    if read["total_ios"] == 0 or read["lat_ns"]["N"] == 0:
        raise Failed("fio did no reads, or took no latencies")
    return read["iops"]


def null(tools):
    ours = lambda turn: null_ours(tools.program, turn)
    return in_turns(NULL_ROUNDS, [ours, null_fio, ours])


def posix(tools, block):
    with scratch() as directory:
        return columns(output_of([tools.perf / "bench_reads", directory, block, POSIX_ROUNDS,
                                  POSIX_MS]))


def trees(tools, kind):
    threads = len(os.sched_getaffinity(0))
    with scratch() as directory:
        return columns(output_of([tools.perf / "bench_trees", directory, kind, threads,
                                  threads * TREES_PER_THREAD, TREE_ROUNDS]))


def wml(tools, personality, workload, files):
    """CPU a loop, files alike on both sides; the workload as it is shipped."""
    source = pathlib.Path(__file__).resolve().parents[2] / "workloads" / f"{workload}.f"
    with scratch() as directory:
        return columns(output_of([tools.perf / "bench_wml", directory, source, personality,
                                  WML_THREADS, files, WML_ROUNDS, WML_MS]))


def start_once(tools, database):
    with scratch() as directory:
        return float(output_of([
            tools.perf / "bench_start", directory, "4096-r1-k00/t00/d0", tools.program,
            "dirtest", directory,
            "--threads", "1", "--levels", "1", "--branches", "1", "--files", "1",
            "--lengths", "4k", "--repeat", "1", "--min-time", "10ms", "--write-only", "--keep",
            "--db", database, "--quiet"]).splitlines()[-1])


def start(tools):
    """With a database that is there already, as it is from the second study on."""
    with tempfile.TemporaryDirectory(prefix="bench-start-", dir=tools.program.parent) as home:
        database = os.path.join(home, "results.db")
        once = lambda turn: start_once(tools, database)
        once(0)
        ours, again = in_turns(START_ROUNDS, [once, once])
    return ours, [START_BOUND_MS], again


def pick(tools):
    ours, again = columns(output_of([tools.perf / "bench_fileset", "pick", PICK_THREADS,
                                     PICK_ROUNDS]))
    return ours, [PICK_BOUND_NS], again


def entries(tools, column, bound):
    """The worse of the widths, round by round."""
    def once(_):
        return max(columns(output_of([tools.perf / "bench_fileset", "entries", width]))[column][0]
                   for width in ENTRIES_WIDTHS)
    ours, again = in_turns(ENTRIES_ROUNDS // 2, [once, once])
    return ours, [bound], again


def tree_memory(tools):
    """The program itself included."""
    once = lambda turn: float(output_of([
        tools.perf / "bench_fileset", "resident", tools.program, "dirtest", "null:", "--threads", "1", *TREE_FILES, "--lengths", "1",
        "--repeat", "1", "--min-time", "1ms", "--write-only", "--db", "none", "--quiet"]))
    ours, again = in_turns(TREE_MEMORY_ROUNDS // 2, [once, once])
    return ours, [TREE_BOUND_MB], again


def threads_memory(tools):
    def once(_):
        with scratch() as directory:
            return float(output_of([
                tools.perf / "bench_fileset", "resident", tools.program, "dirtest", directory,
                *THREADS_TREES, "--lengths", "4k", "--repeat", "1", "--min-time", "1ms", "--db", "none",
                "--quiet"]))
    ours, again = in_turns(THREADS_ROUNDS // 2, [once, once])
    return ours, [THREADS_BOUND_MB], again


def nfs(tools, kind, peer, connections, depth, block, rounds=NFS_ROUNDS, amount=NFS_MS):
    """A server that keeps nothing takes the other core."""
    return columns(output_of([tools.perf / "bench_nfs", kind, peer, connections, depth, block, rounds,
                              amount]))


def nfs_memory(tools):
    once = lambda turn: float(output_of([tools.perf / "bench_nfs", "memory", tools.program,
                                         NFS_STREAMS]))
    ours, again = in_turns(NFS_STREAM_ROUNDS // 2, [once, once])
    return ours, [NFS_STREAM_BOUND_BYTES], again


def sim_rate(tools):
    """Of the whole program, its start and the files' making included; CPU is real time on an idle machine."""
    def once(turn):
        with on_one_core(turn):
            before = os.times()
            answer = json.loads(output_of([tools.program, *SIM_IO, "--read", "100", "--time",
                                           f"{SIM_RATE_S}s", "--format", "json"]))
            after = os.times()
        result = answer[0] if isinstance(answer, list) else answer
        spent = (after.children_user - before.children_user + after.children_system -
                 before.children_system)
        if result["errors"]:
            raise Failed("io sim: had errors")
        return result["lines"][0]["ops"] / spent
    ours, again = in_turns(SIM_RATE_ROUNDS // 2, [once, once])
    return ours, [SIM_RATE_BOUND], again


def sim_memory(tools):
    def after(minutes):
        return lambda turn: float(output_of([tools.perf / "bench_sim", SIM, minutes]))
    long, short = (after(minutes) for minutes in SIM_MEMORY_MINUTES)
    return in_turns(SIM_MEMORY_ROUNDS, [long, short, long])


def probe(tools):
    once = lambda _: float(output_of([tools.perf / "bench_probe", PROBE_THREADS, PROBE_S]))
    ours, again = in_turns(PROBE_ROUNDS // 2, [once, once])
    return ours, [PROBE_BOUND_PERCENT], again


def uring(side, tools, column):
    def in_place(run):
        def once(turn):
            with on_one_core(turn):
                try:
                    return run()[column]
                except ValueError as reason:
                    raise Failed(str(reason)) from reason
        return once
    ours = in_place(lambda: side.ours(tools.program))
    return in_turns(URING_ROUNDS, [ours, in_place(side.fio), ours])


def uring_direct(tools, column):
    """On the disk that the program lies on."""
    with tempfile.TemporaryDirectory(prefix="bench-uring-", dir=tools.program.parent) as directory:
        return uring(Side(output_of, directory, 64, "256m", URING_MS, True), tools, column)


def uring_cache(tools):
    with scratch() as directory:
        return uring(Side(output_of, directory, 32, "4m", URING_MS, False), tools, URING_CPU)


def limits_cache(tools, row, block, order):
    sides = Sides(output_of, scratch, on_one_core, Failed)
    ours = sides.cpu_ours(tools, row)
    return in_turns(LIMITS_ROUNDS, [ours, sides.cpu_bare(tools, block, order), ours])


def limits_device(tools, row, block, order):
    """On the disk that the program lies on."""
    sides = Sides(output_of, scratch, on_one_core, Failed)
    with tempfile.TemporaryDirectory(prefix="bench-limits-", dir=tools.program.parent) as directory:
        ours = sides.device_ours(tools, directory, row)
        return in_turns(LIMITS_ROUNDS, [ours, sides.device_fio(directory, block, order), ours])


class Row:
    """What a row is compared with, and when it holds. `better` is max for rates, min for costs."""

    def __init__(self, measure, unit, peer_name, reach, margin, better=min, added=None):
        self.measure, self.unit, self.peer_name = measure, unit, peer_name
        self.reach, self.margin, self.better, self.added = reach, margin, better, added

    def judge(self, name, rounds):
        ours, peer, again = (self.better(values) for values in rounds)
        ratio = ours / peer if self.better is max else peer / ours
        # So many ns more are allowed as well: then the lower of the two ratios is the bar.
        reach = min(self.reach, peer / (peer + self.added)) if self.added else self.reach
        control = abs(ours - again) / min(ours, again)
        verdict = "not-measurable" if control > self.margin else \
                  "holds" if ratio >= reach else "short"
        return {"name": name, "unit": self.unit, "ours": ours, "peer": peer,
                "peer_name": self.peer_name, "ratio": ratio, "reach": reach,
                "control": control, "verdict": verdict}


# A margin is the part of the peer that the reach leaves us, and a fifth where the reach is far.
ROWS = {
    "null": Row(null, "ops/s", "fio null", 5.0, 0.2, better=max),
    "posix-4k": Row(lambda tools: posix(tools, 4096), "CPU ns/read", "bare pread", 0.95, 0.05,
                    added=POSIX_ADDED_NS),
    "posix-1b": Row(lambda tools: posix(tools, 1), "CPU ns/read", "bare pread", 0.95, 0.05,
                    added=POSIX_ADDED_NS),
    "tree-write": Row(lambda tools: trees(tools, "write"), "CPU ns/file", "bare calls", 0.93, 0.07),
    "tree-read": Row(lambda tools: trees(tools, "read"), "CPU ns/file", "bare calls", 0.93, 0.07),
    "wml-varmail": Row(lambda tools: wml(tools, "varmail", "varmail", 1000), "CPU ns/loop",
                       "bare calls", 0.92, 0.08),
    "wml-fileserver": Row(lambda tools: wml(tools, "fileserver", "fileserver", 1000),
                          "CPU ns/loop", "bare calls", 0.92, 0.08),
    "wml-webserver": Row(lambda tools: wml(tools, "webserver", "webserver", 1000), "CPU ns/loop",
                         "bare calls", 0.92, 0.08),
    "wml-stat": Row(lambda tools: wml(tools, "stat", "filemicro_statfile", 1000), "CPU ns/op",
                    "bare calls", 0.9, 0.1),
    "wml-pick": Row(pick, "CPU ns/pick", "the limit", 1.0, 0.2),
    "wml-entries": Row(lambda tools: entries(tools, 0, ENTRIES_BOUND_MS), "ms", "the limit", 1.0,
                       0.2),
    "wml-memory": Row(lambda tools: entries(tools, 1, ENTRIES_BOUND_MB), "MB", "the limit", 1.0,
                      0.2),
    "tree-memory": Row(tree_memory, "MB", "the limit", 1.0, 0.2),
    "threads-1000": Row(threads_memory, "MB", "the limit", 1.0, 0.2),
    "nfs-read-4k": Row(lambda tools: nfs(tools, "read", "libnfs", 1, 32, 4096), "CPU ns/op", "libnfs",
                       1 / 0.30, 0.2),
    "nfs-read-bare": Row(lambda tools: nfs(tools, "read", "bare", 1, 32, 4096), "CPU ns/op",
                         "bare loop", 0.85, 0.15),
    "nfs-read-1b": Row(lambda tools: nfs(tools, "read", "libnfs", 1, 32, 1), "CPU ns/op", "libnfs",
                       1 / 0.30, 0.2),
    "nfs-write-4k": Row(lambda tools: nfs(tools, "write", "libnfs", 1, 32, 4096), "CPU ns/op",
                        "libnfs", 1 / 0.40, 0.2),
    "nfs-64conn": Row(lambda tools: nfs(tools, "read", "libnfs", 64, 1, 4096), "CPU ns/op", "libnfs",
                      1 / 0.5, 0.2),
    "nfs-1m": Row(lambda tools: nfs(tools, "read", "libnfs", 1, 8, 1 << 20), "CPU ns/MiB", "libnfs",
                  1 / 0.85, 0.15),
    "nfs-meta": Row(lambda tools: nfs(tools, "meta", "libnfs", 1, 32, 4096, NFS_META_ROUNDS,
                                      NFS_META_THOUSANDS), "CPU ns/cycle", "libnfs", 1 / 0.4, 0.2),
    "nfs-rpcs": Row(lambda tools: nfs(tools, "rpcs", "libnfs", 1, 32, 4096, 2, NFS_META_THOUSANDS),
                    "RPCs/cycle", "libnfs", 1 / 0.6, 0.01),
    "nfs-10k": Row(nfs_memory, "bytes/stream", "the limit", 1.0, 0.2),
    "sim-rate": Row(sim_rate, "reads/CPU s", "the limit", 1.0, 0.2, better=max),
    "sim-memory": Row(sim_memory, "MB", "one minute", 1 / 1.05, 0.05),
    "probe-cost": Row(probe, "% of a core", "the limit", 1.0, 0.2),
    "uring-direct": Row(lambda tools: uring_direct(tools, URING_RATE), "reads/s", "fio io_uring",
                        1.0, 0.1, better=max),
    "uring-cpu": Row(lambda tools: uring_direct(tools, URING_CPU), "CPU ns/read",
                            "fio io_uring", 1 / 0.8, 0.1),
    "uring-cache": Row(uring_cache, "CPU ns/read", "fio io_uring", 1 / 0.75, 0.1),
    "limits-cache-read": Row(lambda tools: limits_cache(tools, "stream-read-cache", 1 << 20, "seq"),
                             "CPU ns/MiB", "bare pread", 0.93, 0.07),
    "limits-iops-1b": Row(lambda tools: limits_cache(tools, "read-1b-cache", 1, "random"),
                          "CPU ns/read", "bare pread", 0.93, 0.07),
    "limits-iops-4k": Row(lambda tools: limits_cache(tools, "read-4k-cache", 4096, "random"),
                          "CPU ns/read", "bare pread", 0.93, 0.07),
    "limits-device-4k": Row(lambda tools: limits_device(tools, "read-4k-disk", "4k", "randread"),
                            "reads/s", "fio psync", 0.97, 0.03, better=max),
    "limits-device-1m": Row(lambda tools: limits_device(tools, "stream-read-disk", "1m", "read"),
                            "reads/s", "fio psync", 0.97, 0.03, better=max),
    "start": Row(start, "ms", "the limit", 1.0, 0.2),
}

FORM = "{:<18}{:<12}{:>8}{:>8}{:>6}{:>6}{:>6}  {}"
LEGEND = """\
peer: fio's null engine; a loop of pread; a loop of the same calls; the limit;
nfs-*: libnfs, a loop of send and recv. nfs-meta: create, close, stat, open, close, remove.
limits-*: the finals of that row; cache on one core, device at eight streams.
sim-memory: after an hour and after a minute of the model's time.
ratio: ours / peer of rates, else peer / ours. A/A: ours against itself.
posix-*: 0.95 of bare, or at most 30 ns added; reach is the lower of the two.
not measurable here: A/A is above the row's margin; neither pass nor fail."""


def number(value):
    return f"{value / 1e6:.2f}M" if value >= 1e6 else f"{value:.{0 if value >= 1e5 else 1}f}"


def table_line(row):
    verdict = "not measurable here" if row["verdict"] == "not-measurable" else row["verdict"]
    return FORM.format(row["name"], row["unit"], number(row["ours"]), number(row["peer"]),
                       f"{row['ratio']:.2f}", f"{row['reach']:.2f}",
                       f"{row['control'] * 100:.1f}%", verdict)


class Tools:
    def __init__(self, program):
        self.program = program.resolve()
        self.perf = self.program.parent / "perf"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--only", choices=ROWS, metavar="NAME", help=" ".join(ROWS))
    arguments = parser.parse_args()
    tools = Tools(arguments.program)
    rows, failed = [], False
    print(FORM.format("row", "unit", "ours", "peer", "ratio", "reach", "A/A", "verdict"))
    for name in [arguments.only] if arguments.only else ROWS:
        try:
            rows.append(ROWS[name].judge(name, ROWS[name].measure(tools)))
            print(table_line(rows[-1]), flush=True)
        except Failed as reason:
            failed = True
            print(f"{name}: {reason}", file=sys.stderr)
    report = tools.program.parent / "bench.json"
    report.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print(LEGEND)
    if failed:
        return 2
    return 1 if any(row["verdict"] == "short" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
