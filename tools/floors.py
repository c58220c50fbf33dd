#!/usr/bin/python3
"""Checks who includes whom against tools/floors.txt.   floors.py ROOT [FLOORS.TXT]"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_floors(path):
    """Returns (module → allowed items, third-party prefix → homes, prefixes of system headers)."""
    modules, homes, system = {}, {}, []
    for line in path.read_text().splitlines():
        name, colon, items = line.split("#")[0].partition(":")
        if not colon:
            continue
        name, items = name.strip(), items.split()
        if name == "<>":
            system += [item if item.endswith("/") else item + ".h" for item in items]
        elif name.startswith("<"):
            homes[name.strip("<>")] = items
        else:
            modules[name] = items
    return modules, homes, system


def wrong(module, suffix, kind, header, floors):
    """Why this include is wrong, or None."""
    modules, homes, system = floors
    if kind == "<":
        for prefix, home in homes.items():
            if header.startswith(prefix):
                return None if module in home else f"only {' and '.join(home)} may include it"
        known = any(header == s or s.endswith("/") and header.startswith(s) for s in system)
        return None if known else "no home in tools/floors.txt"
    owner = header.partition("/")[0]
    if owner == module:
        return None
    if header.endswith("_priv.h"):
        return f"private to {owner}"
    for item in modules[module]:
        name, only_c = item.removesuffix("(.c)"), item.endswith("(.c)")
        if name in ("*", owner, header):  # the first item that names it decides
            return f"{module} may include it in .c files only" if only_c and suffix == ".h" else None
    return f"{module} may not include {owner}"


def main(root, table=None):
    floors = read_floors(pathlib.Path(table) if table else root / "tools/floors.txt")
    files = sorted(p for p in (root / "src").rglob("*.[ch]"))
    failures = 0 if files else 1
    for path in files:
        module = path.relative_to(root / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            why = f"{module} is not in the table" if module not in floors[0] else (
                found and wrong(module, path.suffix, *found.groups(), floors))
            if why:
                failures += 1
                print(f"{path.relative_to(root)}:{number}: {line.strip()}: {why}")
                if module not in floors[0]:
                    break
    print(f"floors: {len(files)} files, {failures} wrong includes")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:3]))
