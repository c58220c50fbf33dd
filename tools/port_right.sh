#!/bin/sh
# port_right.sh PROGRAM [yes]   with yes gives the installed program the right to ports below 1024, from
# which many NFS servers want to be asked; without says how that is done. With DESTDIR, PROGRAM lies below
# it, and nothing is said: where it will run is not here.
set -eu

program=$1
wish=${2:-}
command="setcap cap_net_bind_service+ep '$program'"

case $wish in
'')
    [ -n "${DESTDIR:-}" ] ||
        echo "for NFS servers that want a port below 1024: make install PORT_RIGHT=yes, or sudo $command"
    ;;
yes)
    if [ "$(id -u)" != 0 ]; then
        echo "PORT_RIGHT=yes needs root; as root: $command" >&2
        exit 1
    fi
    if ! command -v setcap >/dev/null; then
        echo "PORT_RIGHT=yes needs setcap (package libcap2-bin); then: $command" >&2
        exit 1
    fi
    setcap cap_net_bind_service+ep "${DESTDIR:-}$program"
    ;;
*)
    echo "PORT_RIGHT=$wish: there is yes, or nothing" >&2
    exit 1
    ;;
esac
