define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
psrun
psrun -5 30
psrun 2
