"""tools/packages.sh installs only what is missing, says exactly what it lacks when it may not, and
touches nothing when all is there. dpkg, apt, id and sudo are played by small scripts."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
TEST_GROUP = ("libcmocka-dev python3 python3-jsonschema strace clang-format groff-base zsh fish e2fsprogs "
              "nfs-ganesha nfs-ganesha-mem nfs-ganesha-vfs rpcbind libnfs-utils iproute2 libcap2-bin lvm2 mdadm "
              "fdisk").split()
LACKING = " ".join(name for name in TEST_GROUP if name not in ("python3", "strace"))

APT = """echo "$*" >>"$LOG"
case " $* " in
*" install "*) [ -z "$FAILS_ONCE" ] || [ -e "$LOG.failed" ] || { : >"$LOG.failed"; exit 100; } ;;
esac"""


class Machine:
    """A machine with some packages installed, some known to its lists, and a user."""

    def __init__(self, installed, known=True, user=0, sudo=False, fails_once=False):
        self.tools = {
            "dpkg-query": f"for last; do :; done; case ' {' '.join(installed)} ' in "
                          '*" $last "*) printf "ii ";; *) exit 1;; esac',
            "apt-cache": f"echo '  Candidate: {'1.0' if known else '(none)'}'",
            "apt-get": APT,
            "id": f"echo {user}",
        }
        if sudo:
            self.tools["sudo"] = '[ "$1" != -n ] || shift; "$@"'
        self.fails_once = "1" if fails_once else ""

    def run(self, *groups):
        """Returns (exit status, stderr, list of apt-get command lines)."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.tools.items():
                path = pathlib.Path(folder, name)
                path.write_text(f"#!/bin/sh\n{text}\n")
                path.chmod(0o755)
            for name in ("env", "sed", "grep", "true", "sh"):
                os.symlink(f"/usr/bin/{name}", pathlib.Path(folder, name))
            log = pathlib.Path(folder, "apt.log")
            done = subprocess.run(
                ["/bin/sh", SOURCE / "tools/packages.sh", *groups], capture_output=True, text=True,
                stdin=subprocess.DEVNULL,
                env={"PATH": folder, "LOG": str(log), "FAILS_ONCE": self.fails_once})
            lines = log.read_text().splitlines() if log.exists() else []
        return done.returncode, done.stderr, lines


class Packages(unittest.TestCase):
    def test_nothing_is_done_when_nothing_is_missing(self):
        self.assertEqual(Machine(TEST_GROUP, user=1000).run("test"), (0, "", []))

    def test_root_installs_what_is_missing_and_no_more(self):
        code, _, apt = Machine(["python3", "strace"]).run("test")
        self.assertEqual(code, 0)
        self.assertEqual(len(apt), 1)
        self.assertTrue(apt[0].endswith(f"--no-install-recommends {LACKING}"), apt)

    def test_lists_are_fetched_first_when_they_are_missing(self):
        code, _, apt = Machine([], known=False).run("test")
        self.assertEqual(code, 0)
        self.assertTrue(apt[0].endswith(" update"), apt)
        self.assertIn(" install -y ", apt[1])

    def test_lists_that_are_out_of_date_are_fetched_again(self):
        code, _, apt = Machine([], fails_once=True).run("test")
        self.assertEqual(code, 0)
        self.assertEqual([" update" in line for line in apt], [False, True, False])

    def test_others_install_through_sudo(self):
        code, _, apt = Machine(["python3"], user=1000, sudo=True).run("test")
        self.assertEqual((code, len(apt)), (0, 1))

    def test_who_may_not_install_is_told_exactly_what_is_missing(self):
        code, err, apt = Machine(["python3", "strace"], user=1000).run("test")
        self.assertEqual((code, apt), (1, []))
        self.assertIn(f"packages missing: {LACKING}\n", err)
        self.assertIn(f"apt-get install {LACKING}\n", err)

    def test_an_unknown_group_is_refused(self):
        code, err, _ = Machine([]).run("tset")
        self.assertEqual(code, 2)
        self.assertIn("no group tset", err)


if __name__ == "__main__":
    unittest.main()
