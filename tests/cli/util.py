"""What the tests of the program share. LOADLINE names the program."""
import atexit
import ctypes
import fcntl
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["LOADLINE"]

# What ends sooner or later has ended by then, on the busiest machine: no test is about how long it takes.
PATIENCE_S = 900

# Under sudo the program asks servers in the name of the person; tests mean what they run as.
for name in ("SUDO_UID", "SUDO_GID"):
    os.environ.pop(name, None)

# A sweep that is over in well under a second: 12 files a row.
SMALL_TREE = ("--threads 2 --levels 1 --branches 2 --files 2 --lengths 2,4k --repeat 2 "
              "--min-time 0.01s").split()
SMALL_IO = "--streams 2 --size 1m --block 4k --time 0.2s --warmup 0s".split()


def own_mounts():
    """For setUpModule: what this process mounts nobody else sees, and it ends with the process."""
    clone_newns = 0x20000
    if os.geteuid() != 0:
        raise unittest.SkipTest("mounting needs root")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(clone_newns) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def loop_device(file, *how):
    """A device over this file. One test at a time looks for a free one: a search opens for writing
    what another test had just taken, and a device in use elsewhere is refused."""
    with open("/dev/loop-control", "rb", buffering=0) as control:
        fcntl.flock(control, fcntl.LOCK_EX)
        return subprocess.run(["losetup", *how, "-f", "--show", file], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()


def settled(args):
    """An option of the small studies gives way to the same one behind it."""
    args = list(map(str, args))
    small = {word for word in SMALL_TREE + SMALL_IO if word.startswith("--")}
    for name in small:
        while args.count(name) > 1:
            at = args.index(name)
            del args[at:at + 2]
    return args


def run(*args, timeout=PATIENCE_S, **options):
    """Runs the program with these arguments; never asks the user's own store."""
    return subprocess.run([PROGRAM, *settled(args)], capture_output=True, text=True,
                          timeout=timeout, check=False, stdin=subprocess.DEVNULL, **options)


def start(*args, **options):
    return subprocess.Popen([PROGRAM, *settled(args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, **options)


@functools.cache
def all_commands():
    """As help lists them."""
    listed = run("--help").stdout.split("\nCommands\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines() if line[2:3].isalpha()]


def option(result, key):
    """What a result in JSON says of an option; None: nothing."""
    return next((fact["value"] for fact in result["options"] if fact["key"] == key), None)


@functools.cache
def store_with_overhead():
    """A store in which the overhead is known already: to measure it takes a second."""
    room = pathlib.Path(tempfile.mkdtemp(prefix="loadline-test-"))
    atexit.register(shutil.rmtree, room, ignore_errors=True)
    for _ in range(3):  # that may be refused on a machine that is too busy for it
        done = run("selftest", "overhead", "--db", room / "results.db")
        if done.returncode == 0:
            break
    else:
        raise AssertionError(done.stderr)
    return room / "results.db"


class Case(unittest.TestCase):
    """A test with a target directory and a store of its own, without studies."""

    def setUp(self):
        self.room = pathlib.Path(tempfile.mkdtemp(prefix="loadline-test-"))
        self.addCleanup(shutil.rmtree, self.room, ignore_errors=True)
        self.target = self.room / "target"
        self.target.mkdir()
        self.new_db = self.room / "new.db"

    @functools.cached_property
    def db(self):
        return shutil.copy(store_with_overhead(), self.room / "results.db")

    def ok(self, *args, **options):
        done = run(*args, **options)
        self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout}\n{done.stderr}")
        return done

    def fails(self, status, *args, **options):
        done = run(*args, **options)
        self.assertEqual(done.returncode, status, f"{args}\n{done.stdout}\n{done.stderr}")
        return done

    def left_on_target(self):
        return sorted(str(p.relative_to(self.target)) for p in self.target.rglob("*"))
