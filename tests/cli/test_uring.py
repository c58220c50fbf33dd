#!/usr/bin/python3
"""uring:DIR: the workloads of a directory through io_uring, and a refusal with the command to use instead
where a kernel or a container will not have it."""
import ctypes
import errno
import json
import os
import resource
import shutil
import struct
import subprocess
import unittest

import util

SYS_IO_URING_SETUP = 425
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
RET_ERRNO, RET_ALLOW = 0x00050000, 0x7FFF0000
SMALL = "--streams 8 --workers 1 --size 1m --files 4 --block 4k".split()
NOBODY = 65534


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def refusing(code):
    """For preexec_fn: io_uring_setup answers with this error, as a container's profile has it."""
    def line(what, jump_true, jump_false, value):
        return struct.pack("HBBI", what, jump_true, jump_false, value)

    rules = (line(0x20, 0, 0, 0) +  # the number of the call
             line(0x15, 0, 1, SYS_IO_URING_SETUP) + line(0x06, 0, 0, RET_ERRNO | code) +
             line(0x06, 0, 0, RET_ALLOW))
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        program = Program(len(rules) // 8, rules)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")
    return apply


class Uring(util.Case):
    def setUp(self):
        super().setUp()
        self.dir = self.target
        self.target = f"uring:{self.dir}"

    def io(self, *args, target=None, **options):
        done = self.ok("io", target or self.target, *SMALL, "--time", "0.2s", "--warmup", "0s",
                       "--db", "none", "--quiet", "--format", "json", *args, **options)
        result, = json.loads(done.stdout)
        self.assertEqual(result["errors"], [])
        self.assertGreater(result["lines"][0]["ops"], 0)
        return result

    def test_a_container_that_forbids_it_is_told_from_a_kernel_without(self):
        for code, why in ((errno.EPERM, "seccomp profile or a security module forbids it (EPERM)"),
                          (errno.ENOSYS, "has none, or a container's seccomp profile hides it")):
            done = util.run("io", self.target, *SMALL, "--db", self.db,
                            preexec_fn=refusing(code))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertIn(why, done.stderr)
            self.assertIn(f"the same command with {self.dir} for the target", done.stderr)
            self.assertEqual(list(self.dir.iterdir()), [])

    def test_the_command_to_use_instead_works_there(self):
        self.io(target=self.dir, preexec_fn=refusing(errno.EPERM))

    def test_too_few_open_files_are_told_before_anything_is_made(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
        done = util.run("io", self.target, *SMALL, "--db", self.db, preexec_fn=few)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("ulimit -n", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_files_and_buffers_are_registered_and_said_to_be(self):
        facts = self.facts(self.io())
        self.assertEqual(facts["registered_buffers"], "yes")
        self.assertIn(facts["registered_files"].split(":")[0], ("yes", "no"))
        self.assertIn("ring_setup", facts)

    def as_nobody(self, locked_bytes):
        """With so much memory that may be locked; by somebody whom that binds."""
        program = self.room / "loadline"
        shutil.copy(util.PROGRAM, program)
        os.chown(self.dir, NOBODY, NOBODY)
        self.room.chmod(0o755)
        locked = lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (locked_bytes, locked_bytes))
        return subprocess.run(
            [program, "io", self.target, "--streams", "8", "--block", "1m", "--size", "64m", "--time", "0.2s",
             "--warmup", "0s", "--db", "none", "--quiet", "--format", "json"], capture_output=True,
            text=True, check=False, stdin=subprocess.DEVNULL, user=NOBODY, group=NOBODY,
            extra_groups=[], preexec_fn=locked, timeout=util.PATIENCE_S)

    @unittest.skipIf(os.geteuid() != 0, "becoming somebody else needs root")
    def test_buffers_that_may_not_be_locked_are_said_and_done_without(self):
        done = self.as_nobody(1 << 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        result, = json.loads(done.stdout)
        self.assertEqual(self.facts(result)["registered_buffers"], "no: ENOMEM, see ulimit -l")
        self.assertGreater(result["lines"][0]["ops"], 0)

    @unittest.skipIf(os.geteuid() != 0, "becoming somebody else needs root")
    def test_a_ring_that_may_not_be_locked_is_refused_or_made(self):
        """Kernels differ in whether a ring counts as locked memory."""
        done = self.as_nobody(0)
        if done.returncode != 0:
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("ulimit -l", done.stderr)
            self.assertIn(f"the same command with {self.dir} for the target", done.stderr)

    def test_it_is_another_instrument_and_the_same_workload(self):
        ours, plain = self.io(), self.io(target=self.dir)
        self.assertEqual(ours["workload_hash"], plain["workload_hash"])
        self.assertNotEqual(ours["plan_hash"], plain["plan_hash"])

    def test_direct_passes_the_cache_by_and_is_aligned(self):
        done = util.run("io", self.target, *SMALL, "--direct", "--block", "1000", "--db", self.db)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("multiples of 512 bytes", done.stderr)
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_the_job_of_fio_uses_it_in_the_same_way(self):
        job = self.ok("io", self.target, *SMALL, "--print-fio").stdout.splitlines()
        for line in ("ioengine=io_uring", "registerfiles=1", "fixedbufs=1", "nonvectored=1"):
            self.assertIn(line, job)

    def test_trees_are_written_and_read_back_as_they_were(self):
        shape = "--threads 3 --levels 2 --branches 2 --files 5 --lengths 2,4k,100k".split()
        common = ["--repeat", "1", "--min-time", "0.01s", "--db", self.db, "--quiet"]
        self.ok("dirtest", self.target, *shape, *common, "--keep")
        for target in (self.target, self.dir):
            done = self.ok("readtest", target, *common, "--verify", "--format", "json")
            for result in json.loads(done.stdout):
                self.assertEqual(result["errors"], [])
                self.assertEqual(result["state"], "complete")

    def test_listing_is_done_by_helpers_and_said_to_be(self):
        shape = "--threads 2 --levels 1 --branches 2 --files 30 --lengths 2".split()
        common = ["--repeat", "1", "--min-time", "0.01s", "--db", self.db, "--quiet"]
        self.ok("dirtest", self.target, *shape, *common, "--keep")
        done = self.ok("readtest", self.target, *common, "--walk", "--format", "json")
        facts = self.facts(json.loads(done.stdout)[0])
        self.assertIn("readdir", facts["ops_by_helpers"])
        self.assertGreater(int(facts["op_helpers"]), 0)

    def test_personalities_run(self):
        for name, *small in (("varmail", "nfiles=100"), ("oltp", "nfiles=2", "filesize=1m", "nshadows=20"),
                             ("webproxy", "nfiles=600"), ("filemicro_statfile", "nfiles=100")):
            done = self.ok("run", name, self.target, *small, "--time", "0.3s", "--warmup", "0s",
                           "--db", self.db, "--quiet", "--format", "json")
            result = json.loads(done.stdout)
            result = result[0] if isinstance(result, list) else result
            self.assertEqual(result["errors"], [], name)

    @staticmethod
    def facts(result):
        return {fact["key"]: fact["value"] for fact in result["target_facts"]}


if __name__ == "__main__":
    unittest.main()
