set $a=randvar(type=uniform,min=1k,mean=5k)
set $b=randvar(type=gamma,gamma=1500,mean=16k,round=512,randsrc=urandom,seed=42)
set $c = randvar ( type=tabular , randtable = { {50, 1k, 2k},{30,2k,4k} ,
   {020,4k,
    8k}} , min=1k )
set $d=randvar(randtable={{100,0,0}})
define randvar name=$e,type=gamma,mean=$mean,gamma=100
define randvar type=uniform,name=$f,min=0,mean=1
set $g=cvar(type=cvar-gamma,parameters=mean:16384;gamma:1.5,min=1k,max=1m,round=512)
set $h=cvar(type=cvar-uniform,parameters="lower:1024;upper:4096")
set $b.mean=4k
set $b.type=uniform
set $b.randsrc=rand48
set $b.min=$a.mean
set ${b.seed}=5
