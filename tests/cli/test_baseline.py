#!/usr/bin/python3
"""baseline: studies under one name, pinned as they were then."""
import json
import unittest

import compared


class Baseline(compared.Case):
    def baseline(self, *args, status=0):
        return self.fails(status, "baseline", *args, "--db", self.db)

    def studies(self, name):
        return json.loads(self.baseline("show", name, "--format", "json").stdout)

    def test_set_list_show_rm(self):
        self.assertIn("baseline rel: 6 studies, 6 runs", self.baseline("set", "rel", "base").stdout)
        (only,) = json.loads(self.baseline("list", "--format", "json").stdout)
        self.assertEqual((only["name"], only["studies"], only["selector"]), ("rel", 6, "base"))
        self.assertEqual({s["label"] for s in self.studies("rel")}, {"base"})
        self.assertRegex(self.baseline("list").stdout, r"(?m)^rel +20\d\d-.* 6  base$")
        self.assertIn("| rel |", self.baseline("list", "--format", "md").stdout)
        self.assertIn("name,made_wall_ns,studies", self.baseline("list", "--format", "csv").stdout)
        self.assertEqual(self.baseline("rm", "rel").stdout, "")
        self.assertIn("no baselines in", self.baseline("list").stderr)

    def test_it_is_named_wherever_a_result_is(self):
        self.baseline("set", "rel", "base")
        (both,) = json.loads(self.compare("rel", "slow", "--format", "json").stdout)
        self.assertEqual({row["ops"]["word"] for row in both["rows"]}, {"worse"})
        self.compare("rel", "slow", "--fail-if", "ops -5%", status=4)
        self.baseline("set", "again", "rel")
        self.assertEqual(self.studies("again"), self.studies("rel"))

    def test_what_comes_later_is_not_in_it(self):
        self.baseline("set", "rel", "ba*")
        compared.measure(self.db, "base", "1000us", 99)
        self.assertEqual(len(self.studies("rel")), 6)

    def test_last_takes_the_newest(self):
        every = [s["id"] for s in json.loads(self.ok("list", "--format", "json", "--db",
                                                     self.db).stdout) if s["label"] == "base"]
        self.baseline("set", "rel", "base", "--last", "2")
        self.assertEqual([s["id"] for s in self.studies("rel")], every[:2][::-1])

    def test_few_studies_are_said_to_tell_no_noise(self):
        self.assertIn("noise is known from 5 runs", self.baseline("set", "one", "onc*").stderr)
        self.assertEqual(self.baseline("set", "six", "base").stderr, "")

    def test_to_replace_must_be_said(self):
        self.baseline("set", "rel", "base")
        self.assertIn("--replace", self.baseline("set", "rel", "slow", status=2).stderr)
        self.assertEqual(len(self.studies("rel")), 6)
        self.baseline("set", "rel", "once", "--replace")
        self.assertEqual(len(self.studies("rel")), 1)

    def test_names_that_mean_something_else_are_refused(self):
        study = json.loads(self.ok("list", "--format", "json", "--db", self.db).stdout)[0]["id"]
        for name, why in (("base", "the label or the beginning of the id"), (study, "the label or"),
                          (study[:4], "the label or"), ("2001-celerra", "shipped"),
                          ("a/b", "how a file is named"), ("a.json", "how a file is named"),
                          ("a*", "no name has *"), ("", "1 to 60 printable"), ("x" * 61, "1 to 60"),
                          ("a\tb", "1 to 60 printable")):
            with self.subTest(name):
                self.assertIn(why, self.baseline("set", name, "same", status=1).stderr)

    def test_only_whole_studies_of_the_store_can_be_pinned(self):
        file = self.room / "one.json"
        self.ok("show", "once", "-o", file, "--db", self.db)
        study = json.loads(self.ok("list", "--format", "json", "--db", self.db).stdout)[0]["id"]
        for selector, why in ((file, "loadline import"), ("2001-celerra", "shipped"),
                              (f"{study}.1", "one run")):
            self.assertIn(why, self.baseline("set", "rel", selector, status=1).stderr)

    def test_unknown_ones_are_named(self):
        for verb in ("rm", "show"):
            done = self.baseline(verb, "nosuch", status=2)
            self.assertIn("there is no baseline 'nosuch'", done.stderr)
        self.assertIn("nothing called 'nosuch'", self.baseline("set", "x", "nosuch", status=2).stderr)

    def test_a_study_labelled_so_later_makes_the_name_ambiguous(self):
        self.baseline("set", "rel", "base")
        compared.measure(self.db, "rel", "1000us", 5)
        done = self.compare("rel", "slow", status=2)
        self.assertIn("'rel' is a baseline and the label of a study", done.stderr)


if __name__ == "__main__":
    unittest.main()
