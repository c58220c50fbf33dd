# A device is opened, read, written, made durable and closed like a file, and sized by nothing else.
define file name=sdx,path=/dev
define process name=p {
  thread name=t,memsize=1m {
    flowop read name=rand,filename=sdx,iosize=8k,random
    flowop write name=write,filename=sdx,iosize=8k,random,workingset=64k
    flowop fsync name=sync
    flowop statfile name=stat,filename=sdx,fd=1
    flowop openfile name=open,filename=sdx,fd=1,directio
    flowop aiowrite name=aio,filename=sdx,fd=1,iosize=4k,random
    flowop closefile name=close,fd=1
  }
}
run 10
