set $a=""
set $b="with blanks"
set $c="$dir/sub"
set $d="${dir}sub$(HOME)"
set $e="$dir"
set $f="a, {b} # c = d"
set $g=pre"in quotes"post
echo "two
lines"
echo "\$name \n at once\n\nand \t stays"
echo "back\\slash \\n"
echo ""
echo plain
echo $dir
echo "$dir"
system "awk '{print \$1}' < /proc/loadavg"
log "kept"
usage "set \$dir=<dir>  defaults to $dir\n"
