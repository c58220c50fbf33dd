"""tools/junit_count.py, which .ci/run believes, counts as passed only what ctest ran and passed."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])

# One test of each end that ctest knows; by itself it says of the skipped ones "100% tests passed".
TESTS = """
add_test(good /bin/true)
add_test(bad /bin/false)
add_test(lost /nonexistent/program)
add_test(skipped_by_code /bin/sh -c "exit 77")
set_tests_properties(skipped_by_code PROPERTIES SKIP_RETURN_CODE 77)
add_test(skipped_by_words /bin/echo "OK (skipped=1)")
set_tests_properties(skipped_by_words PROPERTIES SKIP_REGULAR_EXPRESSION "OK \\\\(skipped=")
add_test(disabled /bin/true)
set_tests_properties(disabled PROPERTIES DISABLED TRUE)
"""


def count(*reports):
    done = subprocess.run([SOURCE / "tools/junit_count.py", *reports],
                          capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


class JunitCount(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, *options):
        (self.folder / "CTestTestfile.cmake").write_text(TESTS)
        report = self.folder / "report.xml"
        subprocess.run(["ctest", "--test-dir", self.folder, "--output-junit", report, *options],
                       capture_output=True, check=False)
        return report

    def test_only_what_ran_and_passed_counts(self):
        code, lines = count(self.report())
        self.assertEqual(code, 1)
        self.assertEqual(lines[-1], "1 passed, 5 failed")
        for name in ("bad", "lost", "skipped_by_code", "skipped_by_words", "disabled"):
            self.assertTrue(any(f"report: {name}: " in line for line in lines), (name, lines))

    def test_all_passed(self):
        self.assertEqual(count(self.report("-R", "good")), (0, ["1 passed, 0 failed"]))

    def test_several_reports_add_up(self):
        report = self.report("-R", "good")
        self.assertEqual(count(report, report), (0, ["2 passed, 0 failed"]))

    def test_a_missing_or_empty_report_is_a_failure(self):
        code, lines = count(self.folder / "none.xml")
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))
        code, lines = count(self.report("-R", "matches nothing"))
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
