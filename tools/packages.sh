#!/bin/sh
# packages.sh GROUP…   installs the Debian packages of these groups that are missing, when it may
# (as root or through sudo); otherwise says exactly which they are and fails. Quick when none is.
set -eu

packages_of() {
    case $1 in
    build) echo gcc libc6-dev make cmake ninja-build pkg-config nettle-dev libsqlite3-dev libjansson-dev zlib1g-dev libblkid-dev libedit-dev liburing-dev libcurl4-openssl-dev ;;
    test)  echo libcmocka-dev python3 python3-jsonschema strace clang-format groff-base zsh fish e2fsprogs nfs-ganesha nfs-ganesha-mem nfs-ganesha-vfs rpcbind libnfs-utils iproute2 libcap2-bin lvm2 mdadm fdisk ;;
    check) echo clang libclang-rt-dev clang-tidy ;;
    bench) echo fio python3 libnfs-dev ;;
    *) echo "packages.sh: no group $1 (build test check bench)" >&2; exit 2 ;;
    esac
}

missing_of() {
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || :) in
        ii*) ;;
        *) echo "$package" ;;
        esac
    done
}

# Package lists are missing on a fresh image and out of date on an old one.
install() {
    as_root=$1
    shift
    apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
    if [ -z "$(apt-cache policy "$1" | sed -n 's/^  Candidate: *//p' | grep -v none)" ]; then
        $apt update
    fi
    $apt install -y --no-install-recommends "$@" ||
        { $apt update && $apt install -y --no-install-recommends "$@"; }
}

wanted=
for group in "$@"; do
    wanted="$wanted $(packages_of "$group")"
done

if ! command -v dpkg-query >/dev/null; then
    echo "packages.sh: not Debian, so not checked; in Debian's names this needs:$wanted" >&2
    exit 0
fi

missing=$(missing_of $wanted)
[ -n "$missing" ] || exit 0
missing=$(echo $missing)

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=sudo
else
    echo "packages missing: $missing" >&2
    echo "as root: apt-get install $missing" >&2
    exit 1
fi
echo "installing: $missing" >&2
install "$as_root" $missing >&2
