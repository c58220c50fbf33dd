define fileset nam=x,path=/tmp
define fileset name=a,name,iosize=4k
define file name=a,workingset=1m
define process name=p,memsize=1m {
  thread name=t,instance=4 {
    flowop read name=r,wss=1m,nothinglikeit=5,directio
    flowop read name=r,filename=f random
    flowop read $x.mean=5
    flowop read name=r,,fd=1
    flowop read possetname=p
    flowop read
  }
  thread name=u,$x { flowop read name=r }
}
define fileset
define thread name=t { }
