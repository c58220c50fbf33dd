#!/bin/sh
# format.sh check|fix ROOT   clang-format over every C file below src/ and tests/, by ROOT/.clang-format
set -eu
how=$1
cd "$2"
case $how in
check) options="--dry-run -Werror" ;;
fix) options="-i" ;;
*) echo "format.sh: check or fix, not $how" >&2; exit 2 ;;
esac
find src tests -name '*.[ch]' -print0 | xargs -0 -r clang-format --style=file $options
