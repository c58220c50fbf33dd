"""tools/floors.py finds each kind of wrong include, with file and line, and nothing else."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])


def floors(files):
    """Runs the checker with the project's own table over a tree of these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, "src", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([SOURCE / "tools/floors.py", root, SOURCE / "tools/floors.txt"],
                              capture_output=True, text=True)
    return done.returncode, done.stdout


class Floors(unittest.TestCase):
    def refused(self, name, header, words):
        code, out = floors({name: f"\n#include {header}\n"})
        self.assertEqual(code, 1, out)
        self.assertIn(f"src/{name}:2: #include {header}: {words}", out)

    def accepted(self, name, header):
        code, out = floors({name: f"#include {header}\n"})
        self.assertEqual(code, 0, out)

    def test_upward_includes_are_refused(self):
        self.refused("base/a.c", '"clk/clk.h"', "base may not include clk")
        self.refused("target/a.h", '"engine/engine.h"', "target may not include engine")
        self.refused("study/a.c", '"store/store.h"', "study may not include store")
        self.refused("study/a.c", '"report/report.h"', "study may not include report")
        self.refused("result/a.c", '"engine/engine.h"', "result may not include engine")

    def test_an_indented_include_is_seen(self):
        code, out = floors({"base/a.c": '  #  include "clk/clk.h"\n'})
        self.assertEqual(code, 1, out)

    def test_c_only_includes_are_refused_in_headers(self):
        self.refused("plan/a.h", '"target/target.h"', "plan may include it in .c files only")
        self.accepted("plan/a.c", '"target/target.h"')

    def test_one_header_of_a_folder_is_not_the_folder(self):
        self.accepted("plan/a.h", '"fileset/spec.h"')
        self.refused("plan/a.h", '"fileset/fileset.h"', "plan may not include fileset")

    def test_private_headers_stay_at_home(self):
        self.accepted("clk/a.c", '"clk/clk_priv.h"')
        self.refused("stats/a.c", '"clk/clk_priv.h"', "private to clk")
        self.refused("cli/a.c", '"clk/clk_priv.h"', "private to clk")

    def test_third_party_headers_have_homes(self):
        self.accepted("store/a.c", "<sqlite3.h>")
        self.accepted("base/a.c", "<nettle/sha2.h>")
        self.accepted("fileset/a.c", "<jansson.h>")
        self.refused("cli/a.c", "<sqlite3.h>", "only store may include it")
        self.refused("plan/a.c", "<jansson.h>", "only result and fileset may include it")
        self.refused("base/a.c", "<openssl/sha.h>", "no home in tools/floors.txt")

    def test_cli_and_the_c_library_are_free(self):
        self.accepted("cli/a.c", '"store/store.h"')
        self.accepted("base/a.c", "<sys/stat.h>")

    def test_an_unknown_folder_is_refused(self):
        code, out = floors({"util/a.c": "\n"})
        self.assertEqual(code, 1)
        self.assertIn("src/util/a.c:1", out)

    def test_nothing_to_check_is_a_failure(self):
        self.assertEqual(floors({})[0], 1)


if __name__ == "__main__":
    unittest.main()
