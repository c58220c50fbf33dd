# Each at its place: more bytes at a time than there can be.
set $drawn=randvar(type=uniform,min=1,mean=4000g)
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop read name=read,filename=data,iosize=1025g
    flowop readwholefile name=whole,filename=data,iosize=1025g
    flowop appendfile name=append,filename=data,iosize=$drawn
    flowop appendfilerand name=rand,filename=data,iosize=1025g
    flowop aiowrite name=aio,filename=data,iosize=1025g,random,workingset=2000g
  }
}
run 5
