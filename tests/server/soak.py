#!/usr/bin/python3
"""soak.py SECONDS — 200 streams of mixed load on an NFS server that is killed and started again every 20
seconds. At the end every byte that is in the export is the right one, no file is longer than it was made,
nothing was an error, nobody holds memory or connections, and nothing is left when all is removed.

What the bytes have to be: the same set of files made in a directory here, since content comes from seed,
file and place; but for eight bytes of each sector, which tell how often it was written. LOADLINE names the
program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import ganesha

WORKLOAD = pathlib.Path(__file__).with_name("soak.f")
RESTART_SECONDS, DOWN_SECONDS = 20, 1
STREAMS = 200
SECTOR = 512
SKIPPED = 77
# Reached in the first minute; what grows on from there is not given back.
GROWTH_KB = 16384


class Wrong(Exception):
    """What the soak was to show does not hold."""


def resident_kb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def program(*words):
    return [os.environ["LOADLINE"], *map(str, words)]


def make_twin(directory):
    """All files there can be, whole."""
    subprocess.run(program("run", WORKLOAD, directory, "--time", "0.1s", "--keep", "--db", "none",
                           "--quiet", "--dialect", "auto"), check=True, stdout=subprocess.DEVNULL)


def files_of(directory):
    tree, = pathlib.Path(directory).glob("loadline-*")
    return {path.relative_to(tree): path for path in tree.rglob("*")
            if path.is_file() and path.name != ".loadline"}


def soak(server, seconds, room):
    """Runs the load; its result, and how often the server was killed."""
    with open(room / "result", "wb") as answer, open(room / "words", "wb") as words:
        load = subprocess.Popen(
            program("run", WORKLOAD, server.address("vfs", connections=2), "--time", f"{seconds}s",
                    "--keep", "--stall", "60s", "--db", "none", "--format", "json"),
            stdin=subprocess.DEVNULL, stdout=answer, stderr=words)
    kills, first, most = 0, None, (0, 0)
    try:
        while load.poll() is None:
            due = time.monotonic() + RESTART_SECONDS
            while load.poll() is None and time.monotonic() < due:
                time.sleep(0.2)
            if load.poll() is None:
                now = (resident_kb(load.pid), descriptors(load.pid))
                first, most = first or now, max(most, now)
                server.restart(DOWN_SECONDS)
                kills += 1
    finally:
        load.kill()
        load.wait()
    if load.returncode != 0:
        raise Wrong(f"exit status {load.returncode}: {(room / 'words').read_text()}")
    if first and (most[0] > first[0] + GROWTH_KB or most[1] > first[1] + STREAMS):
        raise Wrong(f"resident KiB and descriptors grew from {first} to {most}")
    return json.loads((room / "result").read_text())[0], kills


def check_result(result, kills):
    if result["state"] != "complete" or result["errors"]:
        raise Wrong(f"{result['state']}, {result['errors']}")
    counters = {fact["key"]: float(fact["value"]) for fact in result["counters"]}
    if kills and not (counters.get("outages") and counters.get("retransmits")):
        raise Wrong(f"{kills} kills and no outage in {counters}")
    if result["streams"]["n"] != STREAMS:
        raise Wrong(f"{result['streams']['n']} streams")


def sectors(data):
    """Without what tells one writing of a sector from another; whole ones."""
    for at in range(0, len(data) - SECTOR + 1, SECTOR):
        yield data[at:at + 8] + data[at + 16:at + SECTOR]


def has_hole(name, data, whole):
    """Of a file: another stream may have written behind what the one that makes it had come to."""
    hole = False
    for ours, right in zip(sectors(data), sectors(whole)):
        if ours != right:
            if any(ours):
                raise Wrong(f"{name} is not what was written")
            hole = True
    return hole


def check_bytes(export, twin):
    """How many files there are, how many of them could be compared, and all their bytes. Only those that
    were being made when the load ended are not whole."""
    right, found = files_of(twin), files_of(export)
    common = found.keys() & right.keys()
    holes = sum(has_hole(name, found[name].read_bytes(), right[name].read_bytes()) for name in common)
    if len(common) < len(found) / 2 or holes > STREAMS:
        raise Wrong(f"{len(common)} of {len(found)} files compared, {holes} of them with holes")
    return len(found), len(common), sum(path.stat().st_size for path in found.values())


def main():
    if os.geteuid() != 0 or not ganesha.installed():
        print("soak: needs root and nfs-ganesha", file=sys.stderr)
        return SKIPPED
    seconds = int(sys.argv[1])
    shm = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="loadline-soak-", dir=shm if shm.is_dir() else None) as name:
        room = pathlib.Path(name)
        for directory in ("export", "twin"):
            (room / directory).mkdir()
        make_twin(room / "twin")
        with ganesha.Ganesha(room / "server", [ganesha.Export("vfs", room / "export")]) as server:
            result, kills = soak(server, seconds, room)
            check_result(result, kills)
            files, compared, total = check_bytes(room / "export", room / "twin")
            subprocess.run(program("clean", server.address("vfs"), "--kept", "--quiet"), check=True,
                           stdout=subprocess.DEVNULL)
        left = list((room / "export").iterdir())
        if left:
            raise Wrong(f"left behind: {left}")
    print(f"{seconds} s, {kills} restarts: {files} files of {total} bytes in the export, {compared} "
          f"compared, all right; nothing left")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Wrong, ganesha.ServerError, subprocess.CalledProcessError) as wrong:
        print(f"soak: {wrong}", file=sys.stderr)
        sys.exit(1)
