# Sets: unknown, misspelt, missing, without what is picked; opened the other way.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define fileset name=dirs,path=$dir,leafdirs=10,dirwidth=4,prealloc
define fileset name=fixed,path=$dir,entries=10,dirwidth=4,size=8k,prealloc,readonly
define fileset name=sink,path=$dir,entries=10,dirwidth=4,size=8k,prealloc,writeonly
define process name=p {
  thread name=t {
    flowop read name=a,filename=dada,iosize=4k
    flowop read name=b,filename=nowhere,iosize=4k
    flowop openfile name=c,fd=1
    flowop listdir name=d
    flowop read name=e,filename=dirs,iosize=4k,fd=2
    flowop makedir name=f,filename=data
    flowop fsyncset name=g
    flowop statfile name=h,filename=dirs
  }
  thread name=modes {
    flowop write name=into,filename=fixed,iosize=4k
    flowop read name=from,filename=sink,iosize=4k,fd=1
    flowop appendfile name=also,fd=1,iosize=4k
    flowop readwholefile name=fine,filename=fixed,fd=2,iosize=4k
  }
  thread name=none {
    flowop deletefile name=which,fd=3
    flowop statfile name=whose
  }
}
run 10
