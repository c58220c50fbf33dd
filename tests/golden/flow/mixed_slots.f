# Slot 0 is everybody's: the turn, which comes by it, takes what is open there.
define file name=log,path=$dir,size=64k,prealloc
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop read name=turn,filename=data,iosize=4k,opennext
    flowop appendfile name=log,filename=log,iosize=512
    flowop read name=stays,filename=data,iosize=4k,opennext,fd=3
  }
}
run 10
