#!/bin/sh
# demo.sh PROGRAM   measures the local disk in two minutes and leaves nothing behind.
# From the Makefile: DIR (where to measure), DEMO_INSTALL_MS and DEMO_BUILD_MS (what came before).
set -eu

loadline=$1
dir=${DIR:-build/demo}
shown=$loadline
begun=$(date +%s)
reason=

made=
[ -d "$dir" ] || { mkdir -p "$dir" && made=yes; }
db=$dir/.demo-results.db

say() { printf '\n%s\n' "$*"; }

# Keeps the first reason; the demo goes on, since one broken step says nothing about the others.
failed() { [ -n "$reason" ] || reason=$1; }

cleanup() {
    "$loadline" clean "$dir" --kept --quiet >/dev/null 2>&1 || :
    rm -f "$db" "$db-wal" "$db-shm"
    [ -z "$made" ] || rmdir "$dir" 2>/dev/null || :
}
trap 'cleanup; exit 3' INT TERM

say "1 of 6  What this disk gives, to be pasted
  $shown quick $dir"
"$loadline" quick "$dir" --budget 25s --quiet --db "$db" || failed "quick ended with status $?"

say "2 of 6  The tree test of 2001: 16 threads write and read back 5376 files a row
  $shown dirtest $dir \\
      --lengths 2,256,1k,4k,16k,64k --min-time 0.1s"
"$loadline" dirtest "$dir" --lengths 2,256,1k,4k,16k,64k --min-time 0.1s --db "$db" ||
    failed "the tree test ended with status $?"

# The head of the table and the row of one readtest.
trap_row() {
    answer=$("$loadline" readtest "$dir" --client-cache "$1" --min-time 0.1s --quiet \
        --db "$db") || failed "reading back with --client-cache $1 ended with status $?"
    [ -n "$3" ] || printf '%s\n' "$answer" | sed -n '/^ *length phase/,/^---/p'
    printf '%s\n' "$answer" | grep -E '^ *[0-9.]+ [KM]?i?B +read ' | sed "s/ *\$/ $2/"
}
say "3 of 6  The trap: the same files read from this machine's memory, then from disk
  $shown dirtest $dir --lengths 64k --repeat 1 \\
      --write-only --keep --min-time 0.01s
  $shown readtest $dir --client-cache keep --min-time 0.1s
  $shown readtest $dir --client-cache drop --min-time 0.1s"
if "$loadline" dirtest "$dir" --lengths 64k --min-time 0.01s --repeat 1 --write-only --keep --quiet \
    --db "$db" >/dev/null; then
    trap_row keep '<- memory' ''
    trap_row drop '<- disk' again
    echo 'A tool that does not say where the bytes came from prints either number.'
else
    failed "the tree for the trap could not be written"
fi

say "4 of 6  The tail: 1000 requests a second, the target stands still for 1 s
        (in simulated time)
  $shown io 'fault:null:?stall=1s@5s&clock=virtual' \\
      --streams 1 --rate 1000/s --read 100 --time 10s --warmup 0s"
answer=$("$loadline" io 'fault:null:?stall=1s@5s&clock=virtual' --streams 1 --rate 1000/s \
    --read 100 --time 10s --warmup 0s --quiet --db "$db") ||
    failed "the simulated stall ended with status $?"
printf '%s\n' "$answer" | sed -n '/IOPS .*p50/,/^$/p'
echo 'Service is what the target took once it was asked; response is what users'
echo 'waited, who came all the same.'

say "5 of 6  Two storage systems that others measured
  $shown selftest published
  $shown limits sim:sun7410-barcelona --only read-1b-cache"
"$loadline" selftest published || failed "the published rows do not come out"
answer=$("$loadline" limits sim:sun7410-barcelona --only read-1b-cache --quiet --format csv \
    --published 2009-barcelona --db "$db") || failed "the modelled ladder ended with status $?"
# No field before the numbers holds a comma but `why`, which is empty.
printf '%s\n' "$answer" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i - NF }
    NR > 1 { printf "Sun 7410 (sim): %s 1-byte reads/s from memory over %s, published %s\n",
             $10, $4, $(NF + at["published_low"]) }'

say "6 of 6  What loadline itself costs here
  $shown selftest overhead"
"$loadline" selftest overhead --db "$db" || failed "selftest ended with status $?"

cleanup
left=$(find "$dir" -mindepth 1 2>/dev/null | head -3)
[ -z "$left" ] || failed "left behind: $left"

ms() { printf '%d.%01d s' $(($1 / 1000)) $(($1 % 1000 / 100)); }
say "Next, on your own storage:
  $shown limits /mnt/yours
  $shown dirtest /mnt/yours --lengths 2..4k
  $shown io /mnt/yours --read 70 --block 8k --streams 32 --time 30s
  $shown targets"
say "Installing took $(ms "${DEMO_INSTALL_MS:-0}"), building $(ms "${DEMO_BUILD_MS:-0}"), measuring $(($(date +%s) - begun)) s."
if [ -n "$reason" ]; then
    echo "NOT OK: $reason"
    exit 3
fi
echo OK
