define flowop name=inner,$fileset,$count=5,$size=$iosize {
  flowop openfile name=o,filesetname=$fileset,fd=1
  flowop read name=r,iosize=$size,iters=$count
}
define flowop name=outer,$f
{
  flowop inner name=i,$fileset=$f,$count=10
  flowop inner name=j,iters=2,$fileset="named",$count
}
define process name=p { thread name=t { flowop outer name=all,$f=files } }
