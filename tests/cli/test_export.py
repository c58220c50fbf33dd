#!/usr/bin/python3
"""export and import: studies move between stores as files, whole or not at all."""
import functools
import gzip
import hashlib
import itertools
import json
import shutil
import signal
import subprocess
import time
import unittest

import util


@functools.cache
def store_with_study():
    """A store with the overhead and one study, which is not measured again for each test."""
    path = util.store_with_overhead().with_name("study.db")
    shutil.copy(util.store_with_overhead(), path)
    done = util.run("dirtest", "null:", *util.SMALL_TREE, "--db", path, "--label", "rc1",
                    "--system", "a \u20ac filer")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return path


class Moved(util.Case):
    def setUp(self):
        super().setUp()
        self.files = self.room / "files"
        self.files.mkdir()

    @functools.cached_property
    def db(self):
        return shutil.copy(store_with_study(), self.room / "results.db")

    @functools.cached_property
    def study(self):
        study, = self.studies(self.db)
        return study["id"]

    def measure(self, *more, label="rc2"):
        self.ok("dirtest", "null:", *util.SMALL_TREE, "--db", self.db, "--label", label, *more)
        study, = self.studies(self.db, "--last", "1")
        return study["id"]

    def studies(self, db, *filters):
        return json.loads(self.ok("list", "--db", db, "--format", "json", *filters).stdout)

    def export(self, *words, status=0):
        done = self.fails(status, "export", *words, "--db", self.db, cwd=self.files)
        return [self.files / line for line in done.stdout.splitlines()], done

    def take(self, *files, status=0):
        return self.fails(status, "import", *files, "--db", self.new_db)


class RoundTrip(Moved):
    def test_what_comes_back_is_the_same_to_the_letter(self):
        study = self.study
        (path,), _ = self.export(study)
        self.assertEqual(path.name, f"loadline-{study}.json.gz")
        self.assertEqual(self.take(path).stdout, f"{study}  8 runs, dirtest, done\n")
        for form in (), ("--wide",), ("--format", "json"), ("--format", "csv"), ("--classic",):
            want = self.ok("show", study, "--db", self.db, *form).stdout
            self.assertEqual(self.ok("show", study, "--db", self.new_db, *form).stdout, want)
            self.assertEqual(self.ok("show", path, *form).stdout, want)
        self.assertEqual(self.studies(self.new_db), self.studies(self.db))
        self.ok("export", study, "--db", self.new_db, "-o", self.files / "again.json.gz")
        self.assertEqual(gzip.open(self.files / "again.json.gz").read(), gzip.open(path).read())

    def test_zcat_gives_json(self):
        (path,), _ = self.export(self.study)
        whole = json.loads(subprocess.run(["zcat", path], capture_output=True, check=True).stdout)
        self.assertEqual(sorted(whole), ["head", "results", "tail"])
        self.assertEqual(len(whole["results"]), whole["tail"]["runs"])
        self.assertEqual(json.loads(whole["head"]["argv"])[:2], ["dirtest", "null:"])

    def test_plain_json_is_as_good(self):
        study = self.study
        self.export(study, "-o", "plain.json")
        self.assertEqual((self.files / "plain.json").read_bytes()[:9], b'{"head":{')
        self.take(self.files / "plain.json")
        self.assertEqual(self.studies(self.new_db), self.studies(self.db))

    def test_a_second_time_changes_nothing(self):
        study = self.study
        (path,), _ = self.export(study)
        self.take(path)
        before = self.studies(self.new_db)
        done = self.take(path, path)
        self.assertEqual(done.stdout, f"{study}  already here, with 8 runs, dirtest, done\n" * 2)
        self.assertEqual(self.studies(self.new_db), before)
        self.assertIn("already here", self.ok("import", path, "--db", self.db).stdout)

    def test_names_that_mean_several(self):
        a, b, c = self.study, self.measure(), self.measure()
        for words, want in ((["rc1"], {a}), (["rc2"], {b, c}), (["rc*"], {a, b, c}),
                            ([a, "rc?", a], {a, b, c}), ([b[:7]], {b})):
            with self.subTest(words):
                room = self.files / "-".join(words).replace("*", "x").replace("?", "y")
                room.mkdir()
                paths, _ = self.export(*words, "-o", str(room))
                self.assertEqual({p.name for p in paths},
                                 {f"loadline-{i}.json.gz" for i in want})
        _, done = self.export("rc*", "-o", "one.json", status=1)
        self.assertIn("-o one.json: no directory, and these are 3 studies", done.stderr)

    def test_what_cannot_be_named_is_said(self):
        study = self.study
        for word, status, words in (("zzz", 2, "nothing called 'zzz'"),
                                    ("z*", 2, "like 'z*'"),
                                    (f"{study}.1", 1, "a study is exported whole")):
            _, done = self.export(word, status=status)
            self.assertIn(words, done.stderr)
        self.assertEqual(list(self.files.iterdir()), [])

    def test_no_file_is_replaced_unless_forced(self):
        study = self.study
        (path,), _ = self.export(study)
        path.write_text("precious")
        _, done = self.export(study, status=2)
        self.assertIn("there already; --force replaces it", done.stderr)
        self.assertEqual(path.read_text(), "precious")
        self.export(study, "--force")
        self.take(path)
        _, done = self.export(study, "-o", str(self.db) + ".json", status=0)
        _, done = self.export(study, "-o", "/proc/x.json", status=2)
        self.assertEqual(sorted(p.name for p in self.files.iterdir()), [path.name])

    def test_a_running_study_is_not_exported(self):
        process = util.start("io", "null:", *util.SMALL_IO, "--time", "60s", "--db", self.db)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        end = time.monotonic() + util.PATIENCE_S
        while len(self.studies(self.db)) < 2:
            self.assertLess(time.monotonic(), end)
        study = self.studies(self.db)[0]
        _, done = self.export(study["id"], status=2)
        self.assertIn("is running: export it when it has ended", done.stderr)


