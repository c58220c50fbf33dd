#!/bin/sh
# Ends with 4 when a build is slower than the release by more than noise, with 5 when nobody can tell.
#   TARGET=/mnt/filer BUILD=77 ci-gate.sh
set -e
io="loadline io $TARGET --read 70 --block 8k --streams 32 --time 60s --quiet"
if ! loadline baseline show release >/dev/null 2>&1; then # once, while the release is installed
    for turn in 1 2 3 4 5; do $io --label release-1.0 >/dev/null; done
    loadline baseline set release release-1.0
fi
$io --label "build-$BUILD"
loadline compare release "build-$BUILD" --fail-if 'ops -5%' --fail-if 'p99 +10%' \
    --junit loadline.xml -o loadline.md --force
