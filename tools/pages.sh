#!/bin/sh
# pages.sh PROGRAM DIR   writes the manual pages and the shells' completions that PROGRAM makes from
# its own tables below DIR, where an installation has them below its share/
set -eu
program=$1
dir=$2

rm -rf "$dir"
mkdir -p "$dir/man/man1" "$dir/bash-completion/completions" "$dir/zsh/site-functions" \
    "$dir/fish/vendor_completions.d"
"$program" man >"$dir/man/man1/loadline.1"
# What can stand behind help are the commands.
"$program" complete -- help '' | cut -f 1 | while read -r command; do
    "$program" man "$command" >"$dir/man/man1/loadline-$command.1"
done
"$program" completions bash >"$dir/bash-completion/completions/loadline"
"$program" completions zsh >"$dir/zsh/site-functions/_loadline"
"$program" completions fish >"$dir/fish/vendor_completions.d/loadline.fish"
