#!/usr/bin/python3
"""Keeps files, functions, structs and headers small.   ratchet.py ROOT [RATCHET.TXT]

Above the first limit of a kind an entry with a reason is needed in tools/ratchet.txt, above the
second nothing helps. Reads C as clang-format leaves it: a function or struct of its own begins in
the first column and ends with a brace in the first column."""
import pathlib
import re
import sys

LIMITS = {  # kind: (needs an entry above, never above)
    "file": (400, 800),
    "test": (800, 800),  # a list of cases is long without being hard to read
    "header": (250, 800),
    "function": (60, 120),
    "struct": (25, 60),
}
LONG_FUNCTIONS_FRACTION = 0.04
FOLDERS = ("src", "tests", "tools")

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
FUNCTION_NAME = re.compile(r"(\w+)\(")
STRUCT = re.compile(r"^(?:struct|union) (\w+) \{$")


def without_comments(text):
    """Comments and literals blanked, line numbers kept."""
    return COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def members(body):
    """Number of declared members of a struct, those of nested structs included."""
    while True:
        flat = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", body)
        if flat == body:
            break
        body = flat
    declarations = [d for d in re.split(r"[;{}]", body) if d.strip()]
    opened = body.count("{")  # "struct {" declares nothing by itself
    return sum(1 + d.count(",") for d in declarations) - opened


def blocks(lines):
    """Yields (first line index, last line index) of each brace block that ends in column 0."""
    start = None
    for i, line in enumerate(lines):
        if start is None and line.endswith("{") and not line.startswith((" ", "\t")):
            start = i
        elif line.startswith("}") and start is not None:
            yield start, i
            start = None


def functions_and_structs(path):
    """Yields (kind, name, line number, size)."""
    lines = without_comments(path.read_text()).splitlines()
    for start, end in blocks(lines):
        struct = STRUCT.match(lines[start])
        if struct:
            yield "struct", struct[1], start + 1, members("\n".join(lines[start + 1:end]))
        elif lines[start] == "{":
            first = start - 1
            while first > 0 and lines[first - 1].strip() and lines[first - 1][0] not in "}#":
                first -= 1
            head = re.sub(r"__attribute__\(\(.*?\)\)(?=\s)", "", " ".join(lines[first:start]))
            name = FUNCTION_NAME.search(head)
            yield "function", name[1] if name else "?", first + 1, end - start - 1


def things(root):
    """Yields (kind, path, name, line number, size) of everything that has a limit."""
    for path in sorted(p for f in FOLDERS for p in (root / f).rglob("*")):
        if path.suffix not in (".c", ".h", ".py", ".sh") or not path.is_file():
            continue
        where = str(path.relative_to(root))
        size = len(path.read_text().splitlines())
        by_place = "test" if where.startswith("tests/") else "file"
        yield "header" if path.suffix == ".h" else by_place, where, "", 1, size
        if path.suffix in (".c", ".h"):
            for kind, name, line, size in functions_and_structs(path):
                yield kind, where, name, line, size


def read_exceptions(path):
    """Returns (kind, path[:name]) → size allowed."""
    allowed = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            kind, what, size, *reason = line.split(None, 3)
            if kind not in LIMITS or not reason:
                sys.exit(f"{path}:{number}: want: kind path[:name] size reason")
            allowed[kind, what] = int(size)
    return allowed


def main(root, table=None):
    exceptions = read_exceptions(pathlib.Path(table) if table else root / "tools/ratchet.txt")
    problems, functions, long_functions, seen = [], 0, 0, 0
    for kind, where, name, line, size in things(root):
        seen += 1
        soft, hard = LIMITS[kind]
        functions += kind == "function"
        long_functions += kind == "function" and size > soft
        what = f"{where}:{name}" if name else where
        allowed = exceptions.pop((kind, what), None)
        label = f"{where}:{line}: {kind} {name}".rstrip()
        if allowed is not None and (size <= soft or size < allowed):
            problems.append(f"{label} has {size}: lower its entry of {allowed} in tools/ratchet.txt")
        elif size > min(hard, allowed or soft):
            problems.append(f"{label} has {size}, the limit is {min(hard, allowed or soft)}")
    problems += [f"{what}:1: no such {kind}: remove its entry" for kind, what in exceptions]
    if long_functions > LONG_FUNCTIONS_FRACTION * functions:
        problems.append(f"src:1: {long_functions} of {functions} functions are long, more than 4 %")
    if not seen:
        problems.append(f"{root}:1: nothing to check")
    print("\n".join(problems + [f"ratchet: {seen} sizes, {functions} functions, "
                                f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:3]))
