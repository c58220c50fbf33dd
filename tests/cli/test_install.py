#!/usr/bin/python3
"""make install: exactly these files, each of use where it lies; make uninstall: none of them."""
import os
import pathlib
import re
import stat
import subprocess
import unittest

import util

BUILD = os.environ["BUILD_DIR"]
SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
PREFIX = "/opt/load line"
DOCUMENTS = "README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE".split()
LINK = re.compile(r"\]\(([^)#\s]+)")


def documents():
    """README.md and its company, and all of the folders that they link to."""
    folders = [p for folder in ("docs", "examples") for p in (SOURCE / folder).rglob("*")]
    return DOCUMENTS + [str(p.relative_to(SOURCE)) for p in folders if p.is_file()]


class Install(util.Case):
    def setUp(self):
        super().setUp()
        self.root = self.room / "root"
        self.place = self.root / PREFIX[1:]

    def run_tool(self, *command):
        done = subprocess.run(command, env={**os.environ, "DESTDIR": str(self.root)}, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done

    def install(self):
        self.run_tool("cmake", "--install", BUILD, "--prefix", PREFIX)

    def files(self):
        return {str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()}

    def test_exactly_these_files(self):
        self.install()
        pages = ["loadline", *(f"loadline-{command}" for command in util.all_commands())]
        self.assertEqual({f.removeprefix(PREFIX[1:] + "/") for f in self.files()}, {
            "bin/loadline",
            "share/bash-completion/completions/loadline",
            "share/zsh/site-functions/_loadline",
            "share/fish/vendor_completions.d/loadline.fish",
            *(f"share/man/man1/{page}.1" for page in pages),
            *(f"share/doc/loadline/{document}" for document in documents()),
            *(f"share/loadline/workloads/{p.name}" for p in (SOURCE / "workloads").iterdir()),
            *(f"share/loadline/profiles/{p.name}" for p in (SOURCE / "profiles").iterdir()),
        })
        for path in self.root.rglob("*"):
            readable = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
            self.assertEqual(path.stat().st_mode & readable, readable, path)

    def test_each_is_of_use(self):
        self.install()
        program = self.place / "bin/loadline"
        done = subprocess.run([program, "io", "null:", *util.SMALL_IO, "--db", self.db], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for page in (self.place / "share/man/man1").iterdir():
            done = subprocess.run(["groff", "-man", "-ww", "-z", page], text=True,
                                  capture_output=True, check=True)
            self.assertEqual(done.stderr, "")
            self.assertIn(page.stem.upper(), page.read_text().replace("\\-", "-").splitlines()[0])
        for shell, path in (("bash", "bash-completion/completions/loadline"),
                            ("zsh", "zsh/site-functions/_loadline"),
                            ("fish", "fish/vendor_completions.d/loadline.fish")):
            self.assertEqual((self.place / "share" / path).read_text(),
                             util.run("completions", shell).stdout)

    def test_links_lead_somewhere(self):
        """README.md came without what it links to, and docs/measuring.md under another path."""
        self.install()
        seen = 0
        for page in (self.place / "share/doc/loadline").rglob("*.md"):
            for link in LINK.findall(page.read_text()):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page}: {link}")
                    seen += 1
        self.assertGreater(seen, 10)

    def test_uninstall_leaves_what_is_not_ours(self):
        self.install()
        others = [self.place / "bin/other", self.place / "share/man/man1/loadlines.1",
                  self.place / "share/doc/other/README.md"]
        for path in others:
            path.parent.mkdir(exist_ok=True)
            path.write_text("mine")
        self.run_tool(SOURCE / "tools/uninstall.sh", BUILD, PREFIX)
        self.assertEqual(self.files(), {str(p.relative_to(self.root)) for p in others})
        self.assertFalse((self.place / "share/doc/loadline").exists())
        self.assertFalse((self.place / "share/loadline").exists())
        self.run_tool(SOURCE / "tools/uninstall.sh", BUILD, PREFIX)

    def port_right(self, *args, destdir="", prefix=()):
        return subprocess.run([*prefix, SOURCE / "tools/port_right.sh", *args], text=True, check=False,
                              capture_output=True, env={**os.environ, "DESTDIR": str(destdir)})

    def test_the_right_to_ports_is_offered(self):
        done = self.port_right("/opt/load line/bin/loadline")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("sudo setcap cap_net_bind_service+ep '/opt/load line/bin/loadline'\n", done.stdout)
        self.assertIn("make install PORT_RIGHT=yes", done.stdout)
        done = self.port_right("/usr/bin/loadline", destdir=self.root)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = self.port_right("/usr/bin/loadline", "no")
        self.assertEqual((done.returncode, done.stderr), (1, "PORT_RIGHT=no: there is yes, or nothing\n"))

    @unittest.skipUnless(os.geteuid() == 0, "giving a right needs root")
    def test_the_right_to_ports_is_given_by_root_only(self):
        self.install()
        program = self.place / "bin/loadline"
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = self.port_right(program, "yes", prefix=nobody)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"as root: setcap cap_net_bind_service+ep '{program}'", done.stderr)
        done = self.port_right(f"{PREFIX}/bin/loadline", "yes", destdir=self.root)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        had = subprocess.run(["getcap", program], text=True, capture_output=True, check=True).stdout
        self.assertIn("cap_net_bind_service=ep", had)

    def test_make_hands_on_where(self):
        for goal, tool in (("install", "cmake --install build/release --prefix '/a b'"),
                           ("uninstall", "tools/uninstall.sh build/release '/a b'")):
            done = subprocess.run(["make", "-n", "-C", SOURCE, goal, "PREFIX=/a b", "DESTDIR=/c d"],
                                  text=True, capture_output=True, check=True)
            self.assertIn(f"DESTDIR='/c d' {tool}", done.stdout)
        done = subprocess.run(["make", "-n", "-C", SOURCE, "install", "PREFIX=/a b", "PORT_RIGHT=yes"],
                              text=True, capture_output=True, check=True)
        self.assertIn("tools/port_right.sh '/a b/bin/loadline' yes\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