class Refused(Moved):
    def setUp(self):
        super().setUp()
        (self.path,), _ = self.export(self.study)
        self.text = gzip.open(self.path).read()

    def edited(self, old, new, count=1):
        self.assertIn(old, self.text)
        path = self.files / "edited.json.gz"
        path.write_bytes(gzip.compress(self.text.replace(old, new, count)))
        return path

    def refused(self, path, *words):
        done = self.take(path, status=2)
        self.assertEqual(done.stdout, "")
        for word in (str(path), *words):
            self.assertIn(word, done.stderr)
        self.assertEqual(self.studies(self.new_db), [])

    def test_what_was_changed(self):
        self.refused(self.edited(b'"passes":', b'"passes":1'), "result 1: ", "its seal is broken")
        self.refused(self.edited(b'"label":"rc1"', b'"label":"rc9"'), "seal of the file is broken")
        self.refused(self.edited(b'"state":"done"', b'"state":"invalid"'), "the seal of the file")

    def test_what_is_newer(self):
        self.refused(self.edited(b'"schema":1', b'"schema":8'), "the head: written with schema 8",
                     "use a newer one")
        self.refused(self.edited(b'"schema":1,"seal"', b'"schema":9,"seal"'), "result 1: ",
                     "written with schema 9")

    def test_what_is_cut_or_no_such_file(self):
        self.path.write_bytes(self.path.read_bytes()[:-9])
        self.refused(self.path, "ends early")
        self.path.write_text("nothing")
        self.refused(self.path, "not a file of loadline results")
        self.refused(self.files / "missing", "No such file")
        self.refused(self.files, "Is a directory")
        self.ok("show", self.study, "--db", self.db, "-o", self.files / "list.json")
        self.refused(self.files / "list.json", "no exported study")

    def test_a_bad_file_does_not_keep_the_good_out(self):
        bad = self.edited(b'"passes":', b'"passes":1')
        done = self.take(bad, self.path, status=2)
        self.assertIn("its seal is broken", done.stderr)
        self.assertEqual([s["id"] for s in self.studies(self.new_db)], [self.study])

    def test_another_study_of_that_id(self):
        self.take(self.path)
        other = self.measure(label="other")
        (path,), _ = self.export(other)
        forged = gzip.open(path).read().replace(other.encode(), self.study.encode())
        # Sealed again, as whoever made a second study of that id would have it.
        whole = json.loads(forged)

        def dump(value):
            return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        for line in forged.split(b"\n"):
            if line.startswith(b'{"arrivals"'):
                line = line.rstrip(b",")
                bare = json.loads(line)
                seal = bare.pop("seal").encode()
                text = line.replace(b',"seal":"' + seal + b'"', b"")
                forged = forged.replace(seal, hashlib.sha256(text).hexdigest().encode())
        tail = whole["tail"]
        seal = tail.pop("seal")
        whole = json.loads(forged)
        sealed = dump(whole["head"]) + "".join(r["seal"] for r in whole["results"]) + dump(tail)
        forged = forged.replace(seal.encode(), hashlib.sha256(sealed.encode()).hexdigest().encode())
        path.write_bytes(gzip.compress(forged))
        self.assertEqual(json.loads(self.ok("show", path, "--format", "json").stdout)[0]["label"],
                         "other")
        before = self.ok("show", self.study, "--db", self.new_db).stdout
        done = self.take(path, status=2)
        self.assertIn(f"there is a study {self.study} already", done.stderr)
        self.assertIn('label "rc1"', done.stderr)
        self.assertIn('label "other"', done.stderr)
        self.assertEqual(self.ok("show", self.study, "--db", self.new_db).stdout, before)

    def test_a_study_without_its_end_is_completed_later(self):
        """What a killed study has left is taken as far as it goes; the whole of it adds the rest."""
        cut = self.files / "cut.json"
        cut.write_bytes(self.text[:self.text.index(b"\n", len(self.text) // 2)])
        done = self.take(cut)
        self.assertIn("has no end, as that of a study that was killed", done.stderr)
        study, = self.studies(self.new_db)
        self.assertEqual(study["state"], "incomplete")
        self.assertIn(study["runs"], range(1, 8))
        done = self.take(self.path)
        self.assertEqual(done.stdout, f"{self.study}  {8 - study['runs']} runs more, to the "
                         f"{study['runs']} that were here, dirtest, done\n".replace("1 runs more",
                                                                                   "1 run more"))
        self.assertEqual(self.studies(self.new_db), self.studies(self.db))
        # It was said to be incomplete then, as the file is.
        self.assertEqual(self.take(cut).stdout,
                         f"{self.study}  already here, with 8 runs, dirtest, done\n")
        self.assertEqual(self.studies(self.new_db)[0]["state"], "done")


class Killed(Moved):
    def test_an_import_is_whole_or_nothing(self):
        (path,), _ = self.export(self.measure("--repeat", "8"))
        runs = self.studies(self.db)[0]["runs"]
        seen = set()
        began = time.monotonic()
        self.take(path)
        took = time.monotonic() - began
        # Some find it ended and some not begun, on a busy machine many.
        for i in itertools.count():
            if i >= 12 and 0 in seen:
                break
            for left in self.room.glob("new.db*"):
                left.unlink()
            process = util.start("import", path, "--db", self.new_db)
            time.sleep(took * (i % 12) / 11)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if not self.new_db.exists() or self.new_db.stat().st_size == 0:
                continue
            there = util.run("list", "--db", self.new_db, "--format", "json")
            studies = json.loads(there.stdout) if there.returncode == 0 else []
            self.assertIn([s["runs"] for s in studies], ([], [runs]))
            self.assertIn([s["state"] for s in studies], ([], ["done"]))
            seen.add(len(studies))
            self.take(path)
            self.assertEqual(self.studies(self.new_db)[0]["runs"], runs)


if __name__ == "__main__":
    unittest.main()
