"""tools/ratchet.py measures what it says, fails above each limit, and its exceptions only shrink."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])


def function(name, lines):
    return f"static int {name}(int x)\n{{\n" + "    x++;\n" * (lines - 1) + "    return x;\n}\n"


def struct(name, declarations):
    return f"struct {name} {{\n    {declarations}\n}};\n"


def short_functions(n):
    return "".join(function(f"f{i}", 2) for i in range(n))


def ratchet(files, exceptions=""):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        table = pathlib.Path(root, "ratchet.txt")
        table.write_text(exceptions)
        done = subprocess.run([SOURCE / "tools/ratchet.py", root, table],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Ratchet(unittest.TestCase):
    def passes(self, files, exceptions=""):
        code, out = ratchet(files, exceptions)
        self.assertEqual(code, 0, out)

    def fails(self, words, files, exceptions=""):
        code, out = ratchet(files, exceptions)
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def test_functions(self):
        many = short_functions(50)
        self.passes({"src/a.c": many + function("long", 60)})
        self.fails("src/a.c:2: function long has 61, the limit is 60",
                   {"src/a.c": "\n" + function("long", 61), "src/b.c": many})

    def test_function_names_survive_attributes_and_split_heads(self):
        head = ("__attribute__((format(printf, 2, 0))) static int\n"
                "longer(int x,\n       int y)\n{\n" + "    x++;\n" * 70 + "}\n")
        self.fails("src/a.c:1: function longer has 70", {"src/a.c": head})

    def test_an_exception_holds_to_its_size_and_no_further(self):
        files = {"src/a.c": function("long", 70), "src/b.c": short_functions(50)}
        self.passes(files, "function src/a.c:long 70 one table\n")
        self.fails("the limit is 69", files, "function src/a.c:long 69 one table\n")
        self.fails("lower its entry of 71", files, "function src/a.c:long 71 one table\n")
        self.fails("remove its entry", files,
                   "function src/a.c:long 70 one table\nfunction src/a.c:gone 70 one table\n")

    def test_an_exception_needs_a_reason(self):
        code, out = ratchet({"src/a.c": function("long", 70)}, "function src/a.c:long 70\n")
        self.assertNotEqual(code, 0)
        self.assertIn("want: kind path[:name] size reason", out)

    def test_above_the_second_limit_no_exception_helps(self):
        self.fails("the limit is 120", {"src/a.c": function("huge", 121)},
                   "function src/a.c:huge 121 generated\n")

    def test_few_functions_are_long(self):
        files = {"src/a.c": function("long", 70), "src/b.c": short_functions(10)}
        self.fails("1 of 11 functions are long", files, "function src/a.c:long 70 one table\n")

    def test_structs(self):
        self.passes({"src/a.h": struct("s", "int a;\n" * 25)})
        self.fails("src/a.h:1: struct s has 26", {"src/a.h": struct("s", "int a;\n" * 26)})

    def test_members_are_counted_as_declared(self):
        self.passes({"src/a.h": struct("s", "int a[3], b;\n" * 12 + "int (*f)(int, int);\n")})
        self.fails("has 26", {"src/a.h": struct("s", "int a, b;\n" * 13)})
        self.fails("has 26", {"src/a.h": struct("s", "union { int a; int b; } u;\n" + "int a;\n" * 23)})

    def test_comments_and_strings_do_not_count(self):
        self.passes({"src/a.h": struct("s", "int a; /* x; y; z; { */\n" * 25)})

    def test_files_and_headers(self):
        self.passes({"src/a.c": "\n" * 400, "src/a.h": "\n" * 250})
        self.fails("src/a.c:1: file has 401", {"src/a.c": "\n" * 401})
        self.fails("src/a.h:1: header has 251", {"src/a.h": "\n" * 251})
        self.fails("tools/a.py:1: file has 401", {"tools/a.py": "\n" * 401})
        self.fails("tests/cli/a.py:1: test has 801", {"tests/cli/a.py": "\n" * 801})
        self.passes({"tests/cli/a.py": "\n" * 800})
        self.passes({"src/a.c": "\n" * 401}, "file src/a.c 401 one table\n")
        self.fails("the limit is 800", {"src/a.c": "\n" * 801}, "file src/a.c 801 one table\n")

    def test_nothing_to_check_is_a_failure(self):
        self.fails("nothing to check", {})


if __name__ == "__main__":
    unittest.main()
