# The working set bounds reading at once, and not what is written.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop readwholefile name=read,filename=data,workingset=2k
    flowop writewholefile name=write,filename=data,workingset=2k
  }
}
run 10
