# Without an event generator limits are left out, and their lines are there.
define file name=big,path=$dir,size=1m,prealloc
define process name=p {
  thread name=t {
    flowop read name=read,filename=big,iosize=4k
    flowop iopslimit name=io
    flowop opslimit name=ops,target=read
    flowop bwlimit name=bw
    flowop eventlimit name=event
  }
  thread name=idle {
    flowop eventlimit name=event
  }
}
run 10
