define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
set mode quit firstdone
