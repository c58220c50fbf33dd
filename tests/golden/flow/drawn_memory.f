# A size that is drawn may be larger than memsize once in a while: the memory is made larger then.
set $size=cvar(type=cvar-gamma,parameters=mean:5632;gamma:1.5,min=1k)
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=64k,prealloc
define process name=p {
  thread name=t,memsize=16k {
    flowop appendfile name=append,filename=data,iosize=$size
  }
}
run 10
