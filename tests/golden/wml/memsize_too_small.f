define file name=f,path=$dir,size=64k,prealloc
define process name=p {
  thread name=t,memsize=4k { flowop read name=r,filename=f,iosize=8k }
  thread name=u,memsize=2k { flowop read name=s,filename=f,iosize=4k }
}
run 1
