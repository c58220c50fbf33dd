#!/usr/bin/python3
"""The prompt of `wml`: lines from a pipe and from a terminal, what they run, and how it ends."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import tempfile
import termios
import time
import unittest

import util

DEFINE = """define fileset name=set1,path=$dir,size=4k,
  entries=$nfiles,dirwidth=4,prealloc
define process name=reader,instances=1
{
  thread name=readers,instances=1
  {
    flowop readwholefile name=read1,filesetname=set1,iosize=4k
  }
}
"""


class Case(util.Case):
    def setUp(self):
        super().setUp()
        if os.access("/dev/shm", os.W_OK):  # a tmpfs, where the disk is not in the way
            room = tempfile.TemporaryDirectory(prefix="loadline-test-", dir="/dev/shm")
            self.addCleanup(room.cleanup)
            self.target = pathlib.Path(room.name)


class Piped(Case):
    def go(self, lines, *args, status=0):
        done = subprocess.run([util.PROGRAM, "wml", *map(str, args), "--db", str(self.db)],
                              input=lines, capture_output=True, text=True, check=False,
                              timeout=util.PATIENCE_S)
        self.assertEqual(done.returncode, status, f"{lines}\n{done.stdout}\n{done.stderr}")
        return done

    def documents(self, done):
        decoder, out, at = json.JSONDecoder(), [], 0
        while done.stdout[at:].strip():
            at += len(done.stdout[at:]) - len(done.stdout[at:].lstrip())
            document, at = decoder.raw_decode(done.stdout, at)
            out += document
        return out

    def test_the_four_lines_of_2008(self):
        done = self.go(f"load varmail\nset $dir={self.target}\nset $nfiles=40\nrun 1\n")
        self.assertRegex(done.stdout, r"(?m)^workload +varmail;")
        self.assertIn("nfiles=40", done.stdout)
        self.assertIn(f"target        {self.target} ", done.stdout)
        self.assertRegex(done.stderr, r"varmail\.f:\d+:\d+: warning: the run of a loaded file is left")
        self.assertNotIn("loadline>", done.stdout + done.stderr)
        self.assertEqual(self.left_on_target(), [])
        self.assertRegex(self.ok("list", "--db", self.db).stdout, r"(?m) run +1 ")

    def test_nothing_and_a_directory_as_input(self):
        self.assertEqual(self.go("", self.target).stdout, "")
        room = os.open(self.room, os.O_RDONLY)
        self.addCleanup(os.close, room)
        done = subprocess.run([util.PROGRAM, "wml"], stdin=room, capture_output=True, text=True,
                              timeout=util.PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("stdin: Is a directory", done.stderr)

    def test_loading_does_not_run(self):
        done = self.go("load varmail\n", self.target)
        self.assertEqual(done.stdout, "")
        self.assertIn("nothing was run", done.stderr)

    def test_a_mistake_in_a_pipe_ends_it_with_its_line(self):
        done = self.go("load varmail\nset $nfiles\nrun 1\n", self.target, status=2)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"(?m)^stdin:2:12: error: ")
        done = self.go("\n# nothing\nbogus\nrun 1\n", self.target, status=2)
        self.assertIn("stdin:3:1: error: ", done.stderr)

    def test_several_lines_are_one_definition(self):
        done = self.go(f"set $nfiles=8\n{DEFINE}run 1\n", self.target, "--format", "json")
        document, = self.documents(done)
        self.assertEqual([line["name"] for line in document["lines"]], ["read1"])
        self.assertEqual(document["study"], "run")
        self.assertEqual(util.option(document, "workload"), "wml")

    def test_an_open_block_at_the_end_is_a_mistake(self):
        self.assertIn("error", self.go("define process name=p\n{\n", self.target, status=2).stderr)

    def test_a_variable_between_two_runs_changes_the_second(self):
        lines = f"set $nfiles=8\n{DEFINE}echo \"marker\"\nrun 1\nset $nfiles=12\nrun 1\nquit\nbogus\n"
        done = self.go(lines, self.target, "--format", "json", "--label", "two")
        first, second = self.documents(done)
        self.assertEqual([first["state"], second["state"]], ["complete"] * 2)
        self.assertEqual(len(re.findall(r"(?m) run +1 .*two", self.ok("list", "--db", self.db).stdout)), 2)
        self.assertIn("set1 populated: 8 files", done.stderr)
        self.assertIn("set1 populated: 12 files", done.stderr)
        self.assertEqual(done.stderr.count("marker"), 1)  # what acts is not done again

    def test_a_run_needs_a_target_that_was_typed(self):
        done = self.go("load varmail\nrun 1\n", status=2)
        self.assertIn("no target", done.stderr)  # the file's own $dir=/tmp is none

    def test_the_target_of_the_command_line_wins_and_that_is_said(self):
        lines = f"set $dir=/nonexistent\nset $dir=/nonesuch/with/a/longer/name/than/that\nset $nfiles=8\n{DEFINE}run 1\n"
        done = self.go(lines, self.target)
        self.assertEqual(done.stderr.count(f"the target stays {self.target}"), 1)
        self.assertIn(f"target        {self.target} ", done.stdout)

    def test_by_hand(self):
        lines = f"set $nfiles=8\n{DEFINE}create processes\nsleep 1\nstats snap\nshutdown processes\n"
        document, = self.documents(self.go(lines, self.target, "--format", "json"))
        self.assertGreater(document["lines"][0]["ops"], 0)
        done = self.go("stats snap\n", self.target)
        self.assertIn("nothing is measured", done.stderr)

    def test_what_acts_stands_alone(self):
        done = self.go("set $x=1 run 1\n", self.target, status=2)
        self.assertIn("stdin:1:10: error: ", done.stderr)
        done = self.go("set $x=1 quit\n", self.target, status=2)
        self.assertIn("stdin:1:10: error: quit stands on a line of its own", done.stderr)

    def test_variables_and_help_are_shown_at_once(self):
        done = self.go("set $nfiles=8\nvars\nhelp\n")
        self.assertIn("nfiles=8\n", done.stdout)
        self.assertIn("load NAME", done.stdout)

    def test_a_run_that_is_not_valid_gives_3(self):
        lines = f"set $nfiles=8\n{DEFINE}run 1\nrun 1\n"
        done = self.go(lines, f"fault:{self.target}?error=EIO@read:40", status=3)
        self.assertEqual(done.stdout.count("\nworkload "), 2)  # and the script goes on

    def test_a_stopped_script_does_not_go_on(self):
        program = subprocess.Popen(
            [util.PROGRAM, "wml", str(self.target), "--db", str(self.db)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        program.stdin.write(f"set $nfiles=8\n{DEFINE}run 600\nrun 600\n")
        program.stdin.close()
        for line in program.stderr:
            if "Running..." in line:
                break
        program.send_signal(signal.SIGINT)
        out = program.stdout.read()
        program.stderr.close()
        program.stdout.close()
        self.assertEqual(program.wait(timeout=util.PATIENCE_S), 3)
        self.assertEqual(out.count("\nworkload "), 1)

    def test_options(self):
        self.assertIn("--filebench", self.go("", "--filebench", "--format", "json", status=1).stderr)
        self.assertEqual(self.go("", "one", "two", status=1).stdout, "")
        lines = f"set $nfiles=8\n{DEFINE}run 1\n"
        self.assertIn("IO Summary", self.go(lines, self.target, "--filebench").stdout)
        self.assertEqual(self.go(lines, self.target, "--dry-run").stderr, "")


class Prompt(Case):
    """Somebody types."""

    def setUp(self):
        super().setUp()
        self.master, terminal = pty.openpty()
        self.addCleanup(os.close, self.master)
        self.program = subprocess.Popen(
            [util.PROGRAM, "wml", str(self.target), "--db", str(self.db), "--format", "json"],
            stdin=terminal, stdout=subprocess.PIPE, stderr=terminal, start_new_session=True,
            env=dict(os.environ, TERM="xterm", HOME=str(self.room)))
        os.close(terminal)
        self.addCleanup(self.program.stdout.close)
        self.addCleanup(self.program.kill)
        self.said = b""

    def until(self, words):
        while words not in self.said:
            ready, _, _ = select.select([self.master], [], [], 300)
            self.assertTrue(ready, self.said)
            self.said += os.read(self.master, 4096)
        self.said = self.said.split(words, 1)[1]

    def type(self, line):
        os.write(self.master, line.encode() + b"\r")

    def test_typed_lines_are_answered(self):
        self.until(b"loadline> ")
        self.type("bogus")
        self.until(b"prompt:1:1: error: ")
        self.until(b"loadline> ")  # a mistake does not end it
        for line in "set $nfiles=8", "define fileset name=set1,path=$dir,size=4k,entries=$nfiles":
            self.type(line + (",prealloc" if "define" in line else ""))
            self.until(b"loadline> ")
        self.type("define process name=p,instances=1")
        self.until(b"\n> ")
        self.type("{ thread name=t,instances=1 {")
        self.until(b"\n> ")
        self.type("flowop readwholefile name=read1,filesetname=set1,iosize=4k } }")
        self.until(b"loadline> ")
        self.type("run 1")
        self.until(b"Running...")
        self.until(b"loadline> ")  # and the session goes on
        self.type("quit")
        out = self.program.stdout.read()
        self.assertEqual(self.program.wait(timeout=util.PATIENCE_S), 0)
        self.assertEqual(json.loads(out)[0]["lines"][0]["name"], "read1")  # no prompt among answers

    def test_a_stopped_run_does_not_stop_the_next_one(self):
        for line in f"set $nfiles=8\n{DEFINE}run 600".splitlines():
            self.type(line)
        self.until(b"Running...")
        self.program.send_signal(signal.SIGINT)
        self.until(b"loadline: stopping")
        self.until(b"loadline> ")
        self.type("run 1")
        self.until(b"Running...")
        self.until(b"loadline> ")
        self.type("quit")
        out, _ = self.program.communicate(timeout=util.PATIENCE_S)
        decoder = json.JSONDecoder()
        (first,), at = decoder.raw_decode(out.decode())
        (second,), _ = decoder.raw_decode(out.decode()[at:].lstrip())
        self.assertNotEqual(first["state"], "complete")
        self.assertEqual(second["state"], "complete")
        self.assertEqual(self.program.returncode, 3)

    def test_history_brings_a_line_back(self):
        self.until(b"loadline> ")
        self.type("set $nfiles=8")
        self.until(b"loadline> ")
        self.type("\x10")  # the line before, and return
        self.until(b"set $nfiles=8")
        self.until(b"loadline> ")
        self.type("vars")
        self.until(b"loadline> ")
        self.type("exit")
        self.assertIn(b"nfiles=8\n", self.program.stdout.read())
        self.assertEqual(self.program.wait(timeout=util.PATIENCE_S), 0)

    def test_the_terminal_is_ready_for_keys_before_a_prompt_is_shown(self):
        """It was made ready after the prompt, and an end of input typed at sight of it was lost."""
        os.write(self.master, b"\x13")  # ^S: nothing can be shown from here on
        end = time.monotonic() + util.PATIENCE_S
        while termios.tcgetattr(self.master)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(termios.tcgetattr(self.master)[3] & termios.ICANON)
        os.write(self.master, b"\x11")
        self.until(b"loadline> ")
        os.write(self.master, b"\x04")
        self.assertEqual(self.program.wait(timeout=util.PATIENCE_S), 0)

    def test_the_end_of_input_ends_what_is_open_then_the_session(self):
        self.until(b"loadline> ")
        self.type("define process name=p {")
        self.until(b"\n> ")
        os.write(self.master, b"\x04")
        self.until(b"error: ")
        self.until(b"loadline> ")
        os.write(self.master, b"\x04")
        self.assertEqual(self.program.wait(timeout=util.PATIENCE_S), 0)


if __name__ == "__main__":
    unittest.main()
