# What begins like a number and is none is a slip of the hand, wherever it was written; it is not 0.
set $half=1.5
set $io=4kb
set $glued=8-1
set $below=-5
define fileset name=data,path=$dir,entries=$n,size=$io,dirwidth=5,prealloc
define process name=p,instances=$below {
  thread name=t {
    flowop statfile name=look,filename=data
    flowop delay name=pause,value=$half
    flowop read name=read,filename=data,iosize=$io
  }
}
run $glued
