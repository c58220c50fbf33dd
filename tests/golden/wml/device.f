define file name=sdb,path=$dir,prealloc
define process name=p { thread name=t { flowop read name=r,filename=sdb,iosize=4k,random } }
run 1
