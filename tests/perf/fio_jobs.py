#!/usr/bin/python3
"""loadline io beside the job of fio that its --print-fio prints.

fio_jobs.py --program build/loadline [--directory DIR] [--rounds N]

First fio reads a job of every choice that io has (--parse-only). Then both read 4 KiB blocks at random
with O_DIRECT from files in DIR (default: the working directory), one stream and eight, taking turns.
Prints IOPS and p99 of each and their ratio.
Exit status: 0, 1 when fio refuses a job, 2 when something could not be run."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

CHOICES = (
    [], ["--read", "100"], ["--read", "0", "--sync", "data"], ["--seq", "--sync", "full"],
    ["--dist", "zipf:1.1"], ["--dist", "zipf:1"], ["--dist", "hot:90/10"],
    ["--files", "10", "--dist", "hot:90/10"], ["--block", "4k:60,6k:40"], ["--files", "10"], ["--files", "10", "--seq"], ["--block", "4k:60,64k:40"],
    ["--rate", "5000/s"], ["--rate", "5000/s", "--arrival", "poisson", "--mix", "50/50"],
    ["--rate", "1/h", "--read", "100"], ["--compress", "2:1", "--read", "0"], ["--direct"],
    ["--client-cache", "keep"], ["--time", "0.0015s", "--warmup", "0s"], ["--repeat", "3"])
COMMON = "--read 100 --block 4k --direct --size 256m --time 3s --warmup 1s".split()
FORM = "{:<8}{:<10}{:>10}{:>10}{:>7}{:>8}"


def output_of(command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{command[0]}: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(2)
    return done.stdout


def job_of(program, target, options, path):
    path.write_text(output_of([program, "io", target, "--print-fio", *options]), encoding="utf-8")
    return path


def refused(program, room):
    """The choices that fio does not take."""
    bad = []
    for choice in CHOICES:
        for target in (room, "null:"):
            job = job_of(program, target, ["--size", "64m", *choice], room / "job.fio")
            done = subprocess.run(["fio", "--parse-only", str(job)], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
            if done.returncode != 0 or done.stderr:
                bad.append(" ".join(choice))
                print(f"fio refuses {choice}: {done.stderr.strip()}", file=sys.stderr)
    return bad


def ours(program, room, options):
    document, = json.loads(output_of([program, "io", room, *options, "--keep", "--db", "none",
                                      "--quiet", "--format", "json"]))
    line = document["lines"][0]
    window_s = (document["window_close_ns"] - document["window_open_ns"]) / 1e9
    return line["ops"] / window_s, line["derived"]["service"]["p99_ns"] / 1e3


def theirs(program, room, options):
    job = job_of(program, room, options, room / "job.fio")
    read = json.loads(output_of(["fio", "--output-format=json", job]))["jobs"][0]["read"]
    return read["iops"], read["clat_ns"]["percentile"]["99.000000"] / 1e3


def compare(program, room, streams, rounds):
    """The first round makes the files, and counts for nothing: what lies behind a virtual disk may
    know files that were just written."""
    options = [*COMMON, "--streams", str(streams)]
    pairs = []
    for number in range(rounds + 1):
        sides = [ours, theirs] if number % 2 else [theirs, ours]
        got = {side: side(program, room, options) for side in sides}
        pairs.append((got[ours], got[theirs]))
    del pairs[0]
    for at, what in enumerate(("IOPS", "p99 us")):
        a = statistics.median(pair[0][at] for pair in pairs)
        b = statistics.median(pair[1][at] for pair in pairs)
        print(FORM.format(streams, what, f"{a:.0f}", f"{b:.0f}", f"{a / b:.3f}",
                          f"{(a / b - 1) * 100:+.1f}%"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--directory", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    with tempfile.TemporaryDirectory(prefix="fio-jobs-", dir=arguments.directory) as room:
        bad = refused(program, pathlib.Path(room))
        print(f"fio takes {len(CHOICES) - len(bad)} of {len(CHOICES)} jobs")
        print(FORM.format("streams", "", "loadline", "fio", "ratio", "more"))
        for streams in (1, 8):
            compare(program, pathlib.Path(room), streams, arguments.rounds)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
