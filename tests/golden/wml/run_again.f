# Nothing behind the first run is skipped, and its files go on.
set $io=4k
define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=$io } }
run 1
set $io=8k
run 2
echo "done"
