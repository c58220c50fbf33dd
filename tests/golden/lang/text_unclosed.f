set $a=5
echo "no end $a
run 60
set a=x
runn
