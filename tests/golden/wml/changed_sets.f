# A set that is asked for otherwise is made anew; one more is only added.
set $n=4
define fileset name=f,path=$dir,entries=$n,size=4k,dirwidth=4,dirgamma=0,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
run 1
define file name=g,path=$dir,prealloc
run 1
set $n=8
run 1
shutdown fileset
run 1
