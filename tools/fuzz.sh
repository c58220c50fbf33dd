#!/bin/sh
# fuzz.sh FUZZER CORPUS   fuzzes for FUZZ_SECONDS (60). What it learns stays beside the fuzzer, so the
# next run goes on from there; an input that fails is kept there too, to become part of CORPUS with
# the fix.
set -eu
fuzzer=$1
corpus=$2
learnt=$fuzzer.corpus
mkdir -p "$learnt"
exec "$fuzzer" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$fuzzer-" "$learnt" "$corpus"
