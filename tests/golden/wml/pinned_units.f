# The command line takes units as the file does.
set $n=10
set $io=1k
define fileset name=data,path=$dir,entries=$n,size=64k,dirwidth=5,prealloc
define process name=p {
  thread name=t {
    flowop read name=read,filename=data,iosize=$io
  }
}
run 5
