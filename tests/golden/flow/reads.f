# Reading: in order, at random, a part of the file, whole files; opened on the way.
set $n=8k
define file name=big,path=$dir,size=1m,prealloc
define fileset name=small,path=$dir,entries=20,dirwidth=5,size=16k,prealloc
define process name=p {
  thread name=t,memsize=1m {
    flowop read name=seq,filename=big,iosize=$n
    flowop read name=rand,filename=big,iosize=$n,random
    flowop read name=part,filename=big,iosize=$n,random,workingset=64k
    flowop read name=next,filename=small,iosize=4k,opennext
    flowop read name=some,filename=big,iosize=4k,fd=3,directio=1
    flowop readwholefile name=whole,filename=small,fd=1,iosize=1m
    flowop closefile name=close,fd=1
    flowop openfile name=open,filename=small,fd=2
    flowop readwholefile name=once,fd=2
    flowop closefile name=close2,fd=2
  }
}
run 10
