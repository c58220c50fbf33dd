# ${x} is $x, $(x) stays what it is, the longest name counts, one letter is enough.
set $a=1
set $dirx=/tmp
set ${b}=2
set $c_d=3
define fileset name=${a},path=$(HOME),entries=$a,size=${c_d},dirwidth=$dirx
echo "$a ${a} $(a) $dirx.f $c_d_ ${stats.iocount} $a.mean $a.meanest ${a.gamma}"
echo "$ $5 $$a ${ ${a $(b c) $"
sleep $a
run ${b}
