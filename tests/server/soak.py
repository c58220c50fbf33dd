#!/usr/bin/python3
"""soak.py SECONDS — 200 streams of mixed load on NFS servers that end without notice. What ledger_client was
told to be done or durable has to be there: every name, and every byte, over NFS and where it is stored.

First on nfs-ganesha, killed and started again every 20 seconds: the page cache outlives it, so that all
that was acknowledged has to be there. Then, for a third of the time, on a server that forgets writes that
were not committed whenever it crashes, every second or two. Nobody holds memory, descriptors or
connections in the end. BUILD_DIR has the client."""
import contextlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

import forgetful_nfs
import ganesha

RESTART_SECONDS, DOWN_SECONDS = 20, 1
SKIPPED = 77
# What is not yet committed is kept to be written again; more than that is not given back.
GROWTH_KB = 32768
SETTLED_SECONDS = 5


class Wrong(Exception):
    """What the soak was to show does not hold."""


def resident_kb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def connections(port):
    """That are open at a port of this machine."""
    found = 0
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, *_ = line.split()
        found += state == "01" and int(local.split(":")[1], 16) == port
    return found


class Load:
    """ledger_client under way: `counters` when it is loaded."""

    def __init__(self, *args):
        self.counters = {}
        self.heard = threading.Event()
        self.first, self.most = None, (0, 0)
        self.process = subprocess.Popen(
            [pathlib.Path(os.environ["BUILD_DIR"]) / "server" / "ledger_client", *map(str, args)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read(self):
        for line in self.process.stdout:
            key, _, value = line.strip().partition(" ")
            if value:
                with contextlib.suppress(ValueError):
                    self.counters[key] = float(value)
            else:
                self.heard.set()
        self.heard.set()

    def is_heard_in(self, seconds):
        """Whether it waits, or has ended."""
        return self.heard.wait(seconds)

    def go_on(self):
        self.check()
        self.heard.clear()
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def check(self):
        if self.process.poll() not in (None, 0):
            raise Wrong(f"ledger_client: exit status {self.process.returncode}")

    def look(self):
        with contextlib.suppress(OSError):
            now = (resident_kb(self.process.pid), descriptors(self.process.pid))
            self.first = self.first or now
            self.most = tuple(map(max, self.most, now))

    def end(self):
        self.go_on()
        if self.process.wait(120) != 0:
            raise Wrong(f"ledger_client: exit status {self.process.returncode}")
        # A sanitizer keeps what was freed, and looks for leaks itself.
        growth_kb = float("inf") if os.environ.get("LOADLINE_SANITIZE") else GROWTH_KB
        if self.first and (self.most[0] > self.first[0] + growth_kb or self.most[1] > self.first[1] + 8):
            raise Wrong(f"resident KiB and descriptors grew from {self.first} to {self.most}")


def run(load, pause, crash):
    """Crashes until the load is over, and once more; how often."""
    time.sleep(min(SETTLED_SECONDS, pause()))
    crashes = 0
    while not load.is_heard_in(pause()):
        load.look()
        crash()
        crashes += 1
    load.check()
    crash()
    load.go_on()
    load.is_heard_in(None)
    load.check()
    return crashes


def check_counters(load, crashes, names):
    if crashes == 0:
        raise Wrong("nothing was killed in that time")
    missing = [name for name in names if not load.counters.get(name)]
    if missing:
        raise Wrong(f"{crashes} crashes and no {', '.join(missing)} in {load.counters}")
    print(f"  {crashes} crashes, {load.counters['ops']:.0f} ops; "
          + ", ".join(f"{name} {load.counters[name]:.0f}" for name in names), flush=True)


def soak_ganesha(room, seconds, seed):
    export = room / "export"
    export.mkdir()
    with ganesha.Ganesha(room / "server", [ganesha.Export("vfs", export)]) as server:
        with Load(server.address("vfs", connections=2), export, seconds, "keeps", seed) as load:
            crashes = run(load, lambda: min(RESTART_SECONDS, seconds / 3),
                          lambda: server.restart(DOWN_SECONDS))
            load.end()
        check_counters(load, crashes, ("outages", "reconnects", "retransmits"))
        for _ in range(60):
            if connections(server.ports[0]) == 0:
                return
            time.sleep(0.5)
        raise Wrong(f"{connections(server.ports[0])} connections are left")


def soak_forgetful(room, seconds, seed):
    random.seed(seed)
    with forgetful_nfs.Forgetful() as server:
        with Load(server.address(connections=2, wsize=8192), room / "stored", seconds, "forgets",
                  seed) as load:
            crashes = run(load, lambda: random.uniform(0.5, 2), lambda: server.crash(0.2))
            server.crash(0)
            server.store(room / "stored")
            load.end()
        check_counters(load, crashes, ("outages", "retransmits", "verifier_changes", "rewritten_bytes"))


def main():
    if os.geteuid() != 0 or not ganesha.installed():
        print("soak: needs root and nfs-ganesha", file=sys.stderr)
        return SKIPPED
    seconds = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    shm = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="loadline-soak-", dir=shm if shm.is_dir() else None) as name:
        print(f"seed {seed}\nnfs-ganesha, killed, for {seconds} s", flush=True)
        soak_ganesha(pathlib.Path(name), seconds, seed)
        print(f"a server that forgets, for {max(1, seconds // 3)} s", flush=True)
        soak_forgetful(pathlib.Path(name), max(1, seconds // 3), seed)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Wrong, ganesha.ServerError) as wrong:
        print(f"soak: {wrong}", file=sys.stderr)
        sys.exit(1)
