"""What a modelled system can give at most, by hand: the time that one op needs of each place, over how many there are.

Read from the text of profiles and from docs/sim.md, and from nothing that the program says. The place that
needs the most time bounds the rate of a closed system with as many streams as one likes (the bottleneck law), and the
sum over all places bounds that of one stream."""
import math
import os
import pathlib
import re

PROFILES = pathlib.Path(os.environ["SOURCE_DIR"]) / "profiles"
KIB = 1024
SIZES = {"": 1, "k": KIB, "m": KIB**2, "g": KIB**3, "t": KIB**4,
         "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
TIMES_S = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
SHORT = {"ports": "ports.count", "port": "ports.rate", "link": "client.link", "cores": "cpu.cores",
         "disks": "disks.count", "raid": "disks.raid", "dram": "dram.size", "clients": "client.count",
         "mtu": "protocol.mtu"}
OF_ALL = {"clients": "clients", "link": "link", "port": "port"}  # what a protocol says of it no longer counts
FAULTS = ("stall", "error", "slow-disk", "slow-client", "drop-client", "seed")


def scaled(text, units):
    number, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", text).groups()
    return float(number) * units[unit]


def size(text):
    return scaled(text, SIZES)


def bits(text):
    """A line's rate, bytes a second."""
    return scaled(text, {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}) / 8


def rate(text):
    return size(text.removesuffix("/s"))


def quantiles(text):
    """[(share, seconds)], even between each two."""
    if text.startswith("exp "):
        raise ValueError("an exponential time has no quantiles here")
    if ":" in text:
        pairs = (pair.split(":") for pair in text.split())
        return [(float(share) / 100, scaled(time, TIMES_S)) for share, time in pairs]
    low, _, high = text.partition("-")
    return [(0, scaled(low, TIMES_S)), (1, scaled(high or low, TIMES_S))]


def mean(text):
    if text.startswith("exp "):
        return scaled(text[4:], TIMES_S)
    points = quantiles(text)
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))


def quantile(text, share):
    points = quantiles(text)
    for (p, s), (q, t) in zip(points, points[1:]):
        if share <= q:
            return s + (t - s) * (share - p) / (q - p)
    return points[-1][1]


def settings(name):
    """(section, key) → value of a profile, what it includes first."""
    out, section = {}, ""
    for line in (PROFILES / f"{name}.profile").read_text(encoding="utf-8").splitlines():
        text = line.split("#")[0].strip()
        if text.startswith("["):
            section = text.strip("[]").removeprefix("protocol ").strip()
        elif "=" in text:
            key, value = (part.strip() for part in text.split("=", 1))
            if key == "include":
                out = settings(value)
            else:
                out[section, key] = value
    return out


def protocols(name):
    """In the order of the text, what it includes first: the first is spoken unless an address says otherwise."""
    text = (PROFILES / f"{name}.profile").read_text(encoding="utf-8")
    own = re.findall(r"^\[protocol (\S+)\]", text, re.MULTILINE)
    included = re.findall(r"^include *= *(\S+)", text, re.MULTILINE)
    return list(dict.fromkeys([p for base in included for p in protocols(base)] + own))


