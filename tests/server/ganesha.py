"""An nfs-ganesha of a test's own: started, killed, stopped for a while, started again.

Ganesha(room, [Export(…) …]) as a context manager, or start() and stop(). It listens on loopback, on
ports that are free and that it keeps over a restart; nothing of it outlives the process that started
it. BUILD_DIR has the library that lets it do without a portmapper."""
import contextlib
import ctypes
import dataclasses
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import time

READY = "NFS SERVER INITIALIZED"
READY_SECONDS = 60
MOUNT_PROGRAM, MOUNT_VERSION, MOUNT_MNT = 100005, 3, 1
AUTH_SYS = 1
MEM_FILE_BYTES = 2 << 20  # FSAL_MEM keeps no more of a file
PR_SET_PDEATHSIG = 1
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
PORTS = range(20000, 30000)  # below those that the kernel gives to who connects


class ServerError(Exception):
    """The server does not come up."""


@dataclasses.dataclass
class Export:
    """`path` is a directory here (VFS), None: in the memory of the server (MEM). `more` is further
    lines of the EXPORT block. `refuses`: not everybody may mount it, so nobody waits until it can be."""
    name: str
    path: pathlib.Path | None = None
    more: str = ""
    refuses: bool = False

    def block(self, number):
        kind = "VFS" if self.path else "MEM"
        return (f'EXPORT {{ Export_Id = {number}; Path = "{self.path or "/" + self.name}"; '
                f'Pseudo = "/{self.name}"; {self.more} FSAL {{ Name = {kind}; }} }}\n')


def installed():
    return shutil.which("ganesha.nfsd") is not None


