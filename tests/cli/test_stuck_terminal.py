#!/usr/bin/python3
"""A terminal that takes no more output must not hold up what is measured."""
import json
import os
import pty
import subprocess
import termios
import threading
import unittest

import util


class StuckTerminal(util.Case):
    def test_a_stopped_terminal_does_not_smear_intervals(self):
        """The progress line was written with blocking calls by the thread that collects: a Ctrl-S
        in the window, and all that was done until the Ctrl-Q counted in one interval."""
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, terminal)
        program = subprocess.Popen(
            [util.PROGRAM, "io", "null:", "--streams", "1", "--time", "3s", "--warmup", "0s",
             "--db", "none", "--format", "json"],
            stdout=subprocess.PIPE, stderr=terminal, stdin=subprocess.DEVNULL,
            env=dict(os.environ, TERM="xterm"))
        self.addCleanup(program.kill)
        seen = b""
        while b"\r" not in seen.replace(b"\r\n", b""):
            seen += os.read(master, 4096)
        termios.tcflow(terminal, termios.TCOOFF)
        again = threading.Timer(4, termios.tcflow, (terminal, termios.TCOON))
        again.start()
        self.addCleanup(again.join)
        out, _ = program.communicate(timeout=util.PATIENCE_S)
        self.assertEqual(program.returncode, 0)
        own = {fact["key"]: fact["value"] for fact in json.loads(out)[0]["own"]}
        self.assertLess(int(own["blocks_kept"]), 8)  # of 20: most of them, when it waited


if __name__ == "__main__":
    unittest.main()
