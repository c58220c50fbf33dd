# One name, two types: two lines. One name, one type: one line.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=a {
    flowop openfile name=x,filename=data,fd=1
    flowop readwholefile name=x,fd=1,iosize=4k
    flowop closefile name=x,fd=1
  }
  thread name=b {
    flowop openfile name=x,filename=data,fd=2
    flowop closefile name=x,fd=2
  }
}
run 10
