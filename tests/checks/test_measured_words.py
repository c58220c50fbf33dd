#!/usr/bin/python3
"""docs/measuring.md defines each fact and counter of a target: it knew nothing of `reconnects`, `rpc_errors`,
`sends` and others, nor what the line "not plain" is."""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
PAGE = (SOURCE / "docs" / "measuring.md").read_text()
CODE = [word for code in re.findall(r"`([^`]+)`", PAGE) for word in re.findall(r"\w+", code)]


def found(files, pattern, least):
    """The first group of every match in those files; fails when what is looked for has moved away."""
    words = {word for file in sorted(SOURCE.glob(files)) for word in re.findall(pattern, file.read_text())}
    assert len(words) >= least, f"{files}: {len(words)} matches of {pattern}"
    return words


class Words(unittest.TestCase):
    def assert_defined(self, words):
        self.assertEqual([word for word in sorted(words) if word not in CODE], [])

    def test_facts(self):
        families = {"calls_", "op_calls_", "ops_"}
        words = found("src/target/*.c", r'put\w*\((?:sink|sink->ctx), "(\w+)"', 60)
        self.assertLessEqual(families, words)
        self.assert_defined(words - families)
        for family in families:
            self.assertTrue(any(word.startswith(family) for word in CODE), family)

    def test_counters_of_the_nfs_client(self):
        self.assert_defined(found("src/target/nfs_priv.h", r'(?m)^    X\((\w+), "', 25))

    def test_kinds_of_tracks(self):
        kinds = found("src/stats/track.c", r'\[TRACK_\w+\] = \{"([\w-]+)", "', 30)
        self.assertEqual([kind for kind in sorted(kinds) if f"`{kind}`" not in PAGE], [])

    def test_lines_of_a_client(self):
        lines = found("src/report/about_client.c", r'report_fact\(\s*\w+(?:->\w+)?, \w+(?:->\w+)?, "([\w ]+)"', 5)
        words = PAGE.lower()
        self.assertEqual([line for line in sorted(lines) if line.lower() not in words], [])


if __name__ == "__main__":
    unittest.main()
