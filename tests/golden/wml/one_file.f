# One file, one process, one thread: the least there is.
define file name=big,path=$dir,size=1m,prealloc
define process name=p,instances=1
{
  thread name=t,memsize=1m,instances=1
  {
    flowop read name=seqread,filename=big,iosize=64k
  }
}
run 60
