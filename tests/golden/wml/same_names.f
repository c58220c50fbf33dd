# A file, a process, a thread, a flowop: each kind has names of its own.
define process name=f { thread name=f { flowop read name=f,filename=f,iosize=4k } }
define file name=f,path=$dir,size=64k,prealloc
define process name=f { thread name=f2 { flowop read name=f2,filename=f,iosize=4k } }
run 1
