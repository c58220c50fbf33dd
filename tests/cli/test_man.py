#!/usr/bin/python3
"""The manual pages: made from the tables of the commands, so nothing of a command is missing, and a
formatter finds nothing to complain about."""
import re
import subprocess
import unittest

import util

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"]


def formatted(source):
    """What a reader sees, on one line; fails on any warning."""
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou"], input=source, text=True,
                          capture_output=True, check=True)
    if done.stderr:
        raise AssertionError(done.stderr)
    return re.sub(r"[ \n]+", " ", re.sub("[\u2010\u00ad]\n *", "", done.stdout))


class Man(util.Case):
    def test_every_option_of_every_command_stands_in_its_page(self):
        for command in util.all_commands():
            page = self.ok("man", command).stdout
            text = formatted(page)
            text_bare = text.replace(" ", "")
            shown = self.ok(command, "--help").stdout
            with self.subTest(command):
                self.assertEqual([s for s in re.findall(r"^\.SH (.*)$", page, re.M)
                                  if s in SECTIONS], SECTIONS)
                self.assertIn(f"NAME loadline-{command} - ", text)
                self.assertIn(f"loadline {command}", text)
                for option in re.findall(r"^  (-\S.*?)(?:  |$)", shown, re.M):
                    self.assertIn(option.replace(" ", ""), text_bare)
                for otherwise in re.findall(r"\(default: (.*?)\)", re.sub(r"\n +", " ", shown)):
                    self.assertIn(f"Default: {otherwise}.".replace(" ", ""), text_bare)
                for example in shown.split("\n\n")[0].splitlines()[1:]:
                    self.assertIn(example.replace(" ", ""), text_bare)
                for status in re.findall(r"(\d) (?=done|usage|could|ran|a comp|cannot)",
                                         shown.split("Exit status:")[1]):
                    self.assertRegex(page, rf'\.B "{status}"')

    def test_the_page_of_the_program_names_every_command(self):
        page = self.ok("man").stdout
        text = formatted(page)
        for command in util.all_commands():
            self.assertIn(r"loadline\-" + command.replace("-", r"\-"), page)
            self.assertIn(f" {command} ", text)

    def test_nothing_is_taken_for_a_request_or_bent(self):
        for command in [[], *([c] for c in util.all_commands())]:
            page = self.ok("man", *command).stdout
            self.assertTrue(page.isascii())
            for line in page.splitlines():
                self.assertRegex(line, r"^(\.(TH|SH|SS|TP|B|BR|PP|nf|fi|RS|RE|br)\b|[^.'])")
                self.assertNotRegex(line.removeprefix(".").replace("\\-", ""), r"['`~^]|--")

    def test_hidden_and_unknown_have_none(self):
        for name in ("complete", "man", "nosuch"):
            self.assertIn(f"man {name}: no such command", self.fails(1, "man", name).stderr)


if __name__ == "__main__":
    unittest.main()
