define file name=f,path=$dir,size=64k,prealloc
set $rate=5
eventgen rate=$rate
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k flowop eventlimit name=l } }
set $rate=40
run 1
set $rate=0
run 1
