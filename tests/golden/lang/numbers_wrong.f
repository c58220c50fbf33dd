define fileset name=4kb,path=1.5m,entries=1.5,size=4kb,dirwidth=1e6
set $a=4kb
set $b=cvar(type=cvar-uniform,parameters=lower:0.5;upper:1.5,min=0.5)
define process name=p { thread name=t { flowop c name=5x,$l=4kb,iosize=12:00,value="4kb" } }
