set $a=$b +
set $a=$b + $c + $d
set $a=$b * "2"
set $a=5 + x
set $a=+ 5
set $a=$b ** 2
run 5
