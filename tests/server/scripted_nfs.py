"""A server that says what a test has written down: portmapper, MOUNT and NFS version 3 on one port.

    with Scripted({(MOUNT, MNT): status(13)}) as server:
        … server.address("/srv") …

What a test does not name is answered well: everything is exported, every name a directory. `calls` has
what was asked, as Call."""
import contextlib
import dataclasses
import socket
import struct
import threading

PORTMAP, MOUNT, NFS = 100000, 100005, 100003
GETPORT = 3
MNT, UMNT, EXPORT = 1, 3, 5
GETATTR, LOOKUP, READDIRPLUS, FSSTAT, FSINFO, PATHCONF = 1, 3, 17, 18, 19, 20
LAST_FRAGMENT = 0x80000000
DIRECTORY, FILE, LINK = 2, 1, 5
ACCEPTED, DENIED = 0, 1


@dataclasses.dataclass
class Call:
    xid: int
    program: int
    version: int
    proc: int
    flavor: int
    credential: bytes
    args: bytes
    peer_port: int

    @property
    def text(self):
        """The first string in the arguments."""
        return self.args[4:4 + word(self.args)].decode()

    @property
    def name(self):
        """Of LOOKUP: behind the handle."""
        after = 4 + -(-word(self.args) // 4) * 4
        return self.args[after + 4:after + 4 + word(self.args[after:])].decode()

    @property
    def ids(self):
        """uid, gid and groups of AUTH_SYS."""
        after = 8 + -(-word(self.credential[4:]) // 4) * 4
        uid, gid, n = struct.unpack_from(">III", self.credential, after)
        return uid, gid, list(struct.unpack_from(f">{n}I", self.credential, after + 12))


def word(data):
    return struct.unpack_from(">I", data)[0]


def words(*values):
    return struct.pack(f">{len(values)}I", *values)


def opaque(data):
    return words(len(data)) + data + bytes(-len(data) % 4)


def attributes(kind):
    return words(kind, 0o755, 2, 0, 0) + bytes(8 * 2 + 8 + 8 * 2 + 3 * 8)


# ---- what may be said: bytes that follow the xid and the word REPLY ----

def success(results):
    return words(ACCEPTED, 0, 0, 0) + results


def status(number):
    return success(words(number) + bytes(32))


def mismatch(low, high):
    return words(ACCEPTED, 0, 0, 2, low, high)


def unavailable():
    return words(ACCEPTED, 0, 0, 1)


def system_error():
    return words(ACCEPTED, 0, 0, 5)


def refused(why):
    """Who we say we are: 1 bad credential, 5 too weak."""
    return words(DENIED, 1, why)


def root(*flavors):
    return success(words(0) + opaque(b"root") + words(len(flavors), *flavors))


def exports(**groups):
    """Names of exports without their "/", and for which hosts each is; none: for all."""
    listed = b""
    for name, hosts in groups.items():
        listed += words(1) + opaque(b"/" + name.encode())
        listed += b"".join(words(1) + opaque(host.encode()) for host in hosts) + words(0)
    return success(listed + words(0))


def found(kind, known=True):
    known_attributes = words(1) + attributes(kind) if known else words(0)
    return success(words(0) + opaque(b"below") + known_attributes + words(0))


USUAL = {
    (MOUNT, MNT): root(1),
    (MOUNT, UMNT): success(b""),
    (MOUNT, EXPORT): exports(srv=[]),
    (NFS, GETATTR): success(words(0) + attributes(DIRECTORY)),
    (NFS, LOOKUP): found(DIRECTORY),
    (NFS, FSINFO): success(words(0, 0, *[1 << 16] * 7) + bytes(8 + 8 + 4)),
    (NFS, PATHCONF): status(10004),
}


class Scripted:
    """`answers`: (program, procedure) to bytes, None (says nothing), or a function of the Call that
    returns either. `send`: what becomes of a reply, a function of its bytes and the Call that returns
    the bytes for the connection, b"" to close it."""

    def __init__(self, answers=None, send=None, ipv6=False):
        self.answers = {**USUAL, **(answers or {})}
        self.send = send or (lambda reply, call: words(LAST_FRAGMENT | len(reply)) + reply)
        self.calls = []
        family = socket.AF_INET6 if ipv6 else socket.AF_INET
        self.listening = socket.create_server(("::1" if ipv6 else "127.0.0.1", 0), family=family)
        self.port = self.listening.getsockname()[1]
        self.open = [self.listening]

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def address(self, path, **params):
        more = "".join(f"&{key}={value}" for key, value in params.items())
        return f"nfs://127.0.0.1:{self.port}{path}?mountport={self.port}{more}"

    def asked(self, program, proc):
        return [call for call in self.calls if (call.program, call.proc) == (program, proc)]

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                one, peer = self.listening.accept()
                self.open.append(one)
                threading.Thread(target=self.serve, args=(one, peer[1]), daemon=True).start()

    def serve(self, connection, peer_port):
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as stream:
            while mark := stream.read(4):
                record = stream.read(word(mark) & ~LAST_FRAGMENT)
                if not self.answer(connection, record, peer_port):
                    return

    def answer(self, connection, record, peer_port):
        xid, _, _, program, version, proc, flavor, length = struct.unpack_from(">8I", record)
        after = 32 + -(-length // 4) * 4
        call = Call(xid, program, version, proc, flavor, record[32:32 + length], record[after + 8:],
                    peer_port)
        self.calls.append(call)
        said = self.answers.get((program, proc), unavailable())
        said = said(call) if callable(said) else said
        if said is None:
            return True
        sent = self.send(words(xid, 1) + said, call)
        connection.sendall(sent)
        return sent != b""
