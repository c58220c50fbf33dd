#!/usr/bin/python3
"""io end to end: what is printed, kept and left."""
import json
import os
import pty
import resource
import signal
import subprocess
import time
import termios
import unittest

import util


def facts(entries):
    return {entry["key"]: entry["value"] for entry in entries}


class Io(util.Case):
    def io(self, target, *more, status=0):
        return self.fails(status, "io", target, *util.SMALL_IO, "--db", self.db, *more)

    def test_text_names_what_was_measured(self):
        done = self.io(self.target)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        for word in ("p50", "p95", "p99", "p99.9", "max", "MiB/s", "read", "write"):
            self.assertIn(word, done.stdout)
        self.assertEqual(self.left_on_target(), [])

    def test_small_and_large_numbers_keep_their_digits_and_columns(self):
        done = self.io("null:", "--rate", "1/h")
        self.assertIn("asked 0.000278/s", done.stdout)
        # A million of them a second, by a clock that does not depend on the machine.
        lines = self.io("fault:null:?latency=fixed:2us&clock=virtual", "--block", "1g", "--size",
                        "4g").stdout.splitlines()
        rule = next(line for line in lines if line.startswith("-----"))
        row = next(line for line in lines if line.startswith("read  service"))
        self.assertEqual(len(row), len(rule))
        self.assertRegex(row, r" \d\.\d\de\d+ ")

    def announced(self, *more, target=None):
        return self.io(target or self.target, *more).stderr

    def test_overwriting_is_announced(self):
        """It said "writes 1 MiB in all" before a run that overwrote many times that; and of half reads
        that it "overwrites"."""
        self.assertIn("writes 1 MiB in all", self.announced("--read", "100"))
        said = self.announced("--read", "50")
        self.assertRegex(said, r"lays out 1 MiB in 2 files, then reads and overwrites them for "
                               r"200 ms, as fast as the target takes it")
        said = self.announced("--read", "75", "--rate", "1000/s", "--keep")
        self.assertRegex(said, r"then reads and overwrites them for 200 ms: about 200 KiB written")
        said = self.announced("--read", "0", "--keep")
        self.assertRegex(said, r"  overwrites 1.* MiB in 2 files kept earlier for 200 ms")
        self.assertRegex(self.announced("--read", "100", "--keep"), r"\n  writes nothing")
        self.assertRegex(self.announced("--read", "0", target="null:"), r"writes nothing")

    def test_shown_again_as_printed(self):
        done = self.io("null:", "--label", "first try")
        self.assertEqual(self.ok("show", "first try", "--db", self.db).stdout, done.stdout)

    def test_kept_files_are_used_again(self):
        self.io(self.target, "--keep")
        before = self.left_on_target()
        self.assertTrue(before)
        document, = json.loads(self.io(self.target, "--keep", "--format", "json").stdout)
        self.assertIn("reused_files", json.dumps(document["options"]))
        self.assertEqual(self.left_on_target(), before)
        self.ok("clean", self.target, "--kept")
        self.assertEqual(self.left_on_target(), [])

    def test_size_that_whole_blocks_do_not_fill(self):
        done = self.io(self.target, "--size", "8m", "--block", "3m", "--streams", "2")
        self.assertIn("8 MiB (used 6 MiB) in 2", " ".join(done.stdout.split()))

    def last_written(self):
        return max(p.stat().st_mtime_ns for p in self.target.rglob("f*") if p.is_file())

    def test_kept_files_stay_kept_when_a_run_on_them_is_stopped(self):
        """They were called left but not kept, and went with a run that had no --keep."""
        self.io(self.target, "--keep")
        for keep in ["--keep"], []:
            before = self.last_written()
            process = util.start("io", self.target, *util.SMALL_IO, "--time", "1h", "--db", "none",
                                 *keep)
            self.addCleanup(process.communicate)
            while self.last_written() == before:  # the layout finds them written already
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=util.PATIENCE_S)[1]
            self.assertNotIn("not kept", err.replace("kept nowhere", ""))
            self.assertEqual("clean" in err, not keep, err)
        said = self.io(self.target, "--keep", "--read", "100").stderr
        self.assertIn("writes nothing", said)

    def make_holes(self):
        """Takes the content out of all files, and leaves their lengths."""
        for path in self.target.rglob("f*"):
            if path.is_file():
                length = path.stat().st_size
                os.truncate(path, 0)
                os.truncate(path, length)

    def test_files_of_holes_are_called_cheap(self):
        done = self.io(self.target, "--keep")
        self.assertNotIn("sparse", done.stdout + done.stderr)
        self.make_holes()
        done = self.io(self.target, "--keep", "--read", "100", "--format", "json")
        self.assertIn("files occupy 0 % of their size: sparse", done.stderr)
        document, = json.loads(done.stdout)
        self.assertEqual(facts(document["target_facts"])["sample_stored_bytes"], "0")
        shown = self.ok("show", document["study_id"], "--db", self.db).stdout
        self.assertRegex(shown, r"CHEAP +a sample of the files occupies 0.0% of its\s+size")

    def test_numbers_are_held_against_each_other(self):
        document, = json.loads(self.io(self.target, "--format", "json").stdout)
        own = facts(document["own"])
        self.assertAlmostEqual(float(own["series_over_total_frac"]), 1, delta=0.02)
        self.assertGreater(float(own["at_target_frac"]), 0)
        self.assertLess(float(own["at_target_frac"]), 1.5)
        self.assertGreaterEqual(float(own["of_null_rate_frac"]), 0)
        self.assertGreater(float(own["content_entropy_bits_per_byte"]), 7.99)
        for line in document["lines"]:
            derived = line["derived"]["service"]
            self.assertLessEqual(derived["p999_ns"], derived["p9999_ns"])
            self.assertLessEqual(derived["p9999_ns"], line["service"]["max_ns"])

    def test_stall_shows_in_response_and_not_in_service(self):
        done = self.ok("io", "fault:null:?stall=1s@5s&clock=virtual", "--streams", "1", "--rate",
                       "1000/s", "--time", "10s", "--warmup", "0s", "--read", "100", "--db",
                       self.db, "--format", "json")
        document, = json.loads(done.stdout)
        read = next(line for line in document["lines"] if line["name"] == "read")
        self.assertGreater(read["response"]["max_ns"], 0.99e9)
        self.assertEqual(document["arrivals"], 10000)
        shown = self.ok("show", document["study_id"], "--db", self.db).stdout
        self.assertRegex(shown, r"slowest +1.00 s, read: done 6.00 s to 6.50 s into the window")

    def test_errors_mark_the_result(self):
        done = self.io("fault:null:?error=EIO@op:7", status=3)
        self.assertIn("EIO", done.stdout + done.stderr)

    def test_a_fault_that_never_happened_is_said(self):
        said = self.io("fault:null:?stall=1s@5s&clock=virtual").stderr
        self.assertIn("none of the faults of fault:null:?stall=1s@5s", said)
        said = self.io("fault:null:?stall=10ms@5ms&clock=virtual").stderr
        self.assertNotIn("none of the faults", said)
        self.assertNotIn("none of the faults", self.io("fault:null:?latency=fixed:1us").stderr)
        said = self.io("fault:null:?error=EIO@op:7", status=3).stderr
        self.assertNotIn("none of the faults", said)


