#!/usr/bin/env python3
"""Golden tests of the program: a command line in, stdout and exit status out, to the letter.

usage: LOADLINE=build/loadline tests/golden/run.py [--bless] [NAME ...]

A case is a set of files anywhere below tests/golden:
  NAME.cmd     the command line, for /bin/sh, run in an empty directory of its own; `loadline` is the
               program under test. The data directory and HOME lie in there too
  NAME.exact   what stdout must be
  NAME.exit    the exit status; 0 when there is no such file
  NAME.err     optional: what stderr must be
  NAME.mask    optional: lines "REGEX => TEXT", applied to both outputs before comparing, for ids,
               dates and measured numbers
--bless writes .exact (and .err and .exit where they are there or needed) from what the program did.
Exit status: 0 all equal, 1 a difference, 2 no case to run, or no program."""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS_MAX = 900


def read(path, otherwise):
    return path.read_text() if path.exists() else otherwise


def masks(path):
    rules = []
    for line in read(path, "").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, arrow, text = line.partition(" => ")
            if not arrow:
                sys.exit(f"{path}: no ' => ' in: {line}")
            rules.append((re.compile(pattern, re.MULTILINE), text))
    return rules


def masked(text, rules):
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def run(case, program):
    """(stdout, stderr, exit status) of a case; a case that hangs is a failure, not a wait."""
    with tempfile.TemporaryDirectory(prefix="golden-") as place:
        tools = Path(place, "bin")
        work = Path(place, "work")
        tools.mkdir()
        work.mkdir()
        (tools / "loadline").symlink_to(program)
        env = {
            "PATH": f"{tools}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "HOME": str(work),
            "XDG_DATA_HOME": str(work / "data"),
            "LC_ALL": "C",
            "TZ": "UTC",
        }
        env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
        done = subprocess.run(
            ["/bin/sh", "-c", case.read_text()],
            cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="backslashreplace", timeout=SECONDS_MAX)
    rules = masks(case.with_suffix(".mask"))
    return masked(done.stdout, rules), masked(done.stderr, rules), done.returncode


def bless(case, out, err, status):
    case.with_suffix(".exact").write_text(out)
    if case.with_suffix(".err").exists():
        case.with_suffix(".err").write_text(err)
    if status != 0 or case.with_suffix(".exit").exists():
        case.with_suffix(".exit").write_text(f"{status}\n")


def differences(case, out, err, status):
    """Lines that say what is not as it should be; none when all is."""
    wanted = [(".exact", out)]
    if case.with_suffix(".err").exists():
        wanted.append((".err", err))
    lines = []
    for suffix, got in wanted:
        path = case.with_suffix(suffix)
        if not path.exists():
            lines.append(f"no {path.name}; --bless writes it")
            continue
        lines += difflib.unified_diff(path.read_text().splitlines(), got.splitlines(),
                                      path.name, "now", lineterm="")
    status_wanted = int(read(case.with_suffix(".exit"), "0"))
    if status != status_wanted:
        lines.append(f"exit status {status}, should be {status_wanted}; stderr: {err.strip()}")
    return lines


def one(case, program, blessing):
    try:
        out, err, status = run(case, program)
    except subprocess.TimeoutExpired:
        return [f"still running after {SECONDS_MAX} s"]
    if blessing:
        bless(case, out, err, status)
        return []
    return differences(case, out, err, status)


def main():
    names = [a for a in sys.argv[1:] if a != "--bless"]
    blessing = "--bless" in sys.argv[1:]
    program = os.environ.get("LOADLINE", "")
    if not os.access(program, os.X_OK):
        print(f"LOADLINE={program!r} is not a program", file=sys.stderr)
        return 2
    cases = [c for c in sorted(HERE.rglob("*.cmd")) if not names or c.stem in names]
    if not cases or len({c.stem for c in cases}) < len(names):
        print(f"no such case below {HERE}", file=sys.stderr)
        return 2
    bad = 0
    for case in cases:
        lines = one(case, str(Path(program).resolve()), blessing)
        bad += bool(lines)
        print(f"{'blessed' if blessing and not lines else 'FAILED' if lines else 'ok':8}"
              f"{case.relative_to(HERE).with_suffix('')}")
        for line in lines:
            print(f"    {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
