"""A server with bad manners: stands in front of a good one, passes calls on, and does to the replies what
it was told to.

Rude(port, manner) listens on loopback, `at` is its port. manner(number, procedure, record) gets each reply
to an NFS call, numbered from 1 over all connections, and returns what is done: bytes are sent as they
are, a number is seconds until the rest is, RESET and CLOSE end the connection. Replies of MOUNT, and those
to PLAIN procedures, pass untouched: they are what a client asks before there is something to be rude
about. instead(number, procedure, call) may answer an NFS call itself, and the server never hears of it."""
import collections
import contextlib
import random
import socket
import struct
import threading

RESET, CLOSE = object(), object()
NFS_PROGRAM = 100003
LAST = 0x80000000
(NULL, GETATTR, SETATTR, LOOKUP, ACCESS, READLINK, READ, WRITE, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE,
 RMDIR, RENAME, LINK, READDIR, READDIRPLUS, FSSTAT, FSINFO, PATHCONF, COMMIT) = range(22)
PLAIN = (NULL, GETATTR, LOOKUP, FSSTAT, FSINFO, PATHCONF)
JUKEBOX = 10008
RPC_HEAD_BYTES = 24  # xid, reply, accepted, verifier of none, success


# ---- what can be done to a record ----

def framed(record):
    return struct.pack(">I", len(record) | LAST) + record


def fragments(record, size):
    pieces = [record[at:at + size] for at in range(0, len(record), size)]
    marks = [len(piece) | (LAST if piece is pieces[-1] else 0) for piece in pieces]
    return b"".join(struct.pack(">I", mark) + piece for mark, piece in zip(marks, pieces))


def with_xid(record, xid):
    return struct.pack(">I", xid) + record[4:]


def xid_of(record):
    return struct.unpack(">I", record[:4])[0]


def status_of(record):
    """Of the NFS result; None where RPC refused already."""
    ok = len(record) >= RPC_HEAD_BYTES + 4 and record[8:RPC_HEAD_BYTES] == bytes(16)
    return struct.unpack(">I", record[RPC_HEAD_BYTES:RPC_HEAD_BYTES + 4])[0] if ok else None


def refusal(call, status):
    """The reply to a call that ends with this status."""
    return call[:4] + struct.pack(">IIIIII", 1, 0, 0, 0, 0, status) + bytes(16)


def denial(call):
    """By RPC: the credential is too weak."""
    return call[:4] + struct.pack(">IIII", 1, 1, 1, 5)


def noise(size, seed):
    return random.Random(seed).randbytes(size)


# ---- the proxy ----

class Rude:
    def __init__(self, port, manner=None, instead=None):
        self.port = port
        self.manner = manner or (lambda number, procedure, record: [framed(record)])
        self.instead = instead or (lambda number, procedure, call: None)
        self.calls = collections.Counter()  # that came, by procedure
        self.connections = 0
        self.number = 0  # of replies that may be treated badly
        self.asked = 0   # of calls that may be refused
        self.lock = threading.Lock()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.at = self.listening.getsockname()[1]
        threading.Thread(target=self.take_in, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listening.shutdown(socket.SHUT_RDWR)  # accept would not notice that it is closed

    def take_in(self):
        with self.listening, contextlib.suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                Connection(self, client)

    def act(self, program, procedure, record):
        """What is done with a reply."""
        with self.lock:
            if program != NFS_PROGRAM or procedure in PLAIN:
                return [framed(record)]
            self.number += 1
            return self.manner(self.number, procedure, record)

    def hear(self, program, procedure, call):
        """An answer that needs no server, or None."""
        with self.lock:
            if program != NFS_PROGRAM or procedure in PLAIN:
                return None
            self.calls[procedure] += 1
            self.asked += 1
            return self.instead(self.asked, procedure, call)


class Connection:
    def __init__(self, rude, client):
        self.rude = rude
        self.client = client
        self.server = socket.create_connection(("127.0.0.1", rude.port))
        self.asked = {}
        self.sending = threading.Lock()
        self.ways = 2
        for end in (self.client, self.server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rude.connections += 1
        for way in (self.pass_calls, self.pass_replies):
            threading.Thread(target=self.until_the_end, args=(way,), daemon=True).start()

    def until_the_end(self, way):
        with contextlib.suppress(OSError):
            way()
        self.end()
        with self.sending:
            self.ways -= 1
            if self.ways == 0:
                self.client.close()
                self.server.close()

    def end(self):
        for end in (self.client, self.server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def pass_calls(self):
        for record in records(self.client):
            program, _, procedure = struct.unpack(">III", record[12:24])
            self.asked[record[:4]] = program, procedure
            answer = self.rude.hear(program, procedure, record)
            if answer:
                self.do([framed(answer)])
            else:
                self.server.sendall(framed(record))

    def pass_replies(self):
        for record in records(self.server):
            program, procedure = self.asked.get(record[:4], (0, 0))
            self.do(self.rude.act(program, procedure, record))

    def do(self, actions):
        for number, action in enumerate(actions):
            if isinstance(action, (int, float)):
                rest = actions[number + 1:]
                threading.Timer(action, self.until_the_end_of, args=(rest,)).start()
                return
            if action is RESET:
                # The last to let go of the socket sends it: the other thread still waits for calls.
                self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.client.shutdown(socket.SHUT_RD)
                self.client.close()
                raise OSError("reset")
            if action is CLOSE:
                raise OSError("closed")
            with self.sending:
                self.client.sendall(action)

    def until_the_end_of(self, actions):
        try:
            self.do(actions)
        except OSError:
            self.end()


def records(connection):
    """The records that come, put together, until the connection ends."""
    record = b""
    while True:
        mark = struct.unpack(">I", exactly(connection, 4))[0]
        record += exactly(connection, mark & ~LAST)
        if mark & LAST:
            yield record
            record = b""


def exactly(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise OSError("ended")
        data += piece
    return data
