# A target is looked for beside, then around, then by the last part of a name; a composite is all within it.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=pair {
  flowop statfile name=a,filename=data
  flowop block name=gate
}
define flowop name=both {
  flowop pair name=x
  flowop statfile name=a,filename=data
  flowop finishoncount name=beside,value=1,target=a
  flowop finishoncount name=within,value=2,target=x
  flowop finishoncount name=around,value=3,target=b
}
define process name=p {
  thread name=t {
    flowop both name=first
    flowop statfile name=b,filename=data
    flowop finishoncount name=last,value=4,target=x.a
    flowop finishoncount name=all,value=5,target=first
  }
  thread name=waker {
    flowop pair name=own
    flowop wakeup name=exact,target=own.gate
    flowop wakeup name=part,target=gate
  }
}
run 10
