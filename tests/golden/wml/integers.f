set $a=05
set $b=1k
set $c=2m
set $d=3g
echo "$a $b $c $d"
set $e=16K
set $f=1.5m
set $g=99999999999999999999
set $h=17179869184g
