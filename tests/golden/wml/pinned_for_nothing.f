set $nfiles=4
define fileset name=f,path=$dir,entries=$nfiles,size=4k,dirwidth=4,dirgamma=0,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
run 1
