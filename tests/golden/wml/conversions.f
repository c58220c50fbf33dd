set $word=abc
set $yes=true
set $zero=0
define fileset name=f,path=$dir,entries=4,size=$word,dirwidth=4,dirgamma=0,prealloc=true
define file name=g,path=$dir,size="64k",prealloc
define process name=p,instances=$yes { thread name=t { flowop read name=r,filename=f,iosize=4k } }
define process name=q { thread name=t { flowop read name=s,filename=g,iosize=4k,random=$zero flowop read name=u,filename=g,iosize=4k,random=1 } }
run 1
