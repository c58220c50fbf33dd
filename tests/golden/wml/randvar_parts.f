define randvar name=$r, type=gamma, mean=$m, gamma=2000
set $m=100
echo "$r.mean $r.gamma $r.type $r.min"
define fileset name=f,path=$dir,entries=4,size=$r,dirwidth=4,dirgamma=0
create files
set $r.mean=300
set $r.min=20
create files
set $r=randvar(type=uniform,mean=70)
create files