class Choices(util.Case):
    """Which blocks of which files, when, and how often; told in the answer."""

    def io(self, *more, status=0, target=None):
        return self.fails(status, "io", target or self.target, *util.SMALL_IO, "--db", self.db,
                          *more)

    def asked(self, *more, target="null:"):
        """The head of the answer, and the options of the result."""
        text = " ".join(self.io(*more, target=target).stdout.split())
        document, = json.loads(self.io(*more, "--format", "json", target=target).stdout)
        return text, facts(document["options"]), document

    def test_everything_in_force_is_said_also_where_nothing_was_asked(self):
        text, options, _ = self.asked()
        self.assertIn("read 70 %; block 4 KiB; uniform; streams 2; 1 MiB in 2 files, one a stream; "
                      "direct no; 200 ms after 0 ns of warm-up; seed 1", text)
        for key, value in {"pattern": "uniform", "arrival": "none", "sync": "none",
                           "block_mix": "none", "files_shared": "no", "compress_ratio": "1.000",
                           "repeat": "1", "repeats": "1"}.items():
            self.assertEqual(options[key], value, key)

    def test_a_warmup_that_was_lengthened_is_said(self):
        """1.05 s was printed as if it had been asked for, where it was 1 s."""
        text, options, _ = self.asked("--time", "200ms", "--warmup", "101ms")
        self.assertIn("of warm-up (101 ms asked, made whole intervals); seed 1", text)
        self.assertEqual(options["warmup_asked_ns"], "101000000")
        self.assertGreater(int(options["warmup_ns"]), 101000000)
        self.assertNotIn("warmup_asked_ns", self.asked("--warmup", "100ms")[1])

    def test_clients_each_have_the_streams_asked_for(self):
        text, options, document = self.asked("--clients", "3")
        self.assertIn("streams 6, of 3 clients;", text)
        self.assertEqual((options["streams"], options["clients"]), ("6", "3"))
        self.assertEqual(document["streams"]["n"], 6)
        self.assertEqual({s["client"] for s in document["streams"]["slowest"]}, {0, 1, 2})
        refused = self.io("--clients", "3", status=1)
        self.assertIn("--clients 3: this target is asked by the kernel", refused.stderr)

    def test_time_of_its_own_is_measured_for_ten_seconds(self):
        said = self.ok("io", "fault:null:?clock=virtual&latency=fixed:1ms", "--streams", "1",
                       "--db", self.db).stdout
        self.assertIn("10.0 s after 2.00 s of warm-up", " ".join(said.split()))

    def test_what_was_chosen_is_said(self):
        text, options, _ = self.asked("--dist", "zipf:1.1", "--files", "5", "--mix", "40/60",
                                      "--sync", "data", "--compress", "2:1", "--rate", "1000/s",
                                      "--arrival", "poisson")
        for words in ("read 40 %", "zipf:1.1", "in 5 files that all streams share",
                      "each write synced (data)", "compresses 2:1",
                      "asked 1000/s, at random as from many users (poisson)"):
            self.assertIn(words, text)
        self.assertEqual(options["pattern"], "zipf:1.1")
        self.assertEqual(options["arrival"], "poisson")
        self.assertEqual(options["files"], "5")
        self.assertEqual(self.asked("--dist", "hot:90/10")[1]["pattern"], "hot:90/10")

    def test_another_choice_is_another_workload(self):
        hashes = set()
        choices = [], ["--dist", "zipf:1"], ["--dist", "hot:90/10"], ["--dist", "hot:90/20"], \
            ["--seq"], ["--files", "2"], ["--sync", "data"], ["--sync", "full"], \
            ["--compress", "2:1"], ["--compress", "3:1"], ["--block", "4k:50,8k:50"], \
            ["--rate", "1k/s"], ["--rate", "1k/s", "--arrival", "poisson"]
        for choice in choices:
            document = self.asked(*[c.replace("1k/s", "1000/s") for c in choice])[2]
            hashes.add(document["workload_hash"])
        self.assertEqual(len(hashes), len(choices))
        same = self.asked("--dist", "uniform", "--mix", "70/30", "--block", "4096:100")[2]
        self.assertIn(same["workload_hash"], hashes)

    def test_each_size_of_a_mix_has_its_line_and_its_share(self):
        document = self.asked("--block", "4k:60,16k:40", "--rate", "100000/s",
                              target="fault:null:?latency=fixed:1us&clock=virtual")[2]
        lines = {line["name"]: line for line in document["lines"]}
        self.assertEqual(list(lines), ["read 4k", "read 16k", "write 4k", "write 16k"])
        for name, share in {"read 4k": .42, "read 16k": .28, "write 4k": .18,
                            "write 16k": .12}.items():
            line = lines[name]
            self.assertAlmostEqual(line["ops"] / 20000, share, delta=0.02, msg=name)
            size = 4096 if name.endswith(" 4k") else 16384
            self.assertEqual(line["bytes"], line["ops"] * size)
        wide = self.io("--block", "4k:60,128k:40").stdout
        self.assertLessEqual(max(map(len, wide.splitlines())), 80)
        self.assertRegex(wide, r"write 128k\n +service +\d")

    def test_shared_files_are_made_used_and_removed(self):
        for dist in ("uniform", "seq", "zipf:1", "hot:80/20"):
            done = self.io("--files", "7", "--dist", dist, "--block", "4k:50,12k:50")
            self.assertIn("(used 1008 KiB) in 7 files that all streams share",
                          " ".join(done.stdout.split()))
            self.assertNotIn("NO", done.stdout)
            self.assertEqual(self.left_on_target(), [])

    def test_kept_files_are_those_of_the_same_number(self):
        self.assertIn("lays out", self.io("--files", "4", "--keep").stderr)
        self.assertIn("in 4 files kept earlier", self.io("--files", "4", "--keep").stderr)
        self.assertIn("lays out", self.io("--files", "2", "--keep").stderr)
        # Two files of the same size are the same files, whoever opens them.
        self.assertIn("in 2 files kept earlier", self.io("--keep").stderr)

    def test_more_files_than_may_be_open_are_refused_before_anything_is_made(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000))

        done = util.run("io", self.target, *util.SMALL_IO, "--db", self.db, "--files", "900",
                        "--block", "1k", preexec_fn=few)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "901 files open, this process may have .*ulimit -Hn")
        self.assertEqual(self.left_on_target(), [])
        util.run("io", self.target, *util.SMALL_IO, "--db", self.db, "--files", "800", "--block",
                 "1k", preexec_fn=few).check_returncode()

    def test_synced_writes_leave_nothing_dirty(self):
        for sync in ("data", "full"):
            document = self.asked("--sync", sync, "--read", "0", target=self.target)[2]
            if document["cache"]["dirty_known"]:
                self.assertEqual(document["cache"]["dirty_bytes"], 0)

    def test_repeats_are_pooled_and_told_one_by_one(self):
        done = self.io("--repeat", "3", target="null:")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        rates = [float(line.split()[2]) for line in done.stdout.splitlines()
                 if line.startswith("run   ")]
        total = next(line for line in done.stdout.splitlines() if line.startswith("total"))
        self.assertEqual(len(rates), 3)
        self.assertAlmostEqual(float(total.split()[2]) * 3 / sum(rates), 1, delta=0.01)
        self.assertRegex(done.stdout, r"runs +3: mean .* MiB/s ±.* \(95 %\), lowest .*, highest")
        documents = json.loads(self.io("--repeat", "2", "--format", "json", target="null:").stdout)
        self.assertEqual([facts(d["options"])["repeat"] for d in documents], ["1", "2"])
        self.assertEqual(len({d["workload_hash"] for d in documents}), 1)
        one = self.ok("show", documents[0]["study_id"] + ".2", "--db", self.db).stdout
        self.assertIn("over time", one)
        self.assertNotIn("run   2", one)

    def test_until_ci_stops_where_it_is_narrow_and_says_where_it_is_not(self):
        steady = "fault:null:?latency=fixed:1ms&clock=virtual"
        documents = json.loads(self.io("--until-ci", "5%", "--format", "json",
                                       target=steady).stdout)
        self.assertEqual(len(documents), 5)
        done = self.io("--until-ci", "0.1%", "--max-repeat", "6", "--format", "json",
                       "--time", "0.05s", target=self.target)
        documents = json.loads(done.stdout)
        if len(documents) == 6 and "not to the 0.1 %" not in done.stderr:
            self.fail(done.stderr)


