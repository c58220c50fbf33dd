# Ends by count and by bytes: of the process, shared by its threads, or of one flowop of the thread.
set mode quit alldone
define file name=big,path=$dir,size=1m,prealloc
define process name=p {
  thread name=reader {
    flowop read name=read,filename=big,iosize=4k
    flowop hog name=hog,value=1
    flowop finishoncount name=count,value=1000
    flowop finishonbytes name=bytes,value=1m
  }
  thread name=writer,instances=2 {
    flowop write name=write,filename=big,iosize=4k
    flowop finishoncount name=own,value=100,target=write
    flowop finishonbytes name=ownbytes,value=2m,target=write
  }
}
run 10
