# Threads that wait for each other, and think time, also drawn.
set $think=randvar(type=uniform,min=1,mean=3)
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=makers {
  thread name=maker {
    flowop wakeup name=wake,target=turn
    flowop block name=mine
    flowop semblock name=both,value=1
    flowop semblock name=both,value=1
    flowop statfile name=stat,filename=data
  }
}
define process name=takers,instances=2 {
  thread name=taker,instances=3 {
    flowop block name=turn
    flowop delay name=pause,value=$think
    flowop hog name=burn,value=$think
    flowop delay name=second,value=1
    flowop wakeup name=back,target=mine
    flowop semblock name=both,value=2,highwater=5
  }
  thread name=poster {
    flowop sempost name=post,value=1,target=both
  }
}
run 10
