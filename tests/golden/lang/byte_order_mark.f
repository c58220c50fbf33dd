set $a=5
