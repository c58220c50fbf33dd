set $a=randvar(type=gamma,mean=5
set $b=randvar(typ=gamma)
set $c=randvar(name=$c,mean=5)
set $d=cvar(type=cvar-gamma,gamma=5)
set $e=randvar(randtable={{50,1k},{50,2k,4k}},min=5)
set $f=randvar(randtable={{50,x,4k}},min=5)
set $g=randvar(randtable={50,1k,4k})
set $h=randvar(randtable={{100,1k,4k})
define randvar type=gamma,mean=5
define randvar name=x,mean=5
set $i=randvar()
run 60
