set $a=$b
set $c=$d + 5
set $c=$d+5
set $c=5*$d
set $c=$d * $e
set $c=$d - 1
set $c=$d -1
set $c=$d -$e
set $c=100 / $d
set $c=1g / 4k
set $c=$d /4
define fileset name=a,path=/tmp,entries=$n * $rate
