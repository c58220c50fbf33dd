# A slot that only what is left out would open, or close.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=never { flowop openfile name=open,filename=data,fd=1 flowop closefile name=close,fd=2 }
define process name=p {
  thread name=t {
    flowop never name=never,iters=0
    flowop read name=read,fd=1,iosize=4k
    flowop openfile name=open,filename=data,fd=2
    flowop writewholefile name=write,filename=data,srcfd=1,iosize=4k
  }
}
run 5
