define file name=f,path=$dir,size=64k,prealloc
set mode quit alldone
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k flowop finishoncount name=end,value=100,target=r } }
run
