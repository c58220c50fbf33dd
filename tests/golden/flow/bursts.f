# Asked for by name, 1.5 has its events in tens.
eventgen rate=100
define file name=big,path=$dir,size=1m,prealloc
define process name=p {
  thread name=t {
    flowop read name=read,filename=big,iosize=4k
    flowop eventlimit name=event
  }
}
run 10
