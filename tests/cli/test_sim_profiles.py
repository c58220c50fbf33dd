#!/usr/bin/python3
"""The modelled systems that are shipped: listed, printed to be changed, each number with where it is from, and at most
twelve numbers of a system fitted."""
import os
import pathlib
import re
import unittest

import sim_case
import util

PROFILES = sorted(pathlib.Path(os.environ["SOURCE_DIR"], "profiles").glob("*.profile"))
FITTED_MAX = 12
MARK = re.compile(r"#\s*(published|hardware|fitted)\b")
MEASURED = re.compile(r"[1-9][0-9.]*(ps|ns|us|ms|s|k|m|g|t|[KMG]B|%)")  # not how many of something there are
CHOSEN = ("title", "include", "extent", "stripe")


def settings(path):
    """(section, key) → (value, mark or None) of a profile, what it includes first."""
    out, section = {}, ""
    for line in path.read_text().splitlines():
        text, mark = line.split("#")[0].strip(), MARK.search(line)
        if text.startswith("["):
            section = text
        elif "=" in text:
            key, value = (part.strip() for part in text.split("=", 1))
            if key == "include":
                out = settings(path.parent / f"{value}.profile")
            else:
                out[section, key] = value, mark and mark[1]
    return out


class Profiles(util.Case):
    def test_all_are_listed_by_name_and_title(self):
        listed = re.sub(r"\n +", " ", self.ok("targets", "sim").stdout).splitlines()
        self.assertEqual([line.split()[0] for line in listed], [p.stem for p in PROFILES])
        for line, path in zip(listed, PROFILES):
            self.assertEqual(line.split(None, 1)[1], settings(path)["", "title"][0])

    def test_each_is_printed_as_it_lies_there(self):
        for path in PROFILES:
            self.assertEqual(self.ok("targets", "sim", path.stem).stdout, path.read_text())

    def test_names_are_completed(self):
        for before, lead in (["targets", "sim"], ""), (["dirtest"], "sim:"):
            out = self.ok("complete", "--", *before, f"{lead}sun").stdout
            self.assertEqual([line.split("\t")[0] for line in out.splitlines()
                              if not line.startswith(":")],
                             [lead + p.stem for p in PROFILES if p.stem.startswith("sun")])

    def test_each_number_says_where_it_is_from_and_few_are_fitted(self):
        for path in PROFILES:
            with self.subTest(path.stem):
                found = settings(path)
                for (section, key), (value, mark) in found.items():
                    if MEASURED.search(value) and key not in CHOSEN and section != "[rig]":
                        self.assertTrue(mark, f"{section} {key} = {value}: where is it from?")
                fitted = [at for at, (_, mark) in found.items() if mark == "fitted"]
                self.assertLessEqual(len(fitted), FITTED_MAX, fitted)

    def test_what_a_row_is_measured_with_is_told(self):
        for path in PROFILES:
            answer = sim_case.result("io", f"sim:{path.stem}", "--time", "1ms")
            facts = {fact["key"]: fact["value"] for fact in answer["target_facts"]}
            rigs = {f"rig.{key}": value for (section, key), (value, _) in settings(path).items()
                    if section == "[rig]"}
            self.assertEqual({key: facts[key] for key in facts if key.startswith("rig.")}, rigs)
            self.assertIn(facts["model_protocol"], facts["model_protocols"].split())

    def test_every_key_stands_in_its_section_of_the_documentation(self):
        doc = pathlib.Path(os.environ["SOURCE_DIR"], "docs/sim.md").read_text()
        parts, names = {}, []
        for part in doc.split("## Keys")[1].split("\n## ")[0].split("\n\n"):
            names = re.findall(r"`\[(\w+)(?: NAME)?\]`", part) or names
            for name in names:
                parts[name] = parts.get(name, "") + part
        sections = re.search(r"accepted are (.*)", self.refused("nosuch.x=1"))[1].split(", ")
        for name in (s.split()[0] for s in sections):
            self.assertIn(name, parts)
            if name not in ("present", "rig"):
                known = re.search(r"accepted are (.*)", self.refused(f"{name}.no-such=1"))[1]
                for key in known.split():
                    self.assertIn(f"`{key}`", parts[name], f"[{name}]")

    def test_every_parameter_is_in_help_and_documented(self):
        doc = pathlib.Path(os.environ["SOURCE_DIR"], "docs/sim.md").read_text()
        shown = self.ok("targets").stdout
        known = re.search(r"accepted are (.*) and any SECTION.KEY", self.refused("x=1"))[1].split()
        self.assertGreater(len(known), 10)
        for name in known:
            self.assertIn(f"`{name}=", doc)
            self.assertRegex(shown, rf"[ ?]{name}=")

    def refused(self, param):
        done = util.run("io", f"sim:nvme-local?{param}", "--db", "none")
        self.assertNotEqual(done.returncode, 0)
        return done.stderr


if __name__ == "__main__":
    unittest.main()
