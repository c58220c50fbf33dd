set $a=5
set $b=true
vars
