define file name=f,path=$dir,size=64k,prealloc
define process name=p,instances=2,nice=5 {
  thread name=a,instances=3,ioprio=4,memsize=64k { flowop read name=r,filename=f,iosize=4k }
  thread name=b,useism { flowop read name=s,filename=f,iosize=4k }
}
define process name=none,instances=0 { thread name=a { flowop read name=q,filename=f,iosize=4k } }
define process name=q { thread name=a,ioprio=8 { flowop read name=u,filename=f,iosize=4k } thread name=b,instances=0 { flowop read name=v,filename=f,iosize=4k } }
run 1
