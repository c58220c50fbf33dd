# On a device nothing is made, listed or removed.
define file name=sdx,path=/dev
define process name=p {
  thread name=t {
    flowop createfile name=create,filename=sdx
    flowop deletefile name=delete,filename=sdx
    flowop listdir name=list,filename=sdx
    flowop makedir name=make,filename=sdx
    flowop removedir name=remove,filename=sdx
  }
}
run 10
