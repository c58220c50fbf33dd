define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
create processes
warmup 5
sleep 10
stats clear
sleep 20
sleep 10
stats snap
sleep 5
stats snap
stats clear
sleep 7
stats snap
shutdown processes
