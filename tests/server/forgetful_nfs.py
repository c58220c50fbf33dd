"""An NFSv3 server in memory that forgets what it may: crash() drops connections, a part of the writes that
were not committed, and its write verifier. Names and whatever was written stably or committed stay, as the
protocol has it; nothing else that a server does is here.

    with Forgetful() as server:
        … server.address() …; server.crash(0.5)
    server.store(directory)"""
import contextlib
import pathlib
import random
import socket
import struct
import threading
import time

from scripted_nfs import LAST_FRAGMENT, MNT, MOUNT, NFS, UMNT, success, unavailable, word, words, opaque

FILE, DIRECTORY = 1, 2
OK, NOENT, EXIST, NOTDIR, NOTEMPTY, STALE = 0, 2, 17, 20, 66, 70
UNSTABLE, GUARDED = 0, 1
ROOT = 1
KEPT_FRAC = 0.3  # of writes that were not committed: their pages had been written back
IO_BYTES = 1 << 16


class Refused(Exception):
    """A status other than OK."""


class File:
    """`data` is what READ gives, `stable` what a crash leaves of it; `loose` was written in between."""

    def __init__(self):
        self.data, self.stable, self.loose = bytearray(), bytearray(), []

    def write(self, off, data, stable):
        put(self.data, off, data)
        if stable:
            put(self.stable, off, data)
        self.loose.append((off, data, stable))  # stable: over what is loose before it

    def commit(self):
        self.stable, self.loose = bytearray(self.data), []

    def cut(self, size):
        for data in (self.data, self.stable):
            data.extend(bytes(max(0, size - len(data))))
            del data[size:]
        self.loose = [(off, data[:size - off], stable) for off, data, stable in self.loose
                      if off < size]

    def crash(self):
        for off, data, stable in self.loose:
            if stable or random.random() < KEPT_FRAC:
                put(self.stable, off, data)
        self.data, self.loose = bytearray(self.stable), []


def put(into, off, data):
    into.extend(bytes(max(0, off - len(into))))
    into[off:off + len(data)] = data


