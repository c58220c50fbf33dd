# 1.5: the index is the number of the file.
set $rv=randvar(type=gamma,min=0,mean=50,gamma=1500)
define fileset name=data,path=$dir,entries=100,dirwidth=10,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop openfile name=open,filename=data,fd=1,indexed=$rv
    flowop closefile name=close,fd=1
    flowop statfile name=third,filename=data,indexed=3
    flowop deletefile name=delete,filename=data,indexed=$rv
    flowop createfile name=create,filename=data,indexed=$rv,fd=1
    flowop closefile name=close,fd=1
    flowop readwholefile name=read,filename=data,indexed=$rv,iosize=4k
  }
}
run 10
