# Writing: in order, at random, whole files by their own size and by another's, and appending.
define file name=big,path=$dir,size=1m,prealloc
define fileset name=from,path=$dir,entries=20,dirwidth=5,size=16k,prealloc
define fileset name=to,path=$dir,entries=20,dirwidth=5,size=16k
define process name=p {
  thread name=t,memsize=1m {
    flowop write name=seq,filename=big,iosize=8k,fd=5
    flowop write name=rand,filename=big,iosize=8k,random,fd=5
    flowop openfile name=open,filename=from,fd=1
    flowop createfile name=create,filename=to,fd=2
    flowop writewholefile name=copy,fd=2,srcfd=1,iosize=1m
    flowop writewholefile name=own,fd=2,iosize=4k
    flowop writewholefile name=once,fd=2,srcfd=2
    flowop appendfile name=append,fd=2,iosize=4k
    flowop appendfilerand name=appendrand,fd=2,iosize=16k
    flowop closefile name=close,fd=1
    flowop closefile name=close,fd=2
  }
  thread name=slot0 {
    flowop write name=first,filename=big,iosize=8k
    flowop writewholefile name=byzero,filename=to,fd=1,iosize=4k
    flowop closefile name=done,fd=1
  }
}
run 10
