# Sizes that are drawn: of reads, whole files, appends.
set $size=cvar(type=cvar-uniform,parameters=lower:4096;upper:8192)
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=64k,prealloc
define process name=p {
  thread name=t,memsize=1m {
    flowop read name=seq,filename=data,iosize=$size
    flowop read name=rand,filename=data,iosize=$size,random
    flowop readwholefile name=whole,filename=data,iosize=$size
    flowop appendfile name=append,filename=data,iosize=$size
    flowop appendfilerand name=below,filename=data,iosize=$size
  }
}
run 10
