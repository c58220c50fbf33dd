# Slots: out of range, never opened, opened and never closed.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=range {
    flowop openfile name=a,filename=data,fd=129
    flowop writewholefile name=b,filename=data,fd=1,srcfd=500,iosize=4k
  }
  thread name=never {
    flowop closefile name=c,fd=1
    flowop read name=d,fd=2,iosize=4k
    flowop fsync name=e
    flowop writewholefile name=f,filename=data,fd=3,srcfd=4,iosize=4k
    flowop openfile name=g,filename=data,fd=5
  }
  thread name=turns {
    flowop openfile name=h,filename=data,opennext
  }
}
run 10
