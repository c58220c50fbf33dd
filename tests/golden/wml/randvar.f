set $u=randvar(type=uniform,min=1k,mean=2k)
set $g=randvar(type=gamma,mean=5632,min=1k,gamma=1500)
set $d=randvar(gamma=2500)
set $t=randvar(type=tabular,min=1k,round=1k,randtable={{80,1k,7k},{15,8k,63k},{05,64k,1m}})
set $m=randvar(randtable={{50,0,10},{50,10,20}},mean=40,min=5)
set $z=randvar(type=tabular,min=3,randtable={{100,7,7}})
define fileset name=u,path=$dir,entries=4,size=$u,dirwidth=4,dirgamma=0
define fileset name=g,path=$dir,entries=4,size=$g,dirwidth=$d,dirgamma=0
define fileset name=t,path=$dir,entries=4,size=$t,dirwidth=4,dirdepthrv=$d
define fileset name=m,path=$dir,entries=4,size=$m,dirwidth=4,dirgamma=0
define fileset name=z,path=$dir,entries=$u,size=$z,dirwidth=4k,dirgamma=0
set $deep=randvar(type=uniform,min=5)
define fileset name=deep,path=$dir,entries=4,size=1k,dirwidth=4,dirdepthrv=$deep
create files
echo "$u $g $t"
