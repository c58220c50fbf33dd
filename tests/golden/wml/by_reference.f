# What is named keeps what holds at the run.
set $entries=10
set $threads=2
set $io=4k
define fileset name=f,path=$dir,entries=$entries,size=8k,dirwidth=4,dirgamma=0,prealloc
define process name=p,instances=$threads { thread name=t,instances=$threads { flowop read name=r,filename=f,iosize=$io,iters=$threads } }
set $entries=20
set $threads=3
set $io=2k
run 1
