define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
set mode nousestats
run 1
set mode quit firstdone
run 1
set mode quit alldone
run
set mode quit timeout
run 1
