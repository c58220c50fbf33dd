#!/usr/bin/python3
"""The command line: help of every command, and what is refused, by name, with exit status 1."""
import subprocess
import unittest

import util

TREE = "dirtest null:"
IO = "io null:"
RUN = "run x null:"
LIMITS = "limits null:"
BOTH = "compare 2001-netapp840 2001-celerra"

# command line, what the complaint must hold
REFUSED = [
    (f"{TREE} --threads 0", "--threads 0: a whole number from 1 to 65536"),
    (f"{TREE} --threads -1", "--threads -1: a whole number from 1 to 65536"),
    (f"{TREE} --threads 65537", "--threads 65537: a whole number from 1 to 65536"),
    (f"{TREE} --threads=two", "--threads two: a whole number from 1 to 65536"),
    (f"{TREE} --threads 1.5", "--threads 1.5: a whole number"),
    (f"{TREE} --threads", "--threads needs a value: a whole number"),
    (f"{TREE} --levels 0", "--levels 0: a whole number from 1 to 16"),
    (f"{TREE} --levels 17", "--levels 17: a whole number from 1 to 16"),
    (f"{TREE} --branches 1025", "--branches 1025: a whole number from 1 to 1024"),
    (f"{TREE} --branches 0", "--branches 0: a whole number from 1 to 1024"),
    (f"{TREE} --files 0", "--files 0: a whole number from 1 to 1048576"),
    (f"{TREE} --files 1048577", "--files 1048577: a whole number"),
    (f"{TREE} --lengths 0", "--lengths 0: '0' is none of: sizes from 1 to 1t"),
    (f"{TREE} --lengths 2,x", "--lengths 2,x: 'x' is none of: sizes"),
    (f"{TREE} --lengths 2,,4", "--lengths 2,,4: '' is none of: sizes"),
    (f"{TREE} --lengths 2t", "--lengths 2t: '2t' is none of: sizes from 1 to 1t"),
    (f"{TREE} --lengths 4k,4096", "4 KiB stands there twice"),
    (f"{TREE} --lengths 5..5", "none of the forty lengths of 2001 lies in that range"),
    (f"{TREE} --lengths 64..2", "none of the forty lengths of 2001 lies in that range"),
    (f"{TREE} --lengths 2..", "--lengths 2..: '' is none of: sizes"),
    (f"{TREE} --min-time 0", "--min-time 0: a time from 1ms to"),
    (f"{TREE} --min-time 2h", "--min-time 2h: a time from"),
    (f"{TREE} --min-time 1x", "--min-time 1x: a time from"),
    (f"{TREE} --repeat 0", "--repeat 0: a whole number from 1 to 1000"),
    (f"{TREE} --repeat 1001", "--repeat 1001: a whole number from 1 to 1000"),
    (f"{TREE} --chunk 0", "--chunk 0: a size from 1 to 1g"),
    (f"{TREE} --chunk 2g", "--chunk 2g: a size from 1 to 1g"),
    (f"{TREE} --fsync yes", "--fsync yes: none, file or end"),
    (f"{TREE} --client-cache drp", "--client-cache drp: drop or keep"),
    (f"{TREE} --write-only --verify", "--verify checks what is read, and --write-only"),
    (f"{TREE} --write-only --walk", "--walk is a way to read, and --write-only reads nothing"),
    ("readtest null: --walk=yes", "--walk=yes: takes no value"),
    (f"{TREE} --classic --client-cache drop", "--classic reads through this machine's cache"),
    (f"{TREE} --classic --min-time 1s", "--classic times one tree: leave out --min-time"),
    (f"{TREE} --until-ci 0", "--until-ci 0: a percentage from 0.1% to 100%"),
    (f"{TREE} --until-ci 101%", "--until-ci 101%: a percentage"),
    (f"{TREE} --until-ci five", "--until-ci five: a percentage"),
    (f"{TREE} --until-ci nan", "--until-ci nan: a percentage"),
    (f"{TREE} --until-ci 5% --repeat 3", "leave out --repeat, or bound it with --max-repeat"),
    (f"{TREE} --until-ci 5% --classic", "--classic prints no ±: leave out --until-ci"),
    (f"{TREE} --until-ci 5% --max-repeat 4", "--max-repeat 4: a whole number from 5 to 1000"),
    (f"{TREE} --max-repeat 9", "--max-repeat is the end of --until-ci"),
    ("readtest null: --until-ci 5%", "--until-ci: no such option"),
    ("dirtest null: null: --classic", "--classic prints the table of one target: leave out null:"),
    ("readtest null: null:", "null:: one argument too many"),
    ("dirtest --resume=", "--resume '': 1 to 200 printable characters"),
    ("dirtest --resume x --db none", "--resume: --db none keeps nothing to go on with"),
    ("readtest --resume=", "--resume '': 1 to 200 printable characters"),
    (f"{TREE} --keep=1", "--keep=1: takes no value"),
    (f"{TREE} --thread 3", "--thread: no such option; did you mean --threads?"),
    (f"{TREE} --zzzzzz", "--zzzzzz: no such option"),
    (f"{TREE} -x", "-x: no such option"),
    (f"{TREE} b c d another", "another: one argument too many, of 4 at most"),
    (f"{IO} --bs 4k", "--bs: no such option; here it is --block"),
    (f"{IO} --iodepth=8", "--iodepth: no such option; here it is --streams"),
    (f"{IO} --output x", "--output: no such option; here it is -o"),
    (f"{TREE} --rwmixread 70", "--rwmixread: no such option\n"),
    (f"{LIMITS} --only read-4k-cash", "'read-4k-cash' is no row; did you mean read-4k-cache?"),
    (f"{LIMITS} --only stat,", "'' is no row; --help lists them"),
    (f"{LIMITS} --only stat,stat", "stat stands there twice"),
    (f"{LIMITS} --streams 0", "--streams 0: a whole number from 1 to 65536, or two such as 4..512"),
    (f"{LIMITS} --streams 8..", "--streams 8..: a whole number from 1 to 65536, or two"),
    (f"{LIMITS} --streams 1..65537", "--streams 1..65537: a whole number from 1 to 65536"),
    (f"{LIMITS} --streams 8..4", "8..4 ends below its beginning"),
    (f"{LIMITS} --clients 0", "--clients 0: a whole number from 1 to 4000"),
    (f"{LIMITS} --clients 9 --streams 8", "some would have none"),
    (f"{LIMITS} --budget 4s", "--budget 4s: a time from 5s to 7d"),
    (f"{LIMITS} --max-bytes 1k", "--max-bytes 1k: a size from 1m to"),
    (f"{LIMITS} --destroy /dev/null", "/dev/null is not a block device"),
    (f"{LIMITS} --server-cache 1k", "--server-cache 1k: a size from 1m to"),
    (f"{LIMITS} --server-flash 1k", "--server-flash 1k: a size from 1m to"),
    (f"{LIMITS} --server-metrics host:9100", "accepted are http://HOST:PORT/PATH"),
    (f"{LIMITS} --server-metrics http://x --server-csv y", "--server-metrics and --server-csv"),
    (f"{LIMITS} --server-csv=", "--server-csv '': 1 to 4000"),
    (f"{LIMITS} --hook-start=", "--hook-start '': 1 to 4000"),
    (f"{LIMITS} --hook-end=", "--hook-end '': 1 to 4000"),
    (f"{LIMITS} --published 2009", "neither a .csv file nor one of 2009-barcelona, 2009-istanbul"),
    ("quick null: --budget 2h", "--budget 2h: a time from 5s to 1h"),
    ("quick null: --max-bytes 1k", "--max-bytes 1k: a size from 1m to"),
    ("mark", "mark: a text is missing\n"),
    ("mark a b c", "c: one argument too many"),
    ("mark a --db none", "--db none: a mark goes through the store"),
    ("quick", "quick: a target is missing\n"),
    ("quick a b", "b: one argument too many"),
    ("limits", "limits: a target is missing\n"),
    ("limits a b c d e", "e: one argument too many, of 4 at most"),
    ("dirtest", "dirtest: a target is missing\n"),
    ("readtest null: --threads 0", "--threads 0: a whole number"),
    ("readtest null: --fsync end", "--fsync: no such option"),
    (f"{IO} --read 101", "--read 101: a whole number from 0 to 100"),
    (f"{IO} --read -1", "--read -1: a whole number from 0 to 100"),
    (f"{IO} --block 0", "--block 0: a size from 1 to 1g"),
    (f"{IO} --block 4x", "--block 4x: a size"),
    (f"{IO} --block 2m --size 1m", "--block 2 MiB: larger than --size 1 MiB"),
    (f"{IO} --streams 0", "--streams 0: a whole number from 1 to 1000000"),
    (f"{IO} --streams 1000001", "--streams 1000001: a whole number"),
    (f"{IO} --clients 0", "--clients 0: a whole number from 1 to 4000"),
    (f"{IO} --size 0", "--size 0: a size from 1"),
    (f"{IO} --size 2000t", "--size 2000t: a size from 1 to 1024t"),
    (f"{IO} --time 0s", "--time 0s: a time from 1ms"),
    (f"{IO} --time 8d", "--time 8d: a time from"),
    (f"{IO} --time soon", "--time soon: a time from"),
    (f"{IO} --warmup -5s", "--warmup -5s: a time from 0"),
    (f"{IO} --warmup 2d", "--warmup 2d: a time from 0"),
    (f"{IO} --rate 0", "--rate 0: a rate above 0"),
    (f"{IO} --rate -5/s", "--rate -5/s: a rate above 0"),
    (f"{IO} --rate 2000000000", "--rate 2000000000: a rate above 0"),
    (f"{IO} --rate nan", "--rate nan: a rate above 0"),
    (f"{IO} --random --seq", "--random and --seq exclude each other"),
    (f"{IO} --dist seq --seq", "--dist and --seq exclude each other"),
    (f"{IO} --dist uniform --random", "--dist and --random exclude each other"),
    (f"{IO} --dist zipf", "--dist zipf: uniform, seq, zipf:S with S from 0.001 to 20"),
    (f"{IO} --dist zipf:0", "--dist zipf:0: uniform, seq, zipf:S"),
    (f"{IO} --dist zipf:nan", "--dist zipf:nan: uniform, seq, zipf:S"),
    (f"{IO} --dist zipf:1e1", "--dist zipf:1e1: uniform, seq, zipf:S"),
    (f"{IO} --dist zipf:20.1", "--dist zipf:20.1: uniform, seq, zipf:S"),
    (f"{IO} --dist hot:90", "--dist hot:90: uniform, seq, zipf:S"),
    (f"{IO} --dist hot:0/10", "--dist hot:0/10: uniform"),
    (f"{IO} --dist hot:90/100", "--dist hot:90/100: uniform"),
    (f"{IO} --dist hot:9x/10", "--dist hot:9x/10: uniform"),
    (f"{IO} --dist uniform:1", "--dist uniform:1: uniform, seq"),
    (f"{IO} --dist=", "--dist '': uniform, seq"),
    (f"{IO} --arrival poisson", "--arrival needs --rate"),
    (f"{IO} --arrival constant", "--arrival needs --rate"),
    (f"{IO} --rate 5 --arrival often", "--arrival often: constant or poisson"),
    (f"{IO} --mix 70", "--mix 70: two whole numbers that add up to 100"),
    (f"{IO} --mix 70/40", "--mix 70/40: the shares add up to 110 per cent, not to 100"),
    (f"{IO} --mix /100", "--mix /100: two whole numbers"),
    (f"{IO} --mix 70/30/0", "--mix 70/30/0: two whole numbers"),
    (f"{IO} --mix 70/30 --read 70", "--read and --mix exclude each other"),
    (f"{IO} --block 4k:60,64k:30", "the shares add up to 90 per cent, not to 100"),
    (f"{IO} --block 4k,64k", "the shares add up to 200 per cent, not to 100"),
    (f"{IO} --block 4k:50,4096:50", "--block: 4 KiB stands there twice"),
    (f"{IO} --block 4k:0,64k:100", "--block 4k:0,64k:100: a size from 1 to 1g"),
    (f"{IO} --block 4k:,8k:100", "--block 4k:,8k:100: a size from 1 to 1g"),
    (f"{IO} --block 4k:100,", "--block 4k:100,: a size from 1 to 1g"),
    (f"{IO} --block 1:10,2:10,3:10,4:10,5:10,6:10,7:10,8:10,9:20", "up to 8 sizes"),
    (f"{IO} --block 4k:50,1000:50 --direct", "--direct with --block 1000 B: blocks must be"),
    (f"{IO} --files 0", "--files 0: a whole number from 1 to 10000000"),
    (f"{IO} --files 10000001", "--files 10000001: a whole number"),
    (f"{IO} --files 3 --size 16k", "each of 3 files less than one block of 8 KiB"),
    (f"{IO} --files 2 --size 16k --seq", "leaves some of 32 streams no block of 8 KiB"),
    (f"{IO} --dist hot:90/10 --files 1 --size 8k", "hot part: there is only one block"),
    (f"{IO} --sync yes", "--sync yes: none, data or full"),
    (f"{IO} --sync data --read 100", "--sync data with --read 100: nothing is written"),
    (f"{IO} --compress 2", "--compress 2: a ratio from 1.1:1 to 10:1"),
    (f"{IO} --compress 1:1", "--compress 1:1: a ratio from 1.1:1"),
    (f"{IO} --compress 11:1", "--compress 11:1: a ratio from 1.1:1"),
    (f"{IO} --compress 2:2", "--compress 2:2: a ratio from 1.1:1"),
    (f"{IO} --compress x:1", "--compress x:1: a ratio from 1.1:1"),
    (f"{IO} --repeat 0", "--repeat 0: a whole number from 1 to 1000"),
    (f"{IO} --until-ci 0", "--until-ci 0: a percentage from 0.1% to 100%"),
    (f"{IO} --until-ci 101%", "--until-ci 101%: a percentage from"),
    (f"{IO} --until-ci 0x5", "--until-ci 0x5: a percentage from"),
    (f"{IO} --until-ci %", "--until-ci %: a percentage"),
    (f"{IO} --max-repeat 4", "--max-repeat 4: a whole number from 5 to 1000"),
    (f"{IO} --max-repeat 9", "--max-repeat needs --until-ci"),
    (f"{IO} --repeat 9 --until-ci 5% --max-repeat 8", "--repeat 9: more than --max-repeat 8"),
    (f"{IO} --print-fio=1", "--print-fio=1: takes no value"),
    ("io fault:null:?stall=1s@1s --print-fio", "fio has nothing like a target of fault:"),
    (f"{RUN} --set xyz", "xyz: sets no variable, as NAME=VALUE does"),
    (f"{RUN} --set=", "--set '': 2 to 4000 printable characters"),
    (f"{RUN} nfiles", "nfiles: sets no variable, as NAME=VALUE does"),
    (f"{RUN} =3", "=3: sets no variable"),
    (f"{RUN} --time 0", "--time 0: a time from 1ms to 7d"),
    (f"{RUN} --warmup 2d", "--warmup 2d: a time from 0 to 1d"),
    (f"{RUN} --until-steady 0", "--until-steady 0: a percentage from 0.1% to 100%"),
    (f"{RUN} --max-warmup 5s", "--max-warmup is the end of --until-steady"),
    (f"{RUN} --until-steady 5% --warmup 1h", "--warmup is longer than --max-warmup"),
    (f"{RUN} --repeat 0", "--repeat 0: a whole number from 1 to 1000"),
    (f"{RUN} --dialect 2.0", "--dialect 2.0: auto, sun, 1.4 or 1.5"),
    (f"{RUN} --destroy=", "--destroy '': 1 to 4000 printable characters"),
    (f"{RUN} --dry-run=1", "--dry-run=1: takes no value"),
    ("run x", "run: a workload and a target are needed\n"),
    ("run x nosuch:", "nosuch"),
    ("workloads a b", "b: one argument too many"),
    ("workloads show", "workloads show: WORKLOAD is missing"),
    (f"{IO} --seed -1", "--seed -1: a whole number from 0 to 18446744073709551615"),
    (f"{IO} --seed 18446744073709551616", "--seed 18446744073709551616: a whole number"),
    (f"{IO} --stall 0", "--stall 0: a time from 100ms to 7d"),
    (f"{IO} --stall 8d", "--stall 8d: a time from"),
    (f"{IO} --workers 0", "--workers 0: a whole number from 1 to 1024"),
    (f"{IO} --resolve twice", "--resolve twice: once or every-time"),
    (f"{IO} --resolve every-time", "is not asked by a client of loadline's own"),
    (f"{RUN} --resolve every-time", "is not asked by a client of loadline's own"),
    (f"{IO} --max-memory 0", "--max-memory 0: a size from 1m to 64t"),
    (f"{IO} --label=", "--label '': 1 to 200 printable characters"),
    (f"{IO} --system=", "--system '': 1 to 200 printable characters"),
    (f"{IO} --software=", "--software '': 1 to 200 printable characters"),
    (f"{IO} --format xml", "--format xml: text, json, csv or md"),
    (f"{IO} --db=", "--db '': 1 to 4000 printable characters"),
    (f"{IO} -o", "-o needs a value"),
    (f"{IO} -o result.xml", "-o: cannot tell the format of result.xml"),
    (f"{IO} --forse", "--forse: no such option; did you mean --force?"),
    ("io nosuch:", "nosuch"),
    (f"{IO} --seed 1 --seed=2", "--seed is given twice"),
    (f"{IO} -o a.csv -ob.csv", "-o is given twice"),
    (f"{IO} --wide --wide", "--wide is given twice"),
    (f"{IO} --force", "--force: there is no -o FILE to replace"),
    (f"{IO} --direct --client-cache keep", "--direct and --client-cache exclude each other"),
    (f"{IO} --db ././a.csv -o ./a.csv", "-o ./a.csv: this is the database of results"),
    ("show abc --force", "--force: there is no -o FILE to replace"),
    ("--version x", "x: --version stands alone"),
    ("list --db none", "--db none: there is nothing to list"),
    ("list --label=", "--label '': 1 to 200 printable characters"),
    ("list --target=", "--target '': 1 to 4000 printable characters"),
    ("list --study=", "--study '': 1 to 15 printable characters"),
    ("list --since yesterday", "--since yesterday: a date such as 2026-11-01"),
    ("list --since 60", "--since 60: a date such as"),
    ("list --since 2026-02-30", "--since 2026-02-30: there is no such day"),
    ("list --since 2026-11-01T", "--since 2026-11-01T: a date such as"),
    ("list --since=-1d", "--since -1d: a date such as"),
    ("list --last 0", "--last 0: a whole number from 1 to 1000000"),
    ("list extra", "extra: one argument too many"),
    ("show", "show: what to show is missing: a study or run by its id, a label or a file\n"),
    ("show abc --db none", "--db none: there is nothing to look in"),
    ("export", "export: what to export is missing: a study by its id or label\n"),
    ("export abc --db none", "--db none: there is nothing to export"),
    ("export abc -o", "-o needs a value"),
    ("export abc -o abc.txt", "-o abc.txt: no directory, and it ends neither in .json.gz nor"),
    ("import", "import: a file is missing\n"),
    ("import a.json --db none", "--db none: there is nothing to import into"),
    ("import a.json --force", "--force: no such option"),
    ("compare", "compare: what to compare is missing: two results, or"),
    ("compare 2001-celerra", "'2001-celerra' is one side: name a second result"),
    (f"{BOTH} --metric speed", "--metric speed: \"speed\" is not a metric: there are ops,"),
    (f"{BOTH} --metric ops,ops", "ops stands there twice"),
    (f"{BOTH} --metric ops,", "is not a metric"),
    (f"{BOTH} --fail-if speed", "--fail-if: "),
    (f"{BOTH} --fail-if=", "--fail-if '': 1 to 200 printable characters"),
    (f"{BOTH} --undecided maybe", "--undecided maybe: tell, pass or fail"),
    (f"{BOTH} --undecided fail", "--undecided says what a --fail-if counts as; there is none"),
    (f"{BOTH} --junit=", "--junit '': 1 to 4000 printable characters"),
    (f"{BOTH} --junit x.xml", "--junit holds a test case for each --fail-if; there is none"),
    ("baseline", "baseline: what to do is missing: set, list, show or rm\n"),
    ("baseline get", "baseline get: there are set, list, show and rm"),
    ("baseline set x", "it is: loadline baseline set NAME SELECTOR"),
    ("baseline list x", "it is: loadline baseline list"),
    ("baseline list --replace", "--last and --replace belong to baseline set"),
    ("baseline set x y --last 0", "--last 0: a whole number from 1 to 10000"),
    ("baseline list --db none", "--db none: there is nothing to look in"),
    ("history", "history: a row is missing, named as compare prints it"),
    ("history all --last 0", "--last 0: a whole number from 1 to 10000"),
    ("history all --label=", "--label '': 1 to 200 printable characters"),
    ("history all --target=", "--target '': 1 to 4000 printable characters"),
    ("history all --metric ops,p99", "\"ops,p99\" is not a metric"),
    ("history all --baseline=", "--baseline '': 1 to 4000 printable characters"),
    ("history all x --label y", "leave out x"),
    ("clean", "clean: a target is missing\n"),
    ("clean null: --stall 0", "--stall 0: a time from 100ms to 7d"),
    ("clean a b c", "c: one argument too many"),
    ("targets --all", "--all: no such option"),
    ("selftest", "selftest: what to test is missing: overhead or published\n"),
    ("selftest speed", "selftest speed: there are overhead and published"),
    ("dirtst x", "dirtst: no such command; did you mean dirtest?"),
    ("frobnicate", "frobnicate: no such command; `loadline --help` lists them"),
    ("", "a command is missing"),
]


