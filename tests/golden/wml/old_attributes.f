set $cached=true
define fileset name=f,path=$dir,entries=4,size=8k,filesizegamma=2500,dirwidth=4,dirgamma=0,prealloc,cached=$cached,namelength=12
define file name=g,path=$dir,size=64k,prealloc,cached
define process name=p { thread name=t,memsize=64k,useism { flowop read name=r,filename=f,iosize=4k } }
run 1
