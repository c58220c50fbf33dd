# 1.4, as `define randvar` says: of a random variable whose mean is 1, times half of the files.
define randvar name=$rv,type=gamma,min=0,mean=1,gamma=1500
define fileset name=data,path=$dir,entries=100,dirwidth=10,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop statfile name=drawn,filename=data,indexed=$rv
    flowop statfile name=fixed,filename=data,indexed=1
  }
}
run 10
