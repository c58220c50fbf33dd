set $=1
set $_x=1
set $5=1
echo $
set $(x)=1
set ${x=1
set x=1
run $
