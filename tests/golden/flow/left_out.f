# What iters=0 leaves out opens nothing, closes nothing, and is not asked what it works on.
set $extra=0
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop openfile name=open,filename=data,fd=1
    flowop read name=read,fd=1,iosize=4k
    flowop closefile name=close,fd=1
    flowop openfile name=open2,filename=data,fd=2,iters=$extra
    flowop read name=read2,fd=2,iosize=4k,iters=$extra
    flowop fsync name=sync2,fd=3,iters=$extra
  }
}
run 5
