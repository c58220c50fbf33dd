# What is changed behind the last run is not what was measured.
define file name=f,path=$dir,size=64k,prealloc
set $n=1
define process name=p,instances=$n { thread name=t { flowop read name=r,filename=f,iosize=4k } }
run 1
set $n=2
run 1
set $n=3
set mode quit firstdone
