#!/bin/sh
# uninstall.sh BUILD PREFIX   removes below $DESTDIR what `cmake --install BUILD --prefix PREFIX` puts
# there: it is installed once more into a directory of its own, to see which files those are
set -eu
build=$1
prefix=$2
seen=$(mktemp -d)
trap 'rm -rf "$seen"' EXIT

DESTDIR=$seen cmake --install "$build" --prefix "$prefix" >/dev/null
(cd "$seen" && find . -type f) | while IFS= read -r file; do
    rm -f "${DESTDIR:-}${file#.}"
done
# Directories are everybody's but these.
find "${DESTDIR:-}$prefix/share/doc/loadline" "${DESTDIR:-}$prefix/share/loadline" -depth -type d -exec rmdir {} + 2>/dev/null || :
