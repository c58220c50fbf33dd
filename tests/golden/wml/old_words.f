usage "Usage: set \$dir=<dir>"
enable_osprof
stats directory /tmp
stats command "iostat"
fscheck path=/dev/x,fstype=ufs
define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
run 1
