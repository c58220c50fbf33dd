set mode quit timeout
set $cached=0
define fileset name=f,path=$dir,entries=4,size=4k,filesizegamma=0,dirwidth=4,dirgamma=0,prealloc,cached=$cached
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
create filesets
create processes
stats clear
sleep 60
stats snap
shutdown processes
quit
