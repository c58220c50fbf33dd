# Each run evaluates all of it anew.
define fileset name=f,path=/elsewhere,entries=4,size=8k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
run 1
run 1
