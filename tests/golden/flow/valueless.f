# What is nothing without a value says so.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop statfile name=look,filename=data
    flowop hog name=hog
    flowop delay name=delay
    flowop sempost name=post,target=wait
    flowop finishonbytes name=bytes
    flowop finishoncount name=count
  }
  thread name=u { flowop semblock name=wait }
}
run 5