class Usage(util.Case):
    def test_wrong_command_lines_are_refused_by_name(self):
        for line, words in REFUSED:
            with self.subTest(line):
                done = self.fails(1, *line.split())
                self.assertTrue(done.stderr.startswith("loadline: "), done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_text_with_a_control_character_is_refused(self):
        done = self.fails(1, "io", "null:", "--label", "a\nb")
        self.assertIn("1 to 200 printable characters", done.stderr)

    def test_every_option_with_a_value_has_a_case(self):
        # A new option without a case in REFUSED fails here.
        tried = {word.split("=")[0] for line, _ in REFUSED for word in line.split()}
        for command in util.all_commands():
            for line in self.ok(command, "--help").stdout.splitlines():
                words = line.split()
                if line.startswith("  --") and len(words) > 1 and line[2 + len(words[0])] == " " \
                        and line[3 + len(words[0])] != " ":
                    self.assertIn(words[0], tried, f"{command}: no case refuses {words[0]}")


class Help(util.Case):
    def test_examples_stand_first_and_lines_fit(self):
        for command in util.all_commands():
            for line in ((command, "--help"), (command, "-h"), ("help", command)):
                with self.subTest(line):
                    done = self.ok(*line)
                    lines = done.stdout.splitlines()
                    self.assertEqual(lines[0], "Examples")
                    self.assertTrue(lines[1].startswith("  loadline "))
                    self.assertTrue(lines[2].startswith("  loadline "))
                    self.assertLessEqual(max(map(len, lines)), 80)
                    self.assertEqual(done.stderr, "")

    def test_the_program_lists_its_commands(self):
        done = self.ok("--help")
        for command in util.all_commands():
            self.assertIn(f"\n  {command} ", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        self.assertEqual(self.ok("help").stdout, done.stdout)

    def test_defaults_are_shown(self):
        text = " ".join(self.ok("dirtest", "--help").stdout.split())
        self.assertIn("--threads N threads, each in a tree of its own (default: 16)", text)
        self.assertIn("(default: 2..1536k)", text)
        text = " ".join(self.ok("readtest", "--help").stdout.split())
        self.assertIn("--threads N threads, each in a tree of its own (default: as written)", text)

    def test_help_wins_over_what_is_missing(self):
        self.ok("dirtest", "--threads", "4", "--help")

    def test_version(self):
        self.assertRegex(self.ok("--version").stdout, r"\Aloadline \d+\.\d+\.\d+\n\Z")


class Forms(util.Case):
    """The ways an option may be written mean the same."""

    def test_value_attached_or_behind(self):
        for line in (["--label=x", "-o", "b.xml"], ["--label", "x", "-ob.xml"]):
            self.assertIn("-o: cannot tell the format of b.xml", self.fails(1, "io", "null:", *line).stderr)

    def test_two_dashes_end_the_options(self):
        done = self.fails(2, "dirtest", "--db", "none", "--", "--help")
        self.assertIn("--help", done.stderr)

    def test_stdout_that_is_full_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([util.PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write to stdout: No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