class System:
    """One that an address names: sim:NAME?what is different."""

    def __init__(self, address):
        name, _, more = address.removeprefix("sim:").partition("?")
        self.all, self.protocol, self.faults = settings(name), protocols(name)[0], {}
        self.known = protocols(name)
        for what, value in (part.split("=", 1) for part in more.split("&") if part):
            self.change(what, value)

    def change(self, what, value):
        if what == "protocol":
            self.protocol = value
        elif what in FAULTS:
            self.faults.setdefault(what, []).append(value)
        elif what in ("flash", "log"):
            number = {"flash": "size", "log": "devices"}[what]
            self.all[what, "on" if value in ("on", "off") else number] = value
            if value not in ("on", "off"):
                self.all[what, "on"] = "on"
        else:
            for protocol in self.known:
                if what in OF_ALL:
                    self.all.pop((protocol, OF_ALL[what]), None)
                if what == "mtu":
                    self.all[protocol, "mtu"] = value
            section, key = SHORT.get(what, what).split(".", 1)
            self.all[section, key] = value

    def get(self, section, key, default=None, of=str):
        value = self.all.get((section, key))
        return default if value is None else of(value)

    def own(self, key, default=None, of=str):
        return self.get(self.protocol, key, default, of)

    # ---- what a visit of each place takes ----

    @property
    def is_local(self):
        return self.get("ports", "count", 0, int) == 0 and self.get("client", "links", 0, int) == 0

    @property
    def clients(self):
        return self.own("clients", None, int) or self.get("client", "count", 1, int)

    def wire(self, count):
        headers = self.own("headers", 0, int)
        packets = math.ceil(count / (self.own("mtu", 1500, int) - headers))
        return count + packets * headers

    def cost(self, section, kind, count=0, writes=False, from_disk=0):
        """Of processors, the server's or a client's."""
        def of(key):
            return self.get(section, key, 0, lambda text: scaled(text, TIMES_S))
        small, small_cost = self.get(section, "cpu.small", "0 0ps").split()
        first = min(count, size(small))
        way = "write" if writes else "read"
        return ((of(f"cpu.{kind}") or of("cpu.*")) + first * scaled(small_cost, TIMES_S) +
                (count - first) * of(f"cpu.bulk-{way}") + from_disk * of(f"cpu.disk-{way}"))

    def pass_s(self, place, way, count):
        """One visit of [bus] or [path] by so many bytes."""
        paces = self.get(place, "read", None, rate)
        if way == "write":
            paces = self.get(place, "write", paces, rate)
        if paces is None:
            return 0
        return count / paces + self.get(place, "op", 0, lambda text: scaled(text, TIMES_S))

    @property
    def extent(self):
        return self.get("", "extent", 128 * KIB, size)

    @property
    def per_set(self):
        raid, count = self.get("disks", "raid", 0, int), self.get("disks", "count", of=int)
        return 1 if raid == 0 else self.get("disks", "per-set", 2 if raid == 1 else count, int)

    @property
    def copies(self):
        """Bytes on the disks for each that is written in whole stripes."""
        n = self.per_set
        return n / (n - 1) if self.get("disks", "raid", 0, int) == 5 else n

    @property
    def queue_gain(self):
        return self.get("disks", "queue-gain", 0, lambda text: float(text.rstrip("%")) / 100)

    def positioning(self):
        """With eight waiting."""
        rpm = self.get("disks", "rpm", 0, float)
        turns = 60 / rpm / 2 if rpm else 0
        return (mean(self.get("disks", "seek", "0us")) + turns) * (1 - self.queue_gain)

    def think(self, kind):
        return mean(self.get("client", f"think.{kind}") or self.get("client", "think.*", "0us"))

    # ---- places ----

    def network(self, way, count):
        """Links of clients, and ports: seconds of one op at one of them, over how many there are."""
        out = {}
        on_wire = count if self.is_local else self.wire(count)
        links = self.get("client", "links", 0, int) * self.clients
        if links:
            link = self.own("link", None, bits) or self.get("client", "link", of=bits)
            out[f"client link {way}"] = on_wire / link / links
        ports = self.get("ports", "count", 0, int)
        if ports:
            port = self.own("port", None, bits) or self.get("ports", "rate", of=bits)
            out[f"port {way}"] = on_wire / port / min(ports, self.clients)
        return out

    def client_cpu(self, kind, count, writes=False):
        cpus = self.get("client", "cpus", 0, int)
        cost = self.cost("client", kind, count, writes)
        return {"client cpu": cost / cpus / self.clients} if cpus else {}

    def bus(self, way, count):
        if self.own("bus") == "off":
            return {}
        return {"bus": self.pass_s("bus", way, count) / self.get("bus", "servers", 1, int)}

    def log(self, count):
        devices = self.get("log", "devices", 0, int)
        paces = self.get("log", "rate", None, rate)
        time = mean(self.get("log", "write")) + (count / paces if paces else 0)
        return {"log": time / devices}

    @property
    def has_log(self):
        return self.get("log", "devices", 0, int) > 0 and self.get("log", "on", "on") == "on"

    def read(self, count, source, sequential=False):
        """{place: seconds of it for each op}; `source` dram, flash or disk. Whole extents leave disks and flash."""
        whole = source == "disk" and not sequential and not self.is_local
        moved = max(count, self.extent) if whole else count
        out = {"cpu": self.cost(self.protocol, "read", count, from_disk=moved * (source == "disk")) /
                      self.get("cpu", "cores", of=int)}
        out |= self.client_cpu("read", count) | self.network("in", count) | self.bus("read", count)
        if source == "flash":
            out["flash"] = mean(self.get("flash", "read")) / self.get("flash", "devices", 1, int)
        if source == "disk":
            disks = self.get("disks", "count", of=int)
            start = 0 if sequential else self.positioning()
            out["path"] = self.pass_s("path", "read", moved) / self.get("path", "servers", 1, int)
            out["disk"] = (start + moved / self.get("disks", "rate", of=rate)) / disks
        return out

    def write(self, count, sequential, synchronous=False):
        """Gathered or in order it needs no positioning; else of each part of an extent one."""
        out = {"cpu": self.cost(self.protocol, "write", count, True, count) /
                      self.get("cpu", "cores", of=int)}
        out |= self.client_cpu("write", count, True) | self.network("out", count)
        out |= self.bus("write", count)
        commit = self.own("commit", None, size)
        if synchronous and self.has_log:
            out |= self.log(count)
        elif commit and self.has_log:
            out["log"] = self.log(commit)["log"] * count / commit
        passes = self.copies if self.get("path", "mirrored", "off") == "on" else 1
        out["path"] = (self.pass_s("path", "write", count * passes) /
                       self.get("path", "servers", 1, int))
        disks, gathers = self.get("disks", "count", of=int), self.get("disks", "write-cache") == "on"
        start = 0 if sequential or gathers else self.positioning() * self.per_set
        out["disk"] = (start + count * self.copies / self.get("disks", "rate", of=rate)) / disks
        drain = self.get("dram", "drain", None, rate)
        if drain:
            out["drain"] = count / drain
        return out

    def names(self, kind):
        """What is made is closed as well."""
        calls = ["create", "close"] if kind == "create" else [kind]
        out = {"cpu": sum(self.cost(self.protocol, call) for call in calls) /
                      self.get("cpu", "cores", of=int)}
        out |= self.client_cpu(kind, 0)
        if kind in ("create", "unlink") and self.has_log and self.get("log", "metadata") == "on":
            out |= self.log(4 * KIB)
        return out


    def row(self, row, count, direct=False, streams=math.inf):
        """Of a row of `limits`, as its result says that it was asked for."""
        where = "dram" if row.endswith("-cache") else "flash" if row.endswith("-flash") else "disk"
        if row in ("create", "stat", "unlink"):
            return self.names(row)
        if row.startswith(("read-", "stream-read-")):
            return self.read(count, where, row.startswith("stream-"))
        synchronous = row.endswith("-sync") or (direct and self.is_local)
        places = self.write(count, row.startswith("stream-"), synchronous)
        if not synchronous and streams * self.own("commit", 0, size) > self.dirty_most(places, count):
            places.pop("log", None)
        return places

    def dirty_most(self, places, count):
        """What may lie there unwritten before it is written back, so that nobody has to commit it: half the limit, or what
        comes in a second."""
        slowest = max(seconds for place, seconds in places.items() if place != "log")
        return min(self.get("dram", "dirty-limit", 0, size) / 2, count / slowest)


def most(places):
    """(ops a second at the most, the place that allows no more, how much less the next one is used)."""
    order = sorted(places, key=places.get, reverse=True)
    return 1 / places[order[0]], order[0], places[order[1]] / places[order[0]] if order[1:] else 0
