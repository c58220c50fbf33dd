define file name=f,path=$dir,size=64k,prealloc
define process name=p,nice=$nice {
  thread name=t,memsize=$mem { flowop read name=r,filename=f,iosize=$io }
}
define process name=q {
  thread name=t,instances=$n { flowop read name=r,filename=f,iosize=4k }
}
run 1
