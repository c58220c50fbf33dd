define file name=sdb,path=/dev,size=1m
define process name=p { thread name=t { flowop read name=r,filename=sdb,iosize=4k,random } }
run 1
