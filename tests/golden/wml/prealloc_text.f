# A flag is a flag between quotes, too.
define fileset name=f,path=$dir,entries=3,size=4k,dirwidth=3,prealloc="true"
define fileset name=g,path=$dir,entries=3,size=4k,dirwidth=3,prealloc="false"
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
run 1
