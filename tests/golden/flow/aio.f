# Writes that nobody waits for, until half of them are done; in pairs of semaphores, as a data base has them.
eventgen rate=0
define fileset name=data,path=$dir,entries=4,size=10m,dirwidth=1024,prealloc,reuse
define file name=log,path=$dir,size=10m,prealloc,reuse
define process name=lgwr,instances=1 {
  thread name=lgwr,memsize=1m,useism {
    flowop aiowrite name=lg-write,filename=log,iosize=256k,workingset=1m,random,dsync
    flowop aiowait name=lg-wait
    flowop semblock name=lg-block,value=320,highwater=100
  }
}
define process name=dbwr,instances=2 {
  thread name=dbwr,memsize=1m {
    flowop aiowrite name=db-write,filename=data,iosize=2k,random,iters=100,opennext,dsync
    flowop hog name=db-hog,value=10000
    flowop semblock name=db-block,value=100,highwater=200
    flowop aiowait name=db-wait
  }
}
define process name=shadow,instances=20 {
  thread name=shadow,memsize=1m {
    flowop read name=read,filename=data,iosize=2k,random,opennext
    flowop hog name=hog,value=2000
    flowop sempost name=lg-post,value=1,target=lg-block,blocking
    flowop sempost name=db-post,value=1,target=db-block,blocking
    flowop eventlimit name=limit
  }
}
run 10
