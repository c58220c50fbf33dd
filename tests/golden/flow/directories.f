# Directories listed in turn, leaf directories made and removed, also by an index.
set $rv=randvar(type=uniform,min=0,mean=1)
define fileset name=tree,path=$dir,entries=12,dirwidth=3,dirgamma=0,leafdirs=8,prealloc=50
define process name=p {
  thread name=t {
    flowop listdir name=list,filename=tree
    flowop makedir name=make,filename=tree
    flowop removedir name=remove,filename=tree
    flowop makedir name=some,filename=tree,indexed=$rv
  }
}
run 10
