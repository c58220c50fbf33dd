# The parameters of a custom variable put together, and with blanks between them.
set $mean=8192
set $a=cvar(type=cvar-gamma,parameters=mean:$mean;gamma:2)
set $b=cvar(type=cvar-gamma,parameters="mean:$mean; gamma:3")
define file name=f,path=$dir,size=64k,prealloc
define process name=p {
  thread name=t {
    flowop read name=one,filename=f,iosize=$a
    flowop read name=two,filename=f,iosize=$b
  }
}
run 1
