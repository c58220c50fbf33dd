#!/usr/bin/python3
"""fixture.py up | down — the servers of a build tree, for all its tests.

`up` starts an nfs-ganesha and our null_nfs, and writes BUILD_DIR/server/targets: a line "NAME ADDRESS DIRECTORY" for each
export, the directory as it is seen from here, "-" where there is none.

  ext4    FSAL_VFS on an ext4 of its own      tmpfs   FSAL_VFS on a tmpfs
  mem     FSAL_MEM: files up to 2 MiB            null    null_nfs, which keeps nothing

The file systems are mounted where only the server sees them, so they go when it goes."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import ganesha

PLACE = pathlib.Path(os.environ["BUILD_DIR"]) / "server"
ROOM = PLACE / "fixture"
TARGETS = PLACE / "targets"
PROCESSES = PLACE / "processes"
EXT4_BYTES = 16 << 30  # sparse: what is not written takes no room
SKIPPED = 77


def started_at(pid):
    """The moment a process began, so that another one of the same number is not taken for it."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def down():
    TARGETS.unlink(missing_ok=True)
    if PROCESSES.exists():
        for line in PROCESSES.read_text().splitlines():
            end(*line.split())
        PROCESSES.unlink()
    shutil.rmtree(ROOM, ignore_errors=True)


def end(pid, began):
    if started_at(pid) == began:
        os.kill(int(pid), signal.SIGKILL)
        while started_at(pid) == began and not is_dead(pid):
            time.sleep(0.02)


def is_dead(pid):
    """Who started it is gone, and it may take seconds until somebody else looks after it."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def note(pid):
    with open(PROCESSES, "a", encoding="utf-8") as file:
        file.write(f"{pid} {started_at(pid)}\n")


def start_null():
    """Its line of the targets."""
    server = subprocess.Popen([PLACE / "null_nfs"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, start_new_session=True)
    note(server.pid)
    port = int(server.stdout.readline())
    return f"null nfs://127.0.0.1:{port}/export?mountport={port} -\n"


def file_systems():
    """Name → where it will be, and the commands that put them there."""
    image, places = ROOM / "image", {name: ROOM / name for name in ("ext4", "tmpfs")}
    with open(image, "wb") as file:
        file.truncate(EXT4_BYTES)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    for place in places.values():
        place.mkdir()
    return places, (f"mount -o loop '{image}' '{places['ext4']}'\n"
                    f"rmdir '{places['ext4']}/lost+found'\n"
                    f"mount -t tmpfs -o size=1g,mode=755 none '{places['tmpfs']}'")


def start_ganesha():
    exports, before = [ganesha.Export("mem")], ""
    if os.geteuid() == 0:
        places, before = file_systems()
        exports += [ganesha.Export(name, place) for name, place in places.items()]
    server = ganesha.Ganesha(ROOM, exports, before=before, outlive=True).start()
    pid = server.process.pid
    note(pid)
    return "".join(
        f"{export.name} {server.address(export.name)} "
        f"{f'/proc/{pid}/root{export.path}' if export.path else '-'}\n" for export in exports)


def up():
    down()
    ROOM.mkdir(parents=True)
    TARGETS.write_text(start_null() + start_ganesha())


def main():
    if sys.argv[1:] == ["down"]:
        down()
    elif sys.argv[1:] == ["up"]:
        if not ganesha.installed():
            print("nfs-ganesha is not installed", file=sys.stderr)
            return SKIPPED
        up()
    else:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
