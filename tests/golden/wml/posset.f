define file name=f,path=$dir,size=64k,prealloc
define posset name=ps,type=rnd,entries=16,max=64k,seed=3
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k,random,possetname=ps } }
run 1
