# Accepted, and measuring nothing.
set $rv=randvar(type=uniform,min=0,mean=5)
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define process name=p {
  thread name=t {
    flowop print name=hello,value="hello"
    flowop testrandvar name=try,value=$rv
  }
  thread name=waits {
    flowop block name=alone
    flowop semblock name=also,value=1
    flowop statfile name=stat,filename=data
  }
}
run 10
