# Each limit counts what it says, of all its thread or of one flowop; an event is the next op's due time.
eventgen rate=100
define file name=big,path=$dir,size=1m,prealloc
define process name=p {
  thread name=all {
    flowop read name=read,filename=big,iosize=4k
    flowop write name=write,filename=big,iosize=4k
    flowop statfile name=stat,filename=big
    flowop hog name=hog,value=1
    flowop iopslimit name=io
    flowop opslimit name=ops
    flowop bwlimit name=bw
  }
  thread name=one {
    flowop read name=read,filename=big,iosize=4k
    flowop write name=write,filename=big,iosize=4k
    flowop iopslimit name=io,target=write
    flowop opslimit name=ops,target=read
    flowop bwlimit name=bw,target=read
  }
  thread name=events {
    flowop statfile name=first,filename=big
    flowop eventlimit name=event
    flowop hog name=hog,value=1
    flowop statfile name=second,filename=big
    flowop eventlimit name=event
  }
}
run 10
