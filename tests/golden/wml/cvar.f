set $v0=cvar(type=cvar-erlang,parameters=shape:3;rate:2)
define fileset name=v0,path=$dir,entries=2,size=$v0,dirwidth=4,dirgamma=0
set $v1=cvar(type=cvar-exponential,parameters=mean:4096)
define fileset name=v1,path=$dir,entries=2,size=$v1,dirwidth=4,dirgamma=0
set $v2=cvar(type=cvar-gamma,parameters=mean:16384;gamma:2.5)
define fileset name=v2,path=$dir,entries=2,size=$v2,dirwidth=4,dirgamma=0
set $v3=cvar(type=cvar-lognormal,parameters=shape:1;scale:8)
define fileset name=v3,path=$dir,entries=2,size=$v3,dirwidth=4,dirgamma=0
set $v4=cvar(type=cvar-normal,parameters=mean:9000;sigma:100,min=8k,max=16k,round=512)
define fileset name=v4,path=$dir,entries=2,size=$v4,dirwidth=4,dirgamma=0
set $v5=cvar(type=cvar-triangular,parameters=lower:1;upper:9;mode:3)
define fileset name=v5,path=$dir,entries=2,size=$v5,dirwidth=4,dirgamma=0
set $v6=cvar(type=cvar-uniform,parameters=lower:4096;upper:8192)
define fileset name=v6,path=$dir,entries=2,size=$v6,dirwidth=4,dirgamma=0
set $v7=cvar(type=cvar-weibull,parameters=shape:2;scale:100)
define fileset name=v7,path=$dir,entries=2,size=$v7,dirwidth=4,dirgamma=0
set $v8=cvar(type=cvar-gamma,min=5)
define fileset name=v8,path=$dir,entries=2,size=$v8,dirwidth=4,dirgamma=0
set $v9=cvar(type=cvar-normal,parameters=mean:5;sigma:9)
define fileset name=v9,path=$dir,entries=2,size=1k,dirwidth=$v9
create files