def free_port(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    while True:
        port = random.choice(PORTS)
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # As servers do: a port of which only closed connections are left is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((host, port))
                return port


@contextlib.contextmanager
def in_netns(name):
    """This thread there, and back."""
    if name is None:
        yield
        return
    with open("/proc/self/ns/net", "rb") as home, open(f"/run/netns/{name}", "rb") as there:
        set_netns(there)
        try:
            yield
        finally:
            set_netns(home)


def set_netns(file):
    if LIBC.setns(file.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def opaque(data):
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def mount_status(host, port, path, timeout=5):
    """What a MOUNT of `path` is answered with: 0 when it is exported. OSError: not answered."""
    credential = struct.pack(">I", 0) + opaque(b"test") + struct.pack(">III", 0, 0, 0)
    call = struct.pack(">IIIIII", 1, 0, 2, MOUNT_PROGRAM, MOUNT_VERSION, MOUNT_MNT)
    call += struct.pack(">I", AUTH_SYS) + opaque(credential) + struct.pack(">II", 0, 0)
    call += opaque(path.encode())
    with socket.create_connection((host, port), timeout) as connection:
        connection.sendall(struct.pack(">I", len(call) | 0x80000000) + call)
        reply = connection.recv(4096)
    # record mark, xid, reply, accepted, verifier (flavour, length 0), success, then the status
    if len(reply) < 32:
        raise OSError("no whole reply to MOUNT")
    return struct.unpack(">I", reply[28:32])[0]


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Ganesha:
    """`before`: shell commands in front of it, in a mount namespace of the server's own. `outlive`: it
    goes on when the process that started it ends. `netns`: the network namespace it runs in."""

    def __init__(self, room, exports, host="127.0.0.1", before="", outlive=False, netns=None):
        self.room = pathlib.Path(room)
        self.exports = exports
        self.host = host
        self.before = before
        self.outlive = outlive
        self.netns = netns
        self.process = None
        self.ports = None
        self.room.mkdir(parents=True, exist_ok=True)
        (self.room / "run").mkdir(exist_ok=True)

    # ---- what it is told ----

    def settings(self):
        nfs_port, mount_port = self.ports
        text = ("NFS_CORE_PARAM {\n"
                f"  Protocols = 3; NFS_Port = {nfs_port}; MNT_Port = {mount_port};\n"
                f"  Bind_addr = {self.host}; Enable_UDP = false; Enable_NLM = false;\n"
                "  Enable_RQUOTA = false; mount_path_pseudo = true;\n}\n"
                f'NFS_KRB5 {{ Active_krb5 = false; CCacheDir = "{self.room}/run"; }}\n'
                "EXPORT_DEFAULTS { Access_Type = RW; Squash = No_Root_Squash; SecType = sys;\n"
                "  Protocols = 3; Transports = TCP; }\n"
                f"MEM {{ Inode_Size = {MEM_FILE_BYTES}; }}\n"
                "LOG { Default_Log_Level = EVENT; }\n")
        return text + "".join(export.block(11 + n) for n, export in enumerate(self.exports))

    @property
    def log(self):
        return self.room / "log"

    def command(self):
        server = ["ganesha.nfsd", "-F", "-f", self.room / "conf", "-L", self.log,
                  "-p", self.room / "pid"]
        # exec all the way, so that the process started is the server in the end.
        if self.netns:
            return ["ip", "netns", "exec", self.netns, *server]
        if not self.before:
            return server
        return ["unshare", "-m", "--propagation", "private", "sh", "-ec",
                self.before + '\nexec "$@"', "sh", *server]

    # ---- its life ----

    def start(self):
        """Returns when it answers a mount of every export. On ports that turn out to be taken it is
        tried again on others, unless it has had ports already."""
        tries = 1 if self.ports else 5
        for left in reversed(range(tries)):
            if tries > 1:
                with in_netns(self.netns):
                    self.ports = (free_port(self.host), free_port(self.host))
            try:
                self.start_once()
                return self
            except ServerError:
                self.kill()
                if left == 0:
                    raise
        return self

    def start_once(self):
        self.log.unlink(missing_ok=True)
        (self.room / "conf").write_text(self.settings())
        shim = pathlib.Path(os.environ["BUILD_DIR"]) / "server" / "norpcbind.so"
        # Before exec of ganesha there may be a shell: the library does not mind.
        with open(self.room / "err", "wb") as err:
            self.process = subprocess.Popen(
                [str(word) for word in self.command()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=err, env=dict(os.environ, LD_PRELOAD=str(shim)),
                start_new_session=self.outlive,
                preexec_fn=None if self.outlive else die_with_parent)
        self.wait_ready()

    def wait_ready(self):
        end = time.monotonic() + READY_SECONDS
        waiting = {export.name for export in self.exports if not export.refuses}
        while waiting:
            if self.process.poll() is not None or time.monotonic() > end:
                raise ServerError(f"{self.process.args}: {self.said()}")
            time.sleep(0.02)
            if self.log.exists() and READY in self.log.read_text(errors="replace"):
                with contextlib.suppress(OSError):
                    waiting = {name for name in waiting if not self.is_exported(name)}

    def is_exported(self, name):
        with in_netns(self.netns):
            return mount_status(self.host, self.ports[1], "/" + name) == 0

    def said(self):
        words = (self.room / "err").read_text(errors="replace")
        if self.log.exists():
            words += self.log.read_text(errors="replace")[-3000:]
        return words

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """As a crash: no chance to write anything back."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def restart(self, down_seconds=0.0):
        self.kill()
        time.sleep(down_seconds)
        self.start()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if not self.running:
            return
        self.resume()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    # ---- how it is reached ----

    def address(self, name, below="", **params):
        """For loadline; the word mountport is there already."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        more = "".join(f"&{key}={value}" for key, value in params.items())
        return f"nfs://{host}:{self.ports[0]}/{name}{below}?mountport={self.ports[1]}{more}"

    def libnfs(self, name, below=""):
        """For nfs-ls, nfs-cp; these know no IPv6."""
        return (f"nfs://{self.host}/{name}{below}?nfsport={self.ports[0]}"
                f"&mountport={self.ports[1]}&version=3")
