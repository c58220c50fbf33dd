#!/usr/bin/python3
"""What shells complete: asked of real shells where they let themselves be asked."""
import os
import pty
import re
import select
import shlex
import sqlite3
import subprocess
import time
import unittest

import util

# What stands for something in usage lines and in options: complete.c knows it, or it is free text.
KNOWN = set("TARGET FILE DIR ID ID.n LABEL A B RESULT SELECTOR BASELINE NAME COMMAND WORKLOAD "
            "DEVICE PROFILE".split())
FREE = set("WORD TEXT N SIZE TIME RATE LIST A..B ROW METRIC GLOB CONDITION VALUE".split())
# These may stand there again.
LISTS = {"--fail-if", "--set"}


class Completions(util.Case):
    def offered(self, *words):
        """(word, what it is) of each answer."""
        out = self.ok("complete", "--", *words).stdout
        return dict((line.split("\t") + [""])[:2] for line in out.splitlines())

    def test_commands_are_those_of_help(self):
        offered = self.offered("")
        self.assertEqual(set(offered), {*util.all_commands(), "help", "--help", "--version"})
        self.assertEqual(set(self.offered("dirt")), {"dirtest"})
        self.assertEqual(set(self.offered("help", "sh")), {"show"})
        self.assertEqual(self.offered("nosuch", ""), {})

    def test_every_option_of_every_command_is_offered_until_it_is_typed(self):
        for command in util.all_commands():
            shown = self.ok(command, "--help").stdout
            options = re.findall(r"^  (?:-\w, )?(-\S+)", shown, re.M)
            offered = self.offered(command, "-")
            self.assertEqual(set(offered), {*options, "--help"})
            for option in set(options) - LISTS:
                self.assertNotIn(option, self.offered(command, option, "1", "-"))

    def test_words_of_options(self):
        self.assertEqual(set(self.offered("dirtest", "--client-cache", "")), {"drop", "keep"})
        self.assertEqual(set(self.offered("dirtest", "x", "--fsync=f")), {"--fsync=file"})
        self.assertEqual(set(self.offered("list", "--format", "")), {"text", "json", "csv", "md"})
        self.assertEqual(set(self.offered("io", "--db", "")), {":files", "none"})
        self.assertEqual(set(self.offered("io", "-o", "")), {":files"})
        self.assertEqual(set(self.offered("export", "-o", "")), {":files", ":dirs"})
        self.assertEqual(self.offered("io", "--seed", ""), {})

    def test_arguments(self):
        self.assertEqual(set(self.offered("dirtest", "")), {":dirs", "null:", "posix:", "uring:", "fault:", "dev:", "nfs:", "sim:"})
        self.assertEqual(set(self.offered("dirtest", "--threads", "3", "--", "nu")),
                         {":dirs", "null:"})
        self.assertEqual(self.offered("readtest", "null:", ""), {})
        self.assertEqual(set(self.offered("selftest", "")), {"overhead", "published"})
        self.assertEqual(set(self.offered("completions", "")), {"bash", "zsh", "fish"})

    def test_results_and_baselines(self):
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db, "--label", "mine")
        self.ok("baseline", "set", "good", "mine", "--db", self.db)
        study = self.ok("list", "--db", self.db).stdout.splitlines()[1].split()[0]
        offered = {study, "mine", "good", "2001-netapp840", "2001-celerra", ":files"}
        self.assertEqual(set(self.offered("compare", "--db", self.db, "")), offered)
        self.assertEqual(set(self.offered("compare", "--db", self.db, "mine", "x", "")), offered)
        self.assertEqual(set(self.offered("baseline", "")), {"set", "list", "show", "rm"})
        self.assertEqual(set(self.offered("baseline", "show", "--db", self.db, "")), {"good"})
        self.assertEqual(set(self.offered("baseline", "set", "--db", self.db, "x", "")), offered)
        self.assertEqual(self.offered("baseline", "list", ""), {})

    def test_studies_by_id_and_label(self):
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db, "--label", "my lab")
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db, "--label", "my lab")
        ids = {line.split()[0] for line in self.ok("list", "--db", self.db).stdout.splitlines()[1:]}
        self.assertEqual(len(ids), 2)
        self.assertEqual(set(self.offered("show", "--db", self.db, "")),
                         {*ids, "my lab", ":files"})
        self.assertEqual(set(self.offered("show", f"--db={self.db}", "my")), {"my lab", ":files"})
        self.assertEqual(set(self.offered("clean", "/x", "--stall", "1s", "")) & {":dirs"}, set())

    def test_a_label_that_would_reach_the_terminal_raw_is_not_offered(self):
        self.ok("io", "null:", *util.SMALL_IO, "--db", self.db, "--label", "good")
        with sqlite3.connect(self.db) as db:
            column, = [c for t, in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
                       for c in [(t, r[1]) for r in db.execute(f"PRAGMA table_info({t})")]
                       if c[1] == "label"][:1]
            db.execute(f"UPDATE {column[0]} SET label = 'bad' || char(27) || '[2J'")
        self.assertNotIn("bad", "".join(self.offered("show", "--db", self.db, "")))

    def test_no_database_or_a_broken_one_is_no_matter(self):
        broken = self.room / "broken.db"
        broken.write_bytes(b"no database " * 100)
        for db in ("none", self.room / "missing.db", broken, self.room):
            done = self.ok("complete", "--", "show", "--db", db, "")
            self.assertEqual((done.stdout, done.stderr), (":files\n", ""))
        self.assertFalse((self.room / "missing.db").exists())
        self.assertEqual(broken.read_bytes(), b"no database " * 100)

    def test_whatever_is_asked_is_answered(self):
        for words in ([], ["--"], ["-"], ["", "", ""], ["io", "--", "-"], ["io", "--=x"],
                      ["io", "-"], ["io", "--db"], ["show", *"abcdefghij" * 5, ""], ["io", "=", ":"]):
            done = util.run("complete", "--", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_stands_for_something_is_known(self):
        for command in util.all_commands():
            shown = self.ok(command, "--help").stdout
            usage = re.search(rf"^loadline {command} ?(.*)$", shown, re.M).group(1)
            usage = usage.removesuffix("[options]")
            options = " ".join(re.findall(r"^  (-\S.*?)(?:  |$)", shown, re.M))
            for word in re.findall(r"[A-Z][A-Za-z.]*", usage):
                self.assertIn(word.rstrip("."), KNOWN | FREE, f"{command}: to add to complete.c")
            self.assertNotIn("\t", options)


class Shells(util.Case):
    def setUp(self):
        super().setUp()
        tools = self.room / "bin"
        tools.mkdir()
        (tools / "loadline").symlink_to(util.PROGRAM)
        self.env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(self.room),
                    "XDG_DATA_HOME": str(self.room), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        (self.target / "tree one").mkdir()
        (self.target / "file.json").write_text("")

    def bash(self, line):
        """COMPREPLY for a line, cut into words as bash would cut it."""
        words = [w for w in re.split(r"\s+|([=:])", line) if w is not None]
        words = [w for w in words[:-1] if w] + [words[-1]]
        script = (f"source <(loadline completions bash); COMP_WORDS=({shlex.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _loadline 2>/dev/null; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", script], env=self.env, cwd=self.target, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.stderr, "")
        return [line for line in done.stdout.split("\n") if line]

    def fish(self, line):
        script = f"source (loadline completions fish | psub); complete -C {shlex.quote(line)}"
        done = subprocess.run(["fish", "-N", "-c", script], env=self.env, cwd=self.target, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def typed(self, shell, first, line):
        """What an interactive shell makes of a line that ends in a tab; `first` sets it up."""
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.target)
            os.execvpe(shell[0], shell, self.env)
        try:
            os.write(fd, f"{first}; echo rea''dy\n".encode())
            self.read_until(fd, "ready\r\n")
            os.write(fd, f"{line}\t".encode())
            time.sleep(0.1)
            os.write(fd, b"\x01: \x05 ;echo en''d\n")
            return self.read_until(fd, "end\r\n")
        finally:
            os.close(fd)
            os.waitpid(pid, 0)

    def read_until(self, fd, word):
        seen = b""
        while word.encode() not in seen:
            if not select.select([fd], [], [], 60)[0]:
                self.fail(f"no {word!r} in {seen!r}")
            seen += os.read(fd, 4096)
        return seen.decode()

    def test_bash_takes_over_what_is_offered(self):
        self.assertEqual(self.bash("loadline dirt"), ["dirtest"])
        self.assertEqual(self.bash("loadline dirtest --client-cache "), ["drop", "keep"])
        self.assertEqual(self.bash("loadline dirtest --client-cache=d"), ["drop"])
        self.assertEqual(self.bash("loadline dirtest nu"), ["null:"])
        self.assertEqual(self.bash("loadline dirtest tr"), ["tree one"])
        self.assertEqual(self.bash("loadline show fi"), ["file.json"])
        self.assertEqual(self.bash("loadline show --db=fi"), ["file.json"])
        self.assertEqual(self.bash("loadline nosuch x"), [])

    def test_bash_quotes_a_label(self):
        self.ok("io", "null:", *util.SMALL_IO, "--label", "my $(lab)", env=self.env)
        # Where files are offered as well it was quoted twice: my\\\ \\\$..., which names nothing.
        typed = self.typed(["bash", "--norc", "-i"], "source <(loadline completions bash)",
                           "loadline show my")
        self.assertIn(r"loadline show my\ \$\(lab\)", typed)
        self.ok("baseline", "set", "it's", "my $(lab)", env=self.env)
        self.assertEqual(self.bash("loadline baseline rm it"), [r"it\'s"])

    def test_bash_and_zsh_at_a_terminal(self):
        bash = self.typed(["bash", "--norc", "-i"], "source <(loadline completions bash)",
                          "loadline selftest ov")
        self.assertIn("selftest overhead", bash)
        zsh = self.typed(["zsh", "-f", "-i"],
                         "autoload -U compinit; compinit -u -D; "
                         "source <(loadline completions zsh)", "loadline dirtest --client-cache k")
        self.assertIn("--client-cache keep", zsh)

    def test_fish_takes_over_what_is_offered(self):
        self.assertEqual(self.fish("loadline dirt"), ["dirtest"])
        self.assertEqual(self.fish("loadline dirtest --client-cache "), ["drop", "keep"])
        self.assertEqual(self.fish("loadline dirtest --client-cache=d"), ["--client-cache=drop"])
        self.assertIn("null:", self.fish("loadline dirtest nu"))
        self.assertEqual(self.fish("loadline dirtest tr"), ["tree one/"])
        self.assertEqual(self.fish("loadline show fi"), ["file.json"])

    def test_the_scripts_are_well_formed(self):
        for shell in ("bash", "zsh", "fish"):
            path = self.room / f"script.{shell}"
            path.write_text(self.ok("completions", shell).stdout)
            done = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_other_shells_are_refused(self):
        self.assertIn("completions csh: bash, zsh or fish", self.fails(1, "completions", "csh").stderr)
        self.assertIn("is missing", self.fails(1, "completions").stderr)


if __name__ == "__main__":
    unittest.main()
