"""tools/habits.py and tools/format.sh find what they say, with file and line, and nothing else."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])


def run(tool, files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        shutil.copy(SOURCE / ".clang-format", root)
        done = subprocess.run([SOURCE / "tools" / tool[0], *tool[1:], root],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Habits(unittest.TestCase):
    def passes(self, files):
        code, out = run(["habits.py"], files)
        self.assertEqual(code, 0, out)

    def fails(self, words, files):
        code, out = run(["habits.py"], files)
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def test_banned_functions(self):
        self.fails("src/base/a.c:2: strcpy is banned", {"src/base/a.c": "\n    strcpy(a, b);\n"})
        self.fails("tests/a.c:1: system is banned", {"tests/a.c": "    system (x);\n"})
        self.passes({"src/base/a.c": "    my_strcpy(a); s->system(1); s.rand(2); int system;\n"})

    def test_words_in_comments_and_strings_are_free(self):
        self.passes({"src/base/a.c": '/* strcpy(a)\n stdout */ x = "printf(";  // exit(1)\n'})

    def test_only_cli_prints_exits_and_reads_the_environment(self):
        for call in ("printf(x)", "fputs(x, stdout)", "fprintf(stderr, x)", "exit(1)",
                     "getenv(x)", "abort()", "x = environ"):
            self.fails("belongs to src/cli alone", {"src/base/a.c": f"    {call};\n"})
            self.passes({"src/cli/a.c": f"    {call};\n", "tests/b.c": f"    {call};\n"})
        self.passes({"src/base/a.c": "    snprintf(x, 1, y); c->exit(1);\n"})

    def test_conditional_compilation(self):
        self.fails("src/base/a.c:1: conditional", {"src/base/a.c": "#ifdef X\n"})
        self.fails("src/base/a.h:2: conditional",
                   {"src/base/a.h": "#ifndef LOADLINE_BASE_A_H\n#if X\n"})
        self.passes({"src/clk/a.c": "#if defined(X)\n", "src/base/a.h": "#ifndef LOADLINE_A_H\n"})

    def test_file_names_are_unique(self):
        self.fails("src/plan/a.c:1: has the name of src/base/a.c",
                   {"src/base/a.c": "\n", "src/plan/a.c": "\n"})

    def test_paths_of_one_machine(self):
        for folder in ("builds", "root", "home/ada"):
            path = f"/{folder}/x"
            for name in ("a.md", "tools/a.py", "tests/a.sh", "src/base/a.h", "CMakeLists.txt"):
                self.fails(f"{name}:2: ", {name: f"\nsee {path}\n"})
        self.passes({"a.md": "t00/builds/x $HOME/builds/x ~/builds/x https://x.org/builds/ root/x\n",
                     "src/base/a.c": "\n"})

    def test_nothing_is_left_to_do(self):
        self.fails("a.md:1: ", {"a.md": "TO" + "DO later\n"})

    def test_build_folders_and_data_are_not_read(self):
        self.passes({"build/a.c": "gets(x);\n", "tests/fuzz/corpus/x/a.txt": "/" + "builds/x\n",
                     "src/base/a.c": "\n"})

    def test_nothing_to_check_is_a_failure(self):
        self.assertEqual(run(["habits.py"], {"build/a.c": "\n"})[0], 1)


class Format(unittest.TestCase):
    def test_an_unformatted_file_is_found(self):
        code, out = run(["format.sh", "check"], {"src/a.c": "int  x;\n", "tests/b.h": "int y;\n"})
        self.assertNotEqual(code, 0)
        self.assertIn("src/a.c:1", out)

    def test_a_formatted_file_passes(self):
        code, out = run(["format.sh", "check"], {"src/a.c": "int x;\n", "tests/b.h": "int y;\n"})
        self.assertEqual(code, 0, out)


if __name__ == "__main__":
    unittest.main()
