"""A server that answers slowly, out of order, twice, in pieces, to nobody's call, not at all, or with
nonsense: no byte is lost, nothing hangs, and the result says what happened."""
import itertools
import json
import os
import pathlib
import random
import struct
import sys
import unittest

import util

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "server"))
import ganesha  # noqa: E402  pylint: disable=wrong-import-position
import rude  # noqa: E402  pylint: disable=wrong-import-position

SHORT, LONG = 5, 300  # time-outs in tenths of a second: no busy machine makes the long one pass
EVERY = 20
SELDOM = 60  # where each costs a time-out


def setUpModule():
    if not ganesha.installed():
        raise unittest.SkipTest("nfs-ganesha is not installed")


def now_and_then(act, every=EVERY):
    """Each `every`th reply of all is treated so."""
    def manner(number, _, record):
        return act(record) if number % every == 0 else [rude.framed(record)]
    return manner


def always(act):
    return lambda number, procedure, record: act(record)


def foreign(record):
    return rude.with_xid(record, rude.xid_of(record) ^ 0x5a5a5a5a)


class Rude(util.Case):
    """A small tree is written, and read back with every byte compared."""

    @classmethod
    def setUpClass(cls):
        cls.export = pathlib.Path(util.tempfile.mkdtemp(prefix="loadline-rude-"))
        cls.addClassCleanup(util.shutil.rmtree, cls.export, ignore_errors=True)
        path = cls.export / "files" if os.geteuid() == 0 else None
        if path:
            path.mkdir()
        cls.server = ganesha.Ganesha(cls.export / "server", [ganesha.Export("rude", path)])
        cls.server.start()
        cls.addClassCleanup(cls.server.stop)

    def measure(self, manner=None, instead=None, status=frozenset({0}), timeo=LONG):
        """Returns what was counted, and the errors."""
        nfs_port, mount_port = self.server.ports
        with rude.Rude(nfs_port, manner, instead) as server:
            target = (f"nfs://127.0.0.1:{server.at}/rude?mountport={mount_port}&timeo={timeo}"
                      "&connections=2")
            done = util.run("dirtest", target, *util.SMALL_TREE, "--verify", "--lengths", "2,70000",
                            "--repeat", "1", "--db", util.store_with_overhead(),
                            "--format", "json")
            self.assertGreater(server.number, EVERY, "there was nothing to be rude about")
        self.assertIn(done.returncode, status, done.stderr)
        self.said = done.stderr
        counted, errors = {}, []
        for row in json.loads(done.stdout or "[]"):
            errors += row["errors"]
            for counter in row["counters"]:
                key = counter["key"]
                counted[key] = counted.get(key, 0) + float(counter["value"])
        return {key: value for key, value in counted.items() if value}, errors

    def assert_fine(self, manner, *expected, absent=()):
        timeo = SHORT if "timeouts" in expected else LONG
        counted, errors = self.measure(manner, timeo=timeo)
        self.assertEqual(errors, [])
        for key in expected:
            self.assertIn(key, counted)
        for key in absent:
            self.assertNotIn(key, counted)

    # ---- unusual, and all right ----

    def test_slow_and_out_of_order(self):
        chance = random.Random(1)
        self.assert_fine(always(lambda r: [chance.random() * 0.005, rude.framed(r)]),
                         absent=["outages", "retransmits", "replies_bad", "replies_late"])

    def test_fragments(self):
        self.assert_fine(always(lambda r: [rude.fragments(r, 1 + len(r) // 7)]),
                         absent=["outages", "replies_bad"])

    def test_small_fragments(self):
        self.assert_fine(lambda _, procedure, r: [
            rude.framed(r) if procedure == rude.READ else rude.fragments(r, 5)],
                         absent=["outages", "replies_bad"])

    def test_an_empty_fragment_in_between(self):
        self.assert_fine(always(lambda r: [bytes(4) + rude.framed(r)]),
                         absent=["outages", "replies_bad"])

    def test_bytes_that_come_one_by_one(self):
        def in_pieces(record):
            data = rude.framed(record)
            cuts = [0, 3, 4, 5, 30, 31, 150, 200, len(data)]
            return [data[a:b] for a, b in zip(cuts, cuts[1:])]
        self.assert_fine(always(in_pieces), absent=["outages", "replies_bad"])

    # ---- wrong, and got over ----

    def test_replies_that_come_twice(self):
        self.assert_fine(always(lambda r: [rude.framed(r) * 2]), "replies_late",
                         absent=["outages", "replies_bad"])

    def test_replies_to_calls_of_nobody(self):
        self.assert_fine(now_and_then(lambda r: [rude.framed(foreign(r)) + rude.framed(r)]),
                         "replies_unknown", absent=["outages", "replies_bad"])

    def test_a_wrong_xid_is_no_answer(self):
        self.assert_fine(now_and_then(lambda r: [rude.framed(foreign(r))], SELDOM),
                         "replies_unknown", "timeouts", "outages", "retransmits", "reconnects",
                         "outage_ns")

    def test_no_answer(self):
        self.assert_fine(now_and_then(lambda r: [], SELDOM), "timeouts", "outages", "retransmits",
                         "reconnects", "outage_ns")

    def test_answers_after_the_time_out(self):
        """On the old connection, which is closed: they are sent again, and nothing is done twice."""
        self.assert_fine(now_and_then(lambda r: [SHORT / 10 * 1.5, rude.framed(r)], SELDOM),
                         "timeouts", "retransmits")

    def test_resets_in_the_middle_of_a_record(self):
        self.assert_fine(now_and_then(lambda r: [rude.framed(r)[:len(r) // 2], rude.RESET]),
                         "outages", "retransmits", "reconnects", absent=["timeouts"])

    def test_closing_in_the_middle_of_a_record(self):
        self.assert_fine(now_and_then(lambda r: [rude.framed(r)[:len(r) // 2], rude.CLOSE]),
                         "outages", "retransmits", "reconnects", absent=["timeouts"])

    def test_records_of_4_gib(self):
        for last in (rude.LAST, 0):
            mark = struct.pack(">I", 0x7fffffff | last)
            self.assert_fine(now_and_then(lambda r, m=mark: [m + r + bytes(5000)]),
                             "replies_bad", "outages", "retransmits", "reconnects")

    def test_jukebox(self):
        counted, errors = self.measure(
            instead=lambda number, procedure, call:
            rude.refusal(call, rude.JUKEBOX) if number % EVERY == 0 else None)
        self.assertEqual(errors, [])
        self.assertIn("jukebox_retries", counted)

    # ---- wrong, and an error ----

    def test_nonsense_behind_the_header(self):
        """A status that does not exist, or a reply that cannot be read: the op fails, in words."""
        seed = iter(range(10000))
        self.measure(now_and_then(
            lambda r: [rude.framed(r[:rude.RPC_HEAD_BYTES] +
                                   rude.noise(len(r) - rude.RPC_HEAD_BYTES, next(seed)))]),
                     status={2, 3})
        self.assertRegex(self.said, "EREMOTEIO|Remote I/O error|EBADMSG|Bad message")

    def test_an_op_refused_by_rpc(self):
        reads = itertools.count(1)
        self.measure(
            instead=lambda _, procedure, call:
            rude.denial(call) if procedure == rude.READ and next(reads) % EVERY == 0 else None, status={3})
        self.assertRegex(self.said, "not valid: .*read of .*: EACCES")

    def test_more_data_than_was_asked_for(self):
        reads, asked = itertools.count(1), {}

        def note(_, procedure, call):
            if procedure == rude.READ:
                asked[call[:4]] = struct.unpack(">I", call[-4:])[0]

        def longer(_, procedure, record):
            if procedure != rude.READ or rude.status_of(record) != 0 or next(reads) % EVERY:
                return [rude.framed(record)]
            head = record[:rude.RPC_HEAD_BYTES + 4 + 4 + 84]
            size = asked[record[:4]] + 4
            return [rude.framed(head + struct.pack(">III", size, 0, size) + bytes(size))]
        self.measure(longer, note, status={3})
        self.assertRegex(self.said, "not valid: .*read of .*: EBADMSG")


if __name__ == "__main__":
    unittest.main()
