#!/usr/bin/python3
"""Counts tests over reports of ctest.   junit_count.py REPORT.XML…

Prints the names of what failed or did not run, then "N passed, N failed". A test that was skipped or
not run has not passed; a report that is missing or empty is one failure."""
import pathlib
import sys
import xml.etree.ElementTree as xml


def count(path):
    """Returns (passed, [what failed])."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError) as problem:
        return 0, [f"{path}: {problem}"]
    failed = [f"{path.stem}: {case.get('name')}: {case.get('status')}"
              for case in cases if case.get("status") != "run"]
    if not cases:
        failed.append(f"{path}: no tests")
    return len(cases) - len([c for c in cases if c.get("status") != "run"]), failed


def main(paths):
    counts = [count(pathlib.Path(path)) for path in paths]
    failed = [what for _, whats in counts for what in whats]
    for what in failed:
        print(what)
    print(f"{sum(passed for passed, _ in counts)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
