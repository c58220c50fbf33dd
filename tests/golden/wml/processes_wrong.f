define file name=f,path=$dir,size=64k,prealloc
define process instances=1 { thread name=a { flowop read name=r,filename=f,iosize=4k } }
define process name=p,nice=20 { thread name=a { flowop read name=r,filename=f,iosize=4k } }
define process name=q { thread instances=1 { flowop read name=r,filename=f,iosize=4k } }
define process name=s { thread name=a,ioprio=9,instances=2g { flowop read name=r,filename=f,iosize=4k } }
run 1
