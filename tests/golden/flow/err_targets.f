# Targets: none, unknown, misspelt, of another thread, that move nothing.
eventgen rate=10
define file name=big,path=$dir,size=1m,prealloc
define process name=p {
  thread name=t {
    flowop read name=read,filename=big,iosize=4k
    flowop statfile name=stat,filename=big
    flowop iopslimit name=a,target=raed
    flowop bwlimit name=b,target=stat
    flowop iopslimit name=c,target=stat
    flowop opslimit name=d,target=other
    flowop finishonbytes name=e,value=1,target=stat
    flowop finishoncount name=f,value=1,target=nothing
    flowop wakeup name=g
    flowop wakeup name=h,target=blok
    flowop sempost name=i,target=block,value=1
    flowop sempost name=j,target=seem,value=1
  }
  thread name=u {
    flowop statfile name=other,filename=big
    flowop block name=block
    flowop semblock name=sem,value=1
  }
}
run 10
