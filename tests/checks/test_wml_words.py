"""docs/wml.md names every command, attribute, flowop and random variable that the compiler of workload
files knows, and no flowop that it does not know."""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
PAGE = (SOURCE / "docs" / "wml.md").read_text()


def table(path, pattern, least):
    """The first group of every match in a C file; fails when the table has moved away."""
    found = re.findall(pattern, (SOURCE / path).read_text())
    assert len(found) >= least, f"{path}: {len(found)} matches of {pattern}"
    return set(found)


FLOWOPS = table("src/script/flow.c", r'\{"(\w+)",[^}]*flow_emit_', 30)


def in_code(word):
    """Stands in `…`, alone or among others."""
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", code)
               for code in re.findall(r"`([^`]+)`", PAGE))


class Words(unittest.TestCase):
    def assert_all(self, words):
        self.assertEqual([word for word in sorted(words) if not in_code(word)], [])

    def test_commands(self):
        self.assert_all(table("src/lang/commands.c", r'\{"(\w+)", LANG_', 25))

    def test_what_they_take(self):
        words = re.findall(r'parse_take\(p, "(\w+)"\)|(?:modes|ends|heeded|others)\[\] = \{([^}]+)\}',
                           (SOURCE / "src/lang/commands.c").read_text())
        listed = {w for take, list_ in words for w in [take, *re.findall(r'"(\w+)"', list_)] if w}
        self.assertIn("snap", listed)
        self.assertIn("timeout", listed)
        self.assert_all(listed)

    def test_attributes(self):
        known = table("src/lang/lang_names.c", r'\{\.name = "(\w+)"', 50)
        # of commands that only get a warning
        self.assert_all(known - {"master", "client", "fstype", "max"})

    def test_flowops(self):
        self.assert_all(FLOWOPS)

    def test_random_variables(self):
        self.assert_all(table("src/script/cvar.c", r'\{"(cvar-\w+)"', 8))
        self.assert_all({"uniform", "gamma", "tabular"})

    def test_no_flowop_that_is_unknown(self):
        rows = PAGE.split("| flowop | does | counts |")[1].split("\n\n")[0]
        named = {name for cell in re.findall(r"^\| ([^|]*) \|", rows, re.M)
                 for name in re.findall(r"`(\w+)`", cell)}
        self.assertEqual(named, FLOWOPS)


if __name__ == "__main__":
    unittest.main()
