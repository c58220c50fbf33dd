define file name=f,path=$dir,size=64k,prealloc
define process name=p,nice=5 { thread name=a,ioprio=4 { flowop read name=r,filename=f,iosize=4k } }
run 1
