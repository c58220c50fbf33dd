# Repetitions: a number, drawn, none; each level of composites has a counter of its own.
set $n=3
set $rv=randvar(type=uniform,min=0,mean=5)
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=inner,$much=1 {
  flowop statfile name=stat,filename=data,iters=$much
}
define flowop name=outer {
  flowop inner name=in,iters=$rv,$much=7
  flowop statfile name=last,filename=data
}
define process name=p {
  thread name=t {
    flowop statfile name=some,filename=data,iters=$n
    flowop statfile name=never,filename=data,iters=0
    flowop statfile name=drawn,filename=data,iters=$rv
    flowop outer name=out,iters=2
  }
}
run 10
