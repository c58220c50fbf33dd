set $a=1
set $b=$a
set $a=$b
set $c=$c