class Progress(util.Case):
    LINE = ("io", "null:", "--streams", "1", "--time", "1s", "--warmup", "0s", "--db", "none")

    def on_terminal(self, *more, term="xterm", columns=80):
        """What a terminal that is stderr gets to see."""
        master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, columns))
        done = subprocess.Popen([util.PROGRAM, *self.LINE, *more], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=slave,
                                env=dict(os.environ, TERM=term))
        os.close(slave)
        seen = b""
        try:
            while piece := os.read(master, 4096):
                seen += piece
        except OSError:
            pass  # the other end is closed
        os.close(master)
        self.assertEqual(done.wait(), 0)
        return seen.decode()

    def test_narrow_terminal_keeps_the_numbers_in_one_line(self):
        for columns in (20, 40, 60):
            seen = self.on_terminal("--rate", "1000/s", columns=columns)
            lines = [part.split("\x1b")[0] for part in seen.split("\r")[1:] if "%" in part]
            shown = [line for line in lines if "left" in line or columns < 40]
            self.assertTrue(shown, seen)
            self.assertLess(max(map(len, shown)), columns)
            if columns >= 40:
                self.assertRegex(shown[-1], r"\d+ ops/s, \d+ %, .* left$")

    def test_terminal_gets_one_line_that_is_rewritten_and_taken_away(self):
        seen = self.on_terminal()
        shown = [line for line in seen.split("\r") if "ops/s" in line]
        self.assertTrue(shown, seen)
        for line in shown:
            self.assertRegex(line, r"MiB/s, \d+ ops/s, \d+ %, .* left")
            self.assertLess(len(line.replace("\x1b[K", "")), 80)
            self.assertNotIn("\n", line)
        self.assertTrue(seen.rstrip("\r\n").endswith("\r\x1b[K"), seen)

    def test_elsewhere_there_are_plain_lines(self):
        self.assertNotIn("\x1b", self.on_terminal(term="dumb"))
        self.assertNotIn("\x1b", self.ok(*self.LINE).stderr)

    def test_quiet(self):
        self.assertEqual(self.on_terminal("--quiet"), "")


if __name__ == "__main__":
    unittest.main()
