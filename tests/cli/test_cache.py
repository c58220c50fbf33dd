"""What io says of this machine's cache, wherever it is run."""
import json
import pathlib
import shutil
import tempfile
import unittest

import util


class Cache(util.Case):
    def io(self, *args, where=None):
        return util.run("io", where or self.target, *util.SMALL_IO, "--db", self.db, "--quiet",
                        *args)

    def test_a_run_that_wrote_says_what_is_dirty(self):
        """In every mode: a share, or that it is not verified, or memory."""
        for args in (), ("--client-cache", "keep"), ("--read", "0"):
            done = self.io(*args)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"\ndirty at end +(\S+ \S+ of \S+ \S+ written"
                                          r"|not verified|ram:)")
        self.assertNotIn("dirty at end", self.io("--read", "100").stdout)

    def test_direct_is_refused_in_words_or_done(self):
        """Never a run of errors; and memory is not called direct."""
        memory = pathlib.Path(tempfile.mkdtemp(prefix="loadline-test-", dir="/dev/shm"))
        self.addCleanup(shutil.rmtree, memory, ignore_errors=True)
        for where, mode in (self.target, {"direct", "ram"}), (memory, {"ram"}):
            done = self.io("--direct", "--format", "json", where=where)
            if done.returncode == 2:
                self.assertIn("direct refused by ", done.stderr)
                self.assertEqual(done.stdout, "")
            else:
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                result = result[0] if isinstance(result, list) else result
                self.assertIn(result["cache"]["mode"], mode)
            self.assertEqual(list(where.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
