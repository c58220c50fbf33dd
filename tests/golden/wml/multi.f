enable multi master=host1,client=me
define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
domultisync value=1
run 1
domultisync value=2
