#!/usr/bin/python3
"""Opening nfs:// either works or says what stands in the way and what to do about it."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import time
import unittest

import ganesha
import scripted_nfs as s
import util

SERVER = pathlib.Path(os.environ["BUILD_DIR"]) / "server"
NOBODY = 65534
PORT_BIND = "net_bind_service"
AS_ROOT = os.geteuid() == 0
USAGE, CANNOT = 1, 2
NOT_KNOWN = "no host is known by the name|no name server answers"
WAYS = ("setcap cap_net_bind_service+ep", "insecure (Linux)", "Allow non-root mount (TrueNAS)",
        "-mount-rootonly disabled -nfs-rootonly disabled (ONTAP)")


def closed_port():
    return ganesha.free_port("127.0.0.1")


@contextlib.contextmanager
def null_server(*args):
    process = subprocess.Popen([SERVER / "null_nfs", *args], stdout=subprocess.PIPE, text=True,
                               preexec_fn=ganesha.die_with_parent)
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


class Opening(util.Case):
    """What is refused, by servers that say it: `io` begins with opening."""

    def refused(self, address, status=CANNOT, **options):
        done = self.fails(status, "io", address, *util.SMALL_IO, "--db", "none", "--quiet", **options)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr.strip()

    def refused_by(self, answers, path="/srv", send=None, **params):
        with s.Scripted(answers, send) as server:
            words = self.refused(server.address(path, **params))
            self.calls = server.calls
            self.port = server.port
        return words

    def assert_all_in(self, parts, words):
        for part in parts:
            self.assertIn(part, words)


class Addresses(Opening):
    def test_wrong_ones_are_found_before_anything_is_asked(self):
        with s.Scripted() as server:
            words = self.refused(server.address("/srv", conections=2), status=USAGE)
            self.assertIn("did you mean connections?", words)
            self.assertEqual(server.calls, [])

    def test_no_host_of_the_name(self):
        words = self.refused("nfs://no-such-host.invalid/srv")
        self.assertRegex(words, NOT_KNOWN)
        self.assertIn("no-such-host.invalid", words)

    def test_ports_that_are_closed(self):
        closed = closed_port()
        with s.Scripted() as server:
            words = self.refused(f"nfs://127.0.0.1:{server.port}/srv?mountport={closed}")
            self.assertIn(f"127.0.0.1: port {closed} is closed, no MOUNT is served there", words)
            words = self.refused(f"nfs://127.0.0.1:{closed}/srv?mountport={server.port}")
            self.assertIn(f"127.0.0.1: port {closed} is closed, no NFS is served there", words)

    def test_a_name_is_shown_with_what_it_stands_for(self):
        closed = closed_port()
        words = self.refused(f"nfs://localhost:{closed}/srv?mountport={closed}")
        self.assertRegex(words, r"localhost \((127\.0\.0\.1|::1)\): port")

    def test_every_address_of_a_host_is_tried(self):
        """localhost is ::1 first, and the server listens on 127.0.0.1 only."""
        with s.Scripted({(s.MOUNT, s.MNT): s.status(13)}) as server:
            words = self.refused(server.address("/srv").replace("127.0.0.1", "localhost"))
            self.assertIn("localhost (127.0.0.1)", words)

    def test_ipv6(self):
        with ganesha.Ganesha(self.room / "server", [ganesha.Export("mem")], host="::1") as server:
            self.ok("io", server.address("mem"), *util.SMALL_IO, "--db", "none", "--quiet")
        words = self.refused(server.address("mem"))
        self.assertIn("::1: port", words)


class Protocol(Opening):
    """Servers that are not what they should be."""

    def test_another_version_of_nfs(self):
        words = self.refused_by({(s.NFS, s.GETATTR): s.mismatch(4, 4)})
        self.assertIn(f"port {self.port} serves NFS version 4, not 3", words)
        self.assertIn("mounting it: loadline COMMAND /DIRECTORY", words)

    def test_another_version_of_mount(self):
        words = self.refused_by({(s.MOUNT, s.MNT): s.mismatch(1, 2)})
        self.assertIn(f"port {self.port} serves MOUNT version 1 to 2, not 3", words)
        self.assertNotIn("mounting it", words)

    def test_something_else_is_served(self):
        words = self.refused_by({(s.MOUNT, s.MNT): s.unavailable()})
        self.assertIn("does not serve MOUNT; ?mountport=PORT says where it is served", words)
        words = self.refused_by({(s.NFS, s.GETATTR): s.unavailable()})
        self.assertIn("does not serve NFS", words)
        words = self.refused_by({(s.MOUNT, s.MNT): s.system_error()})
        self.assertIn("MOUNT refuses the call (SYSTEM_ERR)", words)

    def test_no_rpc_at_all(self):
        for reply in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 4 + b"x", bytes(4) * 9000):
            with self.subTest(reply[:20]):
                words = self.refused_by({}, send=lambda _, call, reply=reply: reply, timeo=5)
                self.assertRegex(words, "does not speak it: no ONC RPC|does not answer")

    def test_a_reply_cut_short(self):
        for length in range(0, 28, 4):
            def cut(reply, call, length=length):
                return s.words(s.LAST_FRAGMENT | length) + reply[:length]
            self.assertIn("no ONC RPC", self.refused_by({}, send=cut))

    def test_silence(self):
        began = time.monotonic()
        words = self.refused_by({(s.MOUNT, s.MNT): None}, timeo=3)
        self.assertIn(f"MOUNT at port {self.port} takes the connection and does not answer", words)
        self.assertGreater(time.monotonic() - began, 0.29)  # three tenths of a second were given

    def test_an_end_without_an_answer(self):
        words = self.refused_by({}, send=lambda reply, call: b"")
        self.assertIn("closes the connection without an answer", words)

    def test_fragments_and_replies_to_others_are_no_obstacle(self):
        def crumbs(reply, call):
            stray = s.words(call.xid + 7, 1) + s.success(b"")
            out = s.words(s.LAST_FRAGMENT | len(stray)) + stray
            for at in range(0, len(reply), 5):
                part = reply[at:at + 5]
                out += s.words(0) + s.words(len(part)) + part
            return out + s.words(s.LAST_FRAGMENT)
        words = self.refused_by({(s.NFS, s.FSINFO): s.status(5)}, send=crumbs)
        self.assertIn("FSINFO of /srv: NFS3ERR_IO", words)

    def test_replies_to_others_only(self):
        def stray(reply, call):
            return (s.words(s.LAST_FRAGMENT | 24, call.xid + 1) + reply[4:24]) * 100
        words = self.refused_by({}, send=stray, timeo=3)
        self.assertIn("does not answer", words)


class Exports(Opening):
    def test_what_is_not_exported(self):
        words = self.refused_by({(s.MOUNT, s.MNT): s.status(13),
                                 (s.MOUNT, s.EXPORT): s.exports(one=[], two=["10.0.0.0/8"])})
        self.assertIn("127.0.0.1 does not export /srv; it exports /one, /two", words)

    def test_a_server_that_exports_nothing(self):
        words = self.refused_by({(s.MOUNT, s.MNT): s.status(2), (s.MOUNT, s.EXPORT): s.exports()})
        self.assertIn("127.0.0.1 does not export /srv, nor anything else", words)

    def test_a_long_list_is_cut(self):
        names = {f"export{n}": [] for n in range(2000)}
        words = self.refused_by({(s.MOUNT, s.MNT): s.status(2), (s.MOUNT, s.EXPORT): s.exports(**names)})
        self.assertRegex(words, r"it exports /export0, /export1, .* \.\.\.$")

    def test_a_list_that_is_not_given(self):
        for answer in (s.unavailable(), s.success(s.words(1, 5))):
            words = self.refused_by({(s.MOUNT, s.MNT): s.status(2), (s.MOUNT, s.EXPORT): answer})
            self.assertIn("does not let us mount /srv (MNT3ERR_NOENT)", words)

    def test_names_that_would_write_on_a_terminal(self):
        evil = s.success(s.words(1) + s.opaque(b"/a\x1b[2Jb\n") + s.words(0, 0))
        words = self.refused_by({(s.MOUNT, s.MNT): s.status(2), (s.MOUNT, s.EXPORT): evil})
        self.assertIn(r"/a\x1b[2Jb\x0a", words)

    @unittest.skipUnless(AS_ROOT, "a reserved port needs root")
    def test_exported_to_others(self):
        words = self.refused_by({(s.MOUNT, s.MNT): s.status(13),
                                 (s.MOUNT, s.EXPORT): s.exports(srv=["10.0.0.1"])})
        self.assertIn("does not let us mount /srv (MNT3ERR_ACCES); it is exported to certain hosts", words)
        for call in self.calls:
            self.assertLess(call.peer_port, 1024)
        words = self.refused_by({(s.MOUNT, s.MNT): s.status(13), (s.MOUNT, s.EXPORT): s.exports(srv=[])})
        self.assertIn("MNT3ERR_ACCES); is it exported, and to this host?", words)

    def test_the_longest_part_that_can_be_mounted_is(self):
        def mnt(call):
            return s.root(1) if call.text in ("/srv", "/") else s.status(2)
        words = self.refused_by({(s.MOUNT, s.MNT): mnt, (s.NFS, s.FSINFO): s.status(70)},
                                path="/srv/a/b%20c")
        self.assertIn("FSINFO of /srv/a/b c: NFS3ERR_STALE", words)
        self.assertEqual([c.text for c in self.calls if (c.program, c.proc) == (s.MOUNT, s.MNT)],
                         ["/srv/a/b c", "/srv/a", "/srv"])
        self.assertEqual([call.name for call in self.calls if (call.program, call.proc) == (s.NFS, s.LOOKUP)],
                         ["a", "b c"])

    def test_what_was_mounted_is_unmounted(self):
        def mnt(call):
            return s.root(1) if call.text == "/srv" else s.status(2)
        self.refused_by({(s.MOUNT, s.MNT): mnt, (s.NFS, s.FSINFO): s.status(5)}, path="/srv/a")
        last = self.calls[-1]
        self.assertEqual((last.program, last.proc, last.text), (s.MOUNT, s.UMNT, "/srv"))
        self.refused_by({(s.MOUNT, s.MNT): s.status(2)})
        self.assertNotEqual(self.calls[-1].proc, s.UMNT)

    def test_down_to_the_root(self):
        def mnt(call):
            return s.root(1) if call.text == "/" else s.status(2)
        words = self.refused_by({(s.MOUNT, s.MNT): mnt, (s.NFS, s.LOOKUP): s.status(2)}, path="/srv/a")
        self.assertIn("127.0.0.1: there is no /srv in its export /", words)

    def test_an_error_that_is_not_of_the_path_ends_it(self):
        words = self.refused_by({(s.MOUNT, s.MNT): s.status(10006)}, path="/a/b")
        self.assertIn("MNT3ERR_SERVERFAULT", words)
        self.assertEqual(len([c for c in self.calls if c.proc == s.MNT]), 1)

    def test_kerberos_only(self):
        words = self.refused_by({(s.MOUNT, s.MNT): s.root(390003, 390004)})
        self.assertIn("wants Kerberos for /srv, and nfs:// speaks AUTH_SYS only", words)

    def test_a_directory_that_is_none(self):
        def lookup(answer):
            return {(s.MOUNT, s.MNT): lambda call: s.root(1) if call.text == "/srv" else s.status(20),
                    (s.NFS, s.LOOKUP): answer}
        words = self.refused_by(lookup(s.found(s.LINK)), path="/srv/x")
        self.assertIn("/srv/x is a symbolic link, and links are not followed", words)
        words = self.refused_by(lookup(s.found(s.FILE)), path="/srv/x")
        self.assertIn("/srv/x is no directory", words)
        words = self.refused_by(lookup(s.status(20)), path="/srv/x/y")
        self.assertIn("/srv/x is no directory", words)
        words = self.refused_by({(s.NFS, s.GETATTR): s.success(s.words(0) + s.attributes(s.FILE))})
        self.assertIn("/srv is no directory", words)

    def test_attributes_that_are_left_out_are_asked_for(self):
        link = s.success(s.words(0) + s.attributes(s.LINK))
        directory = s.USUAL[s.NFS, s.GETATTR]
        words = self.refused_by({
            (s.MOUNT, s.MNT): lambda call: s.root(1) if call.text == "/srv" else s.status(2),
            (s.NFS, s.LOOKUP): s.found(s.DIRECTORY, known=False),
            (s.NFS, s.GETATTR): lambda call: link if b"below" in call.args else directory},
            path="/srv/x")
        self.assertIn("/srv/x is a symbolic link", words)


def without_port_right(*command):
    """Root that may not have a port below 1024; others may not anyway."""
    if not AS_ROOT:
        return list(command)
    return ["setpriv", f"--inh-caps=-{PORT_BIND}", f"--bounding-set=-{PORT_BIND}", *command]


class ReservedPorts(Opening):
    def io(self, program, address, **options):
        command = [program, "io", address, *util.SMALL_IO, "--db", "none", "--quiet"]
        return subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=util.PATIENCE_S,
                              stdin=subprocess.DEVNULL, **options)

    def ordinary(self, answers):
        with s.Scripted(answers) as server:
            command = without_port_right(util.PROGRAM, "io", server.address("/srv"), *util.SMALL_IO,
                                         "--db", "none", "--quiet")
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=util.PATIENCE_S,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, CANNOT, done.stderr)
            for call in server.calls:
                self.assertGreaterEqual(call.peer_port, 1024)
        return done.stderr

    def test_a_refusal_tells_the_ways_round_it(self):
        for answers in ({(s.MOUNT, s.MNT): s.status(13)}, {(s.MOUNT, s.MNT): s.status(1)},
                        {(s.MOUNT, s.MNT): s.refused(5)}, {(s.NFS, s.GETATTR): s.refused(5)},
                        {(s.NFS, s.GETATTR): s.refused(1)}, {(s.NFS, s.GETATTR): s.status(13)},
                        {(s.NFS, s.FSINFO): s.status(1)}):
            words = self.ordinary(answers)
            self.assert_all_in(WAYS, words)
            self.assertIn(f"cap_net_bind_service+ep {os.path.realpath(util.PROGRAM)};", words)

    def test_others_do_not(self):
        for answers in ({(s.MOUNT, s.MNT): s.status(2)}, {(s.NFS, s.FSINFO): s.status(5)}):
            self.assertNotIn("setcap", self.ordinary(answers))

    @unittest.skipUnless(AS_ROOT, "a reserved port needs root")
    def test_from_a_reserved_port_the_port_is_not_blamed(self):
        for answers in ({(s.MOUNT, s.MNT): s.status(13)}, {(s.NFS, s.GETATTR): s.refused(5)}):
            self.assertNotIn("setcap", self.refused_by(answers))

    @unittest.skipUnless(AS_ROOT, "setcap and ganesha's ports need root")
    def test_ganesha_that_wants_one_gets_one_by_setcap(self):
        program = self.room / "loadline"
        shutil.copy(util.PROGRAM, program)
        self.room.chmod(0o755)
        exported = self.room / "exported"
        exported.mkdir()
        exported.chmod(0o777)
        port = ganesha.Export("srv", exported, more="PrivilegedPort = true;", refuses=True)
        with ganesha.Ganesha(self.room / "server", [port, ganesha.Export("mem")]) as server:
            done = self.io(program, server.address("srv"), user=NOBODY, group=NOBODY, extra_groups=[])
            self.assertEqual(done.returncode, CANNOT)
            self.assert_all_in(WAYS, done.stderr)
            subprocess.run(["setcap", "cap_net_bind_service+ep", program], check=True)
            done = self.io(program, server.address("srv"), user=NOBODY, group=NOBODY, extra_groups=[])
            self.assertEqual((done.returncode, done.stderr), (0, ""))


    @unittest.skipUnless(AS_ROOT, "setcap needs root")
    def test_with_setcap_its_own_account_is_still_read(self):
        """The kernel hides /proc/self/io from programs with capabilities, and the counters were gone."""
        program = self.room / "loadline"
        shutil.copy(util.PROGRAM, program)
        self.room.chmod(0o755)
        self.target.chmod(0o777)
        subprocess.run(["setcap", "cap_net_bind_service+ep", program], check=True)
        done = subprocess.run([program, "io", self.target, *util.SMALL_IO, "--db", "none", "--quiet",
                               "--format", "json"], capture_output=True, text=True, check=False,
                              user=NOBODY, group=NOBODY, extra_groups=[])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        result = result[0] if isinstance(result, list) else result
        self.assertIn("read_bytes", {fact["key"] for fact in result["counters"]})


class AsWhom(Opening):
    def ids(self, **options):
        params = options.pop("params", {})
        with s.Scripted({(s.NFS, s.FSINFO): s.status(5)}) as server:
            self.refused(server.address("/srv", **params), **options)
            ids = {str(call.ids) for call in server.asked(s.NFS, s.GETATTR) + server.asked(s.MOUNT, s.MNT)}
            self.assertEqual(len(ids), 1)
            return server.asked(s.NFS, s.GETATTR)[0].ids

    def test_the_caller(self):
        self.assertEqual(self.ids(), (os.geteuid(), os.getegid(), os.getgroups()[:16]))

    def test_who_was_asked_for(self):
        self.assertEqual(self.ids(params={"uid": 1234, "gid": 99}), (1234, 99, []))
        self.assertEqual(self.ids(params={"uid": 1234}), (1234, os.getegid(), []))
        self.assertEqual(self.ids(params={"gid": 99}), (os.geteuid(), 99, os.getgroups()[:16]))

    @unittest.skipUnless(AS_ROOT, "sudo makes root")
    def test_the_person_behind_sudo(self):
        def sudo(uid, gid):
            return {"env": {**os.environ, "SUDO_UID": uid, "SUDO_GID": gid}}
        self.assertEqual(self.ids(**sudo("1234567", "99"))[:2], (1234567, 99))
        self.assertEqual(self.ids(**sudo("1234567", "99"), params={"uid": 5}), (5, 99, []))
        for wrong in (sudo("", "99"), sudo("12x", "99"), sudo("4294967295", "1"), sudo("-1", "1")):
            self.assertEqual(self.ids(**wrong)[0], 0)

    def test_a_refusal_says_as_whom(self):
        words = self.refused_by({(s.NFS, s.FSINFO): s.status(13)}, uid=1234, gid=99)
        self.assertIn("does not give /srv to uid 1234, gid 99 (FSINFO: NFS3ERR_ACCES)", words)


class Sizes(Opening):
    """What is said of the server in the result, and what of it is used."""

    def facts(self, more="", **params):
        with ganesha.Ganesha(self.room / "server", [ganesha.Export("mem", more=more)]) as server:
            done = self.ok("io", server.address("mem", **params), *util.SMALL_IO, "--db", "none",
                           "--quiet", "--format", "json")
        result = json.loads(done.stdout)
        result = result[0] if isinstance(result, list) else result
        return {fact["key"]: fact["value"] for fact in result["target_facts"]}

    def test_it_is_described(self):
        facts = self.facts()
        expected = {"client": "own NFS client", "nfs_version": "3", "export": "/mem", "path": "/mem",
                    "rsize": str(1 << 20), "wsize": str(1 << 20), "sync": "auto", "uid": str(os.geteuid()),
                    "gid": str(os.getegid()), "source_port": "reserved" if AS_ROOT else "ordinary"}
        self.assertEqual({key: facts.get(key) for key in expected}, expected)
        self.assertRegex(facts["server"], r"^127\.0\.0\.1:\d+$")
        for key in ("rtmax", "wtmax", "rtpref", "wtpref", "wtmult", "dtpref", "maxfilesize", "connections",
                    "tcp_congestion", "tcp_mss", "waiting_by"):
            self.assertIn(key, facts)

    def test_sizes_are_what_was_asked_for_and_what_the_server_takes(self):
        for limit, wish, got in ((65536, None, 65536), (65536, 8192, 8192), (65536, 1 << 20, 65536),
                                 (4 << 20, 4 << 20, 4 << 20)):
            params = {} if wish is None else {"rsize": wish, "wsize": wish}
            facts = self.facts(f"MaxRead = {limit}; MaxWrite = {limit};", **params)
            self.assertEqual((facts["rsize"], facts["wsize"]), (str(got), str(got)))

    def test_connections_are_counted(self):
        """Of all workers together."""
        one, three = (int(self.facts(connections=n)["connections"]) for n in (1, 3))
        self.assertGreaterEqual(one, 1)
        self.assertEqual(three, 3 * one)


@unittest.skipUnless(AS_ROOT, "a tmpfs needs root")
class Space(Opening):
    def test_what_does_not_fit_is_refused_before_it_is_begun(self):
        exported = self.room / "exported"
        exported.mkdir()
        with ganesha.Ganesha(self.room / "server", [ganesha.Export("small", exported)],
                             before=f"mount -t tmpfs -o size=16m none '{exported}'") as server:
            done = self.fails(CANNOT, "io", server.address("small"), *util.SMALL_IO, "--size", "64m",
                              "--db", "none", "--quiet")
            self.assertRegex(done.stderr, "128 MiB|space")
            self.ok("io", server.address("small"), *util.SMALL_IO, "--db", "none", "--quiet")
            files = f"/proc/{server.process.pid}/root{exported}"
            self.assertEqual(os.listdir(files), [])


@unittest.skipUnless(AS_ROOT, "a network namespace needs root")
class Portmapper(Opening):
    """Port 111 is one for the whole machine, so these have a network of their own."""

    def setUp(self):
        super().setUp()
        self.netns = f"loadline-open-{os.getpid()}"
        subprocess.run(["ip", "netns", "add", self.netns], check=True)
        self.addCleanup(subprocess.run, ["ip", "netns", "del", self.netns], check=True)
        subprocess.run(["ip", "-n", self.netns, "link", "set", "lo", "up"], check=True)
        # Without another address ganesha does not find the one that it is told.
        subprocess.run(["ip", "-n", self.netns, "addr", "add", "10.99.0.1/32", "dev", "lo"], check=True)

    def rpcbind(self):
        with ganesha.in_netns(self.netns):
            process = subprocess.Popen(
                ["unshare", "-m", "--propagation", "private", "sh", "-ec",
                 "mount -t tmpfs none /run; exec rpcbind -f -i"],
                stdin=subprocess.DEVNULL, preexec_fn=ganesha.die_with_parent)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for host in ("127.0.0.1", "::1"):
            self.wait_open(host)

    def wait_open(self, host):
        end = time.monotonic() + util.PATIENCE_S
        while True:
            try:
                with ganesha.in_netns(self.netns), socket.create_connection((host, 111), 5):
                    return
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def register(self, host, version, *args):
        """SET of portmapper version 2, or of a later one."""
        call = struct.pack(">10I", 1, 0, 2, s.PORTMAP, version, 1, 0, 0, 0, 0)
        call += b"".join(s.opaque(a.encode()) if isinstance(a, str) else s.words(a) for a in args)
        with ganesha.in_netns(self.netns), socket.create_connection((host, 111), 5) as connection:
            connection.sendall(s.words(s.LAST_FRAGMENT | len(call)) + call)
            reply = connection.recv(4096)
        self.assertEqual(struct.unpack(">I", reply[-4:])[0], 1, reply)

    def refused_there(self, address):
        with ganesha.in_netns(self.netns):
            return self.refused(address)

    def test_absent(self):
        words = self.refused_there("nfs://127.0.0.1/srv/a")
        self.assertIn("127.0.0.1: port 111 is closed, so there is no portmapper to ask; where the "
                      "ports are known: nfs://127.0.0.1:2049/srv/a?mountport=PORT", words)
        words = self.refused_there("nfs://[::1]/srv")
        self.assertIn("nfs://[::1]:2049/srv?mountport=PORT", words)

    def test_absent_and_mount_is_served_where_nfs_is(self):
        with ganesha.in_netns(self.netns):
            with null_server() as port:
                self.ok("io", f"nfs://127.0.0.1:{port}/srv", *util.SMALL_IO, "--db",
                        "none", "--quiet")

    def test_nothing_is_registered(self):
        self.rpcbind()
        for host in ("127.0.0.1", "[::1]"):
            words = self.refused_there(f"nfs://{host}/srv")
            self.assertIn("serves no NFS version 3 over TCP, says its portmapper", words)

    def test_it_says_where(self):
        self.rpcbind()
        with ganesha.Ganesha(self.room / "server", [ganesha.Export("mem")], netns=self.netns) as server:
            nfs, mount = server.ports
            self.register("127.0.0.1", 2, s.NFS, 3, 6, nfs)
            words = self.refused_there(f"nfs://127.0.0.1:{nfs}/mem")
            self.assertIn(f"what is at port {nfs} does not serve MOUNT", words)
            words = self.refused_there("nfs://127.0.0.1/mem")
            self.assertIn("serves no MOUNT version 3 over TCP, says its portmapper", words)
            self.register("127.0.0.1", 2, s.MOUNT, 3, 6, mount)
            with ganesha.in_netns(self.netns):
                for address in ("nfs://127.0.0.1/mem", f"nfs://127.0.0.1:{nfs}/mem"):
                    self.ok("io", address, *util.SMALL_IO, "--db", "none", "--quiet")

    def test_over_ipv6(self):
        self.rpcbind()
        with ganesha.in_netns(self.netns):
            with null_server("--ipv6") as port:
                for program in (s.NFS, s.MOUNT):
                    self.register("::1", 4, program, 3, "tcp6", f"::1.{port >> 8}.{port & 255}", "test")
                self.ok("io", "nfs://[::1]/srv", *util.SMALL_IO, "--db", "none",
                        "--quiet")

    def test_no_way_to_ipv6(self):
        words = self.refused_there("nfs://[2001:db8::1]/srv")
        self.assertIn("2001:db8::1 has an IPv6 address only, and this machine has no way to it", words)

    def test_every_port_is_tried_until_one_is_free(self):
        """All but one of the reserved ports serve a connection to this server already."""
        with ganesha.in_netns(self.netns), s.Scripted({(s.NFS, s.FSINFO): s.status(5)}) as server:
            taken = []
            for port in range(512, 1024):
                if port not in (777, 778, 623, 664):
                    one = socket.socket()
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    one.bind(("127.0.0.1", port))
                    one.connect(("127.0.0.1", server.port))
                    taken.append(one)
            self.refused(server.address("/srv"))
            self.assertLessEqual({call.peer_port for call in server.calls}, {777, 778})
            for one in taken:
                one.close()


if __name__ == "__main__":
    unittest.main()
