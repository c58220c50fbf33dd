# Names that would break the lines they stand in.
define fileset name="a
b",path=$dir,entries=3,size=4k,dirwidth=3,prealloc
define file name=f,path=$dir,size=64k,prealloc
define process name="p	q" { thread name=t { flowop read name=r,filename=f,iosize=4k } }
define process name=p { thread name=t { flowop read name="r	",filename=f,iosize=4k } }
run 1
