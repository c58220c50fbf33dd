#!/usr/bin/python3
"""Habits that a compiler does not know.   habits.py ROOT

Banned functions; only src/cli prints, exits or reads the environment; conditional compilation only
where a platform is met; unique file names; nothing left to do; no path of somebody's machine."""
import pathlib
import re
import sys

SOURCES = (".c", ".h")
TEXTS = (".c", ".h", ".md", ".py", ".sh", ".txt", ".cmake", ".json", "")
SKIPPED_FOLDERS = {".git", "build", "corpus", "data", "__pycache__"}

BANNED = """strcpy strcat strncpy strncat sprintf vsprintf gets scanf strtok atoi atol atoll atof
    system popen tmpnam tempnam mktemp alloca rand srand ctime asctime gmtime localtime signal
    sleep usleep readdir_r""".split()
CLI_ONLY = """printf vprintf puts putchar perror exit _exit _Exit quick_exit abort atexit getenv
    secure_getenv setenv setlocale""".split()
CLI_ONLY_WORDS = "stdin stdout stderr environ program_invocation_name".split()
PLATFORM_FOLDERS = ("src/clk/", "src/target/", "src/group/", "tests/")

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
CALL_BANNED = re.compile(rf"(?<![\w.>])({'|'.join(BANNED)})\s*\(")
CALL_CLI_ONLY = re.compile(
    rf"(?<![\w.>])(?:({'|'.join(CLI_ONLY)})\s*\(|({'|'.join(CLI_ONLY_WORDS)})\b)")
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif)\b")
GUARD = re.compile(r"#ifndef LOADLINE_\w+_H$")
# Taken apart, so that this file does not find itself.
TO_DO = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.~}])/(?:" + "|".join(("builds", "root", "home/[a-z]+")) + ")/")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def c_problems(where, text):
    """Yields (line number, words) for one C file."""
    in_cli = where.startswith(("src/cli/", "tests/"))
    for number, line in enumerate(COMMENT_OR_STRING.sub(blank, text).splitlines(), 1):
        banned = CALL_BANNED.search(line)
        if banned:
            yield number, f"{banned[1]} is banned"
        cli_only = None if in_cli else CALL_CLI_ONLY.search(line)
        if cli_only:
            yield number, f"{cli_only[1] or cli_only[2]} belongs to src/cli alone"
        guard = where.endswith(".h") and GUARD.match(line)
        if CONDITION.match(line) and not guard and not where.startswith(PLATFORM_FOLDERS):
            yield number, "conditional compilation only in clk, target and group"


def text_problems(text):
    """Yields (line number, words) for any file that people wrote."""
    for number, line in enumerate(text.splitlines(), 1):
        if TO_DO.search(line):
            yield number, f"{TO_DO.search(line)[1]}: do it, or file it"
        if MACHINE_PATH.search(line):
            yield number, f"{MACHINE_PATH.search(line)[0]} is a path of one machine"


def written_files(root):
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).parts
        if path.suffix in TEXTS and path.is_file() and not SKIPPED_FOLDERS & set(inside):
            yield path


def main(root):
    problems, by_name, files, c_files = [], {}, 0, 0
    for path in written_files(root):
        files += 1
        where, text = str(path.relative_to(root)), path.read_text(errors="replace")
        found = list(text_problems(text))
        if path.suffix in SOURCES:
            c_files += 1
            found += c_problems(where, text)
        if path.suffix in (".c", ".h", ".py", ".sh"):
            first = by_name.setdefault(path.name, where)
            if first != where:
                found.append((1, f"has the name of {first}"))
        problems += [f"{where}:{number}: {words}" for number, words in sorted(found)]
    if not c_files:
        problems.append(f"{root}:1: nothing to check")
    print("\n".join(problems + [f"habits: {files} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
