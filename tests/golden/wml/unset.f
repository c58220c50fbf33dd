# Several at once, each with its place.
define fileset name=f,path=$dir,entries=$nfiles,size=4k,dirwidth=4,dirgamma=0,prealloc
run $t
define process name=p,instances=$procs {
  thread name=t,memsize=$mem { flowop read name=r,filename=f,iosize=$io }
}
echo "only printed: $nope"
run 1
