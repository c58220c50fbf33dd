# Direct I/O belongs to whoever opens the slot: all sizes there are whole sectors.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=64k,prealloc
define process name=p {
  thread name=t {
    flowop openfile name=open,filename=data,fd=1,directio
    flowop read name=read,fd=1,iosize=8k,random
    flowop writewholefile name=whole,fd=1,iosize=1m
    flowop appendfilerand name=append,fd=1,iosize=16k
    flowop closefile name=close,fd=1
  }
}
run 10
