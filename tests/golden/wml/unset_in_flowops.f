define file name=f,path=$dir,size=64k,prealloc
set $io=4k
define process name=p {
  thread name=t { flowop read name=r,filename=f,iosize=$io1 }
  thread name=u { flowop read name=r,filename=f,iosize=4k,iters=$it }
}
run 1