class Args:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, kind="I"):
        value, = struct.unpack_from(">" + kind, self.data, self.at)
        self.at += struct.calcsize(kind)
        return value

    def opaque(self):
        size = self.number()
        value = self.data[self.at:self.at + size]
        self.at += -(-size // 4) * 4
        return value

    def handle(self):
        return struct.unpack(">Q", self.opaque())[0]

    def size(self):
        """The only one of sattr3 that matters; None: not set."""
        for _ in range(3):
            if self.number():
                self.number()
        return self.number("Q") if self.number() else None


class Forgetful:
    def __init__(self):
        self.lock = threading.Lock()
        self.things = {ROOT: {}}  # by handle: a File, or the names of a directory
        self.crashes = 0
        self.connections = []
        self.listening = None
        self.port = 0
        self.procedures = {
            0: lambda args: b"", 1: self.getattr, 2: self.setattr, 3: self.lookup, 4: self.access,
            6: self.read, 7: self.write, 8: self.create, 9: self.mkdir, 12: self.remove, 13: self.remove,
            14: self.rename, 16: self.readdir, 17: self.readdirplus, 18: self.fsstat, 19: self.fsinfo,
            21: self.commit}

    # ---- its life ----

    def __enter__(self):
        self.listen()
        return self

    def __exit__(self, *_):
        self.stop()

    def address(self, **params):
        more = "".join(f"&{key}={value}" for key, value in params.items())
        return f"nfs://127.0.0.1:{self.port}/srv?mountport={self.port}{more}"

    def listen(self):
        self.listening = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listening,), daemon=True).start()

    def stop(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        for one in self.connections:
            with contextlib.suppress(OSError):
                # What is on its way is lost as well.
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.shutdown(socket.SHUT_RD)
                one.close()
        self.connections = []

    def crash(self, down_seconds):
        with self.lock:
            self.crashes += 1
            self.stop()
            for thing in self.things.values():
                if isinstance(thing, File):
                    thing.crash()
        time.sleep(down_seconds)
        self.listen()

    def accept(self, listening):
        with contextlib.suppress(OSError):
            while True:
                one, _ = listening.accept()
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections.append(one)
                threading.Thread(target=self.serve, args=(one, self.crashes), daemon=True).start()

    def serve(self, connection, life):
        with contextlib.suppress(OSError, ValueError), connection.makefile("rb") as stream:
            while mark := stream.read(4):
                record = stream.read(word(mark) & ~LAST_FRAGMENT)
                with self.lock:
                    if life != self.crashes:
                        return
                    said = record[:4] + words(1) + self.answer(record)
                connection.sendall(words(LAST_FRAGMENT | len(said)) + said)

    def answer(self, record):
        _, _, _, program, _, proc, _, length = struct.unpack_from(">8I", record)
        args = Args(record[32 + -(-length // 4) * 4 + 8:])
        if program == MOUNT:
            return success({0: b"", MNT: words(0) + opaque(handle(ROOT)) + words(1, 1), UMNT: b""}[proc])
        if program != NFS or proc not in self.procedures:
            return unavailable()
        try:
            return success((words(OK) if proc else b"") + self.procedures[proc](args))
        except Refused as refused:
            return success(words(refused.args[0]) + bytes(32))

    # ---- procedures: the results behind OK ----

    def thing(self, number, kind=None):
        if number not in self.things:
            raise Refused(STALE)
        if kind and not isinstance(self.things[number], kind):
            raise Refused(NOTDIR)
        return self.things[number]

    def attributes(self, number):
        thing = self.thing(number)
        size = len(thing.data) if isinstance(thing, File) else 4096
        kind = FILE if isinstance(thing, File) else DIRECTORY
        return (words(kind, 0o755, 1, 0, 0) + struct.pack(">QQ", size, size) + bytes(8) +
                struct.pack(">QQ", 1, number) + bytes(24))

    def post(self, number):
        return words(1) + self.attributes(number)

    def named(self, args):
        names, name = self.thing(args.handle(), dict), args.opaque()
        if name not in names:
            raise Refused(NOENT)
        return names, name

    def getattr(self, args):
        return self.attributes(args.handle())

    def setattr(self, args):
        number, size = args.handle(), args.size()
        if size is not None:
            self.thing(number, File).cut(size)
        return words(0) + self.post(number)

    def lookup(self, args):
        names, name = self.named(args)
        return opaque(handle(names[name])) + self.post(names[name]) + words(0)

    def access(self, args):
        return self.post(args.handle()) + words(0x3f)

    def read(self, args):
        number, off, count = args.handle(), args.number("Q"), args.number()
        file = self.thing(number, File)
        data = bytes(file.data[off:off + min(count, IO_BYTES)])
        return self.post(number) + words(len(data), off + len(data) >= len(file.data)) + opaque(data)

    def write(self, args):
        number, off, _, how = args.handle(), args.number("Q"), args.number(), args.number()
        data = args.opaque()
        self.thing(number, File).write(off, data, how != UNSTABLE)
        return words(0) + self.post(number) + words(len(data), how) + self.verifier()

    def commit(self, args):
        number = args.handle()
        self.thing(number, File).commit()
        return words(0) + self.post(number) + self.verifier()

    def verifier(self):
        return struct.pack(">Q", self.crashes)

    def make(self, args, thing, guarded):
        names, name = self.thing(args.handle(), dict), args.opaque()
        if guarded is None:
            guarded = args.number() == GUARDED
        if name in names and guarded:
            raise Refused(EXIST)
        if name not in names:
            names[name] = max(self.things) + 1
            self.things[names[name]] = thing
        return words(1) + opaque(handle(names[name])) + self.post(names[name]) + words(0, 0)

    def create(self, args):
        return self.make(args, File(), None)

    def mkdir(self, args):
        return self.make(args, {}, True)

    def remove(self, args):
        names, name = self.named(args)
        if isinstance(self.things[names[name]], dict) and self.things[names[name]]:
            raise Refused(NOTEMPTY)
        del self.things[names.pop(name)]
        return words(0, 0)

    def rename(self, args):
        names, name = self.named(args)
        to_names, to_name = self.thing(args.handle(), dict), args.opaque()
        if to_name in to_names:
            del self.things[to_names[to_name]]
        to_names[to_name] = names.pop(name)
        return words(0, 0, 0, 0)

    def list(self, args, plus):
        number, cookie = args.handle(), args.number("Q")
        listed = b""
        for at, (name, child) in enumerate(self.thing(number, dict).items()):
            if at >= cookie:
                listed += words(1) + struct.pack(">Q", child) + opaque(name) + struct.pack(">Q", at + 1)
                listed += self.post(child) + words(1) + opaque(handle(child)) if plus else b""
        return self.post(number) + bytes(8) + listed + words(0, 1)

    def readdir(self, args):
        return self.list(args, False)

    def readdirplus(self, args):
        return self.list(args, True)

    def fsstat(self, args):
        return self.post(args.handle()) + struct.pack(">6Q", *[1 << 40] * 6) + words(0)

    def fsinfo(self, args):
        return (self.post(args.handle()) + words(*[IO_BYTES] * 2, 4096, *[IO_BYTES] * 2, 4096, IO_BYTES) +
                struct.pack(">Q", 1 << 40) + words(0, 1, 0x1b))

    # ---- what is there in the end ----

    def store(self, directory, number=ROOT):
        directory = pathlib.Path(directory)
        directory.mkdir(exist_ok=True)
        for name, child in self.things[number].items():
            thing = self.things[child]
            if isinstance(thing, File):
                (directory / name.decode()).write_bytes(thing.stable)
            else:
                self.store(directory / name.decode(), child)


def handle(number):
    return struct.pack(">Q", number)
